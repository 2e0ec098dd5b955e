// The circuit breaker: what a failing service costs at most, how it is probed, and that other services continue.
import { describe, expect, it } from 'vitest';
import { Breaker, breakerLimits, verdictOn } from '../../../jobs/purchase/breaker.ts';
import type { RequestFailure } from '../../../jobs/retry.ts';
import { createSearchDataService, ServiceError } from '../../../src/service/index.ts';
import { JobClock } from '../../helpers/job-clock.ts';
import { clientOf, keyword, project, resultsWith, World, type WorldOptions } from '../../helpers/jobs.ts';
import { memorySource, metricsOf, pageOf } from '../../helpers/memory-source.ts';
import { type Provider, type ProviderOptions, startProvider } from '../../helpers/provider.ts';

const { failuresMax, pausesMs } = breakerLimits;
const failure = (more: Partial<RequestFailure> = {}): RequestFailure => ({
  code: 'INTERNAL_ERROR',
  message: 'it broke',
  hint: '',
  disposition: 'retry',
  charged: 'unknown',
  retryAfterMs: null,
  body: null,
  ...more,
});

/** Sends requests until the breaker admits no more; each fails at once. */
function failAll(breaker: Breaker, now: number): number {
  for (let sent = 0; ; sent += 1) {
    const admission = breaker.admit(now);
    if (admission === null) return sent;
    admission.end('failed', now, failure());
  }
}

describe('a circuit breaker', () => {
  it('opens after a number of consecutive failures, probes after each pause, and in the end gives the service up', () => {
    const breaker = new Breaker('vendor', 0);
    let now = 0;
    expect(failAll(breaker, now)).toBe(failuresMax);
    for (const pauseMs of pausesMs) {
      expect(breaker.pauseMs(now)).toBe(pauseMs);
      expect(breaker.admit(now + pauseMs - 1)).toBeNull();
      now += pauseMs;
      expect(breaker.room(now)).toBe(1);
      expect(failAll(breaker, now)).toBe(1);
    }
    expect(breaker.pauseMs(now)).toBeNull();
    expect(breaker.admit(now + 86_400_000)).toBeNull();
    expect(breaker.givenUp).toBe(
      'service "vendor" failed 13 consecutive times, with pauses of 1, 3, 10 minutes between the last ones; the last time: INTERNAL_ERROR: it broke',
    );
  });

  it('closes on any answer and resets its count', () => {
    const breaker = new Breaker('vendor', 0);
    failAll(breaker, 0);
    breaker.admit(60_000)?.end('answered', 60_000);
    expect(breaker.room(60_000)).toBe(Number.POSITIVE_INFINITY);
    expect(failAll(breaker, 60_000)).toBe(failuresMax);
    expect(breaker.pauseMs(60_000)).toBe(pausesMs[0]);
  });

  it('limits requests in flight to the failures left before it opens, while the service is in doubt', () => {
    const fresh = new Breaker('vendor', null);
    const admitted = Array.from({ length: 50 }, () => fresh.admit(0)).filter((one) => one !== null);
    expect(admitted.length).toBe(failuresMax);
    admitted[0]?.end('failed', 0, failure());
    expect(fresh.admit(0)).toBeNull();
    expect(fresh.admit(breakerLimits.patienceMs)).toBeNull();
    admitted[1]?.end('answered', 0);
    expect(fresh.room(0)).toBe(Number.POSITIVE_INFINITY);
  });

  it('trusts an unknown service once it has had time to fail and did not', () => {
    const fresh = new Breaker('vendor', null);
    expect(fresh.patienceMs(0)).toBe(breakerLimits.patienceMs);
    fresh.admit(5);
    expect(fresh.patienceMs(5)).toBe(breakerLimits.patienceMs);
    expect(fresh.room(4 + breakerLimits.patienceMs)).toBe(failuresMax);
    expect(fresh.room(5 + breakerLimits.patienceMs)).toBe(Number.POSITIVE_INFINITY);
  });

  it('ignores failures of requests sent before it opened, but closes on a late answer', () => {
    const breaker = new Breaker('vendor', 0);
    const admitted = Array.from({ length: failuresMax + 3 }, () => breaker.admit(0));
    for (const one of admitted.slice(0, failuresMax + 2)) one?.end('failed', 0, failure());
    expect(breaker.pauseMs(0)).toBe(pausesMs[0]);
    admitted.at(-1)?.end('answered', 10);
    expect(breaker.pauseMs(10)).toBe(0);
  });

  it('admits a single request where the last run gave the service up, and pauses as soon as that fails', () => {
    const breaker = new Breaker('vendor', failuresMax);
    expect(failAll(breaker, 0)).toBe(1);
    expect(breaker.pauseMs(0)).toBe(pausesMs[0]);
    const other = new Breaker('vendor', 4);
    expect(other.room(0)).toBe(failuresMax - 4);
  });

  it('probes again after an inconclusive probe', () => {
    const breaker = new Breaker('vendor', 0);
    failAll(breaker, 0);
    breaker.admit(60_000)?.end('neutral', 60_000);
    expect(breaker.room(60_000)).toBe(1);
    expect(breaker.givenUp).toBeNull();
  });
});

describe('the verdict of a circuit breaker', () => {
  it.each([
    ['a timeout', failure({ code: 'TIMEOUT' }), 'failed'],
    ['an answer that was sold and shows nothing', failure({ disposition: 'abandon', charged: 'yes' }), 'failed'],
    ['an unreadable answer', failure({ disposition: 'abandon', charged: 'unknown' }), 'failed'],
    ['a connection that could not be made', failure({ charged: 'no' }), 'failed'],
    ['a wait', failure({ code: 'RATE_LIMIT_EXCEEDED', disposition: 'wait', charged: 'no' }), 'neutral'],
    ['a halt', failure({ code: 'INSUFFICIENT_CREDITS', disposition: 'halt', charged: 'no' }), 'neutral'],
    ['a request refused for its content', failure({ disposition: 'abandon', charged: 'no' }), 'neutral'],
    ['a request that we aborted', failure({ code: 'ABORTED', disposition: 'abandon' }), 'neutral'],
  ] as const)('on %s', (_name, given, verdict) => {
    expect(verdictOn(given)).toBe(verdict);
  });
});

const at = Date.UTC(2026, 0, 15, 6);
const keywords = (count: number, depth = 3) =>
  Array.from({ length: count }, (_, index) => keyword(`k${index}`, { depth }));
async function provide(options: ProviderOptions = {}): Promise<Provider> {
  const provider = await startProvider({ results: () => resultsWith('https://acme.example/', 1), ...options });
  return provider;
}

/** A clock on which providers answer before the breaker's patience ends. */
class PromptClock extends JobClock {
  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return ms === breakerLimits.patienceMs ? new Promise(() => {}) : super.sleep(ms, signal);
  }
}

function worldOf(options: WorldOptions): World {
  const world = new World({ clock: new PromptClock(at), ...options });
  return world;
}

describe('a run', () => {
  const count = 200;
  it.each([
    ['charges and fails', { status: 500, sold: true }],
    ['charges and says nothing readable', 'truncated'],
    ['charges and sends nothing', 'reset-after-sale'],
  ] as const)(`of ${count} keywords at a provider that %s costs at most 13 credits`, async (name, fault) => {
    const provider = await provide({ fault: () => fault });
    const world = worldOf({ provider, projects: [project({ keywords: keywords(count) })], concurrency: 20 });
    const [run] = await world.runSlot(at);
    console.log(`breaker: ${count} keywords at a provider that ${name}: ${provider.sold.serpCredits} credits`);
    expect(provider.sold.serpCredits).toBe(failuresMax + pausesMs.length);
    expect(run).toMatchObject({
      interrupted: false,
      problems: [expect.stringContaining('failed 13 consecutive times')],
    });
    expect(world.store.runs.run(1)).toMatchObject({ state: 'partial', reason: expect.stringContaining('"vendor"') });
    const { deferred, ok, planned, running } = world.store.checks.counts(1);
    expect({ ok, planned, running, most: deferred >= count - 15 }).toEqual({
      ok: 0,
      planned: 0,
      running: 0,
      most: true,
    });
    expect(world.clock.now() - at).toBeGreaterThanOrEqual(pausesMs.reduce((sum, ms) => sum + ms, 0));
    expect(world.broken()).toEqual([]);
  });

  it('sends an unknown slow service its full concurrency once it has had time to fail', async () => {
    const provider = await provide();
    let [underWay, most] = [0, 0];
    const world = worldOf({
      provider,
      clock: new JobClock(at),
      projects: [project({ keywords: keywords(60, 1) })],
      concurrency: 20,
      wrapQueue: (queue) => ({
        ...queue,
        async fetchPage(job, options) {
          underWay += 1;
          most = Math.max(most, underWay);
          return await queue.fetchPage(job, options).finally(() => {
            underWay -= 1;
          });
        },
      }),
    });
    await world.runSlot(at);
    expect(most).toBeGreaterThan(failuresMax);
    expect(world.store.checks.counts(1).ok).toBe(60);
  });

  it('after a run that gave the service up spends no more than one page and the probes', async () => {
    const provider = await provide({ fault: () => 'reset-after-sale' });
    const world = worldOf({ provider, projects: [project({ keywords: keywords(50) })], concurrency: 20 });
    const sold: number[] = [];
    for (const day of [0, 1, 2]) {
      world.clock.set(at + day * 86_400_000);
      const before = provider.sold.serpCredits;
      await world.runSlot(at + day * 86_400_000);
      sold.push(provider.sold.serpCredits - before);
    }
    console.log(`breaker: three runs at a dead provider: ${sold.join(', ')} credits`);
    expect(sold).toEqual([13, 4, 4]);
    expect(world.broken()).toEqual([]);
  });

  it('that outlives a bad hour continues and defers nothing', async () => {
    const provider = await provide({ fault: (nth) => (nth <= 11 ? { status: 502 } : 'ok') });
    const world = worldOf({ provider, projects: [project({ keywords: keywords(30, 1) })], concurrency: 10 });
    await world.runSlot(at);
    expect(world.store.checks.counts(1)).toMatchObject({ ok: 30, deferred: 0 });
    expect(world.credits).toEqual({ spent: 30, unknown: 11, open: 0 });
    expect(world.broken()).toEqual([]);
  });

  it('probes with searches that have not failed in it: a search that always fails does not use up the probes', async () => {
    const isDown = (nth: number) => nth <= failuresMax;
    const provider = await provide({
      fault: (nth, body) => (isDown(nth) || body['keyword'] === 'poison' ? { status: 502 } : 'ok'),
    });
    const all = [keyword('poison', { depth: 1, priority: 'high' }), ...keywords(29, 1)];
    const world = worldOf({ provider, projects: [project({ keywords: all })], concurrency: 10 });
    await world.runSlot(at);
    const asked = provider.requests.map(({ body }) => body['keyword']);
    expect(asked.slice(0, failuresMax)).toContain('poison');
    expect(asked.slice(0, failuresMax)).not.toContain(asked[failuresMax]);
    expect(world.store.checks.counts(1)).toMatchObject({ ok: 29, unknown_paid: 1 });
    expect(world.clock.now() - at).toBeLessThan(pausesMs[0]! + pausesMs[1]!);
  });

  it('probes with the search that has failed the least, where all have failed', async () => {
    let asked = 0;
    const source = memorySource({
      kind: 'live',
      page(request) {
        asked += 1;
        if (asked <= failuresMax || request.keyword === 'poison')
          throw new ServiceError('CONNECTION_FAILED', 'Unreachable.', { charged: 'no' });
        return pageOf(request);
      },
    });
    const clock = new PromptClock(at);
    const services = new Map([['vendor', createSearchDataService({ source, clock })]]);
    const all = [keyword('poison', { depth: 1, priority: 'high' }), ...keywords(4, 1)];
    const world = worldOf({ services, clock, projects: [project({ keywords: all })], concurrency: 5 });
    await world.runSlot(at);
    expect(world.store.checks.counts(1)).toMatchObject({ ok: 4, deferred: 0 });
  });

  it('that gave a service up makes the next run begin with the deferred searches', async () => {
    const provider = await provide({ fault: (nth) => (nth > 20 && nth <= 33 ? 'reset-after-sale' : 'ok') });
    const world = worldOf({ provider, projects: [project({ keywords: keywords(40, 1) })], concurrency: 1 });
    await world.runSlot(at);
    const deferred = world.rows(
      "SELECT k.text FROM checks c JOIN searches s ON s.id = c.search_id JOIN keywords k ON k.id = s.keyword_id WHERE c.state = 'deferred' ORDER BY c.sequence",
    );
    expect(deferred.length).toBeGreaterThan(10);
    const before = provider.requests.length;
    world.clock.set(at + 86_400_000);
    await world.runSlot(at + 86_400_000);
    const first = provider.requests.slice(before, before + deferred.length).map(({ body }) => body['keyword']);
    expect(first).toEqual(deferred.map((row) => row['text']));
    expect(world.store.checks.counts(2).ok).toBe(40);
  });

  it('of two services loses only the dead one', async () => {
    const [dead, well] = [await provide({ fault: () => 'reset-after-sale' }), await provide()];
    const clock = new PromptClock(at);
    const world = worldOf({
      clock,
      services: new Map([
        ['dead', clientOf(dead, clock)],
        ['well', clientOf(well, clock)],
      ]),
      projects: [
        project({ id: 'acme', service: 'dead', keywords: keywords(30, 1) }),
        project({ id: 'globex', service: 'well', keywords: keywords(30, 1) }),
      ],
    });
    await world.runSlot(at);
    expect([dead.sold.serpCredits, well.sold.serpCredits]).toEqual([13, 30]);
    expect(world.store.checks.counts(1)).toMatchObject({ ok: 30, planned: 0, running: 0 });
    expect(world.broken()).toEqual([]);
  });

  it('ends at once when it is stopped while it waits for a service, and is resumed', async () => {
    const provider = await provide({ fault: (nth) => (nth <= failuresMax ? 'reset-before-sale' : 'ok') });
    const clock = new PromptClock(at);
    const world = worldOf({ provider, clock, projects: [project({ keywords: keywords(20, 1) })] });
    const sleep = clock.sleep.bind(clock);
    clock.sleep = (ms, signal) => {
      if (ms === 5000) world.stop();
      return sleep(ms, signal);
    };
    const [stopped] = await world.runSlot(at);
    expect(stopped).toMatchObject({ interrupted: true });
    expect(provider.requests.length).toBe(failuresMax);
    expect(world.store.checks.counts(1)).toMatchObject({ deferred: 0, running: 0 });
    expect(world.credits.open).toBe(0);
  });

  it('of keyword data probes with keywords that have not failed in it', async () => {
    let asked = 0;
    const source = memorySource({
      kind: 'live',
      metrics(request) {
        asked += 1;
        if (asked <= failuresMax || request.keyword === 'poison')
          throw new ServiceError('CONNECTION_FAILED', 'Away.', { charged: 'no' });
        return [metricsOf(request.keyword, 10)];
      },
    });
    const clock = new PromptClock(at);
    const services = new Map([['vendor', createSearchDataService({ source, clock })]]);
    // three tries each: the tenth failure in a row is the first one of the fourth keyword
    const all = [...keywords(3, 1), keyword('poison'), keyword('good'), keyword('better')];
    const volumes = { schedule: '0 4 2 * *', limit: 1 };
    const world = worldOf({ services, clock, projects: [project({ keywords: all, volumes })] });
    clock.set(Date.UTC(2026, 1, 3));
    const [run] = await world.run({ kind: 'due' });
    const asks = source.askedMetrics.map((request) => request.keyword);
    expect(asks.slice(failuresMax - 1)).toEqual(['poison', 'good', 'better', 'poison', 'poison']);
    expect(run?.problems).toHaveLength(4);
    expect(world.rows('SELECT search_volume FROM volumes')).toHaveLength(2);
    expect(world.store.runs.run(run?.runId ?? 0)?.reason).toMatch(/CONNECTION_FAILED/);
  });

  it('of keyword data spends as little at a dead provider', async () => {
    const provider = await provide({ fault: () => 'reset-after-sale' });
    const volumes = { schedule: '0 4 2 * *', limit: 1 };
    const world = worldOf({ provider, projects: [project({ keywords: keywords(200, 1), volumes })] });
    world.clock.set(Date.UTC(2026, 1, 3));
    const [run] = await world.run({ kind: 'due' });
    console.log(`breaker: keyword data of 200 keywords at a dead provider: ${provider.sold.microUsd} micro-USD`);
    expect(provider.requests.length).toBe(13);
    expect(run?.problems.at(-1)).toContain('failed 13 consecutive times');
    expect(world.store.runs.run(run?.runId ?? 0)?.state).toBe('partial');
    expect(world.broken()).toEqual([]);
  });
});
