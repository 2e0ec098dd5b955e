import { describe, expect, it } from 'vitest';
import { openStore } from '../../../db/store.ts';
import type { JobContext } from '../../../jobs/context.ts';
import { planProject } from '../../../jobs/run/fixed-plan.ts';
import { planRun } from '../../../jobs/run/plan-run.ts';
import type { Project } from '../../../src/tracker/project.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { keyword, project } from '../../helpers/jobs.ts';
import { RankedWorld } from '../../helpers/ranked-world.ts';

const dayMs = 86_400_000;

function projectOf(keywords: number): Project {
  return {
    id: 'acme',
    service: 'default',
    targets: [{ match: 'domain', value: 'acme.com' }],
    competitors: [],
    timezone: 'UTC',
    catchUp: 'latest',
    paging: 'full',
    freshForMs: 0,
    keywords: Array.from({ length: keywords }, (_, index) => ({
      keyword: `keyword ${index}`,
      country: 'US',
      language: 'en',
      devices: ['desktop'],
      tags: [],
      priority: 'normal',
      depth: 1,
    })),
  };
}

describe('planning a run', () => {
  it('plans every keyword, in any number of batches', () => {
    const store = openStore(':memory:');
    const clock = new FakeClock();
    const at = clock.now();
    const slot = { project: 'acme', slot: '2026-01-15T06:00', at, timezone: 'UTC', localDate: '2026-01-15' };
    const run = store.runs.open({ kind: 'ranks', moment: at, owner: 'test', at }, [slot]);
    const context = { store, clock } as unknown as JobContext;
    const counts: number[] = [];
    const planned = planRun(context, run?.id ?? 0, [projectOf(4_500)], (count) => counts.push(count));
    expect(planned).toBe(4_500);
    expect(counts).toEqual([2_000, 4_000, 4_500]);
    expect(store.checks.counts(run?.id ?? 0).planned).toBe(4_500);
    store.close();
  });
});

it('the history of many searches, read at once, says of each what its own says', async () => {
  const words = Array.from({ length: 30 }, (_, index) => `word ${index}`);
  const wide = project({
    id: 'wide',
    competitors: [{ match: 'domain', value: 'rival.example' }],
    paging: 'until-all-found',
    freshForMs: 7 * dayMs,
    deep: { depth: 5, everyMs: 3 * dayMs },
    keywords: words.map((text, index) =>
      keyword(text, { devices: index % 3 === 0 ? ['desktop', 'mobile'] : ['desktop'] }),
    ),
  });
  const ranked = new RankedWorld([wide]);
  for (let day = 0; day < 5; day += 1) {
    words.forEach((text, index) => {
      const rank = 1 + ((index * 7 + day * 3) % 40);
      if (index % 11 === day) ranked.scenes[text] = { fails: true };
      else ranked.scenes[text] = { at: { [rank]: 'https://acme.example/', [60 - rank]: 'https://rival.example/' } };
    });
    await ranked.run(Date.UTC(2026, 0, 10 + day, 6));
  }
  const { store } = ranked.world;
  // searches that were never stored, before, between and after the others
  const keywords = [
    keyword('new 1'),
    ...wide.keywords.slice(0, 9),
    keyword('new 2'),
    ...wide.keywords.slice(9),
    keyword('new 3'),
  ];
  const later = Date.UTC(2026, 0, 16, 6);
  const together = [...planProject(store, { ...wide, keywords }, later)];
  const alone = keywords.flatMap((each) => [...planProject(store, { ...wide, keywords: [each] }, later)]);
  expect(together).toEqual(alone);
  expect(new Set(together.map(({ plan }) => plan.pagesExpected)).size).toBeGreaterThan(2);
  expect(together.filter(({ plan }) => plan.searchId === null)).toHaveLength(3);
  expect(together.some(({ plan }) => plan.pagesReusable > 0)).toBe(true);
});
