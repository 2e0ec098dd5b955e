// Intervals of proportions against published values.
import { expect, it } from 'vitest';
import { differenceInterval } from '../../src/tracker/proportions.ts';

// Newcombe 1998, Statistics in Medicine 17, 873-890, table II, method 10: his difference is first less second
it.each([
  [56, 70, 48, 80, 0.0524, 0.3339],
  [9, 10, 3, 10, 0.1705, 0.809],
  [6, 7, 2, 7, 0.0582, 0.8062],
  [5, 56, 0, 29, -0.0381, 0.1926],
  [0, 10, 0, 20, -0.1611, 0.2775],
  [0, 10, 0, 10, -0.2775, 0.2775],
  [10, 10, 0, 20, 0.6791, 1],
  [10, 10, 0, 10, 0.6075, 1],
])('%i/%i less %i/%i is from %d on', (first, ofFirst, second, ofSecond, low, high) => {
  const interval = differenceInterval({ count: second, of: ofSecond }, { count: first, of: ofFirst });
  expect(interval.low).toBeCloseTo(low, 4);
  expect(interval.high).toBeCloseTo(high, 4);
});

it("Newcombe's interval alone calls 9.2 % of equal shares different, of 7 and 6 observations", () => {
  const ways = (of: number, count: number): number =>
    count === 0 ? 1 : (ways(of, count - 1) * (of - count + 1)) / count;
  let rate = 0;
  for (let before = 0; before <= 7; before += 1)
    for (let after = 0; after <= 6; after += 1) {
      const { low, high } = differenceInterval({ count: before, of: 7 }, { count: after, of: 6 });
      // at a share of 50 %
      if (low > 0 || high < 0) rate += (ways(7, before) * ways(6, after)) / 2 ** 13;
    }
  expect(rate).toBeCloseTo(0.0923, 4);
});
