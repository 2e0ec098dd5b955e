// `run` fetches new days of clicks after its checks, and a failure there fails nothing.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openStore } from '../../../db/store.ts';
import { accountKey, apiError, startSearchConsole } from '../../helpers/search-console.ts';
import { type ProjectFolder, projectFolder } from '../project-folder.ts';
import { commandAt } from '../real-app.ts';

const property = 'sc-domain:acme.com';
const day = 86_400_000;
const first = Date.parse('2026-01-12T06:00:00Z');
let folder: ProjectFolder;
let api: Awaited<ReturnType<typeof startSearchConsole>>;

beforeEach(async () => {
  api = await startSearchConsole(property);
  folder = projectFolder(`timezone: Europe/Berlin
database: history.sqlite
budget:
  serpCredits: { perRun: 20, perMonth: 100 }
projects:
  - id: acme
    targets: [acme.com]
    schedule: "0 6 * * *"
    keywords: [running shoes]
    searchConsole: { property: "${property}", credentials: { keyFile: key.json }, baseUrl: "${api.url}" }
`);
  const client_email = 'tracker@project.iam.example';
  folder.write('key.json', JSON.stringify({ client_email, private_key: accountKey.privateKey }));
});
afterEach(async () => {
  await api.close();
});

const run = (at: number) => commandAt(folder, at, 'run', '--all', '--json');

function stored<T>(read: (store: ReturnType<typeof openStore>) => T): T {
  const store = openStore(`${folder.path}/history.sqlite`);
  try {
    return read(store);
  } finally {
    store.close();
  }
}

const clicksOf = (date: string) => stored(({ clicks }) => clicks.days('acme', property, date, date)[0]?.clicks);
const typeTotals = () => stored(({ clicks }) => clicks.typeTotals('acme', property, '2026-01-01', '2026-01-31'));

function counted(date: string, clicks: number): void {
  api.days.set(date, {
    rows: [{ keys: ['running shoes', 'https://acme.com/', 'usa', 'DESKTOP'], clicks, impressions: 100, position: 2 }],
  });
}

test('new days are fetched after the checks, and a fresh day is read again until it is final', async () => {
  counted('2026-01-09', 5);
  counted('2026-01-11', 1);
  api.firstIncomplete = '2026-01-11';
  const { exitCode, out } = await run(first);
  expect(exitCode).toBe(0);
  expect(JSON.parse(out).clicks).toEqual([{ project: 'acme', days: 2, fresh: 1, error: null }]);
  expect(clicksOf('2026-01-11')).toBe(1);
  counted('2026-01-11', 7);
  counted('2026-01-09', 500);
  api.firstIncomplete = '2026-01-12';
  expect(JSON.parse((await run(first + day)).out).clicks).toEqual([
    { project: 'acme', days: 1, fresh: 0, error: null },
  ]);
  expect([clicksOf('2026-01-09'), clicksOf('2026-01-11')]).toEqual([5, 7]);
});

test('final days have totals by search type, which are asked for once, and one that is refused fails nothing', async () => {
  counted('2026-01-09', 5);
  counted('2026-01-10', 4);
  counted('2026-01-11', 1);
  api.firstIncomplete = '2026-01-11';
  api.types.set(
    'image',
    new Map([
      ['2026-01-09', { clicks: 70, impressions: 900, position: 12 }],
      ['2026-01-11', { clicks: 8, impressions: 80, position: 9 }],
    ]),
  );
  api.types.set('discover', new Map([['2026-01-10', { clicks: 300, impressions: 9_000 }]]));
  api.unknown.push('video');
  const [outcome] = JSON.parse((await run(first)).out).clicks;
  expect(outcome).toMatchObject({ days: 3, fresh: 1 });
  expect(outcome.error).toBe(
    'search type video: search-console answered 400: INVALID_ARGUMENT badRequest: Invalid value at \'type\': "video"',
  );
  const none = { clicks: 0, impressions: 0, averagePosition: null };
  expect(typeTotals()).toEqual([
    { type: 'discover', days: 2, clicks: 300, impressions: 9_000, averagePosition: null },
    { type: 'googleNews', days: 2, ...none },
    { type: 'image', days: 2, clicks: 70, impressions: 900, averagePosition: 12 },
    { type: 'news', days: 2, ...none },
    { type: 'web', days: 2, clicks: 9, impressions: 200, averagePosition: 7.5 },
  ]);
  expect(clicksOf('2026-01-09')).toBe(5);
  api.firstIncomplete = undefined;
  api.unknown.length = 0;
  const asked = api.requests.length;
  const { out } = await commandAt(folder, first + day, 'run', '--all');
  expect(out).toContain('Clicks of acme: 1 day fetched, 0 not final\n');
  const questions = api.requests.slice(asked).flatMap(({ json }) => {
    const { type, startDate, endDate } = (json ?? {}) as Record<string, string>;
    return type === undefined || type === 'web' ? [] : [[type, startDate, endDate]];
  });
  const newest = ['2026-01-11', '2026-01-11'];
  expect(questions).toEqual([
    ['image', ...newest],
    ['video', '2026-01-09', '2026-01-11'],
    ...['news', 'discover', 'googleNews'].map((type) => [type, ...newest]),
  ]);
  expect(typeTotals()).toContainEqual({
    ...{ type: 'image', days: 3, clicks: 78, impressions: 980 },
    averagePosition: (12 * 900 + 9 * 80) / 980,
  });
});

test('a search type that still counts a day has no totals of it', async () => {
  counted('2026-01-09', 5);
  counted('2026-01-10', 4);
  api.freshTypes.set('discover', '2026-01-10');
  api.types.set(
    'discover',
    new Map(['2026-01-09', '2026-01-10'].map((date) => [date, { clicks: 3, impressions: 40 }])),
  );
  await run(first);
  expect(typeTotals().map(({ type, days, clicks }) => [type, days, clicks])).toEqual([
    ['discover', 1, 3],
    ...['googleNews', 'image', 'news', 'video'].map((type) => [type, 2, 0]),
    ['web', 2, 9],
  ]);
});

test('hours are stored beside days, instead of those of the fetch before, and are in no day', async () => {
  counted('2026-01-09', 5);
  const older = { clicks: 40, impressions: 400 };
  api.hours.set('2026-01-01T23:00:00-08:00', older);
  api.hours.set('2026-01-02T00:00:00-08:00', older);
  api.hours.set('2026-01-11T20:00:00-08:00', { clicks: 6, impressions: 60 });
  api.hours.set('2026-01-11T21:00:00-08:00', { clicks: 1, impressions: 9 });
  api.firstIncompleteHour = '2026-01-11T21:00:00-08:00';
  expect(JSON.parse((await run(first)).out).clicks).toEqual([{ project: 'acme', days: 1, fresh: 0, error: null }]);
  const hours = [
    { hour: '2026-01-11T20', isFinal: true, clicks: 6, impressions: 60 },
    { hour: '2026-01-11T21', isFinal: false, clicks: 1, impressions: 9 },
  ];
  // ten days with today, 11 January in California
  expect(stored(({ clicks }) => clicks.hours('acme'))).toEqual([
    { hour: '2026-01-02T00', isFinal: true, ...older },
    ...hours,
  ]);
  expect(stored(({ clicks }) => clicks.days('acme', property, '2026-01-01', '2026-01-31'))).toEqual([
    { date: '2026-01-09', isFinal: true, clicks: 5, impressions: 100 },
  ]);
  const version = stored(({ history }) => history.version());
  api.hours.set('2026-01-11T21:00:00-08:00', { clicks: 7, impressions: 70 });
  api.hours.set('2026-01-11T22:00:00-08:00', { clicks: 2, impressions: 20 });
  api.firstIncompleteHour = '2026-01-11T22:00:00-08:00';
  await run(first + day);
  expect(stored(({ clicks }) => clicks.hours('acme'))).toEqual([
    hours[0],
    { hour: '2026-01-11T21', isFinal: true, clicks: 7, impressions: 70 },
    { hour: '2026-01-11T22', isFinal: false, clicks: 2, impressions: 20 },
  ]);
  expect(stored(({ history }) => history.version())).not.toBe(version);
  api.unknown.push('HOUR');
  const [refused] = JSON.parse((await run(first + 2 * day)).out).clicks;
  expect(refused.error).toMatch(/^hours: search-console answered 400/);
  expect(stored(({ clicks }) => clicks.hours('acme'))).toHaveLength(3);
});

test('the hour that the clock shows twice in autumn is one', async () => {
  counted('2025-10-30', 5);
  for (const offset of ['07', '08']) api.hours.set(`2025-11-02T01:00:00-${offset}:00`, { clicks: 3, impressions: 30 });
  await run(Date.parse('2025-11-03T06:00:00Z'));
  expect(stored(({ clicks }) => clicks.hours('acme'))).toEqual([
    { hour: '2025-11-02T01', isFinal: true, clicks: 6, impressions: 60 },
  ]);
});

test('a day that the API has no longer is unknown by search type, not zero', async () => {
  counted('2026-01-09', 5);
  api.unknown.push('image');
  await run(first);
  api.days.clear();
  counted('2026-01-10', 4);
  api.unknown.length = 0;
  await run(first + day);
  expect(typeTotals().map(({ type, days }) => [type, days])).toEqual([
    ...['discover', 'googleNews'].map((type) => [type, 2]),
    ['image', 1],
    ...['news', 'video', 'web'].map((type) => [type, 2]),
  ]);
});

test('several runs of a day ask once', async () => {
  counted('2026-01-09', 5);
  await run(first);
  const asked = api.requests.length;
  expect(JSON.parse((await run(first + 3_600_000)).out).clicks).toBeUndefined();
  expect(api.requests).toHaveLength(asked);
});

test('a failure is printed with the run, which keeps its exit code', async () => {
  api.refusals.push(apiError(403, 'PERMISSION_DENIED', 'forbidden', 'No permission'));
  const { exitCode, out } = await run(first);
  expect(exitCode).toBe(0);
  const { runs, clicks } = JSON.parse(out);
  expect(runs).toHaveLength(1);
  expect(clicks).toEqual([{ project: 'acme', days: 0, fresh: 0, error: expect.stringContaining('search-console') }]);
});

test('a results page with several own pages is one impression, at the best position', async () => {
  const pages = ['', 'shoes', 'men', 'women', 'sale'].map((path, at) => ({
    keys: ['running shoes', `https://acme.com/${path}`, 'usa', 'DESKTOP'] as const,
    ...{ clicks: at === 0 ? 90 : 0, impressions: 2_800, position: at + 1 },
  }));
  api.days.set('2026-01-09', { rows: pages });
  await run(first);
  await run(first + day);
  const [header = '', line = ''] = readFileSync(
    join(folder.path, 'reports/acme/latest/rank-changes.csv'),
    'utf8',
  ).split('\r\n');
  const cells = line.split(',');
  const cell = (name: string) => cells[header.split(',').indexOf(name)];
  expect(['measured_clicks', 'impressions', 'average_position'].map(cell)).toEqual(['90', '2800', '1']);
});
