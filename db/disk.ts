// Room on the disk, and names that outlive a power cut. What is written there is the callers' business.
import { closeSync, fsyncSync, openSync, statfsSync } from 'node:fs';

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
