// A power cut loses the end of Redis's log: what the log says afterwards does not prove that nothing was sent.
import { afterEach, expect, it } from 'vitest';
import type { OpenAttempt, PageJob } from '../../../../jobs/queue/queue.ts';
import { createSearchDataService, systemClock } from '../../../../src/service/index.ts';
import { service } from '../../../helpers/jobs.ts';
import { memorySource } from '../../../helpers/memory-source.ts';
import { describeWithRedis, type Persistence, RedisServer } from '../../../helpers/redis.ts';
import { Fleet } from '../../../helpers/redis-queue.ts';

const never = new AbortController().signal;
const at = Date.UTC(2026, 0, 15, 6);

function job(text: string): PageJob {
  const request = { keyword: text, country: 'US', language: 'en', mobile: false, page: 1 };
  return { service, request, at, requestKey: `rl-${text}`, order: 0 };
}
const attemptOf = (text: string): OpenAttempt => ({ ...job(text), attempt: 1 });

describeWithRedis('a power cut of Redis', () => {
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  /** Queues a page; if `isSold`, a worker begins it and it is sold; then Redis, worker and coordinator lose power. */
  async function recalledAfterPowerCut(persistence: Persistence, isSold: boolean) {
    const redis = await RedisServer.start(persistence);
    closing.push(() => redis.remove());
    const fleet = new Fleet(redis);
    closing.push(() => fleet.close());
    const dying = await fleet.coordinator('me');
    void dying.fetchPage(job('shoes'), { signal: never, stop: never, beforeSend: async () => 1 });
    const waiting = `rankledger:${fleet.queued.queue}:prioritized`;
    await redis.ask(async (client) => {
      while ((await client.zcard(waiting)) !== 1) await new Promise((next) => setImmediate(next));
    });
    const synced = redis.logBytes;
    const workers = new Fleet(redis);
    Object.assign(workers, { queued: fleet.queued });
    if (isSold) {
      const sold = Promise.withResolvers<void>();
      const source = memorySource({
        kind: 'live',
        page() {
          sold.resolve();
          return new Promise(() => undefined);
        },
      });
      await workers.worker(new Map([[service, createSearchDataService({ source, clock: systemClock })]]));
      await sold.promise;
    }
    await redis.cutPower(persistence === 'everysec' ? synced : redis.logBytes);
    await workers.close();
    await dying.close();
    await redis.start();
    const next = await fleet.coordinator('me');
    return await next.recall(attemptOf('shoes'), never);
  }

  it('leaves a sold page unknown where the log was synced once per second', async () => {
    expect(await recalledAfterPowerCut('everysec', true)).toEqual({ kind: 'lost' });
  });

  it('leaves an unsold page unknown where the log was synced once per second', async () => {
    expect(await recalledAfterPowerCut('everysec', false)).toEqual({ kind: 'lost' });
  });

  it('leaves a sold page unknown where the log was synced at each write', async () => {
    expect(await recalledAfterPowerCut('aof', true)).toEqual({ kind: 'lost' });
  });

  it('proves that a page was never sent where the log was synced at each write', async () => {
    expect(await recalledAfterPowerCut('aof', false)).toEqual({ kind: 'never-sent' });
  });
});
