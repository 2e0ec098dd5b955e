// `export --partitions`: a Parquet file per project and month, and only the months that changed.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parquetReadObjects } from 'hyparquet';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { openApp } from '../../../src/app/app.ts';
import { invoke } from '../fake-host.ts';
import { copyOf, type ProjectFolder, projectFolder } from '../project-folder.ts';
import { runSlots } from '../real-app.ts';

const config = `timezone: UTC
budget: { serpCredits: { perRun: 20 } }
projects:
  - { id: acme, targets: [acme.com], schedule: "0 6 * * *", market: { country: US, language: en }, depth: 1, keywords: [running shoes, trail shoes] }
  - { id: globex, targets: [globex.com], schedule: "0 6 * * *", market: { country: US, language: en }, depth: 1, keywords: [hats] }
`;

let folder: ProjectFolder;
let recorded: ProjectFolder;
beforeAll(async () => {
  recorded = projectFolder(config);
  await runSlots(recorded, ['2026-01-30T06:00Z', '2026-01-31T06:00Z', '2026-02-01T06:00Z']);
});
beforeEach(() => {
  folder = copyOf(recorded);
});

async function cli(...argv: string[]) {
  return await invoke(argv, { cwd: folder.path, openApp });
}

async function exported(...argv: string[]) {
  const { out, err, exitCode } = await cli('export', '--partitions', 'lake', '--json', ...argv);
  expect([exitCode, err]).toEqual([0, '']);
  const { written, rows, unchanged } = JSON.parse(out) as Record<string, number>;
  return { written, rows, unchanged };
}

const fileOf = (project: string, month: string, table = 'rankings') =>
  join(folder.path, 'lake', table, `project=${project}`, `month=${month}`, `${table}.parquet`);

async function rowsOf(file: string): Promise<Record<string, unknown>[]> {
  const bytes = readFileSync(file);
  return await parquetReadObjects({ file: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) });
}

test('writes each month of each project, whose rows are those of the whole export', async () => {
  expect(await exported()).toEqual({ written: 4, rows: 9, unchanged: 0 });
  const january = await rowsOf(fileOf('acme', '2026-01'));
  expect(january.map((row) => [row['keyword'], row['local_date']])).toEqual([
    ['running shoes', '2026-01-30'],
    ['trail shoes', '2026-01-30'],
    ['running shoes', '2026-01-31'],
    ['trail shoes', '2026-01-31'],
  ]);
  expect(january[0]).not.toHaveProperty('project');
  const whole = await cli('export', '--format', 'jsonl', '--project', 'acme', '--to', '2026-01-31');
  const ranks = whole.out
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { rank: number | null }).rank);
  expect(january.map((row) => (row['rank'] === null ? null : Number(row['rank'])))).toEqual(ranks);
});

test('writes again only the months that changed', async () => {
  await exported();
  const untouched = statSync(fileOf('acme', '2026-01')).mtimeMs;
  expect(await exported()).toEqual({ written: 0, rows: 0, unchanged: 4 });

  await cli('run', '--slot', '2026-02-02T06:00:00Z', '--project', 'acme');
  expect(await exported()).toEqual({ written: 1, rows: 4, unchanged: 3 });
  expect(statSync(fileOf('acme', '2026-01')).mtimeMs).toBe(untouched);

  expect((await cli('run', 'discard', '1', '--reason', 'forged pages')).exitCode).toBe(0);
  expect((await exported('--project', 'acme')).written).toBe(1);
  expect((await rowsOf(fileOf('acme', '2026-01')))[0]?.['note']).toContain('forged pages');

  folder.write('rankledger.yaml', config.replace('[globex.com]', '[globex.com, other.com]'));
  expect(await exported('--project', 'globex')).toEqual({ written: 2, rows: 6, unchanged: 0 });
});

test('leaves a month as it is while the next one begins', async () => {
  await runSlots(folder, ['2026-02-28T06:00Z']);
  await exported();
  for (const [at, slot] of ['2026-03-01T06:00Z', '2026-03-02T06:00Z', '2026-03-03T06:00Z'].entries()) {
    await runSlots(folder, [slot]);
    expect(await exported()).toEqual({ written: 2, rows: 3 * (at + 1), unchanged: 4 });
  }
});

test('repairs a file that is missing or cut short, and a manifest that is broken', async () => {
  await exported();
  writeFileSync(fileOf('acme', '2026-01'), '');
  expect((await exported()).written).toBe(1);
  writeFileSync(join(folder.path, 'lake', 'rankings', 'project=acme', '_manifest.json'), '{');
  expect((await exported()).written).toBe(2);
  expect(await exported()).toMatchObject({ written: 0 });
});

test('reads the manifest under its former name, and renames it with the next month', async () => {
  await exported();
  const of = (project: string, name: string) => join(folder.path, 'lake', 'rankings', `project=${project}`, name);
  for (const project of ['acme', 'globex']) renameSync(of(project, '_manifest.json'), of(project, 'manifest.json'));
  expect(await exported()).toEqual({ written: 0, rows: 0, unchanged: 4 });
  writeFileSync(fileOf('acme', '2026-01'), '');
  expect(await exported()).toMatchObject({ written: 1, unchanged: 3 });
  expect(readdirSync(of('acme', '.')).toSorted()).toEqual(['_manifest.json', 'month=2026-01', 'month=2026-02']);
});

test('writes every table that belongs to projects', async () => {
  for (const table of ['checks', 'serps', 'volumes']) {
    const { rows = 0 } = await exported('--what', table);
    expect(rows > 0).toBe(table !== 'volumes');
    expect(existsSync(fileOf('acme', '2026-01', table))).toBe(rows > 0);
    expect(await exported('--what', table)).toMatchObject({ written: 0 });
  }
  expect(existsSync(join(folder.path, 'lake', 'volumes'))).toBe(false);
});

test('writes the metrics of every month that the project has some of, also those before its first run', async () => {
  const [acme = '', globex = ''] = config.split('\n').filter((line) => line.includes('id: '));
  const start = `${config.slice(0, config.indexOf('projects:'))}services: { default: { mode: embedded, source: sandbox } }\nprojects:\n`;
  const metrics = acme.replace(' }, depth', ' }, volumes: { schedule: "0 4 30 * *" }, depth');
  folder = projectFolder(`${start}${metrics}\n`);
  await runSlots(folder, ['2026-01-30T04:00Z', '2026-01-30T06:00Z']);
  folder.write('rankledger.yaml', `${start}${metrics}\n${globex.replace('hats', 'running shoes')}\n`);
  await runSlots(folder, ['2026-02-01T06:00Z']);
  const volumes = ['--what', 'volumes'];
  expect(await exported(...volumes)).toEqual({ written: 2, rows: 3, unchanged: 0 });
  const metricsOf = async () =>
    (await rowsOf(fileOf('globex', '2026-01', 'volumes'))).map((row) => [row['keyword'], row['service']]);
  expect(await metricsOf()).toEqual([['running shoes', 'default']]);

  await runSlots(folder, ['2026-02-02T06:00Z']);
  expect(await exported(...volumes)).toEqual({ written: 0, rows: 0, unchanged: 2 });
  expect((await cli('rename', 'service', 'default', 'vendor')).exitCode).toBe(0);
  expect(await exported(...volumes)).toEqual({ written: 2, rows: 3, unchanged: 0 });
  expect(await metricsOf()).toEqual([['running shoes', 'vendor']]);
});

test.runIf(process.platform === 'linux')('ends where no folder can be made', () => {
  const program = resolve('src/cli/rankledger.mjs');
  const argv = [program, 'export', '--partitions', '/proc/none'];
  const { status, stderr } = spawnSync(process.execPath, argv, { cwd: folder.path, timeout: 30_000, encoding: 'utf8' });
  expect([status, stderr]).toEqual([1, expect.stringContaining('/proc/none')]);
});

test('refuses what it cannot split', async () => {
  const ledger = await cli('export', '--what', 'ledger', '--partitions', 'lake');
  expect([ledger.exitCode, ledger.err]).toEqual([2, expect.stringContaining('The ledger belongs to no project.')]);
  const range = await cli('export', '--partitions', 'lake', '--from', '2026-01-05');
  expect([range.exitCode, range.err]).toEqual([2, expect.stringContaining('whole months')]);
  for (const [options, says] of [
    [['--format', 'csv'], 'Leave out --format csv'],
    [['--format', 'jsonl'], '--partitions writes Parquet.'],
    [['--safe'], '--safe needs --format csv.'],
  ] as const) {
    const { exitCode, err } = await cli('export', '--partitions', 'lake', ...options);
    expect([exitCode, err]).toEqual([2, expect.stringContaining(says)]);
  }
  expect((await cli('export', '--partitions', 'lake', '--format', 'parquet')).exitCode).toBe(0);
});
