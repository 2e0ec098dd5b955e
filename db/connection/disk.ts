// Room on the disk, and names that outlive a power cut. What is written there is the callers' business.
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';

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

/** Makes a folder and those that it lies in. Not by `recursive`: where the system says that a folder is missing that is there, as in /proc, Node tries for ever. */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error; // another process was first
  }
}
