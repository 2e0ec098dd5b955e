// Lines of a table kept until all are there, packed: a hundred thousand keywords make millions of them. Which columns there are is left to each report.
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { type CsvColumn, type CsvOptions, csvHeader, lineWriter } from './csv.ts';

/** Neighbouring lines are much alike: a piece of this size shrinks to a tenth, and a larger one gains little. */
const pieceCharacters = 262_144;
const packing = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** A table that is ready to be written. */
export interface PackedTable {
  /** Lines so far, without the header. */
  count(): number;
  /** The whole table, in pieces, each of which is gone once it was given out: asked for once. */
  chunks(): Generator<string | Uint8Array>;
}

/** A table in the making. */
export interface Spool<Row> extends PackedTable {
  add(row: Row): void;
}

/** Starts an empty table. Lines stand in the order in which their rows came. */
export function startSpool<Row>(columns: readonly CsvColumn<Row>[], options: CsvOptions): Spool<Row> {
  const write = lineWriter(columns, options);
  const packed: Buffer[] = [];
  let piece = '';
  let count = 0;
  return {
    add(row) {
      piece += write(row);
      count += 1;
      if (piece.length < pieceCharacters) return;
      packed.push(zstdCompressSync(Buffer.from(piece, 'utf8'), packing));
      piece = '';
    },
    count: () => count,
    *chunks() {
      yield csvHeader(columns, options);
      for (let next = packed.shift(); next !== undefined; next = packed.shift()) yield zstdDecompressSync(next);
      if (piece !== '') yield piece;
    },
  };
}
