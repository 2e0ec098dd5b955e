// A process that closes a file drops all locks that it has on it (POSIX): nothing may open the database beside SQLite.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openConnection, openForReading, storeState } from '../../../db/connection/client.ts';
import { temporaryFolder } from '../../helpers/closing.ts';

/** Of this process on the file. */
function locksOn(file: string): number {
  const inode = statSync(file).ino;
  const lines = readFileSync('/proc/locks', 'utf8').split('\n');
  return lines.filter((line) => new RegExp(`POSIX .* ${process.pid} \\S+:${inode} `).test(line)).length;
}

describe.runIf(existsSync('/proc/locks'))('the locks of a connection', () => {
  it.each<readonly [string, (file: string) => void]>([
    ['write it', (file) => openConnection(file).close()],
    ['read it', (file) => openForReading(file).close()],
    ['ask for its state', (file) => storeState(file)],
  ])('stay when the same process opens the database again to %s', (_, openAgain) => {
    const file = join(temporaryFolder(), 'db.sqlite');
    openConnection(file).close();
    const first = openForReading(file);
    first.pragma('user_version');
    expect(locksOn(file)).toBe(1);
    openAgain(file);
    expect(locksOn(file)).toBe(1);
    first.close();
    expect(locksOn(file)).toBe(0);
  });
});
