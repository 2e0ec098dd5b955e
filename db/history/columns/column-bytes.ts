// Columns of numbers and texts as bytes, and back.
import { zstdDecompressSync } from 'node:zlib';

/** Smaller buffers may be parts of one that Node.js shares, which `freeBytes` must not give back. */
const chunkBytesMin = Buffer.poolSize / 2;
/** A damaged size is no reason to take gigabytes. */
const chunkBytesMax = 64 * 1_048_576;

/** A text per row, by its number among the names. */
export interface Texts {
  readonly names: readonly string[];
  readonly column: Uint16Array;
}

export function textColumn(texts: readonly string[]): Texts {
  const names = [...new Set(texts)].sort();
  const index = new Map(names.map((name, at) => [name, at]));
  return { names, column: Uint16Array.from(texts, (text) => index.get(text) ?? 0) };
}

/** Into one buffer of their size, without copies. Throws for bytes that are not compressed columns. */
export function unpackBytes(packed: Uint8Array): Buffer {
  const size = Math.min(contentBytes(packed), chunkBytesMax);
  return zstdDecompressSync(packed, { chunkSize: Math.max(chunkBytesMin, size + 1) }); // full buffers get a successor
}

/** How many bytes a zstd frame says that it holds (RFC 8878, section 3.1.1.1); 0: it does not say it. */
function contentBytes(packed: Uint8Array): number {
  const descriptor = packed[4] ?? 0;
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const start = isSingleSegment ? 5 : 6;
  const length = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0;
  const size = packed.subarray(start, start + length).reduceRight((sum, byte) => sum * 256 + byte, 0);
  return length === 2 ? size + 256 : size;
}

/**
 * Gives unpacked bytes back at once, which V8 would do some hundred megabytes later. Columns that share them are empty
 * then.
 */
export function freeBytes({ buffer, length }: Buffer): void {
  if (length > 0) (buffer as ArrayBuffer).transfer(0);
}

interface NumberColumn {
  readonly length: number;
  [index: number]: number;
}

export function differences<Column extends NumberColumn>(column: Column): Column {
  for (let index = column.length - 1; index > 0; index -= 1)
    column[index] = (column[index] ?? 0) - (column[index - 1] ?? 0);
  return column;
}

export function sums<Column extends NumberColumn>(column: Column): Column {
  for (let index = 1; index < column.length; index += 1)
    column[index] = (column[index] ?? 0) + (column[index - 1] ?? 0);
  return column;
}

export function joined(...columns: readonly ArrayBufferView[]): Buffer {
  return Buffer.concat(
    columns.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength)),
  );
}

interface ColumnType<Column> {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBufferLike, byteOffset?: number, length?: number): Column;
}

/** Takes one column after the other: they share the bytes, where a column begins at a multiple of its size. */
export function reader(bytes: Buffer): <Column>(type: ColumnType<Column>, length: number) => Column {
  let at = 0;
  return (type, length) => {
    const start = bytes.byteOffset + at;
    at += length * type.BYTES_PER_ELEMENT;
    if (at > bytes.length) throw new RangeError('the columns are shorter than their number of rows');
    const isAligned = start % type.BYTES_PER_ELEMENT === 0;
    return isAligned
      ? new type(bytes.buffer, start, length)
      : new type(bytes.buffer.slice(start, bytes.byteOffset + at));
  };
}
