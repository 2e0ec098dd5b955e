// Estimates of grid points that were not bought.
import { expect, it } from 'vitest';
import { fitGridField, type SeenRank, seenMin } from '../../src/tracker/grid.ts';

const plane = (row: number, column: number): number => 2 + row + 2 * column;
const seen = (row: number, column: number, ageDays = 0): SeenRank => ({
  row,
  column,
  rank: plane(row, column),
  ageDays,
});
const checkerboard = [0, 1, 2, 3, 4].flatMap((row) =>
  [0, 1, 2, 3, 4].filter((column) => (row + column) % 2 === 0).map((column) => seen(row, column)),
);

it('a point between others is estimated near what they say', () => {
  const field = fitGridField(checkerboard);
  for (const [row, column] of [
    [1, 2],
    [2, 1],
    [3, 2],
  ] as const)
    expect(Math.abs((field?.estimate(row, column) ?? 0) - plane(row, column))).toBeLessThan(0.6);
});

it('the error is that of each rank estimated from all others', () => {
  const field = fitGridField(checkerboard);
  // without one of them, the length may be another one: the error is close to it, and far from none
  const errors = checkerboard.map((left) => {
    const rest = fitGridField(checkerboard.filter((each) => each !== left));
    return Math.abs((rest?.estimate(left.row, left.column) ?? 0) - left.rank);
  });
  const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length;
  expect(field?.error).toBeGreaterThan(mean * 0.7);
  expect(field?.error).toBeLessThan(mean * 1.3);
});

it('fewer ranks of the date than that give no estimate, however many older ones there are', () => {
  expect(fitGridField(checkerboard.slice(0, seenMin - 1))).toBeNull();
  expect(fitGridField([...checkerboard.slice(0, seenMin - 1), seen(4, 4, 2), seen(0, 4, 1)])).toBeNull();
  expect(fitGridField(checkerboard.slice(0, seenMin))).not.toBeNull();
});

it('an older rank of a point counts for its estimate, the less the older it is', () => {
  const fresh = [0, 1, 2, 3, 4].map((column) => ({ row: 0, column, rank: 5, ageDays: 0 }));
  const withOld = (ageDays: number) => fitGridField([...fresh, { row: 1, column: 2, rank: 20, ageDays }]);
  const [newer = 0, older = 0] = [1, 25].map((days) => withOld(days)?.estimate(1, 2));
  expect(newer).toBeGreaterThan(10);
  expect(older).toBeLessThan(newer);
  expect(older).toBeGreaterThan(5);
});

it('equal ranks everywhere are estimated without error', () => {
  const field = fitGridField(checkerboard.map((each) => ({ ...each, rank: 7 })));
  expect(field?.estimate(0, 1)).toBeCloseTo(7);
  expect(field?.error).toBeCloseTo(0);
});
