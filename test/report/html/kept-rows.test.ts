// Which rows the page keeps if there are too many.
import { expect, it } from 'vitest';
import { HistoryRow } from '../../../src/read/row.ts';
import { KeptRows } from '../../../src/report/html/data/kept-rows.ts';
import { seeded } from '../../helpers/seeded.ts';
import { observed, plainInput, plainTable, rankedAt } from '../../read/invented.ts';

const max = 40;

const { market } = plainInput.search;

function rowOf(index: number, random: () => number) {
  const volume = random() < 0.2 ? null : Math.floor(random() * 6) * 100;
  const input = {
    ...plainInput,
    search: { keyword: `keyword ${index}`, market },
    outcome: rankedAt(1 + Math.floor(random() * 12)),
    baseline: random() < 0.3 ? null : observed(1 + Math.floor(random() * 12)),
    metrics: {
      searchVolume: volume,
      month: '2026-01',
      cpcMicroUsd: null,
      competition: null,
      competitionLevel: null,
      intent: null,
    },
  };
  return new HistoryRow(input, plainTable);
}

it.each([1, 2, 3, 4])('the page keeps the rows with the most clicks, in their order, with seed %i', (seed) => {
  const random = seeded(seed);
  const rows = Array.from({ length: 500 }, (_, index) => rowOf(index, random));
  const kept = new KeptRows(max);
  for (const row of rows) kept.add(row);
  const size = (value: number | null): number => (value === null ? -1 : Math.abs(value));
  const best = rows.toSorted(
    (a, b) =>
      size(b.estimatedClicksChange) - size(a.estimatedClicksChange) ||
      size(b.estimatedClicks) - size(a.estimatedClicks) ||
      size(b.searchVolume) - size(a.searchVolume) ||
      (a.rank ?? 0) - (b.rank ?? 0),
  );
  expect(kept.taken().map(({ row }) => row.keyword)).toEqual(best.slice(0, max).map(({ keyword }) => keyword));
  expect(kept.total).toBe(500);
});
