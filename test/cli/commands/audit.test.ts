// `audit`: verdicts, totals and the exit code.
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeAll, expect, test } from 'vitest';
import { type ProjectFolder, projectFolder } from '../project-folder.ts';
import { commandAt, runSlots } from '../real-app.ts';

let folder: ProjectFolder;
beforeAll(async () => {
  folder = projectFolder();
  await runSlots(folder, ['2026-01-15T06:00+01:00']);
});

const now = Date.UTC(2026, 0, 15, 12);
const audit = (...argv: string[]) => commandAt(folder, now, 'audit', ...argv);

test('audit --reconcile takes a verdict, and the purchases that it is about', async () => {
  for (const wrong of [
    ['free'],
    ['agreed'],
    ['maybe', '--purchase', '9'],
    ['--purchase', '9'],
    ['free', '--purchase', 'x'],
    ['free', '--purchase', '9', '--service', 'default'],
  ])
    expect({ wrong, exitCode: (await audit('--reconcile', ...wrong)).exitCode }).toEqual({ wrong, exitCode: 2 });
  expect((await audit('--service', 'default')).exitCode).toBe(2);
  const unknown = await audit('--reconcile', 'free', '--purchase', '1');
  expect([unknown.exitCode, unknown.err]).toEqual([2, expect.stringContaining('purchase 1 has no unknown outcome')]);
  const asked = await audit('--reconcile');
  expect(asked.out).toContain('0 purchases settled, 0 purchases still unknown');
  const { reconciled } = JSON.parse((await audit('--reconcile', 'charged', '--service', 'default', '--json')).out);
  expect(reconciled).toEqual({ settled: [], prices: [], left: 0, notes: [] });
});

test('audit proves every row as `verify` does, and has its arguments', async () => {
  const checksOf = async (...argv: string[]) => JSON.parse((await audit('--json', ...argv)).out).checks;
  const verified = JSON.parse((await commandAt(folder, now, 'verify', '--json')).out);
  const checks = await checksOf();
  expect(checks.map(({ name }: { name: string }) => name)).toEqual(
    verified.checks.map(({ name }: { name: string }) => name),
  );
  expect((await audit()).out).toContain('Every row is as it was recorded.');
  expect(await checksOf('data/rankledger.sqlite')).toEqual(verified.checks);
  expect((await audit('data/rankledger.sqlite')).out).toContain('The database is intact.');
  for (const wrong of [
    ['data/rankledger.sqlite', '--reconcile'],
    ['data/rankledger.sqlite', '--accept-sums', 'reason'],
    ['--accept-sums', 'nothing differs'],
  ])
    expect({ wrong, exitCode: (await audit(...wrong)).exitCode }).toEqual({ wrong, exitCode: 2 });
});

test('audit exits with 1 if a row is not as it was recorded', async () => {
  const database = new Database(join(folder.path, 'data/rankledger.sqlite'));
  database.exec("UPDATE keywords SET text = text || ' changed' WHERE id = 1");
  database.close();
  const broken = await audit();
  expect(broken).toMatchObject({ exitCode: 1, out: expect.stringContaining('Every credit is accounted for.') });
  expect(broken.out).toContain('The database is broken: see BROKEN above.');
  expect(broken.out).toContain('put your newest intact backup');
  expect(await audit('--accept-sums', 'a test changed a keyword')).toMatchObject({ exitCode: 0 });
  expect(await audit()).toMatchObject({ exitCode: 0 });
});

test('audit exits with 1 if the ledger does not add up', async () => {
  const sound = await audit();
  expect(sound).toMatchObject({ exitCode: 0, out: expect.stringContaining('Every credit is accounted for.') });
  expect(sound.out).toMatch(/SERP credits +\d+ +\d+ +0 +\d+ +0\n +keyword data +\$0\.02 +\$0\.02 +\$0\.00/);
  const database = new Database(join(folder.path, 'data/rankledger.sqlite'));
  database.exec('UPDATE budget_windows SET spent = spent + 1');
  database.close();
  const broken = await audit();
  expect(broken.exitCode).toBe(1);
  expect(broken.out).toMatch(/^BROKEN {2}/m);
  expect(broken.out).toContain('The ledger does not add up: see BROKEN above.');
  expect(JSON.parse((await audit('--json')).out)).toMatchObject({ ok: false });
});
