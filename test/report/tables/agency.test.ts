// all-projects-long.csv: days on which a keyword waited say how old its last rank is.
import { expect, it } from 'vitest';
import { csvChunks, defaultCsvOptions } from '../../../src/report/formats/csv.ts';
import { createTableWriter } from '../../../src/report/formats/table-writer.ts';
import {
  agencyLongColumns,
  agencyLongRows,
  agencyLongShared,
  type ProvenDay,
} from '../../../src/report/tables/agency.ts';

const subject = { project: 'acme', keyword: 'trail shoes', country: 'US', language: 'en', device: 'desktop' };
const about = {
  subject: { ...subject, target: 'acme.example', isPlace: false, tags: [] },
  role: 'own',
  searchVolume: 100,
} as const;

function checked(date: string, rank: number): ProvenDay {
  return {
    ...{ date, status: 'ranked', rank, absoluteRank: null, page: 1, url: null, depth: 3, source: 'x', warning: null },
    ...{ runId: 1, checkedAt: Date.parse(date), isComplete: true, isSuspect: false },
  };
}

const runDays = ['2026-01-01', '2026-01-02', '2026-01-03', '2026-01-04', '2026-01-05'].map((date, index) => ({
  date,
  runId: 10 + index,
}));

it('a day without a check has the last rank with its age, and no rank of that day', () => {
  const days = [checked('2026-01-02', 4), checked('2026-01-05', 6)];
  const rows = [...agencyLongRows(about, days, 'sistrix-2020', runDays)];
  expect(
    rows.map(({ day, last, change }) => [day.date, day.status, day.rank, last?.rank, last?.ageDays, change]),
  ).toEqual([
    ['2026-01-02', 'ranked', 4, undefined, undefined, null],
    ['2026-01-03', 'deferred', null, 4, 1, null],
    ['2026-01-04', 'deferred', null, 4, 2, null],
    ['2026-01-05', 'ranked', 6, undefined, undefined, -2],
  ]);
  expect(rows[1]).toMatchObject({ day: { checkedAt: null, runId: 12 }, estimatedClicks: null });
});

it('the days after the last check wait, too', () => {
  const rows = [...agencyLongRows(about, [checked('2026-01-03', 4)], 'sistrix-2020', runDays)];
  expect(rows.map(({ day, last }) => [day.date, last?.ageDays])).toEqual([
    ['2026-01-03', undefined],
    ['2026-01-04', 1],
    ['2026-01-05', 2],
  ]);
});

it('a project with a fixed cadence has rows of checks only', () => {
  expect([...agencyLongRows(about, [checked('2026-01-02', 4)], 'sistrix-2020')]).toHaveLength(1);
});

it('cells that days share are those of each day alone', () => {
  const days = [checked('2026-01-01', 4), checked('2026-01-02', 5), checked('2026-01-05', 6)];
  const counted = { clicks: 3, impressions: 40, averagePosition: 4.25 };
  const clicks = new Map(['2026-01-02', '2026-01-04'].map((date) => [date, counted]));
  const place = { ...about, subject: { ...about.subject, isPlace: true, target: 'a place' } };
  const rival = { ...about, role: 'competitor', subject: { ...about.subject, target: 'rival.example' } } as const;
  const rows = [
    ...agencyLongRows(about, days, 'sistrix-2020', runDays, clicks),
    ...agencyLongRows(place, days, 'sistrix-2020', runDays),
    ...agencyLongRows(rival, days, 'sistrix-2020'),
  ];
  const lines = createTableWriter(agencyLongColumns, defaultCsvOptions, agencyLongShared);
  for (const row of rows) lines.add(row);
  const text = lines.rest();
  expect(text).toBe([...csvChunks(agencyLongColumns, rows)].join(''));
  for (const cells of [',own,5,2026-01-02T', ',own,,,,,3,40,4.25,', ',own,,,,,,,,6', ',competitor,,,,,,,,'])
    expect(text).toContain(cells);
});

it('an exact rank of an incomplete check has clicks, as in rank-changes.csv, and no change', () => {
  const days = [checked('2026-01-01', 4), { ...checked('2026-01-02', 5), isComplete: false }];
  const absent = { ...checked('2026-01-03', 5), status: 'incomplete', rank: null, isComplete: false } as const;
  const rows = [...agencyLongRows(about, [...days, absent], 'sistrix-2020')];
  expect(rows.map(({ day, estimatedClicks, change }) => [day.rank, estimatedClicks, change])).toEqual([
    [4, 8, null],
    [5, 7.2, null],
    [null, null, null],
  ]);
});
