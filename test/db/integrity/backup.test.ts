// A backup is complete, checked and of one moment, or absent: with concurrent writes, a kill, or a full disk.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openForReading } from '../../../db/connection/client.ts';
import { backUp, backupName, computeSha256, recordedSha256, removeOlderBackups } from '../../../db/integrity/backup.ts';
import { openStore } from '../../../db/store.ts';
import { isProcessRunning } from '../../../src/service/index.ts';
import { temporaryFolder } from '../../helpers/closing.ts';
import { type RecordedHistory, recordedHistory } from '../../helpers/recorded-history.ts';

const at = Date.UTC(2026, 0, 20, 6);
const hourMs = 3_600_000;
const isRunning = isProcessRunning;
let history: RecordedHistory;
beforeAll(async () => {
  history = await recordedHistory(2);
});
afterAll(async () => {
  await history.close();
});

/** A database of some 20 MB, so that a copy takes several steps. */
function largeDatabase(): string {
  const file = join(temporaryFolder(), 'db.sqlite');
  const store = openStore(file);
  store.transaction(() => {
    for (let index = 0; index < 10_000; index += 1) store.names.keywordId(`${index} ${'x'.repeat(900)}`);
  });
  store.close();
  return file;
}

function counts(file: string): { keywords: number; hosts: number } {
  const sqlite = new Database(file, { readonly: true });
  const count = (sql: string) => Number(sqlite.prepare(sql).pluck().get());
  const found = {
    keywords: count("SELECT count(*) FROM keywords WHERE text LIKE 'written %'"),
    hosts: count('SELECT count(*) FROM hosts'),
  };
  sqlite.close();
  return found;
}

describe('a backup', () => {
  it('contains the data of the database, is one file, and has a file with its SHA-256 next to it', async () => {
    const target = join(temporaryFolder(), 'made', 'copy.sqlite');
    const backup = await backUp(history.file, target, { at, isRunning });
    expect(backup).toMatchObject({ file: target, rows: { checks: 20, rankings: 40, pages: 40 } });
    expect(backup.proofs).toBeGreaterThan(15);
    const sha256 = createHash('sha256').update(readFileSync(target)).digest('hex');
    expect(readFileSync(`${target}.sha256`, 'utf8')).toBe(`${sha256}  copy.sqlite\n`);
    expect([backup.sha256, recordedSha256(target), await computeSha256(target)]).toEqual([sha256, sha256, sha256]);
    expect(readdirSync(dirname(target)).sort()).toEqual(['copy.sqlite', 'copy.sqlite.sha256', 'copy.sqlite.witness']);
    const db = openForReading(target);
    expect(db.pragma('journal_mode')).toBe('delete');
    db.close();
    const store = openStore(target); // restored: it opens like every database
    expect(store.audit.checks().filter(({ ok }) => !ok)).toEqual([]);
    store.close();
  });

  it('never replaces a file', async () => {
    const target = join(temporaryFolder(), 'mine');
    writeFileSync(target, 'precious');
    await expect(backUp(history.file, target, { at, isRunning })).rejects.toMatchObject({ code: 'BACKUP_EXISTS' });
    expect(readFileSync(target, 'utf8')).toBe('precious');
    expect(readdirSync(dirname(target))).toEqual(['mine']);
  });

  it('of a missing database is refused, and none is created', async () => {
    const folder = temporaryFolder();
    const attempt = backUp(join(folder, 'none.sqlite'), join(folder, 'copy.sqlite'), { at, isRunning });
    await expect(attempt).rejects.toMatchObject({ code: 'DATABASE_MISSING' });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('of a damaged database is not kept', async () => {
    const file = join(temporaryFolder(), 'db.sqlite');
    writeFileSync(file, readFileSync(history.file));
    const sqlite = new Database(file);
    sqlite.exec('DROP TRIGGER pages_no_update; UPDATE pages SET source = source || 1 WHERE id = 3');
    sqlite.close();
    const target = join(temporaryFolder(), 'copy.sqlite');
    const attempt = backUp(file, target, { at, isRunning });
    await expect(attempt).rejects.toMatchObject({ code: 'BACKUP_BROKEN', message: expect.stringContaining('digests') });
    expect(readdirSync(dirname(target))).toEqual([]);
  });

  it('that is interrupted leaves nothing', async () => {
    const target = join(temporaryFolder(), 'copy.sqlite');
    const stop = new AbortController();
    const attempt = backUp(largeDatabase(), target, {
      at,
      isRunning,
      signal: stop.signal,
      onProgress: () => stop.abort(new DOMException('Interrupted.', 'AbortError')),
    });
    await expect(attempt).rejects.toMatchObject({ name: 'AbortError' });
    expect(readdirSync(dirname(target))).toEqual([]);
  });

  it('that does not fit is refused before a byte is written', async () => {
    const folder = join(temporaryFolder(), 'small');
    mkdirSync(folder);
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]).status !== 0) {
      process.stderr.write('skipped: a disk without room: this user may not mount one\n');
      return;
    }
    try {
      const attempt = backUp(largeDatabase(), join(folder, 'copy.sqlite'), { at, isRunning });
      await expect(attempt).rejects.toMatchObject({ code: 'DISK_FULL' });
      expect(readdirSync(folder)).toEqual([]);
    } finally {
      spawnSync('umount', [folder]);
    }
  });
});

describe('while another process writes, a backup', () => {
  it('ends, and contains the data of one moment', async () => {
    const file = largeDatabase();
    const child = spawn(process.execPath, [join(import.meta.dirname, '../../helpers/writing-child.ts'), file], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    const before = counts(file).keywords;
    const target = join(temporaryFolder(), 'copy.sqlite');
    let steps = 0;
    await backUp(file, target, { at, isRunning, onProgress: ({ phase }) => (steps += phase === 'copying' ? 1 : 0) });
    const copied = counts(target);
    // the other process has continued, and still runs
    while (counts(file).keywords <= copied.keywords) await new Promise((next) => setImmediate(next));
    child.stdin.end();
    await once(child, 'exit');
    expect(copied.hosts).toBe(copied.keywords);
    expect(copied.keywords).toBeGreaterThanOrEqual(before);
    expect(steps).toBeGreaterThan(3);
  });

  it.each(['copy.sqlite', 'copy.db'])(
    'that is killed leaves no file under its name, %s, and the next one deletes its temporary files',
    async (name) => {
      const folder = temporaryFolder();
      const file = largeDatabase();
      const target = join(folder, name);
      const script = `import { backUp } from '${join(import.meta.dirname, '../../../db/integrity/backup.ts')}';
      await backUp(process.argv[1], process.argv[2], { at: 0, isRunning: () => true, onProgress: ({ done }) => { if (done > 2000) process.kill(process.pid, 'SIGKILL'); } });`;
      const child = spawn(process.execPath, ['--input-type=module', '-e', script, file, target], {
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      const [, signal] = await once(child, 'exit');
      expect(signal).toBe('SIGKILL');
      const left = readdirSync(folder);
      expect(left.filter((each) => each.startsWith(`${name}.partial-${child.pid}-`))).not.toEqual([]);
      expect(left).not.toContain(name);
      for (const each of left) utimesSync(join(folder, each), at / 1000, at / 1000);
      await backUp(file, target, { at: at + 2 * hourMs, isRunning });
      expect(readdirSync(folder).sort()).toEqual([name, `${name}.sha256`]);
    },
  );
});

describe('backups of a folder', () => {
  it('have names that sort by time, and only older ones of the same name are deleted', () => {
    const folder = temporaryFolder();
    const names = [3, 1, 2].map((hour) => backupName('rankledger', at + hour * hourMs));
    const others = ['rankledger-notes.sqlite', backupName('other', at), 'rankledger.sqlite', `${names[0]}.old`];
    for (const name of [...names, ...others]) writeFileSync(join(folder, name), '');
    writeFileSync(join(folder, `${names[1]}.sha256`), '');
    expect(names[0]).toBe('rankledger-20260120T090000.000Z.sqlite');
    const removed = removeOlderBackups(folder, 'rankledger', 2);
    expect(removed.map((file) => basename(file))).toEqual([names[1]]);
    expect(readdirSync(folder).sort()).toEqual([names[0], names[2], ...others].sort());
    expect(existsSync(join(folder, `${names[1]}.sha256`))).toBe(false);
  });
});
