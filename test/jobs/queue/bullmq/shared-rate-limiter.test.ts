// Turns over a real Redis: what BullMQ counts and what it pauses holds for requests that no queue carries, and the other way round.
import { Queue } from 'bullmq';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { keyPrefix, type QueuedService } from '../../../../jobs/queue/bullmq/redis.ts';
import { openSharedRateLimiter } from '../../../../jobs/queue/bullmq/shared-rate-limiter.ts';
import type { RateLimiter } from '../../../../jobs/queue/paced-service.ts';
import type { FetchOptions, PageJob } from '../../../../jobs/queue/queue.ts';
import {
  type Clock,
  createSearchDataService,
  type SearchDataService,
  ServiceError,
  systemClock,
} from '../../../../src/service/index.ts';
import { service } from '../../../helpers/jobs.ts';
import { memorySource, pageOf } from '../../../helpers/memory-source.ts';
import { describeWithRedis, RedisServer } from '../../../helpers/redis.ts';
import { Fleet, queuedService } from '../../../helpers/redis-queue.ts';

const never = new AbortController().signal;
const asked: FetchOptions = { signal: never, stop: never, beforeSend: async () => 1 };
const job = (text: string): PageJob => {
  const request = { keyword: text, country: 'US', language: 'en', mobile: false, page: 1 };
  return { service, request, at: 0, requestKey: `rl-${text}`, order: 0 };
};
const throttled = new ServiceError('RATE_LIMIT_EXCEEDED', 'Too fast.', { retryAfterMs: 60_000 });
const answerMaxMs = 2000;
/** One request in 100 s: no test takes that long. */
const slow = 0.01;

/** Waits are told and skipped, but for those on Redis itself, which answers or is away: it is waited for as long as the machine needs. */
class SkippingClock implements Clock {
  readonly waits: number[] = [];
  /** What happens while one waits. */
  meanwhile: () => Promise<unknown> = async () => {};
  now = () => systemClock.now();
  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (ms === answerMaxMs) return await systemClock.sleep(Number.MAX_SAFE_INTEGER, signal);
    signal?.throwIfAborted();
    this.waits.push(ms);
    await this.meanwhile();
  }
}

describeWithRedis('turns', () => {
  let redis: RedisServer;
  const closing: (() => unknown)[] = [];
  beforeAll(async () => {
    redis = await RedisServer.start();
  });
  afterAll(() => redis.remove());
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  function turnsOf(queued: QueuedService, redisUrl = redis.url) {
    const clock = new SkippingClock();
    const told: string[] = [];
    const turns: RateLimiter = openSharedRateLimiter({
      redisUrl,
      services: [queued],
      clock,
      onNotice: (words) => told.push(words),
    });
    closing.push(() => turns.close());
    return { turns, waits: clock.waits, told, clock };
  }

  /** How long BullMQ holds its own workers back, as it says itself. */
  async function ttlOf(queued: QueuedService, max?: number): Promise<number> {
    const connection = { host: '127.0.0.1', port: redis.port };
    const queue = new Queue(queued.queue, { connection, prefix: keyPrefix });
    try {
      return await queue.getRateLimitTtl(max);
    } finally {
      await queue.close();
    }
  }

  /** A worker, a coordinator and what the provider answers them. */
  async function fleetOf(
    answer: () => void = () => {},
  ): Promise<{ fleet: Fleet; page: (text: string) => Promise<unknown> }> {
    const fleet = new Fleet(redis, { requestsPerSecond: slow });
    closing.push(() => fleet.close());
    const source = memorySource({
      kind: 'live',
      page(request) {
        answer();
        return pageOf(request);
      },
    });
    const services = new Map<string, SearchDataService>([
      [service, createSearchDataService({ source, clock: systemClock })],
    ]);
    await fleet.worker(services);
    const queue = await fleet.coordinator();
    return { fleet, page: (text) => queue.fetchPage(job(text), asked) };
  }

  it('come after the pages of workers, each with a place of its own', async () => {
    const { fleet, page } = await fleetOf();
    await page('shoes');
    const { turns, waits, told } = turnsOf(fleet.queued);
    await turns.acquire(service);
    await turns.acquire(service);
    expect(waits).toHaveLength(2);
    expect(waits[0]).toBeGreaterThan(50_000);
    expect(waits[1]).toBeGreaterThan((waits[0] ?? 0) + 50_000);
    expect(told[0]).toMatch(/^Service "vendor": workers use up its rate limit; the request is sent in \d+ s\.$/);
    // and the next page comes after both
    expect(await ttlOf(fleet.queued, 1)).toBeGreaterThan((waits[1] ?? 0) + 50_000);
  });

  it('count for workers as well', async () => {
    const queued = queuedService({ requestsPerSecond: slow });
    const { turns, waits } = turnsOf(queued);
    expect(await ttlOf(queued, 1)).toBe(0);
    await turns.acquire(service);
    expect(waits).toEqual([]);
    expect(await ttlOf(queued, 1)).toBeGreaterThan(50_000);
  });

  it('heed the pause that a page was told', async () => {
    const { fleet, page } = await fleetOf(() => {
      throw throttled.with({ retryAfterMs: 900_000 });
    });
    await page('shoes');
    const { turns, waits, told, clock } = turnsOf(fleet.queued);
    clock.meanwhile = () => redis.flush();
    await turns.acquire(service);
    expect(waits).toHaveLength(1);
    expect(waits[0]).toBeGreaterThan(600_000);
    expect(told[0]).toContain('its provider requires all workers to wait');
  });

  it('hold workers back where they are told to wait, for the longest that was said', async () => {
    const queued = queuedService();
    const { turns, waits } = turnsOf(queued);
    await turns.acquire(service);
    expect(waits).toEqual([]);
    await turns.onFailure(service, throttled);
    await turns.onFailure(service, new ServiceError('INSUFFICIENT_CREDITS', 'Empty.'));
    expect(await ttlOf(queued)).toBeGreaterThan(30_000);
    const other = queuedService();
    await turnsOf(other).turns.onFailure(service, new ServiceError('SERP_FAILED', 'It broke.'));
    expect(await ttlOf(other)).toBe(-2);
  });

  it('that are waited for are looked at again: a pause that came meanwhile holds', async () => {
    const queued = queuedService({ requestsPerSecond: slow });
    const { turns, waits, clock } = turnsOf(queued);
    await turns.acquire(service);
    clock.meanwhile = async () => {
      if (waits.length === 1)
        await turnsOf(queued).turns.onFailure(
          service,
          new ServiceError('RATE_LIMIT_EXCEEDED', 'Too fast.', { retryAfterMs: 900_000 }),
        );
      else await redis.flush();
    };
    await turns.acquire(service);
    expect(waits).toHaveLength(2);
    expect(waits[1]).toBeGreaterThan(600_000);
  });

  it('that nobody waits for any more end, and nothing has left', async () => {
    const queued = queuedService();
    const { turns } = turnsOf(queued);
    await turns.onFailure(service, throttled);
    const failure = { code: 'ABORTED', charged: 'no' };
    await expect(turns.acquire(service, AbortSignal.abort())).rejects.toMatchObject(failure);
  });

  it('without Redis are anybody’s: that is said once, without the password, and again after it was back', async () => {
    const own = await RedisServer.start();
    closing.push(() => own.remove());
    const queued = queuedService({ requestsPerSecond: slow });
    const { turns, waits, told } = turnsOf(queued, own.url.replace('redis://', 'redis://:secret-word@'));
    await own.kill();
    for (const _ of [1, 2]) await turns.acquire(service);
    await turns.onFailure(service, throttled);
    expect([waits, told]).toEqual([[], [expect.stringContaining(`Redis at 127.0.0.1:${own.port}/0 does not answer`)]]);
    expect(told[0]).toContain('without the shared rate limit and pauses');
    expect(told[0]).not.toContain('secret-word');
  });
});
