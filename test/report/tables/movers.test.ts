// The few rows that moved most, in any order of rows.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { HistoryRow } from '../../../src/read/row.ts';
import { moversOfClassMax, startMovers, startMoverTable } from '../../../src/report/tables/movers.ts';
import { curve, keywordRow, observed, rankedAt, rowOf } from '../../read/invented.ts';

function moversOf(rows: readonly HistoryRow[], max = 5) {
  const movers = startMovers(max, curve);
  for (const row of rows) movers.add(row);
  return movers.list(() => null);
}

describe('movers', () => {
  it('are the rows with the biggest traffic change, losses included', () => {
    const list = moversOf(
      [
        keywordRow('small', 100),
        keywordRow('big', 9_000),
        keywordRow('lost', 50_000, { outcome: { kind: 'notFound', depth: 3 } }),
        keywordRow('unknown', null),
        keywordRow('same', 99_999, { baseline: observed(5) }),
        keywordRow('first', 99_999, { baseline: null }),
      ],
      3,
    );
    expect(list.map((mover) => mover.keyword)).toEqual(['lost', 'big', 'small']);
    expect(list[0]).toMatchObject({
      changeClass: 'dropped',
      previousRank: 8,
      rank: null,
      estimatedClicksChange: -1_600,
    });
  });

  it('without known volumes are those whose click-through rate changed most', () => {
    const rows = [
      keywordRow('99 to 60', null, { outcome: rankedAt(60), baseline: observed(99) }),
      keywordRow('4 to 2', null, { outcome: rankedAt(2), baseline: observed(4) }),
    ];
    expect(moversOf(rows).map((mover) => mover.keyword)).toEqual(['4 to 2', '99 to 60']);
  });

  it('list noise after all other changes, however large its traffic', () => {
    const rows = [
      keywordRow('noise', 90_000, { outcome: rankedAt(2), baseline: observed(3) }),
      keywordRow('change', 100, { outcome: rankedAt(2), baseline: observed(9) }),
    ];
    expect(moversOf(rows).map(({ keyword, significance }) => [keyword, significance])).toEqual([
      ['change', 'certain'],
      ['noise', 'noise'],
    ]);
    expect(moversOf(rows, 1).map(({ keyword }) => keyword)).toEqual(['change']);
  });

  it('are never more than requested', () => {
    expect(moversOf([rowOf(), rowOf()], 1)).toHaveLength(1);
    expect(moversOf([rowOf()], 0)).toEqual([]);
    expect(moversOf([])).toEqual([]);
  });

  it('are the first rows of the sorted whole', () => {
    const volumes = fc.array(fc.integer({ min: 1, max: 1_000_000 }), { maxLength: 40 });
    fc.assert(
      fc.property(volumes, fc.integer({ min: 1, max: 8 }), (list, max) => {
        const rows = list.map((volume, index) => keywordRow(`k${index}`, volume));
        const sizes = rows.map((row) => Math.abs(row.estimatedClicksChange ?? 0)).sort((a, b) => b - a);
        const found = moversOf(rows, max).map((mover) => Math.abs(mover.estimatedClicksChange ?? 0));
        expect(found).toEqual(sizes.slice(0, max));
      }),
      { numRuns: 200 },
    );
  });
});

describe('movers.csv', () => {
  const tableOf = (rows: readonly HistoryRow[]) => {
    const table = startMoverTable(curve);
    for (const row of rows) table.add(row);
    return table.rows('simulated').map(({ moverClass, position, row }) => `${moverClass} ${position} ${row.keyword}`);
  };

  it('has winners, losers, entered and dropped separately, the biggest first', () => {
    const lost = { outcome: { kind: 'notFound', depth: 3 } as const };
    expect(
      tableOf([
        keywordRow('gone', 10, lost),
        keywordRow('up a little', 10),
        keywordRow('new', 10, { baseline: observed(null) }),
        keywordRow('down', 10, { baseline: observed(2) }),
        keywordRow('up', 5_000),
        keywordRow('gone and missed', 900, lost),
        keywordRow('same', 10, { baseline: observed(5) }),
      ]),
    ).toEqual([
      'winner 1 up',
      'winner 2 up a little',
      'loser 1 down',
      'entered 1 new',
      'dropped 1 gone and missed',
      'dropped 2 gone',
    ]);
  });

  it('has at most a hundred of each class, and never drops a bigger one for a smaller', () => {
    const rows = Array.from({ length: 3 * moversOfClassMax }, (_, index) => keywordRow(`k${index}`, 1 + index));
    const kept = tableOf(rows);
    expect(kept).toHaveLength(moversOfClassMax);
    expect(kept[0]).toBe('winner 1 k299');
    expect(kept.at(-1)).toBe('winner 100 k200');
  });
});
