// The file system: free space, durable names, folders, and files that appear whole.
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Bytes free for this user on the disk of a folder. */
export function freeBytesAt(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** Makes a file durable, or the names in a folder. */
export function syncToDisk(path: string): void {
  const handle = openSync(path, 'r');
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
const temporaryMsMax = 3_600_000;

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
