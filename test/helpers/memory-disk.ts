// Keeps temporary files of `npm test` in memory if there is room, so that no test waits for a disk.
import { mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

const disk = '/dev/shm';
const prefix = 'rankledger-tests-';
/** Several times what all tests hold at once. */
const bytesMin = 2 * 1024 ** 3;

let folder: string | undefined;

/** Called by vitest before the first test file. Workers and the programs that tests start inherit the variable. */
export function setup(): void {
  if (!hasRoom()) return;
  removeAbandoned();
  folder = join(disk, `${prefix}${process.pid}`);
  mkdirSync(folder, { recursive: true });
  process.env['TMPDIR'] = folder;
}

/** Called by vitest after the last test file. */
export function teardown(): void {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(disk);
    return bavail * bsize >= bytesMin && process.availableMemory() >= 2 * bytesMin;
  } catch {
    return false;
  }
}

/** A killed `npm test` leaves its folder. */
function removeAbandoned(): void {
  for (const name of readdirSync(disk).filter((each) => each.startsWith(prefix))) {
    if (!isAlive(Number(name.slice(prefix.length)))) rmSync(join(disk, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
