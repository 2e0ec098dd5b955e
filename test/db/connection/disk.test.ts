// Creates folders for the files to be written.
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { openConnection } from '../../../db/connection/client.ts';
import { makeFolder } from '../../../db/connection/disk.ts';
import { temporaryFolder } from '../../helpers/closing.ts';

it('a folder is created with its parents, and an existing one is left alone', () => {
  const folder = join(temporaryFolder(), 'a', 'b', 'c');
  for (let time = 0; time < 2; time += 1) makeFolder(folder);
  expect(existsSync(folder)).toBe(true);
});

it.runIf(existsSync('/proc/self'))('a folder that cannot be created is reported, and not retried forever', () => {
  const script = `import { makeFolder } from ${JSON.stringify(resolve('db/connection/disk.ts'))}; makeFolder('/proc/nowhere/here');`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
    timeout: 20_000,
    killSignal: 'SIGKILL',
  });
  expect({ status, says: /ENOENT|EACCES|EPERM|EROFS/.test(stderr) }).toEqual({ status: 1, says: true });
});

it.runIf(existsSync('/proc/self'))('a limit on the size of files is named where the reserve exceeds it', () => {
  const file = join(temporaryFolder(), 'db.sqlite');
  const script = `import { DiskReserve } from ${JSON.stringify(resolve('db/connection/disk.ts'))};
    new DiskReserve(${JSON.stringify(file)}).hold(4_194_304);`;
  const limited = ['-c', 'ulimit -f 1000 && exec "$0" --input-type=module -e "$1"', process.execPath, script];
  const { status, stderr } = spawnSync('sh', limited, { encoding: 'utf8', timeout: 20_000, killSignal: 'SIGKILL' });
  expect([status, stderr]).toEqual([1, expect.stringContaining('a limit on the size of files, and needs 4 MiB')]);
  expect(existsSync(`${file}-reserve`)).toBe(false);
});

it('the error for a database path below a file names the file', () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  const complaint = { code: 'DATABASE_UNOPENABLE', message: expect.stringContaining(`${file} is not a folder`) };
  expect(() => openConnection(join(file, 'db.sqlite'))).toThrow(expect.objectContaining(complaint));
});
