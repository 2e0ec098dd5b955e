// Days and months that end while a run buys: a purchase counts where it was opened, and no cap is exceeded.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boughtIn, judgeWindows, plainRequest, runScenario } from '../../helpers/window-turns.ts';

const hourMs = 3_600_000;

describe('a budget window that ends while pages are bought', () => {
  it('never lets a month exceed its cap by reservations of the month before', async () => {
    const acrossMidnight = { ...plainRequest, beforeMs: 20_000 };
    const world = await runScenario({
      caps: { perMonth: 10 },
      keywords: 8,
      depth: 2,
      concurrency: 4,
      runs: [[plainRequest, plainRequest, acrossMidnight], []],
    });
    const months = boughtIn(world, 'month');
    expect(Math.max(...[...months.values()].map(({ cost }) => cost))).toBeLessThanOrEqual(10);
    expect(months.get('2026-02')?.cost).toBe(10);
    expect(world.broken()).toEqual([]);
    await world.close();
  });

  it('defers a check whose first page has no budget left in the new window', async () => {
    const acrossMidnight = { ...plainRequest, beforeMs: 20_000 };
    const world = await runScenario({
      caps: { perDay: 2 },
      keywords: 4,
      depth: 1,
      concurrency: 1,
      runs: [[plainRequest, acrossMidnight]],
    });
    expect(world.checks()).toEqual(['k0 ok 1', 'k1 ok 1', 'k2 ok 1', 'k3 deferred 0']);
    expect(world.value("SELECT reason FROM checks WHERE state = 'deferred'")).toBe(
      'budget: needs 1 SERP credits, 0 of 2 are left for the day 2026-02-01',
    );
    await world.close();
  });

  const cap = fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined });
  const pause = fc.oneof(
    { weight: 4, arbitrary: fc.constant(0) },
    { weight: 2, arbitrary: fc.integer({ min: 0, max: 20_000 }) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 40 * 24 * hourMs }) },
  );
  const event = fc.record({
    beforeMs: pause,
    duringMs: pause,
    outcome: fc.constantFrom('ok', 'ok', 'ok', 'free', 'unknown', 'unreadable'),
    stated: fc.constantFrom(0, 1, 1, 1, 1, 1, 2, 5),
  });
  const life = fc.record({
    caps: fc
      .record({ perRun: cap, perDay: cap, perMonth: cap })
      .map((all) => Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))),
    keywords: fc.integer({ min: 1, max: 8 }),
    depth: fc.integer({ min: 1, max: 3 }),
    concurrency: fc.integer({ min: 1, max: 4 }),
    runs: fc.array(fc.array(event, { maxLength: 14 }), { minLength: 1, maxLength: 3 }),
  });

  it('counts every purchase in the window in which it was opened, at any price and whenever windows end', async () => {
    let turned = 0;
    await fc.assert(
      fc.asyncProperty(life, async (chosen) => {
        const world = await runScenario(chosen);
        const { turned: turnedNow, wrong } = judgeWindows(world, chosen.caps);
        turned += turnedNow;
        expect(wrong).toEqual([]);
        expect(world.broken()).toEqual([]);
        await world.close();
      }),
      { numRuns: 12 },
    );
    expect(turned).toBeGreaterThan(5);
  });
});
