// Collects the bytes of an answer in one buffer: pieces of one byte each would take a hundred times their size.

const firstBytes = 16 * 1024;

export class ReceivedBytes {
  #buffer = Buffer.allocUnsafe(0);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Copies the piece. */
  add(piece: Uint8Array): void {
    const size = this.#size + piece.length;
    if (size > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(size, 2 * this.#buffer.length, firstBytes));
      this.#buffer.copy(larger, 0, 0, this.#size);
      this.#buffer = larger;
    }
    this.#buffer.set(piece, this.#size);
    this.#size = size;
  }

  /** Everything that was added. */
  bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#size);
  }
}
