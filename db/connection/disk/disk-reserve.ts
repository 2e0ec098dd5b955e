// Reserved disk space: a file beside the database, deleted when a write finds the disk full.

import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { StoreError } from '../errors.ts';

const chunkBytes = 1024 * 1024;

export class DiskReserve {
  readonly #path: string | null;

  /** `file`: the database; `:memory:` needs no space. */
  constructor(file: string) {
    this.#path = file === ':memory:' ? null : `${file}-reserve`;
  }

  /** Makes sure that so much is set aside. Throws StoreError DISK_FULL, and keeps nothing, where there is no room. */
  hold(bytes: number): void {
    if (this.#path === null || (statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0) >= bytes) return;
    try {
      fill(this.#path, bytes);
    } catch (error) {
      this.make();
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EFBIG') throw tooSmallLimit(this.#path, bytes, error);
      if (code !== 'ENOSPC' && code !== 'EDQUOT' && code !== 'EIO') throw error;
      throw new StoreError(
        'DISK_FULL',
        `the disk of ${this.#path} has no room for the answers of requests in flight (${Math.ceil(bytes / chunkBytes)} MiB): nothing more is bought`,
        'Free some space and run again; the run resumes where it stopped.',
        error,
      );
    }
  }

  /** Gives the space to what must be written now; false where none was set aside. */
  make(): boolean {
    if (this.#path === null || statSync(this.#path, { throwIfNoEntry: false }) === undefined) return false;
    rmSync(this.#path, { force: true });
    return true;
  }
}

function tooSmallLimit(path: string, bytes: number, cause: unknown): StoreError {
  return new StoreError(
    'DISK_FULL',
    `${path} may not be larger than a limit on the size of files, and needs ${Math.ceil(bytes / chunkBytes)} MiB: nothing is bought`,
    'Raise the limit (ulimit -f, LimitFSIZE of systemd), then run again.',
    cause,
  );
}

/** With bytes that no file system compresses or leaves out. */
function fill(path: string, bytes: number): void {
  const handle = openSync(path, 'w', 0o600);
  try {
    for (let written = 0; written < bytes; ) {
      written += writeSync(handle, randomBytes(Math.min(chunkBytes, bytes - written)));
    }
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
