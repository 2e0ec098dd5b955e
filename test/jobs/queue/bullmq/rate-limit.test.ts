// The shared rate limiter over a real Redis: workers and requests outside the queue share limits and pauses.
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { openSharedRateLimiter, takeTurn, turnKey } from '../../../../jobs/queue/bullmq/rate-limit.ts';
import { keyPrefix, type QueuedService } from '../../../../jobs/queue/bullmq/redis.ts';
import type { FetchOptions, PageJob, RateLimiter } from '../../../../jobs/queue/queue.ts';
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
/** One request in 100 s: no test takes that long. */
const slow = 0.01;

/** BullMQ counts that far, or further, only where it holds workers back. */
const heldMin = 1_000_000;

/** Records waits and skips them. */
class SkippingClock implements Clock {
  readonly waits: number[] = [];
  /** Runs during a wait. */
  meanwhile: () => Promise<unknown> = async () => {};
  now = () => systemClock.now();
  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.waits.push(ms);
    await this.meanwhile();
  }
}

describeWithRedis('requests outside the queue', () => {
  let redis: RedisServer;
  const closing: (() => unknown)[] = [];
  beforeAll(async () => {
    redis = await RedisServer.start();
  });
  afterAll(() => redis.remove());
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  it('and pages take turns so far apart that no second holds more than the limit, and not much further', async () => {
    const client = new Redis(redis.url);
    closing.push(() => client.disconnect());
    const second = 1_000_000;
    for (let perSecond = 1; perSecond <= 2000; perSecond += 1) {
      const queued = queuedService({ requestsPerSecond: perSecond });
      const key = turnKey(queued);
      // not free for a minute: no turn is late
      await client.set(key, (Date.now() + 60_000) * 1000);
      const nextFree = async () => Number((await Promise.all([takeTurn(client, queued, 120_000), client.get(key)]))[1]);
      const [first, next, last] = await Promise.all([nextFree(), nextFree(), nextFree()]);
      for (const apart of [next - first, last - next]) {
        expect(apart * perSecond, `${perSecond}`).toBeGreaterThanOrEqual(second);
        expect(apart * perSecond, `${perSecond}`).toBeLessThan(second * 1.01);
      }
    }
  });

  function limiterOf(queued: QueuedService, redisUrl = redis.url) {
    const clock = new SkippingClock();
    const notices: string[] = [];
    const limiter: RateLimiter = openSharedRateLimiter({
      redisUrl,
      services: [queued],
      clock,
      onNotice: (words) => notices.push(words),
    });
    closing.push(() => limiter.close());
    return { limiter, waits: clock.waits, notices, clock };
  }

  /** Resolves when BullMQ holds its workers back, with how long, by its own account. */
  async function untilHeld(queued: QueuedService): Promise<number> {
    const connection = { host: '127.0.0.1', port: redis.port };
    const queue = new Queue(queued.queue, { connection, prefix: keyPrefix });
    try {
      return await vi.waitUntil(async () => Math.max(await queue.getRateLimitTtl(heldMin), 0), { timeout: 30_000 });
    } finally {
      await queue.close();
    }
  }

  /** A worker, a coordinator and the answers of their provider. */
  async function fleetOf(
    answer: () => void = () => {},
    requestsPerSecond: number | null = slow,
  ): Promise<{ fleet: Fleet; page: (text: string) => Promise<unknown> }> {
    const fleet = new Fleet(redis, { requestsPerSecond });
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

  it('wait for the rate that workers use, each for its own share', async () => {
    const { fleet, page } = await fleetOf();
    await page('shoes');
    const { limiter, waits, notices } = limiterOf(fleet.queued);
    await limiter.acquire(service);
    await limiter.acquire(service);
    expect(waits).toHaveLength(2);
    expect(waits[0]).toBeGreaterThan(50_000);
    expect(waits[1]).toBeGreaterThan((waits[0] ?? 0) + 50_000);
    expect(notices[0]).toMatch(/^Service "vendor": workers use up its rate limit; the request is sent in \d+ s\.$/);
    // and the next page comes after both
    void page('boots');
    expect(await untilHeld(fleet.queued)).toBeGreaterThan((waits[1] ?? 0) + 50_000);
  });

  it('count against the rate limit of workers', async () => {
    const { fleet, page } = await fleetOf();
    const { limiter, waits } = limiterOf(fleet.queued);
    await limiter.acquire(service);
    expect(waits).toEqual([]);
    void page('shoes');
    expect(await untilHeld(fleet.queued)).toBeGreaterThan(50_000);
  });

  it('wait for the pause that a provider required of a page', async () => {
    const { fleet, page } = await fleetOf(() => {
      throw throttled.with({ retryAfterMs: 900_000 });
    });
    await page('shoes');
    const { limiter, waits, notices, clock } = limiterOf(fleet.queued);
    clock.meanwhile = () => redis.flush();
    await limiter.acquire(service);
    expect(waits).toHaveLength(1);
    expect(waits[0]).toBeGreaterThan(600_000);
    expect(notices[0]).toContain('its provider requires all workers to wait');
  });

  it('make workers wait where the provider requires a pause, for the longest one', async () => {
    const { fleet, page } = await fleetOf(undefined, null);
    const { limiter, waits } = limiterOf(fleet.queued);
    await limiter.acquire(service);
    expect(waits).toEqual([]);
    await limiter.onFailure(service, new ServiceError('SERP_FAILED', 'It broke.'));
    expect(await page('shoes')).toMatchObject({ ok: true });
    await limiter.onFailure(service, throttled);
    await limiter.onFailure(service, new ServiceError('INSUFFICIENT_CREDITS', 'Empty.'));
    void page('boots');
    expect(await untilHeld(fleet.queued)).toBeGreaterThan(30_000);
  });

  it('check again after a wait: a pause that began meanwhile applies', async () => {
    const queued = queuedService({ requestsPerSecond: slow });
    const { limiter, waits, clock } = limiterOf(queued);
    await limiter.acquire(service);
    clock.meanwhile = async () => {
      if (waits.length === 1)
        await limiterOf(queued).limiter.onFailure(
          service,
          new ServiceError('RATE_LIMIT_EXCEEDED', 'Too fast.', { retryAfterMs: 900_000 }),
        );
      else await redis.flush();
    };
    await limiter.acquire(service);
    expect(waits).toHaveLength(2);
    expect(waits[1]).toBeGreaterThan(600_000);
  });

  it('end when they are aborted, and send nothing', async () => {
    const queued = queuedService();
    const { limiter } = limiterOf(queued);
    await limiter.onFailure(service, throttled);
    const failure = { code: 'ABORTED', charged: 'no' };
    await expect(limiter.acquire(service, AbortSignal.abort())).rejects.toMatchObject(failure);
  });

  it('proceed without Redis: the first one says so without the password, and again after an outage', async () => {
    const own = await RedisServer.start();
    closing.push(() => own.remove());
    const queued = queuedService({ requestsPerSecond: slow });
    const { limiter, waits, notices } = limiterOf(queued, own.url.replace('redis://', 'redis://:secret-word@'));
    await own.kill();
    for (const _ of [1, 2]) await limiter.acquire(service);
    await limiter.onFailure(service, throttled);
    expect([waits, notices]).toEqual([
      [],
      [expect.stringContaining(`Redis at 127.0.0.1:${own.port}/0 does not answer`)],
    ]);
    expect(notices[0]).toContain('without the shared rate limit and pauses');
    expect(notices[0]).not.toContain('secret-word');
  });
});
