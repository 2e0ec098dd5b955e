// Formats rows as lines and returns them in chunks, so that a table of millions is never held in memory.
import type { ReportTableName } from '../../tracker/report-tables.ts';
import { type ColumnNote, type CsvColumn, type CsvOptions, csvHeader, lineWriter, type SharedColumns } from './csv.ts';

/** UTF-16 code units; larger chunks gain nothing. */
const pieceLength = 131_072;

export interface TableWriter<Row> {
  add(row: Row): void;
  /** Lines so far, without the header. */
  count(): number;
  /**
   * The lines since the last call, once they are enough to write; the first chunk includes the header. Otherwise empty.
   */
  taken(): string;
  /** The remaining lines, after the last row. */
  rest(): string;
}

/** Starts a table. Lines keep the order of their rows. `shared`: see `lineWriter`. */
export function createTableWriter<Row>(
  columns: readonly CsvColumn<Row>[],
  options: CsvOptions,
  shared: readonly SharedColumns<Row>[] = [],
): TableWriter<Row> {
  const write = lineWriter(columns, options, shared);
  let piece = csvHeader(columns, options);
  let count = 0;
  const rest = (): string => {
    const taken = piece;
    piece = '';
    return taken;
  };
  return {
    add(row) {
      piece += write(row);
      count += 1;
    },
    count: () => count,
    taken: () => (piece.length < pieceLength ? '' : rest()),
    rest,
  };
}

/** The lines of a table of a report, made while items are read: in memory are those that `taken` did not give yet. */
export interface TableLines<Item> extends Omit<TableWriter<Item>, 'rest'> {
  /** The remaining lines, after the last item. A chunk of bytes is valid until the next is requested. */
  rest(): Iterable<string | Uint8Array>;
}

/** A table of a report: a CSV file. `Of`: what it is made from; `Item`: what is read for it, also for other tables. */
export interface ReportTable<Of, Item = never> {
  readonly name: ReportTableName;
  readonly columns: readonly ColumnNote[];
  /** What needs its rows, even where its file is not wanted: report.html, or every report. */
  readonly neededFor?: 'page' | 'report';
  /** Null: the project has no such table. */
  readonly start: (of: Of, csv: CsvOptions) => TableLines<Item> | null;
}

/** How the rows of a table are read. */
export interface TableRows<Item, Row> {
  /** The rows that an item adds at once. */
  readonly add?: (item: Item) => Iterable<Row>;
  /** The rows after the last item. */
  readonly rest?: () => Iterable<Row>;
}

export function reportTable<Of, Item, Row>({
  start,
  ...table
}: Pick<ReportTable<Of>, 'name' | 'neededFor'> & {
  readonly columns: readonly CsvColumn<Row>[];
  readonly shared?: readonly SharedColumns<Row>[];
  readonly start: (of: Of) => TableRows<Item, Row> | null;
}): ReportTable<Of, Item> {
  return {
    ...table,
    start(of, csv) {
      const rows = start(of);
      if (rows === null) return null;
      const lines = createTableWriter(table.columns, csv, table.shared);
      return {
        add(item) {
          for (const row of rows.add?.(item) ?? []) lines.add(row);
        },
        count: lines.count,
        taken: lines.taken,
        *rest() {
          for (const row of rows.rest?.() ?? []) {
            lines.add(row);
            const piece = lines.taken();
            if (piece !== '') yield piece;
          }
          yield lines.rest();
        },
      };
    },
  };
}
