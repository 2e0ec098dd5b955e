// Which rows the page keeps if there are too many.
import { expect, it } from 'vitest';
import { HistoryRow } from '../../../src/read/row.ts';
import { KeptRows, packRows } from '../../../src/report/html/data/row-columns.ts';
import { seeded } from '../../helpers/seeded.ts';
import { observed, plainCheck, plainInput, plainTable, rankedAt } from '../../read/invented.ts';

const max = 40;
const histories = {
  codes: () => new Uint16Array(1),
  urlSteps: () => [],
  ownedSteps: () => [],
  shown: () => [],
};

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
  expect(packRows(kept.taken(), () => '', histories).rows.keyword).toEqual(
    best.slice(0, max).map(({ keyword }) => keyword),
  );
  expect(kept.total).toBe(500);
});

it('rows read in the same minute share its text', () => {
  const kept = new KeptRows(max);
  const read = Date.UTC(2026, 0, 10, 6);
  for (const [index, at] of [read, read + 59_999, read + 60_000].entries())
    kept.add(
      new HistoryRow(
        {
          ...plainInput,
          search: { keyword: `keyword ${index}`, market },
          check: { ...plainCheck, checkedAt: at },
          baseline: null,
        },
        plainTable,
      ),
    );
  const { rows, texts } = packRows(kept.taken(), () => '', histories);
  expect(texts['checkedAt']).toEqual([read / 60_000, read / 60_000 + 1]);
  expect(rows.checkedAt?.toSorted()).toEqual([0, 0, 1]);
});
