// Months of faults in one process: scheduler, queue and client of the product against a provider that misbehaves, on a clock that does not wait.
import { afterAll, describe, expect, it } from 'vitest';
import { Workshop } from './month.ts';
import { Sometimes } from './sometimes.ts';

const workshop = new Workshop();
afterAll(() => workshop.close());

/** As many seeds as fit; the 2,000 of the whole gate are in torture.ts. */
const budgetMs = 15_000;
const seedsLeast = 10;
const seedsMost = 60;

describe('a month of faults, whatever its seed', () => {
  it('ends with every run closed, every credit explained, every slot accounted for, and no rank that was not served', async () => {
    const sometimes = new Sometimes();
    const problems: string[] = [];
    let pages = 0;
    const startedAt = performance.now();
    let seed = 0;
    while (seed < seedsLeast || (seed < seedsMost && performance.now() - startedAt < budgetMs)) {
      seed += 1;
      const month = await workshop.live(seed, 30);
      sometimes.merge(month.counts);
      pages += month.pagesSold;
      problems.push(...month.problems.map((problem) => `seed ${seed}: ${problem}`));
    }
    const faults = Object.entries(sometimes.counts).filter(
      ([name]) => name.startsWith('fault ') && name !== 'fault ok',
    );
    const met = faults.reduce((sum, [, times]) => sum + times, 0);
    console.log(
      `${seed} seeds x 30 days: ${pages} pages sold, ${met} faults of ${faults.length} kinds, ${problems.length} problems`,
    );
    expect(problems).toEqual([]);
    // an empty world would pass as well
    expect(pages).toBeGreaterThan(seedsLeast * 20);
    expect(faults.length).toBeGreaterThan(10);
  }, 120_000);

  it('goes the same way each time, so that a seed that fails can be lived again', async () => {
    const once = await workshop.live(7, 10);
    const again = await workshop.live(7, 10);
    expect(again).toEqual(once);
  }, 30_000);
});
