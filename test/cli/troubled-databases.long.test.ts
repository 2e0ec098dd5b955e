// Broken databases and the real program: every command names the trouble and the remedy, and changes no byte.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Ended, type Folder, folderOf } from './child.ts';

const config = `projects:
  - { id: acme, targets: [acme.com], depth: 1, keywords: [running shoes, trail shoes] }
`;
const store = 'data/rankledger.sqlite';

const commands: readonly (readonly [name: string, ...args: string[]])[] = [
  ['run', '--all'],
  ['status'],
  ['plan'],
  ['report'],
  ['history', 'running shoes'],
  ['export'],
  ['audit'],
  ['verify'],
  ['backup'],
  ['prune', '--yes'],
  ['serve', '--port', '0'],
  ['account', 'list'],
];
/** They only open a database for reading, so that a read-only one is no trouble for them. */
const readers = new Set(['status', 'plan', 'report', 'history', 'export', 'audit', 'verify', 'backup']);

let whole: Folder;
beforeAll(async () => {
  whole = folderOf({ 'rankledger.yaml': config });
  expect((await whole.run('run', '--all')).exitCode).toBe(0);
  expect((await whole.run('account', 'create', 'acme', '--serp-credits', '9', '--usd', '1')).exitCode).toBe(0);
});
afterAll(() => whole.remove());

interface Trouble {
  readonly name: string;
  /** The error code of the commands. */
  readonly code: string;
  /** What the message says, in addition to the path. */
  readonly says: RegExp;
  /** Damages a copy of a good database. */
  readonly harm?: (file: string) => void;
  /** Locks the file until the returned function is called. This process must not open it: that would unlock it. */
  readonly hold?: (file: string) => () => void;
  /** Whether commands that only read still work. */
  readonly isReadable?: boolean;
}

const execute = (file: string, sql: string): void => void new Database(file).exec(sql).close();

function overwrite(file: string, from: number, to: number): void {
  const content = readFileSync(file);
  content.fill(0xa5, from, to);
  writeFileSync(file, content);
}

const troubles: readonly Trouble[] = [
  {
    name: 'of zero bytes',
    code: 'DATABASE_EMPTY_FILE',
    says: /empty.*[\s\S]*backup/i,
    harm: (file) => writeFileSync(file, ''),
  },
  {
    name: 'whose header is garbage',
    code: 'DATABASE_CORRUPT',
    says: /not a SQLite.*[\s\S]*backup/i,
    harm: (file) => overwrite(file, 0, 64),
  },
  {
    name: 'damaged in its middle',
    code: 'DATABASE_CORRUPT',
    says: /damaged.*[\s\S]*backup/i,
    harm: (file) => overwrite(file, 2 * 4096, statSync(file).size),
  },
  {
    name: 'of a newer version',
    code: 'DATABASE_NEWER',
    says: /newer.*[\s\S]*upgrade/i,
    harm: (file) => execute(file, 'PRAGMA user_version = 999'),
  },
  {
    name: 'of another program',
    code: 'DATABASE_FOREIGN',
    says: /another program/,
    harm(file) {
      rmSync(file);
      execute(file, 'CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1)');
    },
  },
  {
    name: 'that is a folder',
    code: 'DATABASE_UNOPENABLE',
    says: /folder/,
    harm(file) {
      rmSync(file);
      mkdirSync(file);
    },
  },
  {
    name: 'that another program has locked',
    code: 'DATABASE_LOCKED',
    says: /locked.*[\s\S]*close the program/i,
    hold(file) {
      const holder = new Database(file);
      holder.pragma('locking_mode = EXCLUSIVE');
      holder.exec('BEGIN EXCLUSIVE');
      return () => {
        holder.exec('ROLLBACK');
        holder.close();
      };
    },
  },
  {
    name: 'that is read-only',
    code: 'DATABASE_READ_ONLY',
    says: /read-only.*[\s\S]*permission/,
    harm: (file) => chmodSync(file, 0o444),
    isReadable: true,
  },
];

/** A folder with a copy of the good database. */
function copied(): { folder: Folder; file: string } {
  const folder = folderOf({ 'rankledger.yaml': config });
  mkdirSync(join(folder.path, 'data'));
  const file = join(folder.path, store);
  writeFileSync(file, readFileSync(join(whole.path, store)));
  return { folder, file };
}

/**
 * Name and SHA-256 of every file next to the database, except the index of the write-ahead log, which readers share,
 * and an empty log, which SQLite may leave behind if it cannot create the index.
 */
function stateOf(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => !name.endsWith('-shm') && name !== 'backups')
    .filter((name) => !name.endsWith('-wal') || statSync(join(folder, name)).size > 0)
    .sort()
    .map((name) => {
      const path = join(folder, name);
      const content = statSync(path).isDirectory() ? '' : readFileSync(path);
      return `${name} ${createHash('sha256').update(content).digest('hex')}`;
    });
}

const tally = { cells: 0, slowestMs: 0 };
afterAll(() => {
  process.stderr.write(
    `databases in trouble: ${tally.cells} cells, each with its named code and the bytes unchanged; the slowest took ${Math.round(tally.slowestMs)} ms\n`,
  );
});

/** Commands that work share the machine's two processors; those that only wait for a lock need none. */
const atOnce = { working: 3, waiting: 6 };

/** Runs every command in the folder, a few at once, and lists what is wrong with how each ended. */
async function complaintsOf(folder: Folder, trouble: Omit<Trouble, 'harm' | 'hold'>): Promise<string[]> {
  const concurrency = trouble.code === 'DATABASE_LOCKED' ? atOnce.waiting : atOnce.working;
  // commands that write wait for a lock
  const waiting = commands.filter(([name]) => trouble.code !== 'DATABASE_LOCKED' || readers.has(name));
  const complaints: string[] = [];
  const work = async (): Promise<void> => {
    for (let args = waiting.shift(); args !== undefined; args = waiting.shift()) {
      const startedAt = performance.now();
      const ended = await folder.run(...args, '--json');
      tally.slowestMs = Math.max(tally.slowestMs, performance.now() - startedAt);
      tally.cells += 1;
      const complaint = complaintOf(args[0], ended, trouble);
      if (complaint !== null) complaints.push(`${args[0]}: ${complaint}: ${ended.exitCode} ${ended.out}${ended.err}`);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return complaints;
}

function complaintOf(command: string, ended: Ended, trouble: Omit<Trouble, 'harm' | 'hold'>): string | null {
  if (trouble.isReadable === true && readers.has(command)) {
    return ended.exitCode === 0 ? null : 'it could have been read';
  }
  if (ended.exitCode !== 1) return 'not exit code 1';
  const document = JSON.parse(ended.out) as { ok?: boolean; error?: { code: string } };
  // a proof that finds damage lists it
  if (trouble.code === 'DATABASE_CORRUPT' && document.ok === false) return null;
  if (document.error?.code !== trouble.code) return `not ${trouble.code}`;
  if (!ended.err.startsWith('Error: ') || !ended.err.includes(store) || !trouble.says.test(ended.err))
    return 'not named with its remedy';
  if (/Unexpected error|is a bug|^\s+at /m.test(ended.err) || ended.err.trimEnd().split('\n').length > 3)
    return 'not one message';
  return null;
}

describe('a database', () => {
  test.each(troubles)('$name is named by every command, and left unchanged', async ({ harm, hold, ...trouble }) => {
    const { folder, file } = copied();
    harm?.(file);
    const before = stateOf(join(folder.path, 'data'));
    const release = hold?.(file);
    expect(await complaintsOf(folder, trouble)).toEqual([]);
    release?.();
    expect(stateOf(join(folder.path, 'data'))).toEqual(before);
    folder.remove();
  });
});

/** Puts the good database on its own file system; null if this user may not mount one. */
function mounted(size: string): { folder: Folder; data: string; end: () => void } | null {
  const folder = folderOf({ 'rankledger.yaml': config });
  const data = join(folder.path, 'data');
  mkdirSync(data);
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', data]).status !== 0) {
    process.stderr.write('skipped: a separate disk: this user may not mount one\n');
    folder.remove();
    return null;
  }
  writeFileSync(join(data, 'rankledger.sqlite'), readFileSync(join(whole.path, store)));
  const end = (): void => {
    execFileSync('umount', [data]);
    folder.remove();
  };
  return { folder, data, end };
}

describe('a disk', () => {
  test('that is full is named by every command, and its files stay unchanged', async () => {
    const disk = mounted('1m');
    if (disk === null) return;
    try {
      const ballast = join(disk.data, 'ballast');
      expect(() => writeFileSync(ballast, Buffer.alloc(2_000_000))).toThrow(/ENOSPC/);
      const before = stateOf(disk.data);
      const says = /full.*[\s\S]*(space|disk)/;
      expect(await complaintsOf(disk.folder, { name: 'full', code: 'DISK_FULL', says })).toEqual([]);
      expect(stateOf(disk.data)).toEqual(before);
    } finally {
      disk.end();
    }
  });

  test('that is read-only is named by every command that writes; it can still be verified and copied elsewhere', async () => {
    const disk = mounted('5m');
    if (disk === null) return;
    try {
      execFileSync('mount', ['-o', 'remount,ro', disk.data]);
      const before = stateOf(disk.data);
      const complaints = await complaintsOf(disk.folder, {
        name: 'on a read-only disk',
        code: 'DATABASE_READ_ONLY',
        says: /read-only.*[\s\S]*permission/,
      });
      expect(complaints.filter((complaint) => !readers.has(complaint.split(':')[0] ?? ''))).toEqual([]);
      expect((await disk.folder.run('status')).exitCode).toBe(0);
      expect((await disk.folder.run('verify')).exitCode).toBe(0);
      expect((await disk.folder.run('backup', 'saved.sqlite')).exitCode).toBe(0);
      expect((await disk.folder.run('verify', 'saved.sqlite')).exitCode).toBe(0);
      expect(stateOf(disk.data)).toEqual(before);
    } finally {
      disk.end();
    }
  });
});
