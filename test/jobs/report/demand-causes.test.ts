// Measured impressions as causes, from stored days of Search Console.

import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStore } from '../../../db/store.ts';
import { weeklyImpressions } from '../../../jobs/clicks/weekly-impressions.ts';
import type { App } from '../../../src/app/app.ts';
import { historyReader } from '../../../src/app/workspace/workspace.ts';
import { projectFolder } from '../../cli/project-folder.ts';
import { readingApp, runSlots } from '../../cli/real-app.ts';
import { clickRow, putClicks, type StoredDay } from '../../helpers/click-days.ts';

const keywords = ['rain jacket', 'gps watch', 'hiking boots'];
const stands = { event: 'passes', site: 'www.acme.com', rank: 4, on: '2027-01-01', keywords };
const config = `timezone: UTC
services:
  default: ${JSON.stringify({ mode: 'embedded', source: 'sandbox', sites: ['acme.com'], events: [stands] })}
budget: { serpCredits: { perMonth: 5000 } }
projects:
  - id: acme
    targets: [acme.com]
    schedule: "0 6 * * *"
    market: { country: US, language: en, devices: [desktop, mobile] }
    keywords: [${keywords}]
`;

const day = (of: number): string => `2027-01-${`${of}`.padStart(2, '0')}`;
const days: StoredDay[] = Array.from({ length: 17 }, (_, at) => at + 3).map((of) => ({
  date: day(of),
  isFinal: of < 19,
  rows: [
    clickRow('rain jacket', 1, of < 5 ? 1000 : of < 12 ? 20 : of < 19 ? 60 : 9999),
    clickRow('rain jacket', 1, 500 * of, { country: 'deu' }),
    clickRow('rain jacket', 1, 30, { device: 'mobile' }),
    clickRow('gps watch', 1, 500 * of, { page: 'https://other.example/' }),
  ],
}));

let app: App;
beforeAll(async () => {
  const folder = projectFolder(config);
  await runSlots(
    folder,
    [5, 9, 19, 20, 26].map((of) => `${day(of)}T06:00Z`),
  );
  putClicks(folder.path, days);
  app = await readingApp(folder.path, Date.parse('2027-01-27T00:00Z'));
});
afterAll(() => app.close());

function demandOf(keyword: string, device: string, from: number, to: number) {
  const reader = historyReader(app).of('acme');
  const date = day(to);
  const rows = reader.keywords({ date, filter: {}, sort: [] });
  const id = rows.find((row) => row.keyword === keyword && row.device === device)?.id ?? '';
  const { causes, from: compared } = reader.causes({ id, date, compare: day(from) });
  expect(compared).toBe(day(from));
  return causes.filter(({ kind }) => kind === 'demand').map(({ strength, sentence }) => `${strength} ${sentence}`);
}

it.each([
  ['the week before, between near dates', 19, 20, '140 (up to 2027-01-11)'],
  ['the week up to the earlier date, between far ones', 9, 20, '2,100 (up to 2027-01-09)'],
])('impressions of the last final week are compared with %s', (_, from, to, before) => {
  const sentence = `impressions in 7 days changed from ${before} to 420 (up to 2027-01-18)`;
  expect(demandOf('rain jacket', 'desktop', from, to)).toEqual([`0.6 ${sentence}`]);
});

it.each([
  ['whose days of a week are not all stored', 'rain jacket', 'desktop', 5, 20],
  ['long after the last final day', 'rain jacket', 'desktop', 20, 26],
  ['whose device has steady impressions', 'rain jacket', 'mobile', 19, 20],
  ['of pages of other sites', 'gps watch', 'desktop', 19, 20],
  ['without impressions', 'hiking boots', 'desktop', 19, 20],
])('no demand is named for a row %s', (_, keyword, device, from, to) => {
  expect(demandOf(keyword, device, from, to)).toEqual([]);
});

it('weeks with a known fault of impressions are no demand', () => {
  const market = { country: 'US', language: 'en', device: 'desktop' } as const;
  const own = { match: 'domain', value: 'acme.com' } as const;
  const faulty = projectFolder(config);
  putClicks(faulty.path, [
    ...Array.from({ length: 14 }, (_, at): StoredDay => {
      const date = new Date(Date.UTC(2026, 3, 21 + at)).toISOString().slice(0, 10);
      return { date, rows: [clickRow('rain jacket', 1, at < 7 ? 20 : 60)] };
    }),
  ]);
  const store = openStore(join(faulty.path, 'data/rankledger.sqlite'));
  try {
    const of = (previousDate: string, date: string) =>
      weeklyImpressions(store.clicks, { id: 'acme' }, [
        { keyword: 'rain jacket', market, own, previousDate, date } as never,
      ]);
    expect(of('2026-04-27', '2026-05-04')).toEqual([null]);
  } finally {
    store.close();
  }
});
