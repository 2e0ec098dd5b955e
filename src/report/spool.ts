// Lines of a table kept until all are there, packed: a hundred thousand keywords make millions of them. Which columns there are is left to each report.
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { type CsvColumn, type CsvOptions, csvHeader, lineWriter } from './csv.ts';

/** Neighbouring lines are much alike: a piece of this size shrinks to a tenth, and a larger one gains little. */
const pieceBytes = 131_072;
/** In UTF-8 a code unit takes three bytes at most. */
const bytesPerUnitMax = 3;
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
  // bytes rather than text: pieces of text that wait to be joined would take several times the room
  const piece = Buffer.allocUnsafe(pieceBytes);
  let filled = 0;
  let count = 0;
  const pack = (bytes: Buffer): void => {
    if (bytes.length > 0) packed.push(zstdCompressSync(bytes, packing));
  };
  return {
    add(row) {
      const line = write(row);
      count += 1;
      const room = line.length * bytesPerUnitMax;
      if (room > pieceBytes - filled) {
        pack(piece.subarray(0, filled));
        filled = 0;
      }
      if (room > pieceBytes) pack(Buffer.from(line, 'utf8'));
      else filled += piece.write(line, filled, 'utf8');
    },
    count: () => count,
    *chunks() {
      yield csvHeader(columns, options);
      for (let next = packed.shift(); next !== undefined; next = packed.shift()) yield zstdDecompressSync(next);
      yield piece.subarray(0, filled);
    },
  };
}
