// The dry run of a slot plans what its run then checks.
import { describe, expect, it } from 'vitest';
import { planReport } from '../../../jobs/query/planning.ts';
import { keyword, project } from '../../helpers/jobs.ts';
import { RankedWorld } from '../../helpers/ranked-world.ts';

const hourMs = 3_600_000;
const monday = Date.UTC(2026, 0, 5, 6);
const names = Array.from({ length: 30 }, (_, index) => `keyword ${String(index).padStart(2, '0')}`);

describe('planReport', () => {
  it('shares the month over the same slots as the run, hours after the slot', async () => {
    const weekly = project({
      targets: [{ match: 'domain', value: 'acme.example' }],
      keywords: names.map((name) => keyword(name, { depth: 1 })),
      schedule: '0 6 * * 1',
      timezone: 'UTC',
      adaptive: { cadence: true, paging: true, atLeastEveryMs: 28 * 24 * hourMs },
    });
    const ranked = new RankedWorld([weekly], { caps: { serp_credit: { perMonth: 48 }, micro_usd: {} } });
    const late = monday + 3 * hourMs;
    ranked.clock.set(late);
    const planned = planReport(ranked.world.context, { kind: 'due' });
    const read: string[] = [];
    ranked.onPage = (name) => void read.push(name);
    await ranked.runDue(late);
    expect(read).toHaveLength(12); // of 48, for each of 4 Mondays
    expect(planned).toMatchObject({ searches: 12, creditsWorstCase: 12 });
    const taken = planned.adaptive?.filter(({ check }) => check).map((decision) => decision.keyword);
    expect(taken?.toSorted()).toEqual(read.toSorted());
  });

  it('plans no more than a run may spend, and keeps longest gaps also of searches of low priority', async () => {
    const keywords = names.map((name, index) => keyword(name, { depth: 1, priority: index < 6 ? 'high' : 'low' }));
    const adaptive = { cadence: true, paging: true, atLeastEveryMs: 7 * 24 * hourMs };
    const daily = project({
      targets: [{ match: 'domain', value: 'acme.example' }],
      ...{ keywords, schedule: '0 6 * * *', timezone: 'UTC', adaptive },
    });
    const ranked = new RankedWorld([daily], {
      caps: { serp_credit: { perRun: 8, perMonth: 3_000 }, micro_usd: {} },
    });
    ranked.scenes = Object.fromEntries(names.map((name) => [name, { at: { 3: 'https://acme.example/' } }]));
    const seen = new Map<string, number>();
    for (let day = 0; day < 14; day += 1) {
      ranked.clock.set(monday + day * 24 * hourMs);
      expect(planReport(ranked.world.context, { kind: 'due' }).creditsWorstCase).toBeLessThanOrEqual(8);
      ranked.onPage = (name) => void seen.set(name, day);
      await ranked.runDue(monday + day * 24 * hourMs);
      const days = names.map((name) => day - (seen.get(name) ?? -1));
      expect(day < 7 ? 0 : Math.max(...days)).toBeLessThanOrEqual(7);
    }
  });

  it('shares what a run may spend among its projects, after those with a fixed cadence', () => {
    const of = (id: string, count: number, cadence: boolean) =>
      project({
        id,
        targets: [{ match: 'domain', value: 'acme.example' }],
        keywords: names.slice(0, count).map((name) => keyword(`${name} ${id}`, { depth: 1 })),
        ...{ schedule: '0 6 * * *', timezone: 'UTC' },
        ...(cadence && { adaptive: { cadence, paging: true, atLeastEveryMs: 7 * 24 * hourMs } }),
      });
    const projects = [of('fixed', 5, false), of('small', 10, true), of('large', 20, true)];
    const ranked = new RankedWorld(projects, {
      caps: { serp_credit: { perRun: 20, perMonth: 3_000 }, micro_usd: {} },
    });
    ranked.clock.set(monday + 5 * hourMs);
    const { adaptive = [], creditsWorstCase } = planReport(ranked.world.context, { kind: 'now', projects });
    const taken = Map.groupBy(
      adaptive.filter(({ check }) => check),
      (decision) => decision.project,
    );
    expect([taken.get('small')?.length, taken.get('large')?.length]).toEqual([5, 10]);
    expect(creditsWorstCase).toBe(20);
  });
});
