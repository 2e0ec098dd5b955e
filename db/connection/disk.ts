// The file system: free and reserved space, durable names, files that appear whole, files that were replaced.

import { randomBytes, randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
  rmSync,
  statfsSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { hourMs } from '../../src/tracker/schedule/time-units.ts';
import { StoreError } from './errors.ts';

/** Bytes free for this user on the disk of a folder. */
export function freeBytesAt(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/**
 * Makes a file durable, or the names in a folder. Windows flushes only what is open for writing, which no folder can be
 * (FlushFileBuffers).
 */
export function syncToDisk(path: string): void {
  const isWindows = process.platform === 'win32';
  if (isWindows && statSync(path).isDirectory()) return;
  const handle = openSync(path, isWindows ? 'r+' : 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/**
 * Creates a folder and its parents. Not with `recursive`: Node retries for ever where the system reports an existing
 * folder as missing, as in /proc.
 */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error; // another process was first
  }
}

/** A temporary file of a living process is younger. */
const temporaryMsMax = hourMs;

/**
 * Deletes what killed processes left beside a file: copies that were never put in its place, and second names of the
 * file itself.
 */
export function sweepTemporary(file: string): void {
  const folder = dirname(file);
  const facts = statSync(file, { throwIfNoEntry: false });
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(`${basename(file)}.`) || !/\.(new|partial(-\d+)?)-[0-9a-f-]{36}$/.test(name)) continue;
    const temporary = join(folder, name);
    const found = statSync(temporary, { throwIfNoEntry: false });
    if (found === undefined) continue;
    if (found.ino === facts?.ino || Date.now() - found.mtimeMs > temporaryMsMax) rmSync(temporary, { force: true });
  }
}

/**
 * Creates a file whole or not at all, by writing it beside its place. Of several processes the first one wins. Creates
 * its folder.
 */
export function createWhole(file: string, write: (temporary: string) => void): void {
  makeFolder(dirname(file));
  const temporary = `${file}.new-${randomUUID()}`;
  try {
    write(temporary);
    linkSync(temporary, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}

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

/** Of a header: when a page of the file itself was written last, as SQLite counts. */
const counterAt = 24;
/** Of a header: bytes of a page (1 means 65536), and how many pages the file has. */
const [pageSizeAt, pageCountAt] = [16, 28];
const headerBytes = 32;

export class FileIdentity {
  readonly #file: string;
  readonly #inode: string | null;
  #logInode: string | null = null;
  #descriptor: number | null = null;
  #counter = 0;
  #size = 0;

  /** Of a file that this process has just opened. */
  constructor(file: string) {
    this.#file = file;
    this.#inode = readInode(file);
  }

  /**
   * Throws StoreError DATABASE_REPLACED if the name now leads to no file or another one, or an older file was written
   * over this one.
   */
  check(): void {
    const inode = readInode(this.#file);
    if (inode === null) throw replaced(this.#file, 'was deleted or renamed');
    if (inode !== this.#inode) throw replaced(this.#file, 'was replaced by another file');
    const logInode = readInode(`${this.#file}-wal`);
    if (this.#logInode !== null && logInode !== this.#logInode)
      throw replaced(`${this.#file}-wal`, 'was deleted or replaced');
    this.#logInode = logInode;
    const header = this.#readHeader();
    if (header === null) return;
    const { counter, bytes, size } = header;
    // another process may have made the file smaller, as its header says then; what grows may be written before its end
    if (size < this.#size && size < bytes) throw replaced(this.#file, 'was cut short');
    if (counter < this.#counter) throw replaced(this.#file, 'was overwritten by an older file');
    this.#counter = counter;
    this.#size = size;
  }

  /**
   * Reads through SQLite's own descriptor: opening and closing the file again would drop SQLite's locks. Null if it is
   * not found. `bytes`: what the header says; a file without one has lost it.
   */
  #readHeader(): { readonly counter: number; readonly bytes: number; readonly size: number } | null {
    try {
      if (this.#descriptor === null || inodeOfDescriptor(this.#descriptor) !== this.#inode) {
        this.#descriptor = findDescriptor(realpathSync(this.#file));
      }
      if (this.#descriptor === null) return null;
      const header = Buffer.alloc(headerBytes);
      const { size } = fstatSync(this.#descriptor);
      if (readSync(this.#descriptor, header, 0, headerBytes, 0) < headerBytes)
        return { counter: this.#counter, bytes: Number.POSITIVE_INFINITY, size };
      const pageBytes = header.readUInt16BE(pageSizeAt);
      const bytes = (pageBytes === 1 ? 65_536 : pageBytes) * header.readUInt32BE(pageCountAt);
      return { counter: header.readUInt32BE(counterAt), bytes, size };
    } catch {
      return null;
    }
  }
}

/** A descriptor of this process that leads to the file; null where the system does not list them. */
function findDescriptor(path: string): number | null {
  for (const name of readdirSync('/proc/self/fd')) {
    try {
      if (readlinkSync(`/proc/self/fd/${name}`) === path) return Number(name);
    } catch {
      // closed since the folder was read
    }
  }
  return null;
}

function readInode(path: string): string | null {
  const facts = statSync(path, { throwIfNoEntry: false, bigint: true });
  return facts === undefined ? null : `${facts.dev}:${facts.ino}`;
}

function inodeOfDescriptor(descriptor: number): string {
  const { dev, ino } = fstatSync(descriptor, { bigint: true });
  return `${dev}:${ino}`;
}

function replaced(file: string, what: string): StoreError {
  return new StoreError(
    'DATABASE_REPLACED',
    `${file} ${what} while this process worked with it: nothing more is bought`,
    'Stop all rankledger processes, put the right file in its place, run `rankledger verify`, then start again.',
  );
}

export function isReplaced(error: unknown): boolean {
  return error instanceof StoreError && error.code === 'DATABASE_REPLACED';
}
