// The free sensor of the adaptive plan: moves in impressions and positions, beyond chance.
import { expect, it } from 'vitest';
import { sensedFactor } from '../../../src/tracker/signal/check-value.ts';

const seen = (days: number, impressions: number, averagePosition: number | null) => ({
  days,
  impressions,
  averagePosition,
});

it.each([
  ['nothing moved', seen(14, 1400, 4), seen(3, 300, 4.1), 1],
  ['a worse position', seen(14, 1400, 4), seen(3, 300, 6), 3],
  ['a better position', seen(14, 1400, 6), seen(3, 300, 4), 3],
  ['less than a place', seen(14, 1400, 1.2), seen(3, 300, 1.9), 1],
  ['a place, but few percent of the position', seen(14, 1400, 40), seen(3, 300, 42), 1],
  ['impressions that double', seen(14, 1400, 4), seen(3, 700, 4), 2],
  ['impressions that are gone', seen(14, 1400, 4), seen(3, 0, null), 2],
  ['too few impressions', seen(14, 100, 4), seen(3, 9, 20), 1],
  ['a new query', seen(14, 0, null), seen(3, 500, 4), 1],
  ['no days before', seen(0, 0, null), seen(3, 500, 4), 1],
])('%s', (_, before, now, factor) => {
  expect(sensedFactor(before, now)).toBe(factor);
});
