// Lines of a table on their way into its file: added as their rows come, taken away in pieces, so that a table of millions is never held. Which columns there are is left to each report.
import { type CsvColumn, type CsvOptions, csvHeader, lineWriter, type SharedColumns } from './csv.ts';

/** Code units; larger pieces gain nothing. */
const pieceLength = 131_072;

/** A table that is being made. */
export interface WaitingLines {
  /** Lines so far, without the header. */
  count(): number;
  /** What was added since the last time, where it is enough to be worth writing; of the first piece the header, too. Empty otherwise. */
  taken(): string;
  /** All that is left, once no more rows come. */
  rest(): string;
}

export interface TableLines<Row> extends WaitingLines {
  add(row: Row): void;
}

/** Starts a table: lines stand in the order in which their rows come. `shared`: as `lineWriter` has it. */
export function startLines<Row>(
  columns: readonly CsvColumn<Row>[],
  options: CsvOptions,
  shared: readonly SharedColumns<Row>[] = [],
): TableLines<Row> {
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
