// Rows on their way into a file that programs read, as they go by: CSV and JSON lines. Parquet is in parquet.ts, which is loaded when it is asked for.
import { type ColumnNote, type CsvColumn, columnNotes, csvChunks } from './csv.ts';

/** Writes rows as a file, piece by piece. Rows are asked for as they are needed, and let go of when the pieces are not asked for any more. */
export type Encoder = <Row>(
  columns: readonly CsvColumn<Row>[],
  rows: Iterable<Row>,
) => Iterable<string | Uint8Array<ArrayBuffer>>;

/** A table whose rows are read once, while they are written. */
export interface ExportTable {
  readonly columns: readonly ColumnNote[];
  encoded(encode: Encoder): Iterable<string | Uint8Array<ArrayBuffer>>;
  /** Rows that went by so far. */
  count(): number;
}

const chunkRows = 500;

export function exportTable<Row>(columns: readonly CsvColumn<Row>[], rows: Iterable<Row>): ExportTable {
  let count = 0;
  function* counted(): Generator<Row> {
    for (const row of rows) {
      count += 1;
      yield row;
    }
  }
  return { columns: columnNotes(columns), encoded: (encode) => encode(columns, counted()), count: () => count };
}

/** Text as it is, unless `safe` guards what a spreadsheet would run. */
export function csvEncoder(safe: boolean): Encoder {
  return (columns, rows) => csvChunks(columns, rows, { bom: false, delimiter: ',', safe });
}

/** One object a line; lists are arrays, moments ISO 8601. */
export function* jsonLines<Row>(columns: readonly CsvColumn<Row>[], rows: Iterable<Row>): Generator<string> {
  let lines: string[] = [];
  for (const row of rows) {
    lines.push(JSON.stringify(Object.fromEntries(columns.map((column) => [column.name, jsonValue(column, row)]))));
    if (lines.length < chunkRows) continue;
    yield `${lines.join('\n')}\n`;
    lines = [];
  }
  if (lines.length > 0) yield `${lines.join('\n')}\n`;
}

function jsonValue<Row>(column: CsvColumn<Row>, row: Row): unknown {
  if (column.kind !== 'date') return column.value(row);
  const at = column.value(row);
  return at === null ? null : new Date(at).toISOString();
}
