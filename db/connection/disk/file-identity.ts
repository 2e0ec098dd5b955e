// Detects that a database file was replaced: by device, inode, write-ahead log and change counter.
import { fstatSync, readdirSync, readlinkSync, readSync, realpathSync, statSync } from 'node:fs';
import { StoreError } from '../errors.ts';

/** Of a header: when a page of the file itself was written last, as SQLite counts. */
const counterAt = 24;
const headerBytes = 28;

export class FileIdentity {
  readonly #file: string;
  readonly #inode: string | null;
  #logInode: string | null = null;
  #descriptor: number | null = null;
  #counter = 0;

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
    const counter = this.#readCounter();
    if (counter === null) return;
    if (counter < this.#counter) throw replaced(this.#file, 'was overwritten by an older file');
    this.#counter = counter;
  }

  /**
   * Reads through SQLite's own descriptor: opening and closing the file again would drop SQLite's locks. Null if it is
   * not found.
   */
  #readCounter(): number | null {
    try {
      if (this.#descriptor === null || inodeOfDescriptor(this.#descriptor) !== this.#inode) {
        this.#descriptor = findDescriptor(realpathSync(this.#file));
      }
      if (this.#descriptor === null) return null;
      const header = Buffer.alloc(headerBytes);
      if (readSync(this.#descriptor, header, 0, headerBytes, 0) < headerBytes) return null;
      return header.readUInt32BE(counterAt);
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
