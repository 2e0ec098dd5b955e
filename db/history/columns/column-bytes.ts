// Columns of numbers and texts as bytes, and back.
import { zstdDecompressSync } from 'node:zlib';

const chunkBytesMin = 65_536;

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

/** `bytesMax`: about how many there are, which saves copies. Throws for bytes that are not compressed columns. */
export function unpackBytes(packed: Uint8Array, bytesMax = 0): Buffer {
  return zstdDecompressSync(packed, { chunkSize: Math.max(chunkBytesMin, bytesMax) });
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
