// Measured clicks beside ranks: which rows and pages they belong to, and what is left out.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fitSiteCurve } from '../../../jobs/clicks/site-curve.ts';
import type { App } from '../../../src/app/app.ts';
import { historyReader } from '../../../src/app/workspace/workspace.ts';
import { view } from '../../../src/cli/subcommands/open-workspace.ts';
import type { KeywordQuery, ProjectReader } from '../../../src/read/contract.ts';
import { newestHours } from '../../../src/tracker/clicks/clicks.ts';
import { RowClicks } from '../../../src/tracker/clicks/row-sums.ts';
import { type ProjectFolder, projectFolder } from '../../cli/project-folder.ts';
import { readingApp, runSlots } from '../../cli/real-app.ts';
import { clickRow, property, putClicks, putHours, putTypes, someDays } from '../../helpers/click-days.ts';
import { undescribed } from '../../helpers/described-answers.ts';

const slot = '2026-01-12T05:00:00Z';
const now = Date.parse('2026-01-12T12:00:00Z');
let folder: ProjectFolder;
let app: App;
let reader: ProjectReader;
const all: KeywordQuery = { filter: {}, sort: [{ column: 'keyword', descending: false }] };

beforeAll(async () => {
  folder = projectFolder();
  await runSlots(folder, [slot]);
  putClicks(folder.path, someDays);
  app = await readingApp(folder.path, now);
  reader = historyReader(app).of('acme');
});
afterAll(async () => {
  await app.close();
});

it('a row has the clicks of its query, country and device on pages of its target, without fresh days', () => {
  const rows = reader.keywords(all).map(({ keyword, device, measuredClicks, impressions, averagePosition }) => ({
    ...{ keyword, device, measuredClicks, impressions, averagePosition },
  }));
  expect(rows).toEqual([
    // positions by impressions: (100 x 4 + 100 x 8) / 200
    { keyword: 'running shoes', device: 'desktop', measuredClicks: 5, impressions: 200, averagePosition: 6 },
    { keyword: 'running shoes', device: 'mobile', measuredClicks: 9, impressions: 300, averagePosition: 2 },
    { keyword: 'trail shoes', device: 'desktop', measuredClicks: null, impressions: null, averagePosition: null },
  ]);
});

it('clicks change no rank and no estimate', () => {
  const [row] = reader.keywords(all);
  expect(row).toMatchObject({ status: expect.stringMatching(/ranked|not_found/) });
  expect(row?.rank).not.toBe(row?.averagePosition);
});

it('the facts name the days, the fresh ones, and what hidden queries have', () => {
  expect(reader.facts().clicks).toEqual({
    property,
    from: '2025-12-14',
    to: '2026-01-10',
    days: 2,
    freshDays: 2,
    clicks: 77,
    impressions: 1200,
    hiddenClicks: 3,
    hiddenImpressions: 30,
    pagesFrom: 'shown-queries',
    faults: [
      {
        ...{ from: '2025-05-13', to: '2026-04-27', metric: 'impressions' },
        text: 'Search Console reported too many impressions',
        source: 'https://support.google.com/webmasters/answer/6211453',
      },
    ],
  });
});

it('sums count a query once, and are unknown where nothing is reported', () => {
  expect(reader.summary(all)).toMatchObject({ measuredClicks: 14, impressions: 500 });
  const [desktop, mobile] = reader.segments(all, 'device');
  expect(desktop).toMatchObject({ segment: 'desktop', measuredClicks: 5, impressions: 200 });
  expect(mobile).toMatchObject({ segment: 'mobile', measuredClicks: 9, impressions: 300 });
  const trail = { ...all, filter: { text: 'trail' } };
  expect(reader.summary(trail)).toMatchObject({ measuredClicks: null, impressions: null });
});

it('the history of a row has its days, and marks fresh ones and those with a known fault', () => {
  const [row] = reader.keywords(all);
  const { clicks } = reader.keyword({ id: row?.id ?? '' });
  const fault = 'Search Console reported too many impressions';
  expect(clicks?.every((day) => day.fault === fault)).toBe(true);
  expect(clicks).toMatchObject([
    { date: '2026-01-07', isFinal: false, clicks: 1_000, impressions: 2_000, averagePosition: 4 },
    { date: '2026-01-09', isFinal: true, clicks: 4, impressions: 100, averagePosition: 4 },
    { date: '2026-01-10', isFinal: true, clicks: 1, impressions: 100, averagePosition: 8 },
    { date: '2026-01-11', isFinal: false, clicks: 99, impressions: 999, averagePosition: 4 },
  ]);
});

it('an older date has the clicks up to it', () => {
  const before = { ...all, date: '2026-01-09' };
  expect(reader.summary(before).measuredClicks).toBeNull();
});

it('changes of clicks are rows of the read API', () => {
  const found = reader.clickChanges({ by: 'device', days: 1 });
  expect(found?.period).toEqual({ from: '2026-01-10', to: '2026-01-10', stored: 1 });
  expect(found?.rows.map(({ name, clicks, previousClicks }) => [name, clicks, previousClicks])).toEqual([
    ['desktop', 1, 57],
    ['mobile', 0, 9],
    ['tablet', 0, 7],
  ]);
  expect(() => reader.clickChanges({ by: 'device', days: 0 })).toThrow('days');
});

it('search types and hours stand beside the clicks of web by day, and are in no other number', async () => {
  const typed = projectFolder();
  await runSlots(typed, [slot]);
  putClicks(typed.path, someDays);
  const of = await readingApp(typed.path, now);
  const read = historyReader(of).of('acme');
  const asked = { by: 'query', days: 1 } as const;
  const numbers = () => ({
    ...{ changes: read.clickChanges(asked), facts: read.facts().clicks, rows: read.keywords(all) },
    ...{ pages: read.landingPages(all), untracked: read.untrackedQueries(1) },
    keyword: read.keyword({ id: read.keywords(all)[0]?.id ?? '' }),
    curve: fitSiteCurve(of.context.store, of.context.projects.get('acme')!, '2026-01-12'),
  });
  try {
    const before = numbers();
    const [first, second] = ['2026-01-09', '2026-01-10'];
    const feed = { averagePosition: null, type: 'discover' } as const;
    putTypes(typed.path, [
      { type: 'web', date: first, clicks: 76, impressions: 1_100, averagePosition: 4 },
      { type: 'web', date: second, clicks: 1, impressions: 100, averagePosition: 8 },
      { type: 'image', date: first, clicks: 9_000, impressions: 100_000, averagePosition: 12 },
      { type: 'image', date: second, clicks: 8_000, impressions: 300_000, averagePosition: 16 },
      { ...feed, date: first, clicks: 0, impressions: 0 },
      { ...feed, date: second, clicks: 7, impressions: 500 },
      { ...feed, type: 'googleNews', date: first, clicks: 0, impressions: 0 },
      { ...feed, type: 'googleNews', date: second, clicks: 0, impressions: 0 },
      // its day before is missing
      { type: 'video', date: second, clicks: 3, impressions: 30, averagePosition: 2 },
    ]);
    putHours(typed.path, '2026-01-12T03');
    const after = numbers();
    const { types, ...changes } = after.changes ?? {};
    expect({ ...after, changes }).toEqual(before);
    const cells = types?.map((each) => [each.type, each.clicks, each.change, each.impressions, each.averagePosition]);
    expect(cells).toEqual([
      ['image', 8_000, -1_000, 300_000, 16],
      ['discover', 7, 7, 500, null],
      ['video', 3, null, 30, 2],
      ['web', 1, -75, 100, 8],
    ]);
    // of two days video lacks one, and a sum without it would be too small
    const longer = read.clickChanges({ ...asked, days: 2 }).types;
    expect(longer?.map(({ type, clicks, previousClicks }) => [type, clicks, previousClicks])).toEqual([
      ['image', 17_000, null],
      ['web', 77, null],
      ['discover', 7, null],
    ]);
    expect(longer?.[0]?.averagePosition).toBe(15);
    const hours = read.clickHours();
    expect(hours).toHaveLength(24);
    expect([hours[0], hours[21], hours[23]]).toEqual([
      {
        hour: '2026-01-11T04',
        isFinal: true,
        clicks: 9,
        impressions: 180,
        previousClicks: 8,
        previousImpressions: 160,
      },
      { hour: '2026-01-12T01', isFinal: false, clicks: 3, impressions: 60, previousClicks: 2, previousImpressions: 40 },
      {
        hour: '2026-01-12T03',
        isFinal: false,
        clicks: 7,
        impressions: 140,
        previousClicks: 6,
        previousImpressions: 120,
      },
    ]);
  } finally {
    await of.close();
  }
});

it('an hour without impressions is zero, and unknown where nothing so old is stored', () => {
  const counted = { isFinal: true, clicks: 2, impressions: 9 };
  const hours = newestHours([
    { hour: '2026-03-02T10', ...counted },
    { hour: '2026-03-08T12', ...counted, isFinal: false },
    { hour: '2026-03-09T11', ...counted },
  ]);
  const numbers = hours.map(({ hour, isFinal, clicks, previousClicks }) => [hour, isFinal, clicks, previousClicks]);
  // clocks were changed on 8 March in California
  expect([numbers[0], numbers[1], numbers[22], numbers[23]]).toEqual([
    ['2026-03-08T12', false, 2, null],
    ['2026-03-08T13', false, 0, null],
    ['2026-03-09T10', false, 0, 2],
    ['2026-03-09T11', false, 2, 0],
  ]);
  expect(newestHours([])).toEqual([]);
});

it('untracked queries and keywords without impressions are rows of the read API', () => {
  expect(reader.untrackedQueries(10).map(({ query, devices }) => [query, devices])).toEqual([
    ['shoe laces', ['desktop']],
  ]);
  expect(reader.silentKeywords().map(({ keyword, devices }) => [keyword, devices])).toEqual([
    ['trail shoes', ['desktop']],
  ]);
});

it('days by page leave impressions of a query with several pages unknown, in rows, sums and changes', async () => {
  const older = projectFolder();
  await runSlots(older, [slot]);
  const two = (clicks: number) => [
    clickRow('running shoes', clicks, 100),
    clickRow('running shoes', 0, 100, { page: 'https://acme.com/', averagePosition: 5 }),
    clickRow('running shoes', 9, 300, { device: 'mobile', averagePosition: 2 }),
  ];
  putClicks(older.path, [
    { date: '2026-01-09', rows: two(1) },
    { date: '2026-01-10', isByPage: true, rows: two(4) },
  ]);
  const of = await readingApp(older.path, now);
  const read = historyReader(of).of('acme');
  try {
    const [row, mobile] = read.keywords(all);
    expect(row).toMatchObject({ measuredClicks: 5, impressions: null, averagePosition: null });
    expect(mobile).toMatchObject({ measuredClicks: 18, impressions: 600, averagePosition: 2 });
    expect(read.keyword({ id: row?.id ?? '' }).clicks).toMatchObject([
      { date: '2026-01-09', clicks: 1, impressions: 100, averagePosition: 4 },
      { date: '2026-01-10', clicks: 4, impressions: null, averagePosition: null },
    ]);
    expect(read.summary(all)).toMatchObject({ measuredClicks: 23, impressions: null });
    expect(read.facts().clicks).toMatchObject({ clicks: 23, impressions: null, hiddenImpressions: null });
    const changes = (by: 'query' | 'page') => read.clickChanges({ by, days: 1 });
    expect(changes('query')).toMatchObject({ total: { clicks: 9, change: 0 }, hiddenChange: 3 });
    expect(changes('page')).toMatchObject({ total: { clicks: 13, change: 3 }, hiddenChange: 0 });
  } finally {
    await of.close();
  }
});

it('impressions of several targets are unknown: a results page may show all of them', () => {
  const row = { keyword: 'shoes', country: 'US', device: 'desktop', measuredClicks: 5, impressions: 200 };
  const sums = new RowClicks();
  for (const target of ['acme.com/men', 'acme.com/women']) sums.add({ ...row, target });
  expect([sums.measuredClicks, sums.impressions]).toEqual([10, null]);
});

it('rows that differ in case and language only count once', () => {
  const row = { country: 'US', device: 'desktop', target: 'acme.com', measuredClicks: 5, impressions: 200 };
  const sums = new RowClicks();
  for (const keyword of ['Running Shoes', 'running shoes']) sums.add({ keyword, ...row });
  expect([sums.measuredClicks, sums.impressions]).toEqual([5, 200]);
});

it('answers as its OpenAPI document says', async () => {
  putHours(folder.path, '2026-01-11T05');
  const server = await view(app, { port: 0 });
  try {
    expect(await undescribed(server.url, 'acme')).toEqual([]);
  } finally {
    await server.close();
  }
});
