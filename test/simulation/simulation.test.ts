// Months of faults in one process: scheduler, queue and client against a faulty provider on a virtual clock.
import { afterAll, describe, expect, it } from 'vitest';
import { MonthRunner } from './month.ts';
import { Sometimes } from './sometimes.ts';

const months = new MonthRunner();
afterAll(() => months.close());

/** The same seeds on every machine; 2,000 more are in torture.ts. */
const seeds = 2;
const days = 4;

describe('a simulated month of faults', () => {
  it('ends with every run closed, every credit and slot accounted for, and no rank that was not served', async () => {
    const sometimes = new Sometimes();
    const problems: string[] = [];
    let pages = 0;
    for (let seed = 1; seed <= seeds; seed += 1) {
      const month = await months.runMonth(seed, days);
      sometimes.merge(month.counts);
      pages += month.pagesSold;
      problems.push(...month.problems.map((problem) => `seed ${seed}: ${problem}`));
    }
    const faults = Object.entries(sometimes.counts).filter(
      ([name]) => name.startsWith('fault ') && name !== 'fault ok',
    );
    const met = faults.reduce((sum, [, times]) => sum + times, 0);
    console.log(
      `${seeds} seeds x ${days} days: ${pages} pages sold, ${met} faults of ${faults.length} kinds, ${problems.length} problems`,
    );
    expect(problems).toEqual([]);
    // an empty world would pass as well
    expect(pages).toBeGreaterThan(seeds * 20);
    expect(faults.length).toBeGreaterThan(5);
  });

  it('has the same course each time, so that a failed seed can be repeated', async () => {
    const once = await months.runMonth(7, 3);
    const again = await months.runMonth(7, 3);
    expect(again).toEqual(once);
  });
});
