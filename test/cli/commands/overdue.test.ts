// What monitors see of slots that are overdue, or that checked nothing, over a real database.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { openApp } from '../../../src/app/app.ts';
import { invoke, type Outcome } from '../fake-host.ts';
import { copyOf, type ProjectFolder, projectFolder } from '../project-folder.ts';

const hourMs = 3_600_000;
const firstRun = Date.UTC(2026, 0, 15, 6);
const nextSlot = Date.UTC(2026, 0, 16, 6);

let folder: ProjectFolder;
let recorded: ProjectFolder;
beforeAll(async () => {
  folder = projectFolder(
    'projects:\n  - { id: acme, timezone: UTC, schedule: "0 6 * * *", targets: [acme.com], keywords: [shoes] }\n',
  );
  expect((await at(firstRun, 'run')).exitCode).toBe(0);
  recorded = folder;
});
beforeEach(() => {
  folder = copyOf(recorded);
});

function at(now: number, ...argv: string[]): Promise<Outcome> {
  return invoke(argv, {
    cwd: folder.path,
    now,
    openApp: (config, options) => openApp(config, { ...options, clock: { now: () => now, sleep: async () => {} } }),
  });
}

test.each([
  ['within the hour', nextSlot + hourMs, 0],
  ['after an hour', nextSlot + hourMs + 1, 3],
])('status and status --check with a slot that waits %s exit as monitors need it', async (_name, now, exitCode) => {
  for (const argv of [['status'], ['status', '--check'], ['status', '--check', '--json']])
    expect((await at(now, ...argv)).exitCode).toBe(exitCode);
  const { out } = await at(now, 'status', '--check');
  expect(out).toContain(
    exitCode === 0
      ? 'Nothing is overdue, and the last run of each project checked something.'
      : 'OVERDUE: ranks of acme since 2026-01-16T06:00',
  );
});

test('a run of overdue slots exits with 0, and nothing is overdue afterwards', async () => {
  const late = nextSlot + 5 * hourMs;
  expect((await at(late, 'status', '--check')).exitCode).toBe(3);
  expect((await at(late, 'run')).exitCode).toBe(0);
  expect((await at(late, 'status', '--check')).exitCode).toBe(0);
});

test('a project that never ran is not overdue', async () => {
  folder = projectFolder(
    'projects:\n  - { id: acme, schedule: "0 6 * * *", targets: [acme.com], keywords: [shoes] }\n',
  );
  expect((await at(nextSlot + 5 * hourMs, 'status', '--check')).exitCode).toBe(0);
});

const dayMs = 24 * hourMs;
// a Thursday, as is `firstRun`; a project of each day takes the budget of one day
const weekly = (perDay: number) => `heartbeat: { file: beat.json }
budget: { serpCredits: { perDay: ${perDay} } }
alerts:
  channels: { log: { type: file, path: alerts.jsonl } }
  rules: [{ when: nothing-checked }]
projects:
  - { id: daily, timezone: UTC, schedule: "0 5 * * *", targets: [acme.com], keywords: [hats, coats], market: { country: US, language: en, devices: [desktop] }, depth: 1 }
  - { id: weekly, timezone: UTC, schedule: "0 6 * * 4", targets: [acme.com], keywords: [shoes, boots], market: { country: US, language: en, devices: [desktop] }, depth: 1 }
`;

test('a run that checked nothing is an alarm until its deferred searches are bought, on a day before the next slot', async () => {
  folder = projectFolder(weekly(4));
  await at(firstRun - dayMs, 'run');
  folder.write('rankledger.yaml', weekly(2));
  const json = async (now: number) => JSON.parse((await at(now, 'status', '--check', '--json')).out);
  await at(firstRun - hourMs, 'run');
  const { out: nothing } = await at(firstRun, 'run');
  expect(nothing).toContain('unknown: nothing was checked');
  expect(nothing).not.toContain('no rank has changed');
  expect((await at(firstRun + 1, 'status', '--check')).out).toMatch(
    /^NOTHING CHECKED: weekly: run \d+, 2026-01-15T06:00 UTC, checked none of its 2 searches \(budget/,
  );
  for (const argv of [['status'], ['status', '--check']]) expect((await at(firstRun + 1, ...argv)).exitCode).toBe(3);
  const read = (name: string): string => readFileSync(join(folder.path, name), 'utf8');
  expect(JSON.parse(read('beat.json'))).toMatchObject({ nothingChecked: ['weekly 2026-01-15T06:00 UTC'] });
  const alerts = read('alerts.jsonl').trim().split('\n');
  expect(alerts.map((line) => JSON.parse(line).text)).toEqual([
    expect.stringContaining('none of 2 searches of weekly'),
  ]);
  // the daily project still takes all of each day's budget: nothing to retry with, after its slot
  const friday = firstRun + dayMs;
  await at(friday, 'run');
  expect((await json(friday)).nothingChecked).toMatchObject([{ project: 'weekly', due: false }]);
  // before it there is room, and the week is not lost
  const saturday = firstRun + 2 * dayMs - 2 * hourMs;
  expect((await json(saturday)).nothingChecked).toMatchObject([{ project: 'weekly', due: true }]);
  const { out } = await at(saturday, 'run');
  expect(out).toContain('weekly 2026-01-15T06:00');
  expect((await json(saturday)).nothingChecked).toEqual([]);
  expect((await at(saturday, 'status', '--check')).exitCode).toBe(0);
  // a second call buys nothing again
  expect((await at(saturday + 1, 'run')).out).not.toContain('weekly 2026-01-15T06:00');
});

test('status counts the deferred searches of a slot', async () => {
  folder = projectFolder(weekly(1).replace(/ {2}- \{ id: weekly.*\n/, ''));
  await at(firstRun - hourMs, 'run');
  const { out } = await at(firstRun, 'status');
  expect(out).toContain('UNFINISHED: daily, 2026-01-15T05:00 UTC: 1 deferred of 2 searches; ');
  folder = projectFolder(
    weekly(1)
      .replace('hats', 'hats, belts')
      .replace(/ {2}- \{ id: weekly.*\n/, ''),
  );
  await at(firstRun - hourMs, 'run');
  expect((await at(firstRun, 'status')).out).toContain(': 2 deferred of 3 searches; ');
});

test('status counts the failures of the newest slot of each project only', async () => {
  const projects = (more: string) => `budget: { serpCredits: { perDay: 0 } }
projects:
  - { id: daily, timezone: UTC, schedule: "0 6 * * *", targets: [acme.com], keywords: [hats${more}], market: { country: US, language: en, devices: [desktop] }, depth: 1 }
  - { id: weekly, timezone: UTC, schedule: "0 6 * * 4", targets: [acme.com], keywords: [shoes], market: { country: US, language: en, devices: [desktop] }, depth: 1 }
`;
  folder = projectFolder(projects(', coats'));
  await at(firstRun, 'run');
  // a keyword that is gone since then has no failure in the newest slot
  folder.write('rankledger.yaml', projects(''));
  await at(firstRun + dayMs, 'run');
  const { problems, problemsTotal } = JSON.parse((await at(firstRun + dayMs, 'status', '--json')).out);
  expect(problemsTotal).toBe(2);
  expect(problems.map(({ project, keyword }: { project: string; keyword: string }) => `${project} ${keyword}`)).toEqual(
    ['weekly shoes', 'daily hats'],
  );
});
