// The measured curve: its shape on constructed readings, and its error on real queries that it was not fitted to.
import { existsSync, readFileSync } from 'node:fs';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { ctr, ctrCurveNames } from '../../../src/tracker/changes/visibility.ts';
import { type CurveReading, fitCurve, rateAt } from '../../../src/tracker/clicks/curves.ts';
import { namesBrand } from '../../../src/tracker/intent/intent.ts';

const builtIn = (rank: number) => ctr('sistrix-2020', rank);

describe('a fitted curve', () => {
  it('is the built-in one without readings', () => {
    const curve = fitCurve([], builtIn);
    expect(curve.map(({ rate }) => rate).slice(0, 20)).toEqual(
      Array.from({ length: 20 }, (_, index) => expect.closeTo(builtIn(index + 1), 12)),
    );
  });

  it('is shrunk to it with 1,000 impressions, by hand', () => {
    const [first] = fitCurve([{ position: 1, clicks: 500, impressions: 1000 }], builtIn);
    // (500 + 1000 x 0.285) / 2000
    expect(first).toMatchObject({ rate: expect.closeTo(0.3925, 10), clicks: 500, impressions: 1000 });
    expect(first?.low).toBeCloseTo(0.37132, 4);
    expect(first?.high).toBeCloseTo(0.41409, 4);
  });

  it('never rises: ranks that do are pooled by their impressions', () => {
    const rising = [
      { position: 1, clicks: 10, impressions: 100 },
      { position: 2, clicks: 60, impressions: 300 },
    ];
    const rates = fitCurve(rising, () => 0, 1e-9).map(({ rate }) => rate);
    expect(rates[0]).toBeCloseTo(70 / 400, 8);
    expect(rates[1]).toBeCloseTo(70 / 400, 8);
    const noisy = Array.from({ length: 40 }, (_, at) => ({
      position: 1 + at / 2,
      clicks: (at * 7) % 11,
      impressions: 50 + ((at * 13) % 29),
    }));
    const curve = fitCurve(noisy, builtIn, 10).map(({ rate }) => rate);
    expect(curve.toSorted((a, b) => b - a)).toEqual(curve);
  });

  it('shares a reading between the two ranks around it', () => {
    const [first, second] = fitCurve([{ position: 1.25, clicks: 8, impressions: 100 }], builtIn);
    expect([first?.impressions, second?.impressions]).toEqual([75, 25]);
    expect(rateAt((rank) => (rank === 1 ? 0.3 : 0.1), 1.25)).toBeCloseTo(0.25, 10);
  });
});

/** Queries of a real site: an export that is not part of the project. */
const file = '../../shared/corpus/history/gsc_511tactical_Queries.csv';
const brandTerms = ['511', '5.11', '5 11', '511 tactical', 'five eleven'];

interface Query extends CurveReading {
  readonly query: string;
}

function realQueries(): Query[] {
  const { data } = Papa.parse<string[]>(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''), { skipEmptyLines: true });
  return data.slice(1).flatMap(([query = '', clicks, impressions, , position]) => {
    const reading = { query, clicks: Number(clicks), impressions: Number(impressions), position: Number(position) };
    return Object.values(reading).some(Number.isNaN) || namesBrand(query, brandTerms) ? [] : [reading];
  });
}

interface Score {
  /** Expected clicks / counted clicks - 1. */
  readonly bias: number;
  /** Mean deviance of a query. */
  readonly error: number;
  /** Mean absolute error of a query, in clicks; and that of the same curve multiplied so that it has no bias. */
  readonly absolute: number;
  readonly unbiased: number;
}

function score(queries: readonly Query[], expectedOf: (query: Query, index: number) => number): Score {
  let [clicks, expected, error] = [0, 0, 0];
  const each = queries.map(expectedOf);
  for (const [index, query] of queries.entries()) {
    const one = each[index] ?? 0;
    clicks += query.clicks;
    expected += one;
    error += deviance(query, one);
  }
  const absolute = (factor: number): number =>
    queries.reduce((sum, query, index) => sum + Math.abs(factor * (each[index] ?? 0) - query.clicks), 0) /
    queries.length;
  return {
    bias: expected / clicks - 1,
    error: error / queries.length,
    absolute: absolute(1),
    unbiased: absolute(clicks / expected),
  };
}

const folds = 10;
/** No curve expects less: those that end at rank 10 or 20 would be infinitely wrong below. */
const rateMin = 0.001;

/**
 * The Poisson deviance, 0 for a perfect fit. Its mean is least for the true rates. An absolute error is not: most
 * queries have no click, so it prefers a curve that is too low.
 */
function deviance({ clicks, impressions }: Query, expected: number): number {
  const most = Math.max(expected, rateMin * impressions);
  return 2 * ((clicks === 0 ? 0 : clicks * Math.log(clicks / most)) - (clicks - most));
}

describe.skipIf(!existsSync(file))(
  'on real queries without the brand, fitted to nine tenths and held against the last',
  () => {
    it('clicks are within 10 %, and the error of a query is lower than that of every built-in curve', () => {
      const queries = realQueries();
      expect(queries.length).toBeGreaterThan(7_000);
      const curves = Array.from({ length: folds }, (_, fold) =>
        fitCurve(
          queries.filter((__, index) => index % folds !== fold),
          builtIn,
        ),
      );
      const measured = score(queries, ({ position, impressions }, index) => {
        const curve = curves[index % folds];
        return impressions * rateAt((rank) => curve?.[rank - 1]?.rate ?? 0, position);
      });
      const scores = ctrCurveNames.map((name) => ({
        name,
        ...score(queries, ({ position, impressions }) => impressions * rateAt((rank) => ctr(name, rank), position)),
      }));
      const lines = [{ name: 'measured', ...measured }, ...scores].map(
        ({ name, bias, error, absolute, unbiased }) =>
          `${name}: bias ${(100 * bias).toFixed(1)} %, deviance ${error.toFixed(3)}, absolute error ${absolute.toFixed(3)}, without bias ${unbiased.toFixed(3)}`,
      );
      process.stdout.write(`${lines.join('\n')}\n`);
      expect(Math.abs(measured.bias)).toBeLessThan(0.1);
      for (const { name, error, unbiased } of scores) {
        expect(measured.error, name).toBeLessThan(error);
        expect(measured.absolute, name).toBeLessThan(unbiased);
      }
    });
  },
);
