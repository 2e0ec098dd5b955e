import { describe, expect, it } from 'vitest';
import { openStore } from '../../../db/store.ts';
import type { JobContext } from '../../../jobs/context.ts';
import { planRun } from '../../../jobs/run/opening/plan-run.ts';
import type { Project } from '../../../src/tracker/project.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';

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
