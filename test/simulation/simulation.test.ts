// Months of faults in one process: scheduler, queue and client of the product against a provider that misbehaves, on a clock that does not wait.
import { afterAll, describe, expect, it } from 'vitest';
import { quickOrFull } from '../helpers/size.ts';
import { Workshop } from './month.ts';
import { Sometimes } from './sometimes.ts';

const workshop = new Workshop();
afterAll(() => workshop.close());

/** The same ones on every machine; the 2,000 of the whole gate are in torture.ts. */
const seeds = quickOrFull(2, 3);
const days = quickOrFull(4, 8);

describe('a month of faults, whatever its seed', () => {
  it('ends with every run closed, every credit explained, every slot accounted for, and no rank that was not served', async () => {
    const sometimes = new Sometimes();
    const problems: string[] = [];
    let pages = 0;
    for (let seed = 1; seed <= seeds; seed += 1) {
      const month = await workshop.live(seed, days);
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

  it('goes the same way each time, so that a seed that fails can be lived again', async () => {
    const once = await workshop.live(7, 3);
    const again = await workshop.live(7, 3);
    expect(again).toEqual(once);
  });
});
