// What clicks of a project come from: totals by date, rows by query, and pages alone.
import { expect, it } from 'vitest';
import { openConnection } from '../../../db/connection/client.ts';
import { Store } from '../../../db/store.ts';
import { ProjectClicks } from '../../../jobs/clicks/project-clicks.ts';
import { clickRow, property } from '../../helpers/click-days.ts';
import { closeLater } from '../../helpers/closing.ts';

const shoes = 'https://acme.com/shoes';

function storeWith(days: readonly { readonly date: string; readonly hasTotals: boolean }[]): Store {
  const store = new Store(openConnection(':memory:'), { serp_credit: {}, micro_usd: {} });
  closeLater(store);
  for (const { date, hasTotals } of days) {
    const queries = [clickRow('running shoes', 4, 100)];
    const total = { clicks: 7, impressions: 150, averagePosition: 5 };
    const names = [{ name: 'running shoes', ...total }];
    const pages = [
      { name: shoes, ...total, clicks: 9 },
      { name: 'http://acme.com/boots', ...total, clicks: 1 },
      { name: 'https://acme.com/boots', ...total, clicks: 2 },
    ];
    const rows = { queries, pages: queries, ...(hasTotals && { totals: { queries: names, pages } }) };
    store.clicks.put('acme', property, { date, isFinal: true, clicks: 20, impressions: 400 }, rows, Date.parse(date));
  }
  return store;
}

it('pages have the clicks that are counted for them alone, where each final day has them', () => {
  const { clicks } = storeWith(['2026-11-01', '2026-11-02'].map((date) => ({ date, hasTotals: true })));
  const counted = ProjectClicks.until(clicks, { id: 'acme' }, '2026-11-20');
  expect(counted?.ofPage(shoes)).toEqual({ clicks: 18, impressions: 300, averagePosition: 5 });
  // a results page may show both spellings
  expect(counted?.ofPage('https://acme.com/boots')).toEqual({ clicks: 6, impressions: null, averagePosition: null });
  expect(counted?.facts()).toMatchObject({
    pagesFrom: 'pages',
    clicks: 40,
    hiddenClicks: 32,
    alone: { query: { clicks: 14, impressions: 300 }, page: { clicks: 24, impressions: 900 } },
  });
  expect([...clicks.finalDates('acme', property)]).toEqual(['2026-11-01', '2026-11-02']);
});

it('pages have the sum of their shown queries where a day was stored without, and that day is fetched again', () => {
  const { clicks } = storeWith([
    { date: '2026-11-01', hasTotals: false },
    { date: '2026-11-02', hasTotals: true },
  ]);
  const counted = ProjectClicks.until(clicks, { id: 'acme' }, '2026-11-20');
  expect(counted?.ofPage(shoes)).toEqual({ clicks: 8, impressions: 200, averagePosition: 4 });
  expect(counted?.facts().pagesFrom).toBe('shown-queries');
  expect(counted?.facts().alone).toBeUndefined();
  expect([...clicks.finalDates('acme', property)]).toEqual(['2026-11-02']);
});
