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

function clicksOf(date: string): number | undefined {
  const store = openStore(`${folder.path}/history.sqlite`);
  try {
    return store.clicks.days('acme', property, date, date)[0]?.clicks;
  } finally {
    store.close();
  }
}

function typeTotals() {
  const store = openStore(`${folder.path}/history.sqlite`);
  try {
    return store.clicks.typeTotals('acme', property, '2026-01-01', '2026-01-31');
  } finally {
    store.close();
  }
}

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
