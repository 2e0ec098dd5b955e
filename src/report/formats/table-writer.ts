// Formats rows as lines and returns them in chunks, so that a table of millions is never held in memory.
import { type CsvColumn, type CsvOptions, csvHeader, lineWriter, type SharedColumns } from './csv.ts';

/** UTF-16 code units; larger chunks gain nothing. */
const pieceLength = 131_072;

export interface BufferedLines {
  /** Lines so far, without the header. */
  count(): number;
  /**
   * The lines since the last call, once they are enough to write; the first chunk includes the header. Otherwise empty.
   */
  taken(): string;
  /** The remaining lines, after the last row. */
  rest(): string;
}

export interface TableWriter<Row> extends BufferedLines {
  add(row: Row): void;
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
