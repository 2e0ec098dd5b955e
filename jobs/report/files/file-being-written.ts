// A file of a report while it is written: its bytes, and their hash.
import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';

export interface WrittenFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

const encoder = new TextEncoder();
const encodedBytes = 65_536;

export class FileBeingWritten {
  readonly #name: string;
  readonly #handle: number;
  readonly #hash = createHash('sha256');
  readonly #encoded = new Uint8Array(encodedBytes);
  #bytes = 0;

  constructor(folder: string, name: string) {
    this.#name = name;
    this.#handle = openSync(join(folder, name), 'wx');
  }

  /** Text is encoded into one buffer again and again: V8 would free a buffer for each piece late. */
  write(chunk: string | Uint8Array): void {
    if (typeof chunk !== 'string') {
      this.#append(chunk);
      return;
    }
    for (let rest = chunk; rest !== ''; ) {
      const { read, written } = encoder.encodeInto(rest, this.#encoded);
      this.#append(this.#encoded.subarray(0, written));
      rest = rest.slice(read);
    }
  }

  #append(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#handle, bytes, at);
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
  }

  synced(): WrittenFile {
    fsyncSync(this.#handle);
    return { name: this.#name, bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }

  close(): void {
    closeSync(this.#handle);
  }
}
