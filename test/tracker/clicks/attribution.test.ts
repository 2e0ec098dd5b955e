// Change attribution: effects by hand, and effects that always add up.
import { expect, it } from 'vitest';
import { type ClickNumbers, clickChanges, clickEffects, sumEffects } from '../../../src/tracker/clicks/clicks.ts';

const numbers = (clicks: number, impressions: number, averagePosition: number | null): ClickNumbers => ({
  clicks,
  impressions,
  averagePosition,
});
/** 20 % at 1, 10 % at 2, ... */
const curve = (position: number) => 0.2 / position;

it.each([
  {
    change: 'twice the impressions, all else equal',
    before: numbers(10, 100, 2),
    after: numbers(20, 200, 2),
    effects: { change: 10, demand: 10, newOrLost: 0, rank: 0, rate: 0 },
  },
  {
    change: 'a better position whose rate follows the curve',
    before: numbers(10, 100, 2),
    after: numbers(20, 100, 1),
    effects: { change: 10, demand: 0, newOrLost: 0, rank: 10, rate: 0 },
  },
  {
    change: 'fewer clicks at the same position: a feature above it',
    before: numbers(10, 100, 2),
    after: numbers(4, 100, 2),
    effects: { change: -6, demand: 0, newOrLost: 0, rank: 0, rate: -6 },
  },
  {
    // demand: 100 x (0.1 + 0.15) / 2; rank: (0.2 - 0.1) x 300 / 2; rate: the rest
    change: 'all at once',
    before: numbers(10, 100, 2),
    after: numbers(30, 200, 1),
    effects: { change: 20, demand: 12.5, newOrLost: 0, rank: 15, rate: -7.5 },
  },
  {
    change: 'a query without impressions before',
    before: numbers(0, 0, null),
    after: numbers(3, 50, 4),
    effects: { change: 3, demand: 3, newOrLost: 3, rank: 0, rate: 0 },
  },
])('$change', ({ before, after, effects }) => {
  expect(clickEffects(before, after, curve)).toMatchObject(effects);
});

it('effects add up to the change, of every name and in total', () => {
  let seed = 7;
  const random = (max: number) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((seed / 2 ** 32) * max);
  };
  const period = () =>
    Array.from({ length: 2_000 }, (_, at) => {
      const impressions = 1 + random(999);
      const key = `${random(300)}\n${at % 7}`;
      return { key, hasBrand: at % 2 === 0, ...numbers(random(impressions), impressions, 1 + random(400) / 10) };
    });
  const [before, after] = [period(), period()];
  const changes = clickChanges(before, after, curve, (key) => key.split('\n')[0] ?? '');
  expect(changes.length).toBeGreaterThan(250);
  for (const one of [...changes, sumEffects(changes)]) {
    expect(Math.round(100 * (one.demand + one.rank + one.rate))).toBe(100 * one.change);
    expect(one.clicks - one.previousClicks).toBe(one.change);
  }
  const total = sumEffects(changes);
  expect(total.clicks).toBe(after.reduce((sum, { clicks }) => sum + clicks, 0));
  expect(total.previousClicks).toBe(before.reduce((sum, { clicks }) => sum + clicks, 0));
});
