// Files that appear complete or not at all, and the temporary files of living, dead and remote processes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { replaceFileWith } from '../../../db/connection/whole-file.ts';

const never = new AbortController().signal;
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rankledger-whole-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const uuid = '01234567-89ab-cdef-0123-456789abcdef';
const names = () => readdirSync(folder).sort();

it('a file is replaced at once, and no temporary file remains', async () => {
  const file = join(folder, 'a.csv');
  writeFileSync(file, 'old');
  function* chunks() {
    yield 'n';
    expect(readFileSync(file, 'utf8')).toBe('old');
    yield 'ew';
  }
  await replaceFileWith(file, chunks(), never);
  expect([names(), readFileSync(file, 'utf8')]).toEqual([['a.csv'], 'new']);
});

it('a file stays unchanged if writing fails or is interrupted', async () => {
  const file = join(folder, 'a.csv');
  writeFileSync(file, 'old');
  function* broken() {
    yield 'half';
    throw new Error('the disk is gone');
  }
  await expect(replaceFileWith(file, broken(), never)).rejects.toThrow('the disk is gone');
  await expect(replaceFileWith(file, ['whole'], AbortSignal.abort())).rejects.toThrow();
  expect([names(), readFileSync(file, 'utf8')]).toEqual([['a.csv'], 'old']);
});

it('a file deletes the temporary file of a killed process, and keeps those of running ones', async () => {
  const file = join(folder, 'a.csv');
  const killed = spawn(process.execPath, [
    '--experimental-strip-types',
    '--input-type=module-typescript',
    '-e',
    `import { replaceFileWith } from ${JSON.stringify(join(process.cwd(), 'db/connection/whole-file.ts'))};
     function* chunks() { yield 'half'; process.kill(process.pid, 'SIGKILL'); yield 'never'; }
     await replaceFileWith(${JSON.stringify(file)}, chunks(), new AbortController().signal);`,
  ]);
  expect((await once(killed, 'exit'))[1]).toBe('SIGKILL');
  const [left = ''] = names();
  expect(names()).toEqual([expect.stringMatching(/^a\.csv\..*\.tmp$/)]);
  expect(readFileSync(join(folder, left), 'utf8')).toBe('half');

  const ended = `a.csv.${hostname()}~${killed.pid}~${uuid}.tmp`;
  const living = `a.csv.${hostname()}~${process.ppid}~${uuid}.tmp`;
  const young = `a.csv.elsewhere~1~${uuid}.tmp`;
  const old = `a.csv.elsewhere~2~${uuid}.tmp`;
  const theirs = ['a.csv.tmp', `b.csv.${hostname()}~${2 ** 22 + 1}~${uuid}.tmp`];
  for (const name of [ended, living, young, old, ...theirs]) writeFileSync(join(folder, name), '');
  const longAgo = new Date(Date.now() - 2 * 3_600_000);
  for (const name of [living, old]) utimesSync(join(folder, name), longAgo, longAgo);
  await replaceFileWith(file, ['whole'], never);
  expect(names()).toEqual(['a.csv', living, young, ...theirs].sort());
});
