// The problems in `status`: those of the newest slot that no backfill has repaired.
import { describe, expect, it } from 'vitest';
import { ranksBackfill } from '../../../jobs/backfill/backfill.ts';
import { problemsLeft } from '../../../jobs/report/tables/problems.ts';
import { keyword, project, resultsWith, World, type WorldOptions } from '../../helpers/jobs.ts';
import { startProvider } from '../../helpers/provider.ts';

const start = Date.UTC(2026, 0, 15, 6);
const unreadable = { status: 400, code: 'INVALID_REQUEST' } as const;
const names = ['a', 'b', 'c', 'd'];

async function begin(broken: Set<string>, more: Partial<WorldOptions> = {}) {
  const provider = await startProvider({
    pageSize: () => 10,
    results: () => resultsWith('https://acme.example/', 3),
    fault: (_, body) => (broken.has(String(body['keyword'])) ? unreadable : 'ok'),
  });
  const projects = [project({ keywords: names.map((name) => keyword(name, { depth: 1 })) })];
  const world = new World({ provider, projects, ...more });
  world.clock.set(start);
  return { provider, world };
}

const left = (world: World, limit = 20): string[] => {
  const { problems, total } = problemsLeft(world.context, world.projects, limit);
  return [`${total}:`, ...problems.map((problem) => `${problem.keyword} ${problem.status}`)];
};

describe('the problems of a slot', () => {
  it('are counted beyond those that are shown', async () => {
    const { world } = await begin(new Set(names));
    await world.runSlot(start);
    expect(left(world, 2)).toEqual(['4:', 'a failed', 'b failed']);
    expect(problemsLeft(world.context, world.projects, 1).problems).toMatchObject([{ keyword: 'a', alike: 4 }]);
  });

  it('are not shown once a backfill repaired them, and are shown once if the backfill failed as well', async () => {
    const broken = new Set(['a', 'b', 'c']);
    const { world } = await begin(broken);
    await world.runSlot(start);
    expect(left(world)).toEqual(['3:', 'a failed', 'b failed', 'c failed']);
    broken.delete('b');
    world.clock.set(start + 3_600_000);
    const options = { keywords: ['a', 'b'], tags: [], pages: null, missing: true, failed: true };
    await world.run(ranksBackfill(world.context, world.projects, options));
    expect(left(world)).toEqual(['2:', 'c failed', 'a failed']);
  });
});

describe('a queue that cannot be reached', () => {
  it('is detected before a run opens or anything is bought', async () => {
    const wrapQueue: WorldOptions['wrapQueue'] = (queue) => ({
      ...queue,
      prepare: () => Promise.reject(new Error('no queue')),
    });
    const { provider, world } = await begin(new Set(), { wrapQueue });
    await expect(world.run()).rejects.toThrow('no queue');
    expect(world.value('SELECT count(*) FROM runs')).toBe(0);
    expect(provider.requests).toEqual([]);
  });
});
