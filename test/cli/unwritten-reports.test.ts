// Reports that cannot be written: a monitor learns of them from `status --check`, the heartbeat, an alert and `check`.
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { openApp } from '../../src/app/app.ts';
import { invoke } from './fake-host.ts';
import { type ProjectFolder, projectFolder } from './project-folder.ts';
import { commandAt } from './real-app.ts';

const config = `heartbeat: { file: beat.json }
alerts:
  channels:
    ops: { type: file, path: alerts.jsonl }
    more: { type: file, path: more.jsonl }
  rules: [{ when: run-failed }]
projects:
  - { id: acme, targets: [acme.com], keywords: [shoes], schedule: "0 6 * * *", timezone: UTC }
  - { id: blog, targets: [blog.com], keywords: [hats], schedule: "0 6 * * *", timezone: UTC }
`;

let folder: ProjectFolder;
beforeEach(() => {
  folder = projectFolder(config);
});

const path = (name: string) => join(folder.path, name);
const at = (time: string, ...argv: string[]) => commandAt(folder, Date.parse(`2026-01-15T${time}Z`), ...argv);
const beat = () => JSON.parse(readFileSync(path('beat.json'), 'utf8'));
const alertsOf = (name: string) => {
  try {
    return readFileSync(path(name), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  } catch {
    return [];
  }
};
const textsOf = (name: string) => alertsOf(name).flatMap((line) => JSON.stringify(line));

const reportsOf = (out: string) =>
  JSON.parse(out).online.trials.find(({ what }: { what: string }) => what === 'reports');

/** As root may write everywhere, what is in the way is a file. */
const blocked: readonly (readonly [what: string, inTheWay: string, block: () => void, unwritten: readonly string[]])[] =
  [
    [
      'the folder of all reports is a file',
      'reports',
      () => writeFileSync(path('reports'), ''),
      ['acme report, run 1', 'blog report, run 1'],
    ],
    [
      'the folder of one project is a link to nothing',
      'reports/acme',
      () => {
        mkdirSync(path('reports'));
        symlinkSync('nowhere/deep', path('reports/acme'));
      },
      ['acme report, run 1'],
    ],
    [
      'the index is a folder',
      'reports/index.html',
      () => mkdirSync(path('reports/index.html'), { recursive: true }),
      ['index, run 1'],
    ],
  ];

it.each(blocked)(
  'are found by all monitors where %s, until they are written',
  async (_, inTheWay, block, unwritten) => {
    block();
    expect((await at('06:10:00', 'run')).exitCode).toBe(3);
    const check = await at('06:11:00', 'status', '--check');
    expect([check.exitCode, check.out]).toEqual([3, expect.stringMatching(/not written +.*, run 1: /)]);
    const { out } = await at('06:11:00', 'status', '--check', '--json');
    expect(JSON.parse(out)).toMatchObject({
      ...{
        overdue: [],
        nothingChecked: [],
        unwritten: expect.arrayContaining([expect.objectContaining({ runId: 1 })]),
      },
    });
    expect([beat().state, beat().unwritten.toSorted()]).toEqual(['complete', unwritten]);
    for (const name of ['alerts.jsonl', 'more.jsonl'])
      expect(textsOf(name).join('\n')).toMatch(/the run is recorded, but the (report|index).* could not be written/);

    rmSync(path(inTheWay), { recursive: true });
    expect((await at('06:20:00', 'run')).exitCode).toBe(0);
    expect(readdirSync(path('reports'))).toEqual(expect.arrayContaining(['acme', 'blog', 'index.html']));
    expect((await at('06:21:00', 'status', '--check')).exitCode).toBe(0);
    expect(beat().unwritten).toEqual([]);

    // two days of the same trouble, after its end: one alert, and one of its end
    const seen = alertsOf('alerts.jsonl').length;
    const isUnwritten = [undefined, expect.stringMatching(/could not be written/)];
    const isOver = [true, expect.stringMatching(/reports .*are written again; before: the (report|index)/)];
    const added = () => alertsOf('alerts.jsonl').map((line) => [line.isOver, line.text]);
    const each = (words: unknown) => unwritten.map(() => words);
    expect(added()).toEqual([...each(isUnwritten), ...each(isOver)]);
    rmSync(path('reports'), { recursive: true });
    block();
    for (const day of [16, 17]) await commandAt(folder, Date.parse(`2026-01-${day}T06:10:00Z`), 'run');
    expect(added().slice(seen)).toEqual(each(isUnwritten));
    rmSync(path(inTheWay), { recursive: true });
    for (const day of [18, 19]) await commandAt(folder, Date.parse(`2026-01-${day}T06:10:00Z`), 'run');
    expect(added().slice(seen)).toEqual([...each(isUnwritten), ...each(isOver)]);
  },
);

it.each(blocked.slice(0, 2))('are foreseen by `check --online` where %s', async (_, __, block) => {
  const good = await invoke(['check', '--online', '--json'], { cwd: folder.path, openApp });
  expect([good.exitCode, reportsOf(good.out)]).toMatchObject([
    0,
    { what: 'reports', state: 'ok', says: expect.stringContaining('can be written') },
  ]);
  expect(readdirSync(folder.path)).toEqual(['rankledger.yaml']);
  block();
  const { exitCode, out } = await invoke(['check', '--online', '--json'], { cwd: folder.path, openApp });
  expect([exitCode, reportsOf(out)]).toMatchObject([
    1,
    { what: 'reports', state: 'failed', problems: [{ code: 'REPORTS_UNWRITABLE' }] },
  ]);
  expect((await invoke(['check', '--online'], { cwd: folder.path, openApp })).out).toMatch(
    /FAILED +reports +REPORTS_UNWRITABLE/,
  );
});
