// Curves by SERP feature: a planted effect is found at equal positions, intervals hold it, and little data has none.
import { describe, expect, it } from 'vitest';
import { type FeatureReading, fitCurve, fitFeatureCurves, rateAt } from '../../../src/tracker/clicks/curves.ts';

const base = (rank: number): number => 0.24 * 0.8 ** (rank - 1);

function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** As `mean` is small beside the impressions, a Poisson number stands for a binomial one. */
function poisson(mean: number, random: () => number): number {
  if (mean > 50) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal(random)));
  const limit = Math.exp(-mean);
  let [count, product] = [0, random()];
  while (product > limit) {
    count += 1;
    product *= random();
  }
  return count;
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/**
 * Queries whose rates differ by a factor with a standard deviation of about a third, four days each. Half of them show
 * an overview, lie two ranks lower, and have `effect` times the clicks.
 */
function readings(effect: number, random: () => number, queries = 300): FeatureReading[] {
  return Array.from({ length: queries }, (_, at) => {
    const hasOverview = at % 2 === 0;
    const factor = Math.exp(0.33 * normal(random)) / Math.exp(0.33 ** 2 / 2);
    const position = 1 + 6 * random() + (hasOverview ? 2 : 0);
    return [0, 1, 2, 3].map(() => {
      const impressions = 50 + Math.floor(200 * random());
      const mean = impressions * rateAt(base, position) * factor * (hasOverview ? effect : 1);
      const features = new Set(hasOverview ? ['ai_overview', 'images'] : ['images']);
      return { query: `query ${at}`, position, impressions, clicks: poisson(mean, random), features };
    });
  }).flat();
}

const overviewOf = (found: readonly FeatureReading[]) => {
  const site = fitCurve(found, base).map(({ rate }) => rate);
  return fitFeatureCurves(found, (rank) => site[rank - 1] ?? 0).find(({ feature }) => feature === 'ai_overview');
};

describe('a planted effect of AI overviews', () => {
  it('is found at equal positions, though pages with one rank lower', () => {
    const found = readings(0.6, randomFrom(1));
    const overview = overviewOf(found);
    expect(overview?.ratio?.value).toBeGreaterThan(0.52);
    expect(overview?.ratio?.value).toBeLessThan(0.69);
    expect(overview?.ratio?.high).toBeLessThan(0.8);
    expect(overview?.present).toMatchObject({ queries: 150 });
    const rates = overview?.ranks.map(({ rate }) => rate) ?? [];
    expect(rates.toSorted((a, b) => b - a)).toEqual(rates);
    for (const { rate, low, high } of overview?.ranks ?? []) expect(low <= rate && rate <= high).toBe(true);
  });

  it.each([0.5, 1])('lies in the interval in about 95 of 100 worlds: %s', (effect) => {
    const worlds = Array.from(
      { length: 200 },
      (_, seed) => overviewOf(readings(effect, randomFrom(100 + seed)))?.ratio,
    );
    const held = worlds.filter((ratio) => ratio != null && ratio.low <= effect && effect <= ratio.high).length;
    process.stdout.write(`a ratio of ${effect}: in the interval in ${held} of ${worlds.length} worlds\n`);
    expect(held).toBeGreaterThanOrEqual(184);
    expect(held).toBeLessThan(200);
  });

  it('makes the curve of such pages better than the one of the site, on queries that it was not fitted to', () => {
    const all = readings(0.5, randomFrom(7), 600);
    const isHeldOut = ({ query }: FeatureReading): boolean => Number(query.slice('query '.length)) % 10 < 2;
    const fitted = all.filter((reading) => !isHeldOut(reading));
    const site = fitCurve(fitted, base).map(({ rate }) => rate);
    const overview = overviewOf(fitted)?.ranks.map(({ rate }) => rate) ?? [];
    const held = all.filter((reading) => isHeldOut(reading) && reading.features.has('ai_overview'));
    const deviance = (rates: readonly number[]): number =>
      held.reduce((sum, { clicks, impressions, position }) => {
        const expected = impressions * rateAt((rank) => rates[rank - 1] ?? 0, position);
        return sum + 2 * ((clicks === 0 ? 0 : clicks * Math.log(clicks / expected)) - (clicks - expected));
      }, 0);
    expect(held.length).toBeGreaterThan(100);
    expect(deviance(overview)).toBeLessThan(0.8 * deviance(site));
  });
});

it('a feature with too few impressions or queries has no curve and no ratio', () => {
  const few = readings(0.5, randomFrom(3), 30);
  expect(overviewOf(few)).toMatchObject({ ranks: [], ratio: null, present: { queries: 15 } });
  const [one] = readings(0.5, randomFrom(3), 2);
  const single = Array.from({ length: 300 }, () => one).flatMap((reading) => reading ?? []);
  expect(overviewOf(single)).toMatchObject({ ranks: [], ratio: null });
});
