// Days of clicks in a database, for tests that read them.
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { ClickRow, QueryRow, TypeDay } from '../../db/history/clicks.ts';
import { openStore } from '../../db/store.ts';
import type { SearchType } from '../../src/service/terms.ts';

export const property = 'sc-domain:acme.com';

export interface StoredDay {
  readonly date: string;
  readonly isFinal?: boolean;
  /** As versions before schema 44 stored a day. */
  readonly isByPage?: boolean;
  /** By page. */
  readonly rows: readonly ClickRow[];
  /** Of hidden queries. */
  readonly hidden?: { readonly clicks: number; readonly impressions: number };
}

export function clickRow(query: string, clicks: number, impressions: number, more: Partial<ClickRow> = {}): ClickRow {
  const place = { page: 'https://acme.com/shoes', country: 'usa', device: 'desktop' };
  return { query, ...place, clicks, impressions, averagePosition: 4, ...more };
}

/** Totals by search type of final days that are stored, in the database of a folder's config. */
export function putTypes(folder: string, days: readonly (TypeDay & { readonly type: SearchType })[]): void {
  const store = openStore(join(folder, 'data/rankledger.sqlite'));
  for (const { type, ...day } of days) store.clicks.putTypeTotals(type, 'acme', property, [day]);
  store.close();
}

/** Hours with a click or a few more each, of eight days and six hours up to the newest, the last three incomplete. */
export function putHours(folder: string, newest: string): void {
  const hours = Array.from({ length: 8 * 24 + 6 }, (_, before) => {
    const hour = new Date(Date.parse(`${newest}:00Z`) - before * 3_600_000).toISOString().slice(0, 13);
    const clicks = 1 + (Number(hour.slice(11)) % 12) * 2 - (before < 24 ? 0 : 1);
    return { hour, isFinal: before > 2, clicks, impressions: clicks * 20 };
  });
  const store = openStore(join(folder, 'data/rankledger.sqlite'));
  store.clicks.putHours('acme', hours);
  store.close();
}

/** In the database of a folder's config. */
export function putClicks(folder: string, days: readonly StoredDay[], project = 'acme'): void {
  const store = openStore(join(folder, 'data/rankledger.sqlite'));
  try {
    const sqlite = new Database(join(folder, 'data/rankledger.sqlite'));
    for (const { date, isFinal = true, isByPage = false, rows, hidden = { clicks: 0, impressions: 0 } } of days) {
      const queries = byProperty(rows);
      const clicks = queries.reduce((sum, row) => sum + row.clicks, hidden.clicks);
      const impressions = queries.reduce((sum, row) => sum + row.impressions, hidden.impressions);
      const day = { date, isFinal, clicks, impressions };
      store.clicks.put(project, property, day, { queries, pages: rows }, Date.parse(date));
      if (isByPage)
        sqlite.exec(`UPDATE click_days SET aggregation = 'by_page' WHERE local_date = '${date}';
          DELETE FROM click_queries WHERE day_id IN (SELECT id FROM click_days WHERE local_date = '${date}')`);
    }
    sqlite.close();
  } finally {
    store.close();
  }
}

/** Pages of one query are shown together, on results pages that count once, at the best position. */
export function byProperty(rows: readonly ClickRow[]): QueryRow[] {
  const queries = Map.groupBy(rows, ({ query, country, device }) => [query, country, device].join('\n'));
  return [...queries.values()].map((pages) => {
    const [{ query = '', country = '', device = '' } = {}] = pages;
    return {
      ...{ query, country, device },
      clicks: pages.reduce((sum, { clicks }) => sum + clicks, 0),
      impressions: Math.max(...pages.map(({ impressions }) => impressions)),
      averagePosition: Math.min(...pages.map(({ averagePosition }) => averagePosition)),
    };
  });
}

/** Final days with rows of several markets and pages, and fresh ones, one of them between. */
export const someDays: readonly StoredDay[] = [
  { date: '2026-01-07', isFinal: false, rows: [clickRow('running shoes', 1_000, 2_000)] },
  {
    date: '2026-01-09',
    rows: [
      clickRow('running shoes', 4, 100),
      clickRow('running  shoes', 0, 0),
      clickRow('running shoes', 9, 300, { device: 'mobile', averagePosition: 2 }),
      clickRow('running shoes', 50, 500, { country: 'deu' }),
      clickRow('running shoes', 7, 70, { device: 'tablet' }),
      clickRow('trail shoes', 1, 60, { page: 'https://other.example/' }),
      clickRow('shoe laces', 2, 40),
    ],
    hidden: { clicks: 3, impressions: 30 },
  },
  { date: '2026-01-10', rows: [clickRow('running shoes', 1, 100, { averagePosition: 8 })] },
  { date: '2026-01-11', isFinal: false, rows: [clickRow('running shoes', 99, 999)] },
];
