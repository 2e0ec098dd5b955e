// A file for bytes that wait to be written in another order. It is made when the first bytes come.
import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import type { Scratch } from '../../../src/report/formats/sorted-lines.ts';

export class ScratchFile implements Scratch {
  readonly #file: string;
  #handle: number | null = null;

  constructor(file: string) {
    this.#file = file;
  }

  append(bytes: Uint8Array): void {
    this.#handle ??= openSync(this.#file, 'wx+');
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#handle, bytes, at);
  }

  read(into: Uint8Array, at: number): void {
    if (this.#handle === null) throw new Error('nothing was written');
    for (let read = 0; read < into.length; ) {
      const bytes = readSync(this.#handle, into, read, into.length - read, at + read);
      if (bytes === 0) throw new Error(`${this.#file} ends early`);
      read += bytes;
    }
  }

  remove(): void {
    if (this.#handle === null) return;
    closeSync(this.#handle);
    this.#handle = null;
    rmSync(this.#file);
  }
}
