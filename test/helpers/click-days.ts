// Days of clicks in a database, for tests that read them.
import { join } from 'node:path';
import type { ClickRow } from '../../db/history/clicks.ts';
import { openStore } from '../../db/store.ts';

export const property = 'sc-domain:acme.com';

export interface StoredDay {
  readonly date: string;
  readonly isFinal?: boolean;
  readonly rows: readonly ClickRow[];
  /** Of hidden queries. */
  readonly hidden?: { readonly clicks: number; readonly impressions: number };
}

export function clickRow(query: string, clicks: number, impressions: number, more: Partial<ClickRow> = {}): ClickRow {
  const place = { page: 'https://acme.com/shoes', country: 'usa', device: 'desktop' };
  return { query, ...place, clicks, impressions, averagePosition: 4, ...more };
}

/** In the database of a folder's config. */
export function putClicks(folder: string, days: readonly StoredDay[], project = 'acme'): void {
  const store = openStore(join(folder, 'data/rankledger.sqlite'));
  try {
    for (const { date, isFinal = true, rows, hidden = { clicks: 0, impressions: 0 } } of days) {
      const clicks = rows.reduce((sum, row) => sum + row.clicks, hidden.clicks);
      const impressions = rows.reduce((sum, row) => sum + row.impressions, hidden.impressions);
      store.clicks.put(project, property, { date, isFinal, clicks, impressions }, rows, Date.parse(date));
    }
  } finally {
    store.close();
  }
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
