// Detects that a database file was replaced: by device, inode, write-ahead log, size and change counter.
import { fstatSync, readdirSync, readlinkSync, readSync, realpathSync, statSync } from 'node:fs';
import { StoreError } from '../errors.ts';

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
