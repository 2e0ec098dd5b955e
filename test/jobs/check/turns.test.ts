// A purchase is recorded when its request is sent: a request that still waits for its provider costs nothing.
import { describe, expect, it } from 'vitest';
import { SearchDataClient } from '../../../src/service/client/client.ts';
import type { SearchDataService } from '../../../src/service/index.ts';
import { JobClock } from '../../helpers/job-clock.ts';
import { clientOf, keyword, project, service, World } from '../../helpers/jobs.ts';
import { type Provider, startProvider } from '../../helpers/provider.ts';

/** Eight concurrent checks, of which the provider's client sends one at a time. */
async function beginNarrow(): Promise<{ world: World; provider: Provider }> {
  const provider = await startProvider();
  const clock = new JobClock();
  const client = new SearchDataClient({
    retries: { attemptsMax: 1 },
    baseUrl: provider.url,
    user: provider.user,
    password: provider.password,
    clock,
    concurrency: 1,
  });
  const keywords = Array.from({ length: 8 }, (_, index) => keyword(`k${index}`, { depth: 1 }));
  const services = new Map<string, SearchDataService>([[service, client]]);
  const world = new World({ services, clock, projects: [project({ keywords })], concurrency: 8 });
  return { world, provider };
}

describe('a request that waits to be sent', () => {
  it('has no purchase yet: after a crash nothing is unknown that was never sent', async () => {
    const { world, provider } = await beginNarrow();
    provider.next('hang-after-sale');
    const stop = new AbortController();
    const giveUp = new AbortController();
    const running = world.run(undefined, { signals: { stop: stop.signal, giveUp: giveUp.signal } });
    await provider.untilRequests(1);
    expect(world.value("SELECT count(*) FROM checks WHERE state = 'running'")).toBe(8);
    expect(world.value('SELECT count(*) FROM purchases')).toBe(1);
    stop.abort();
    giveUp.abort();
    await running;
    expect(world.credits).toEqual({ spent: 0, unknown: 1, open: 0 });
  });

  it('is abandoned at a halt: the provider sees no more requests', async () => {
    const { world, provider } = await beginNarrow();
    provider.next('ok', 'ok', { status: 402, code: 'INSUFFICIENT_CREDITS' });
    await world.run();
    expect(provider.requests.length).toBe(3);
    expect(world.store.checks.counts(1)).toMatchObject({ ok: 2, deferred: 6 });
    expect(world.value('SELECT state FROM runs')).toBe('halted');
    expect(world.credits).toEqual({ spent: 2, unknown: 0, open: 0 });
    expect(world.broken()).toEqual([]);
  });

  it('is abandoned at once when the run stops, and its check can be claimed again', async () => {
    const { world, provider } = await beginNarrow();
    provider.next('hang-before-sale');
    const stop = new AbortController();
    const giveUp = new AbortController();
    const running = world.run(undefined, { signals: { stop: stop.signal, giveUp: giveUp.signal } });
    await provider.untilRequests(1);
    stop.abort();
    giveUp.abort();
    await running;
    expect(world.store.checks.counts(1).planned).toBe(8);
    expect(provider.requests.length).toBe(1);
  });
});

describe('a provider that ignores the page number', () => {
  it('proves nothing by returning the first page again', async () => {
    const provider = await startProvider();
    const clock = new JobClock();
    const client = clientOf(provider, clock);
    const stuck: SearchDataService = {
      source: client.source,
      kind: client.kind,
      serp: (request, options) => client.serp({ ...request, start_page: 1, end_page: 1 }, options),
      keywordData: (request, options) => client.keywordData(request, options),
      readPage: (body, request) => client.readPage(body, request),
      close: () => client.close(),
    };
    const world = new World({
      services: new Map([[service, stuck]]),
      clock,
      projects: [project()],
    });
    await world.run();
    expect(world.checks()).toEqual(['running shoes incomplete 1']);
    expect(world.value('SELECT reason FROM checks')).toContain('it repeats page 1');
    expect(world.rankings().filter((line) => line.includes('not found'))).toEqual([]);
    expect(world.broken()).toEqual([]);
  });
});
