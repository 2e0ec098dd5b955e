// A scratch in memory, for tests of tables that sort their lines.
import type { Scratch } from '../../src/report/formats/sorted-lines.ts';

export class MemoryScratch implements Scratch {
  #bytes = Buffer.alloc(0);

  append(bytes: Uint8Array): void {
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
  }

  read(into: Uint8Array, at: number): void {
    into.set(this.#bytes.subarray(at, at + into.length));
  }
}
