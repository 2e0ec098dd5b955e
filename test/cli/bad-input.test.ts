// Bad input for the real program: the right exit code, one message with the file and the remedy, nothing lost.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { schemaVersion } from '../../db/connection/guards.ts';
import { closeOpened } from '../helpers/closing.ts';
import { databaseOf } from '../helpers/older-database.ts';
import { type Ended, type Folder, folderOf } from './child.ts';
import { folderHere } from './folder-here.ts';

const config = `projects:
  - { id: acme, targets: [acme.com], depth: 1, keywords: [running shoes, trail shoes] }
`;
const store = 'data/rankledger.sqlite';

/** A folder in which one run was made: its database and reports must survive. */
let good: Folder;
beforeAll(async () => {
  good = folderHere({ 'rankledger.yaml': config });
  expect((await good.run('run', '--all')).exitCode).toBe(0);
});
afterAll(() => good.remove());

/** A copy of the good folder, its database changed by `harm`. */
function harmed(harm: (file: string, folder: Folder) => void): Folder {
  const folder = folderHere({ 'rankledger.yaml': config });
  mkdirSync(join(folder.path, 'data'));
  const file = join(folder.path, store);
  writeFileSync(file, readFileSync(join(good.path, store)));
  harm(file, folder);
  return folder;
}

/** One error message: these words on stderr, nothing on stdout, no stack, not called a bug, three lines at most. */
function expectComplaint(ended: Ended, exitCode: number, ...words: readonly (string | RegExp)[]): void {
  expect({ exitCode: ended.exitCode, out: ended.out }).toEqual({ exitCode, out: '' });
  expect(ended.err).toMatch(/^Error: /);
  for (const word of words) expect(ended.err).toMatch(word);
  expect(ended.err).not.toMatch(/^\s+at .+:\d+:\d+\)?$|Unexpected error|is a bug|undefined|\[object/m);
  expect(ended.err.trimEnd().split('\n').length).toBeLessThanOrEqual(3);
}

const digest = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');
const execute = (file: string, sql: string) => new Database(file).exec(sql).close();

function overwrite(file: string, at: number, bytes: Uint8Array): void {
  const content = readFileSync(file);
  content.set(bytes, at);
  writeFileSync(file, content);
}

describe.concurrent('a broken config or keyword file', () => {
  const projects = (rest: string) => `projects:\n  - { id: acme, targets: [acme.com], ${rest} }\n`;
  const fromFile = projects('keywordsFile: kw.csv');
  const latin1 = Uint8Array.from([...Buffer.from('keyword\nb'), 0xfc, ...Buffer.from('cher\n')]);
  const utf16 = Buffer.from('\uFEFFkeyword\nshoes\n', 'utf16le');
  const cases: readonly {
    name: string;
    files: Readonly<Record<string, string | Uint8Array>>;
    says: readonly (string | RegExp)[];
  }[] = [
    { name: 'is not a YAML', files: { 'rankledger.yaml': 'projects: [\n' }, says: ['rankledger.yaml:1:11', 'YAML'] },
    { name: 'is empty', files: { 'rankledger.yaml': '' }, says: ['rankledger.yaml', 'empty', 'init'] },
    { name: 'is not there', files: {}, says: ['rankledger.yaml', 'init', '--config'] },
    {
      name: 'has several faults, all reported',
      files: { 'rankledger.yaml': projects('colour: red, market: { country: XX }, keywords: [x]') },
      says: [/rankledger\.yaml:2:\d+ projects\[0\]\.colour: unknown key/, /rankledger\.yaml:2:\d+ .*country: "XX"/],
    },
    { name: 'names no keyword file', files: { 'rankledger.yaml': fromFile }, says: ['kw.csv does not exist'] },
    { name: 'is Latin-1', files: { 'rankledger.yaml': fromFile, 'kw.csv': latin1 }, says: ['kw.csv:2', 'UTF-8'] },
    { name: 'is UTF-16', files: { 'rankledger.yaml': fromFile, 'kw.csv': utf16 }, says: ['kw.csv', 'UTF-16', 'UTF-8'] },
    {
      name: 'lacks its column',
      files: { 'rankledger.yaml': fromFile, 'kw.csv': 'term,country\nshoes,US\n' },
      says: ['kw.csv:1', '"keyword"'],
    },
  ];

  test.each(cases)('$name exits with 2, names file and line, and makes no database', async ({ files, says }) => {
    const folder = folderHere({});
    for (const [name, content] of Object.entries(files)) folder.write(name, content);
    expectComplaint(await folder.run('run', '--all'), 2, ...says);
    expect(readdirSync(folder.path).sort()).toEqual(Object.keys(files).sort());
    folder.remove();
  });
});

describe.concurrent('an unusable database', () => {
  const cases: readonly { name: string; harm: (file: string) => void; says: readonly (string | RegExp)[] }[] = [
    {
      name: 'whose header is garbage',
      harm: (file) => overwrite(file, 0, Buffer.alloc(64, 'x')),
      says: ['not a SQLite', /backup/i],
    },
    { name: 'of zero bytes', harm: (file) => writeFileSync(file, ''), says: ['empty', /backup/i] },
    {
      name: 'of a newer version',
      harm: (file) => execute(file, 'PRAGMA user_version = 999'),
      says: ['newer', /upgrade/i],
    },
    {
      name: 'of another program',
      harm: (file) => {
        rmSync(file);
        execute(file, 'CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1)');
      },
      says: ['another program', 'database:'],
    },
  ];

  test.each(cases)('$name is refused with its path and a remedy, and is left as it was', async ({ harm, says }) => {
    const folder = harmed(harm);
    const file = join(folder.path, store);
    const before = digest(file);
    for (const ended of await Promise.all([folder.run('run', '--all'), folder.run('status')])) {
      expectComplaint(ended, 1, store, ...says);
    }
    expect(digest(file)).toBe(before);
    expect(readdirSync(folder.path).sort()).toEqual(['data', 'rankledger.yaml']);
    folder.remove();
  });

  test('that is read-only is refused by a run, read by status, and left as it was', async () => {
    const folder = harmed((file) => chmodSync(file, 0o444));
    const file = join(folder.path, store);
    const before = digest(file);
    expectComplaint(await folder.run('run', '--all'), 1, store, 'read-only', 'permission');
    expect((await folder.run('status')).exitCode).toBe(0);
    expect(digest(file)).toBe(before);
    folder.remove();
  });

  test('of an older schema is left as it was by commands that read, and migrated by `migrate` and by a run', async () => {
    const folder = harmed((file) => cpSync(databaseOf(schemaVersion() - 1), file));
    const file = join(folder.path, store);
    const before = digest(file);
    for (const command of [
      ['status'],
      ['plan'],
      ['export'],
      ['alerts', 'list'],
      ['account', 'list'],
      ['api-user', 'list'],
      ['prune'],
      ['report'],
      ['audit'],
      ['simulate'],
      ['backfill', 'import', 'ranks.csv', '--dry-run'],
    ])
      expectComplaint(await folder.run(...command), 1, store, 'older rankledger', 'Run `rankledger migrate` once');
    expect(digest(file)).toBe(before);
    expect(readdirSync(join(folder.path, 'data'))).toEqual(['rankledger.sqlite']);
    expect((await folder.json('migrate')).document).toMatchObject({
      fromSchema: schemaVersion() - 1,
      toSchema: schemaVersion(),
      copy: join(folder.path, `data/rankledger.before-${schemaVersion()}.sqlite`),
    });
    expect((await folder.run('status')).exitCode).toBe(0);
    expect((await folder.run('migrate')).out).toBe(
      `data/rankledger.sqlite is up to date (schema ${schemaVersion()}).\n`,
    );
    cpSync(databaseOf(schemaVersion() - 1), file);
    expect((await folder.run('run', '--all')).exitCode).toBe(0);
    expect((await folder.run('status')).exitCode).toBe(0);
    folder.remove();
  });

  test('that another program has locked is waited for: the command says so, and works once it is unlocked', async () => {
    const folder = harmed(() => undefined);
    const holder = new Database(join(folder.path, store));
    holder.exec('BEGIN EXCLUSIVE');
    const { child, ended } = folder.start('run', '--all');
    child.stderr?.on('data', (chunk: Buffer) => {
      if (holder.inTransaction && chunk.includes('locked by another program: waiting for it')) holder.exec('ROLLBACK');
    });
    expect((await ended).exitCode).toBe(0);
    expect(holder.inTransaction).toBe(false);
    holder.close();
    folder.remove();
  });

  test('with damage in the middle is called damaged, not a bug, by commands that read it', async () => {
    const folder = harmed((file) => {
      for (let at = 2 * 4096; at + 4096 <= statSync(file).size; at += 4096)
        overwrite(file, at, Buffer.alloc(4096, 0xa5));
    });
    for (const command of [['run', '--all'], ['export']]) {
      expectComplaint(await folder.run(...command), 1, store, 'damaged', /backup/i);
    }
    folder.remove();
  });
});

/** Mounts a file system of this size there; returns false if this user may not. */
function mounted(path: string, size: string): boolean {
  mkdirSync(path, { recursive: true });
  return spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', path]).status === 0;
}

/** The space that a database needs in addition to its own file before anything is written, bytes. */
const roomForOpening = 80 * 1024;

const unmount = (path: string) => execFileSync('umount', [path]);

describe.concurrent('a disk', () => {
  test('that fills up loses nothing: the run continues when there is space', async () => {
    const folder = folderHere({ 'rankledger.yaml': config });
    const data = join(folder.path, 'data');
    if (!mounted(data, '200m')) return skipped(folder, 'a full disk: this user may not mount one');
    try {
      expect((await folder.run('account', 'create', 'acme')).exitCode).toBe(0);
      const bytes = statSync(join(folder.path, store)).size + roomForOpening;
      execFileSync('mount', ['-o', `remount,size=${bytes}`, data]);
      expectComplaint(await folder.run('run', '--all'), 1, store, /disk is full|almost full/, /free some space/i);
      execFileSync('mount', ['-o', 'remount,size=200m', data]);
      expect((await folder.run('run', '--all')).exitCode).toBe(0);
      expect(await folder.json('audit')).toMatchObject({ exitCode: 0, document: { ok: true } });
    } finally {
      unmount(data);
      folder.remove();
    }
  });

  test('without space for the copy of an older database refuses to migrate it, and leaves it unchanged', async () => {
    const folder = folderOf({ 'rankledger.yaml': config });
    const data = join(folder.path, 'data');
    if (!mounted(data, '20m')) return skipped(folder, 'a full disk: this user may not mount one');
    try {
      const file = join(data, 'rankledger.sqlite');
      cpSync(databaseOf(schemaVersion() - 1), file);
      const before = digest(file);
      execFileSync('mount', ['-o', `remount,size=${statSync(file).size + 1_500_000}`, data]);
      for (const command of [['run'], ['migrate'], ['prune', '--yes']]) {
        expectComplaint(
          await folder.run(...command),
          1,
          store,
          `cannot be migrated to schema ${schemaVersion()}`,
          /Free some space/,
        );
      }
      expect(digest(file)).toBe(before);
      expect(readdirSync(data)).toEqual(['rankledger.sqlite']);
      execFileSync('mount', ['-o', 'remount,size=20m', data]);
      const { exitCode, log } = await folder.run('run', '--verbose');
      expect(exitCode).toBe(0);
      const copy = join(data, `rankledger.before-${schemaVersion()}.sqlite`);
      const facts = { fromSchema: schemaVersion() - 1, toSchema: schemaVersion(), copy };
      expect(log.filter(({ msg }) => String(msg).includes('newer schema'))).toEqual([expect.objectContaining(facts)]);
      expect((await folder.run('verify', copy)).exitCode).toBe(0);
    } finally {
      unmount(data);
      folder.remove();
      await closeOpened();
    }
  });

  test('that is read-only is reported as that, with the database', async () => {
    const folder = harmed(() => undefined);
    const data = join(folder.path, 'data');
    const bytes = readFileSync(join(data, 'rankledger.sqlite'));
    if (!mounted(data, '20m')) return skipped(folder, 'a read-only disk: this user may not mount one');
    try {
      writeFileSync(join(data, 'rankledger.sqlite'), bytes);
      execFileSync('mount', ['-o', 'remount,ro', data]);
      expectComplaint(await folder.run('run', '--all'), 1, store, /write/);
    } finally {
      unmount(data);
      folder.remove();
    }
  });

  test('without space for reports keeps history, says so, and writes them later', async () => {
    const folder = folderHere({ 'rankledger.yaml': config });
    const reports = join(folder.path, 'reports');
    if (!mounted(reports, '8k')) return skipped(folder, 'a full disk: this user may not mount one');
    try {
      expectUnwritten(await folder.run('run', '--all'), 'disk is full');
      expect(readdirSync(reports, { recursive: true }).filter((name) => `${name}`.endsWith('.csv'))).toEqual([]);
      execFileSync('mount', ['-o', 'remount,size=2m', reports]);
      expect((await folder.run('report')).exitCode).toBe(0);
      expect(existsSync(join(reports, 'acme/latest/rank-changes.csv'))).toBe(true);
    } finally {
      unmount(reports);
      folder.remove();
    }
  });
});

/** The run is recorded; reports that could not be written are named, with the reason and the next step. */
function expectUnwritten({ exitCode, out, err }: Ended, reason: string): void {
  expect({ exitCode, err }).toEqual({ exitCode: 3, err: '' });
  expect(out).toMatch(/SERP credits +2 spent/);
  expect(out).toContain('not written  report of acme, run 1: the report in ');
  expect(out).toContain(reason);
  expect(out).toContain('The next run retries. History is safe in the database.');
}

function skipped(folder: Folder, why: string): void {
  process.stderr.write(`skipped: ${why}\n`);
  folder.remove();
}

test.concurrent('a reports folder that is a file: history is kept, and `report` writes the reports later', async () => {
  const folder = folderHere({ 'rankledger.yaml': config, reports: 'in the way' });
  expectUnwritten(await folder.run('run', '--all'), 'not a directory');
  expect(folder.read('reports')).toBe('in the way');
  expectComplaint(await folder.run('report'), 1, 'reports', 'Check `reports.dir` in the config', 'a file');
  rmSync(join(folder.path, 'reports'));
  expect((await folder.run('report')).exitCode).toBe(0);
  expect(existsSync(join(folder.path, 'reports/acme/latest/rank-changes.csv'))).toBe(true);
  folder.remove();
});

describe.concurrent('recorded pages', () => {
  const replay = `services:\n  default: { mode: embedded, source: replay, dir: rec }\n${config}`;

  test('whose folder or index is missing are refused before a run opens', async () => {
    const folder = folderHere({ 'rankledger.yaml': replay });
    for (const made of ['nothing yet', 'the folder']) {
      const ended = await folder.run('run', '--all');
      expect(ended.exitCode, `with ${made}`).toBe(2);
      expectComplaint(ended, 2, 'rec', /index\.csv|no such folder|does not exist/);
      mkdirSync(join(folder.path, 'rec'), { recursive: true });
    }
    expect(existsSync(join(folder.path, 'reports'))).toBe(false);
    folder.remove();
  });

  test('of which one is missing fail only that check: the run exits with 3, the row says which, and no rank is invented', async () => {
    const index =
      'keyword,country,language,device,page,date,file\nrunning shoes,US,en,desktop,1,2026-01-01,gone.html\n';
    const folder = folderHere({ 'rankledger.yaml': replay, 'rec/index.csv': index });
    const ended = await folder.run('run', '--all');
    expect(ended.exitCode).toBe(3);
    expect(ended.out).toContain('gone.html');
    expect(ended.out).toContain('lists no recording of "trail shoes"');
    expect(folder.read('reports/acme/latest/rank-changes.csv')).not.toMatch(/,(ranked|not_found),/);
    expect(await folder.json('audit')).toMatchObject({ exitCode: 0, document: { ok: true } });
    folder.remove();
  });
});

describe.concurrent('a wrong command line', () => {
  test.each([
    { args: ['run', '--project', 'nope'], says: ['"nope"', 'acme'] },
    { args: ['report', '--project', 'nope'], says: ['"nope"', 'acme'] },
    { args: ['run', '--slot', 'nonsense'], says: ['--slot', 'nonsense', '2026-03-01T06:00'] },
    { args: ['run', '--bogus'], says: ['--bogus', '--help'] },
    { args: ['history'], says: ['keyword', '--help'] },
  ])('$args exits with 2 and makes no run', async ({ args, says }) => {
    const folder = folderHere({ 'rankledger.yaml': config });
    expectComplaint(await folder.run(...args), 2, ...says);
    expect(existsSync(join(folder.path, 'reports'))).toBe(false);
    folder.remove();
  });
});
