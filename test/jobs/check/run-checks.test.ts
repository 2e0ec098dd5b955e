// A run that cannot record its purchases, or whose store fails, stops before it spends more.
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { StoreError } from '../../../db/connection/errors.ts';
import { temporaryFolder } from '../../helpers/closing.ts';
import { keyword, project, World, type WorldOptions } from '../../helpers/jobs.ts';
import { startProvider } from '../../helpers/provider.ts';

async function begin(more: Partial<WorldOptions> = {}) {
  const provider = await startProvider();
  const keywords = Array.from({ length: 10 }, (_, index) => keyword(`k${index}`, { depth: 2 }));
  return {
    provider,
    world: new World({ provider, projects: [project({ keywords })], concurrency: 2, ...more }),
  };
}

describe('a run', () => {
  it('buys nothing while the disk is almost full, and continues when there is space', async () => {
    let free = 1024;
    const { world, provider } = await begin({ freeBytes: () => free });
    await expect(world.run()).rejects.toMatchObject({ code: 'DISK_FULL' });
    expect(provider.requests.length).toBe(0);
    free = 1e9;
    await world.run();
    expect(world.store.checks.counts(1).ok).toBe(10);
    expect(world.value('SELECT count(*) FROM runs')).toBe(1);
    expect(world.broken()).toEqual([]);
  });

  it('reserves disk space for the answers in flight, and frees it at its end', async () => {
    const file = join(temporaryFolder(), 'db.sqlite');
    const { world, provider } = await begin({ file });
    const running = world.run();
    await provider.untilRequests(1);
    expect(statSync(`${file}-reserve`).size).toBeGreaterThanOrEqual(4 * 1024 * 1024);
    await running;
    expect(existsSync(`${file}-reserve`)).toBe(false);
  });

  it('buys nothing if the disk space for answers in flight cannot be reserved', async () => {
    const { world, provider } = await begin();
    world.store.diskReserve.hold = () => {
      throw new StoreError('DISK_FULL', 'no room', '');
    };
    await expect(world.run()).rejects.toMatchObject({ code: 'DISK_FULL' });
    expect(provider.requests.length).toBe(0);
  });

  it('whose store fails waits for requests in flight, sends nothing more, and is resumed', async () => {
    const { world, provider } = await begin();
    const grouped = world.store.grouped.bind(world.store);
    let calls = 0;
    world.store.grouped = (work) => {
      calls += 1;
      return calls === 4 ? Promise.reject(new Error('disk I/O error')) : grouped(work);
    };
    await expect(world.run()).rejects.toThrow('disk I/O error');
    const sent = provider.requests.length;
    expect(sent).toBeLessThanOrEqual(8);
    await world.run();
    expect(world.store.checks.counts(1).ok).toBe(10);
    // one page was bought and not recorded: it is bought again, and the first sale remains unknown
    expect(world.credits).toEqual({ spent: 20, unknown: 1, open: 0 });
    expect(provider.sold.serpCredits).toBe(21);
    expect(world.broken()).toEqual([]);
  });

  it('makes a second call in the same process fail or skip its project', async () => {
    const { world, provider } = await begin();
    const first = world.run();
    await provider.untilRequests(2);
    await expect(world.run()).rejects.toMatchObject({ code: 'RUN_IN_PROGRESS' });
    expect(await world.run({ kind: 'due' })).toEqual([]);
    await first;
    expect(provider.sold.serpCredits).toBe(20);
    expect(world.broken()).toEqual([]);
  });

  it('reports its progress: every check once, deferred ones included', async () => {
    const { world } = await begin({ caps: { serp_credit: { perRun: 9 }, micro_usd: {} } });
    const seen: string[] = [];
    await world.run(undefined, { onProgress: ({ phase, done, total }) => seen.push(`${phase} ${done}/${total}`) });
    expect(seen[0]).toBe('planning 10/10');
    expect(seen.slice(1, -1)).toEqual(Array.from({ length: 11 }, (_, done) => `checking ${done}/10`));
    expect(seen.at(-1)).toBe('reporting 0/1');
  });

  it('abandons requests in flight at the shutdown deadline, and their possible cost is recorded', async () => {
    const { world, provider } = await begin();
    provider.next('hang-after-sale', 'hang-after-sale');
    const giveUp = new AbortController();
    const stop = new AbortController();
    const running = world.run(undefined, { signals: { stop: stop.signal, giveUp: giveUp.signal } });
    await provider.untilRequests(2);
    stop.abort();
    giveUp.abort();
    expect(await running).toMatchObject([{ interrupted: true }]);
    expect(world.credits).toEqual({ spent: 0, unknown: 2, open: 0 });
    const [resumed] = await world.run({ kind: 'due' });
    expect(resumed).toMatchObject({ resumed: true, interrupted: false });
    expect(world.store.checks.counts(1).ok).toBe(10);
    expect(world.credits).toEqual({ spent: 20, unknown: 2, open: 0 });
    expect(provider.sold.serpCredits).toBe(22);
    expect(world.broken()).toEqual([]);
  });
});
