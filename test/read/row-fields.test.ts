// Cannibalization as a table.

import { expect, it } from 'vitest';
import { turnRows } from '../../src/read/row-fields.ts';

const page = { dates: 2, bestRank: 3, last: '2026-01-14' };
const row = {
  ...{ id: 'x', keyword: 'shoes', country: 'US', language: 'en', device: 'desktop', target: 'acme.com' },
  ...{ rank: 4, url: '/a', preferredUrl: '/b', searchVolume: 90, flips: 2, turns: [0, 1, 0] },
  pages: [
    { ...page, url: '/a' },
    { ...page, url: '/b' },
  ],
};

it('gives each page of a keyword a row, and says which one ranks and which one is preferred', () => {
  const answer = { dates: [], ranked: [], flips: [], total: 1, rows: [row] };
  expect(
    turnRows(answer).map(({ url, ranksNow, isPreferred, changes }) => [url, ranksNow, isPreferred, changes]),
  ).toEqual([
    ['/a', true, false, 2],
    ['/b', false, true, 2],
  ]);
  expect(turnRows({ ...answer, rows: [{ ...row, preferredUrl: null as never }] })[0]?.isPreferred).toBeNull();
});
