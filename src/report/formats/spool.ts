// Keeps the lines of a table compressed until it is complete: 100,000 keywords make millions of lines.
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { type CsvColumn, type CsvOptions, csvHeader, lineWriter } from './csv.ts';

/** Neighbouring lines are similar: a chunk of this size shrinks to a tenth, and a larger one gains little. */
const pieceBytes = 131_072;
/** A UTF-16 code unit takes at most three bytes in UTF-8. */
const bytesPerUnitMax = 3;
const packing = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** A complete table. */
export interface PackedTable {
  /** Lines so far, without the header. */
  count(): number;
  /** The whole table, in chunks. Each chunk is freed once returned, so call this only once. */
  chunks(): Generator<string | Uint8Array>;
}

/** A growing table. */
export interface Spool<Row> extends PackedTable {
  add(row: Row): void;
}

/** Starts an empty table. Lines keep the order of their rows. */
export function startSpool<Row>(columns: readonly CsvColumn<Row>[], options: CsvOptions): Spool<Row> {
  const write = lineWriter(columns, options);
  const packed: Buffer[] = [];
  // bytes instead of text: unjoined strings would take several times the memory
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
