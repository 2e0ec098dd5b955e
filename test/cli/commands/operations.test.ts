// `backup`, `verify` and `prune` on a real database: their output, their files and their exit codes.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openConnection } from '../../../db/connection/client.ts';
import { openApp } from '../../../src/app/app.ts';
import { SimulatedClock } from '../../../src/app/runs/simulation.ts';
import { type Invocation, invoke } from '../fake-host.ts';
import { copyOf, type ProjectFolder, projectFolder } from '../project-folder.ts';

const now = Date.UTC(2026, 0, 15, 12);
const dayMs = 86_400_000;
const config = `retention: { rawPages: 30d }
projects:
  - { id: acme, targets: [acme.com], depth: 1, keywords: [running shoes, trail shoes] }
`;

let folder: ProjectFolder;
let database: string;
let recorded: ProjectFolder;
beforeAll(async () => {
  folder = projectFolder(config);
  expect((await go(['run', '--all'])).exitCode).toBe(0);
  recorded = folder;
});
beforeEach(() => {
  folder = copyOf(recorded);
  database = join(folder.path, 'data/rankledger.sqlite');
});

const go = (argv: readonly string[], invocation: Invocation = {}) =>
  invoke(argv, {
    cwd: folder.path,
    now,
    openApp: (config, options) => openApp(config, { ...options, clock: new SimulatedClock(invocation.now ?? now) }),
    ...invocation,
  });

async function document<Document>(argv: readonly string[], invocation: Invocation = {}) {
  const outcome = await go([...argv, '--json'], invocation);
  return { exitCode: outcome.exitCode, ...(JSON.parse(outcome.out) as Document) };
}

describe('backup', () => {
  test('writes a separate file next to the database, and prints what it contains', async () => {
    const { exitCode, out } = await go(['backup']);
    const name = 'rankledger-20260115T120000.000Z.sqlite';
    expect({ exitCode, names: readdirSync(join(folder.path, 'data/backups')) }).toEqual({
      exitCode: 0,
      names: [name, `${name}.sha256`, `${name}.witness`],
    });
    expect(out).toContain(`OK  data/backups/${name}`);
    expect(out).toMatch(/holds +2 checks, 2 rankings, 2 pages, \d+ ledger entries/);
    expect(out).toMatch(/checked +\d+ proofs, none broken/);
    expect(out).toMatch(/SHA-256 +[0-9a-f]{64}/);
  });

  test('keeps the newest, and deletes older ones once the new one is complete', async () => {
    const names: string[] = [];
    for (let day = 0; day < 4; day += 1) {
      const made = await document<{ file: string }>(['backup', '--keep', '2'], { now: now + day * dayMs });
      names.push(basename(made.file));
    }
    const left = readdirSync(join(folder.path, 'data/backups')).filter((name) => name.endsWith('.sqlite'));
    expect(left).toEqual(names.slice(2));
    writeFileSync(database, '');
    expect((await go(['backup', '--keep', '1'])).exitCode).toBe(1);
    expect(readdirSync(join(folder.path, 'data/backups')).length).toBe(6);
  });

  test('accepts a file or a folder, and refuses a file that exists', async () => {
    mkdirSync(join(folder.path, 'safe'));
    expect((await document<{ file: string }>(['backup', 'safe'])).file).toMatch(/safe\/rankledger-2026.*\.sqlite$/);
    expect((await document<{ file: string }>(['backup', 'new/'])).file).toMatch(/new\/rankledger-2026.*\.sqlite$/);
    const { bytes, file } = await document<{ bytes: number; file: string }>(['backup', 'safe/mine.sqlite']);
    expect(file).toBe(join(folder.path, 'safe/mine.sqlite'));
    expect(bytes).toBe(readFileSync(file).length);
    const again = await go(['backup', 'safe/mine.sqlite']);
    expect({ exitCode: again.exitCode, err: again.err }).toEqual({
      exitCode: 1,
      err: expect.stringContaining('never replaces a file'),
    });
    expect((await go(['backup', 'safe/other.sqlite', '--keep', '3'])).exitCode).toBe(2);
    expect((await go(['backup', '--keep', '0'])).exitCode).toBe(2);
  });

  test('of a missing database creates none', async () => {
    rmSync(join(folder.path, 'data'), { recursive: true });
    const { exitCode, err } = await go(['backup']);
    expect({ exitCode, err }).toEqual({ exitCode: 1, err: expect.stringContaining('does not exist') });
    expect(existsSync(join(folder.path, 'data'))).toBe(false);
  });

  test('can be restored: copied back, it is verified and usable', async () => {
    const { file } = await document<{ file: string }>(['backup']);
    await go(['run', '--all'], { now: now + dayMs });
    writeFileSync(database, readFileSync(file));
    expect((await go(['verify'])).exitCode).toBe(0);
    expect((await go(['run', '--all'], { now: now + dayMs })).exitCode).toBe(0);
    expect((await go(['audit'])).exitCode).toBe(0);
  });
});

const witnessed =
  '{"ledger":"a","hash":"b","entries":900,"days":[{"currency":"serp_credit","day":"2026-01-16","spent":4}]}';

interface Verified {
  readonly ok: boolean;
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly detail: string }[];
}

/** In the file header: SQLite reserves it and does not read it. */
const reservedByte = 80;

describe('verify', () => {
  test('lists every proof of the database, and the SHA-256 of a backup too', async () => {
    const { exitCode, out } = await go(['verify']);
    expect(exitCode).toBe(0);
    expect(out).toMatch(/ok +the ledger has not changed since it was written \(hash chain\): \d+ entries/);
    expect(out).toContain('The database is intact.');
    const { file } = await document<{ file: string }>(['backup']);
    const backup = await document<Verified>(['verify', file]);
    expect(backup).toMatchObject({ exitCode: 0, ok: true });
    expect(backup.checks[0]?.name).toContain('SHA-256');
    const bytes = readFileSync(file);
    bytes[reservedByte] = 1;
    writeFileSync(file, bytes);
    expect(await document<Verified>(['verify', file])).toMatchObject({ exitCode: 1, ok: false });
  });

  test('names what is broken and what to do, and exits with 1', async () => {
    const sqlite = new Database(database);
    sqlite.exec('DROP TRIGGER pages_no_update; UPDATE pages SET observed_at = observed_at + 1 WHERE id = 1');
    sqlite.close();
    const { exitCode, out } = await go(['verify']);
    expect(exitCode).toBe(1);
    expect(out).toMatch(/BROKEN +no recorded row of history has changed \(digests\): pages of 2026-01-15T12:00:00/);
    expect(out).toMatch(/BROKEN +tables, indexes and triggers.*trigger pages_no_update is missing/);
    expect(out).toContain('put your newest intact backup');
  });

  test('does not call a restored database broken, as `audit` does not, and says what the next run does', async () => {
    writeFileSync(`${database}.witness`, witnessed);
    const { exitCode, out } = await go(['verify']);
    expect({ exitCode, out }).toEqual({
      exitCode: 1,
      out: expect.stringContaining('A check failed: see BROKEN above.'),
    });
    expect(out).not.toContain('put your newest intact backup');
    const audited = await go(['audit']);
    for (const printed of [out, audited.out]) expect(printed).toContain('the next run counts the missing purchases');
  });

  test('does not advise to run verify if the file is unreadable', async () => {
    const bytes = readFileSync(database);
    bytes[100] = 99; // the kind of the first page, which holds the schema
    const copy = join(folder.path, 'damaged.sqlite');
    writeFileSync(copy, bytes);
    const { exitCode, err } = await go(['verify', copy]);
    expect(exitCode).toBe(1);
    expect(err).toContain('damaged.sqlite is damaged');
    expect(err).toContain('put your newest intact backup');
    expect(err).not.toContain('rankledger verify');
  });

  test('needs no config for a named file', async () => {
    rmSync(join(folder.path, 'rankledger.yaml'));
    expect((await go(['verify', 'data/rankledger.sqlite'])).exitCode).toBe(0);
    const missing = await go(['verify', 'data/none.sqlite']);
    expect([missing.exitCode, missing.err]).toEqual([1, expect.stringContaining('Name a database, or a backup')]);
    expect(missing.err).not.toContain('the first `rankledger run` creates');
  });
});

/** A body for each page, as a provider would have sent it. */
function keepBodies(): void {
  const db = openConnection(database);
  db.transaction(() =>
    db
      .sql(
        "INSERT INTO bodies SELECT id, 'text/html', 1, zeroblob(600000) FROM purchases WHERE page IS NOT NULL AND state <> 'open'",
      )
      .run(),
  );
  db.close();
}

const countBodies = (): unknown => {
  const sqlite = new Database(database);
  const count = sqlite.prepare('SELECT count(*) FROM bodies').pluck().get();
  sqlite.close();
  return count;
};

describe('prune', () => {
  test('lists what would be deleted, by the age in the config, and changes nothing', async () => {
    keepBodies();
    const early = await document(['prune'], { now: now + 29 * dayMs });
    expect(early).toMatchObject({ exitCode: 0, isDryRun: true, bodies: { rows: 0 } });
    const { exitCode, out } = await go(['prune'], { now: now + 31 * dayMs });
    expect(exitCode).toBe(0);
    expect(out).toContain('Would remove data received before 2026-01-16T12:00:00.000Z');
    expect(out).toMatch(/raw pages +2 pages, 1\.2 MB/);
    expect(out).toContain('Nothing was changed');
    expect(countBodies()).toBe(2);
  });

  test('deletes it with --yes, and shrinks the file with --vacuum', async () => {
    keepBodies();
    const later = { now: now + 10 * dayMs };
    const pruned = await document<{ freeBytes: number; fileBytes: number }>(
      ['prune', '--older-than', '7d', '--yes'],
      later,
    );
    expect(pruned).toMatchObject({ exitCode: 0, isDryRun: false, bodies: { rows: 2, bytes: 1_200_000 } });
    expect(pruned.freeBytes).toBeGreaterThan(1_000_000);
    expect(countBodies()).toBe(0);
    const vacuumed = await go(['prune', '--yes', '--vacuum'], later);
    expect(vacuumed.out).toMatch(/Freed 1\.2 MB/);
    expect(readFileSync(database).length).toBeLessThan(pruned.fileBytes - 1_000_000);
    expect((await go(['verify'])).exitCode).toBe(0);
    expect(readdirSync(join(folder.path, 'data'))).toEqual(['rankledger.sqlite']);
  });

  test('refuses an invalid age, a missing database, and --vacuum during a run', async () => {
    expect((await go(['prune', '--older-than', 'long'])).exitCode).toBe(2);
    const sqlite = new Database(database);
    sqlite.exec(
      `INSERT INTO runs (kind, moment, opened_at, state, owner, heartbeat_at) VALUES ('ranks', 1, 1, 'open', 'not-here|boot|1|1', ${now})`,
    );
    sqlite.close();
    const busy = await go(['prune', '--yes', '--vacuum']);
    expect({ exitCode: busy.exitCode, err: busy.err }).toEqual({
      exitCode: 1,
      err: expect.stringContaining('is in progress'),
    });
    rmSync(join(folder.path, 'data'), { recursive: true });
    expect((await go(['prune'])).exitCode).toBe(1);
    expect(existsSync(database)).toBe(false);
  });
});

test('sums that another program made differ are accepted with a reason, which the log keeps, and nothing else is', async () => {
  const harm = (sql: string) => void new Database(database).exec(sql).close();
  const accept = () => go(['verify', '--accept-sums', 'version 0.1 wrote during the upgrade']);
  expect(await accept()).toMatchObject({ exitCode: 2, err: expect.stringContaining('nothing to accept') });
  harm('UPDATE checks SET sequence = 99');
  expect((await go(['verify'])).exitCode).toBe(1);
  expect(await accept()).toMatchObject({ exitCode: 0, out: expect.stringContaining('The database is intact.') });
  expect((await go(['verify'])).exitCode).toBe(0);
  const log = JSON.stringify(JSON.parse((await go(['account', 'log', '--json'])).out));
  expect(log).toContain('sums-accept');
  expect(log).toContain('version 0.1 wrote during the upgrade');
  const triggers = new Database(database).prepare(
    "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'ledger'",
  );
  for (const name of triggers.pluck().all()) harm(`DROP TRIGGER ${name}`);
  harm('DELETE FROM ledger WHERE id = 1');
  expect(await accept()).toMatchObject({ exitCode: 2, err: expect.stringContaining('more is broken than sums') });
});
