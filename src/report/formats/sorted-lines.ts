// Lines that are written in another order than they are made: many of them wait in a scratch file, sorted by pieces.

import { sumOf } from '../../tracker/figures.ts';

/** Lines of this size are sorted together. */
const pieceBytes = 1_048_576;
/** Lines are read and returned in chunks of this size. */
const chunkBytes = 65_536;
/** A UTF-16 code unit takes at most three bytes in UTF-8. */
const bytesPerUnitMax = 3;

/** A file, or the like. */
export interface Scratch {
  append(bytes: Uint8Array): void;
  /** Fills `into` with the bytes from `at`. */
  read(into: Uint8Array, at: number): void;
}

/** The lines of a piece in their order. */
interface SortedPiece {
  /** Its first byte in the scratch. */
  readonly at: number;
  /** Bytes of each line. */
  readonly lengths: Uint32Array;
}

export class SortedLines {
  readonly #compare: (a: number, b: number) => number;
  readonly #scratch: Scratch;
  readonly #pieces: SortedPiece[] = [];
  /** The piece of each line. */
  readonly #pieceOf: number[] = [];
  #written = 0;
  #open = Buffer.allocUnsafeSlow(pieceBytes);
  /** Where each line of the open piece ends. */
  #ends: number[] = [];

  /**
   * `compare`: of two lines by their numbers, from 0 in the order of `add`. Equal ones keep this order. `scratch`: for
   * more than a megabyte of lines.
   */
  constructor(compare: (a: number, b: number) => number, scratch: Scratch) {
    this.#compare = compare;
    this.#scratch = scratch;
  }

  add(line: string): void {
    const room = line.length * bytesPerUnitMax;
    if (room > this.#open.length - this.#filled()) this.#close();
    if (room > this.#open.length) this.#open = Buffer.allocUnsafeSlow(room);
    this.#ends.push(this.#filled() + this.#open.write(line, this.#filled(), 'utf8'));
    this.#pieceOf.push(this.#pieces.length);
  }

  /** All lines in their order, in chunks that are valid until the next is requested. Call once. */
  *chunks(): Generator<Uint8Array> {
    const readers = this.#pieces.map((piece) => this.#linesOf(piece));
    const first = this.#pieceOf.length - this.#ends.length;
    const lines = this.#sorted(0, this.#pieceOf.length)
      .values()
      .map((line) => (line >= first ? this.#openLine(line - first) : readers[this.#pieceOf[line] ?? 0]?.next().value));
    yield* joined(lines);
  }

  #filled(): number {
    return this.#ends.at(-1) ?? 0;
  }

  #openLine(index: number): Uint8Array {
    return this.#open.subarray(this.#ends[index - 1] ?? 0, this.#ends[index]);
  }

  /** Writes the lines of the open piece in their order. */
  #close(): void {
    const count = this.#ends.length;
    if (count === 0) return;
    const first = this.#pieceOf.length - count;
    const order = this.#sorted(first, count);
    for (const chunk of joined(order.values().map((line) => this.#openLine(line - first)))) this.#scratch.append(chunk);
    this.#pieces.push({ at: this.#written, lengths: order.map((line) => this.#openLine(line - first).length) });
    this.#written += this.#filled();
    this.#ends = [];
  }

  #sorted(first: number, count: number): Uint32Array {
    return Uint32Array.from({ length: count }, (_, index) => first + index).sort(this.#compare);
  }

  /** A line is valid until the next of its piece is requested. */
  *#linesOf({ at, lengths }: SortedPiece): Generator<Uint8Array> {
    const longest = lengths.reduce((most, length) => Math.max(most, length), chunkBytes);
    const chunk = Buffer.allocUnsafeSlow(longest);
    let [from, end] = [0, 0];
    let read = at;
    let left = sumOf(lengths);
    for (const length of lengths) {
      if (length > end - from) {
        chunk.copyWithin(0, from, end);
        [from, end] = [0, end - from];
        const bytes = Math.min(chunk.length - end, left);
        this.#scratch.read(chunk.subarray(end, end + bytes), read);
        [end, read, left] = [end + bytes, read + bytes, left - bytes];
      }
      yield chunk.subarray(from, from + length);
      from += length;
    }
  }
}

/** Whole lines in chunks of one buffer, and longer ones as they are. */
function* joined(lines: Iterable<Uint8Array | undefined>): Generator<Uint8Array> {
  const chunk = Buffer.allocUnsafeSlow(chunkBytes);
  let filled = 0;
  for (const line of lines) {
    if (line === undefined) continue;
    if (line.length > chunkBytes - filled) {
      if (filled > 0) yield chunk.subarray(0, filled);
      filled = 0;
    }
    if (line.length > chunkBytes) {
      yield line;
      continue;
    }
    chunk.set(line, filled);
    filled += line.length;
  }
  if (filled > 0) yield chunk.subarray(0, filled);
}
