// Files that appear complete or not at all, and the temporary files of living, dead and remote processes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { changeFile, replaceFile, replaceFileWith } from '../../../db/connection/whole-file.ts';

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

it('a file that a process has open, as that of a redirected output, is not replaced', () => {
  const file = join(folder, 'out.csv');
  const handle = openSync(file, 'w');
  try {
    for (const name of [`/proc/self/fd/${handle}`, `/dev/fd/${handle}`])
      expect(() => replaceFile(name, 'new')).toThrow(expect.objectContaining({ code: 'NOT_A_FILE' }));
    expect(readFileSync(file, 'utf8')).toBe('');
  } finally {
    closeSync(handle);
  }
});

it('a file with two names keeps the changes that several processes make through both', async () => {
  const [one, other] = [join(folder, 'one.txt'), join(folder, 'other.txt')];
  writeFileSync(one, '');
  linkSync(one, other);
  const children = [one, other, one, other].map((file, at) =>
    spawn(process.execPath, [
      '--experimental-strip-types',
      '--input-type=module-typescript',
      '-e',
      `import { readFileSync } from 'node:fs';
       import { changeFile } from ${JSON.stringify(join(process.cwd(), 'db/connection/whole-file.ts'))};
       const file = ${JSON.stringify(file)};
       for (let n = 0; n < 25; n += 1)
         await changeFile(() => {
           const text = readFileSync(file, 'utf8');
           return { file, text, content: text + '${at}.' + n + '\\n' };
         }, new AbortController().signal);`,
    ]),
  );
  const ends = await Promise.all(children.map((child) => once(child, 'exit')));
  expect(ends.map(([code]) => code)).toEqual([0, 0, 0, 0]);
  const lines = readFileSync(other, 'utf8').trim().split('\n');
  expect([lines.length, new Set(lines).size, names()]).toEqual([100, 100, ['one.txt', 'other.txt']]);
}, 60_000);

it.each([
  ['a file', 1, () => join(folder, '.a.csv.rankledger-lock')],
  [
    'a file with two names',
    2,
    (file: string) => {
      const { dev, ino } = statSync(file, { bigint: true });
      return join(tmpdir(), `rankledger-locks-${process.getuid?.()}`, `${dev}-${ino}`);
    },
  ],
])('%s waits for its lock, and stays if the wait is given up', async (_, count, lockOf) => {
  const file = join(folder, 'a.csv');
  writeFileSync(file, 'old');
  if (count === 2) linkSync(file, join(folder, 'b.csv'));
  const lock = lockOf(file);
  mkdirSync(dirname(lock), { recursive: true, mode: 0o700 });
  const holder = new Database(lock);
  holder.exec('BEGIN EXCLUSIVE');
  const stop = new AbortController();
  const changing = changeFile(() => ({ file, text: 'old', content: 'new' }), stop.signal);
  await new Promise((turn) => setImmediate(turn));
  stop.abort();
  await expect(changing).rejects.toMatchObject({ name: 'AbortError' });
  expect(readFileSync(file, 'utf8')).toBe('old');
  holder.close();
  await changeFile(() => ({ file, text: 'old', content: 'new' }), never);
  expect([readFileSync(file, 'utf8'), existsSync(lock)]).toEqual(['new', false]);
});

it('a file over which a killed process was writing is not changed before a person has compared them', async () => {
  const file = join(folder, 'a.csv');
  writeFileSync(file, 'half');
  const whole = `a.csv.${hostname()}~${2 ** 22 + 1}~${uuid}.whole`;
  writeFileSync(join(folder, whole), 'whole');
  const plan = () => ({ file, text: readFileSync(file, 'utf8'), content: 'new' });
  await expect(changeFile(plan, never)).rejects.toMatchObject({
    code: 'FILE_CUT_OFF',
    message: expect.stringContaining(whole),
  });
  expect([readFileSync(file, 'utf8'), names()]).toEqual(['half', ['a.csv', whole]]);
  rmSync(join(folder, whole));
  await changeFile(plan, never);
  expect([readFileSync(file, 'utf8'), names()]).toEqual(['new', ['a.csv']]);
});
