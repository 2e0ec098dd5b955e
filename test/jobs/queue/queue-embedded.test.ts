// The embedded queue with checks claimed ahead: bought in order, and never more at once than `concurrency`.
import { describe, expect, it } from 'vitest';
import { createEmbeddedQueue } from '../../../jobs/queue/queue.ts';
import { JobClock } from '../../helpers/job-clock.ts';
import { clientOf, keyword, project, service, World, type WorldOptions } from '../../helpers/jobs.ts';
import { type Provider, startProvider } from '../../helpers/provider.ts';

const concurrency = 2;

/** Nine checks of a page, two in flight, three ahead. */
async function begin(more: Partial<WorldOptions> = {}): Promise<{ world: World; provider: Provider }> {
  const provider = await startProvider();
  const clock = new JobClock();
  const services = new Map([[service, clientOf(provider, clock)]]);
  const keywords = Array.from({ length: 9 }, (_, index) => keyword(`k${index}`, { depth: 1 }));
  const world = new World({
    services,
    clock,
    projects: [project({ keywords })],
    wrapQueue: () => createEmbeddedQueue(services, concurrency, { ahead: 3 }),
    ...more,
  });
  return { world, provider };
}

/** In the order in which purchases were recorded: two requests may overtake each other on their way to the provider. */
const bought = (world: World): unknown[] =>
  world
    .rows(
      'SELECT k.text FROM purchases p JOIN searches s ON s.id = p.search_id JOIN keywords k ON k.id = s.keyword_id ORDER BY p.id',
    )
    .map((row) => row['text']);

describe('checks claimed ahead', () => {
  it('wait without a purchase until a page has arrived', async () => {
    const { world, provider } = await begin();
    provider.next('hang-after-sale', 'hang-after-sale');
    const stop = new AbortController();
    const giveUp = new AbortController();
    const running = world.run(undefined, { signals: { stop: stop.signal, giveUp: giveUp.signal } });
    await provider.untilRequests(concurrency);
    expect(world.value("SELECT count(*) FROM checks WHERE state = 'running'")).toBe(5);
    expect(world.value('SELECT count(*) FROM purchases')).toBe(concurrency);
    stop.abort();
    giveUp.abort();
    await running;
    expect(world.credits).toEqual({ spent: 0, unknown: concurrency, open: 0 });
    expect(world.value("SELECT count(*) FROM checks WHERE state = 'planned'")).toBe(9);
    expect(world.broken()).toEqual([]);
  });

  it('are bought in order, never more at once than the concurrency allows', async () => {
    const { world, provider } = await begin();
    const grouped = world.store.grouped.bind(world.store);
    let most = 0;
    world.store.grouped = async (work) => {
      const result = await grouped(work);
      most = Math.max(most, Number(world.value("SELECT count(*) FROM purchases WHERE state = 'open'")));
      return result;
    };
    await world.run();
    // of jobs that become free together, either comes first
    const order = bought(world).map((keyword) => Number(String(keyword).slice(1)));
    expect(order.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(order.every((number, index) => Math.abs(number - index) < concurrency)).toBe(true);
    expect(provider.mostAtOnce).toBeLessThanOrEqual(concurrency);
    expect(most).toBeLessThanOrEqual(concurrency);
    expect(world.credits).toEqual({ spent: 9, unknown: 0, open: 0 });
  });

  it('are returned if the store fails: what cannot be recorded is not bought', async () => {
    const { world, provider } = await begin();
    const grouped = world.store.grouped.bind(world.store);
    let calls = 0;
    world.store.grouped = (work) => {
      calls += 1;
      return calls === 3 ? Promise.reject(new Error('disk I/O error')) : grouped(work);
    };
    await expect(world.run()).rejects.toThrow('disk I/O error');
    expect(provider.requests.length).toBeLessThanOrEqual(concurrency + 1);
    await world.run();
    expect(world.store.checks.counts(1).ok).toBe(9);
    expect(world.broken()).toEqual([]);
  });
});
