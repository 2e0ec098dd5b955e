// Values in Redis are untrusted input: forged ones spend nothing uncounted, crash nothing and break no later run.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { zstdCompressSync } from 'node:zlib';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { attemptKey } from '../../../../jobs/queue/bullmq/attempt.ts';
import { keyPrefix } from '../../../../jobs/queue/bullmq/redis.ts';
import type { PageJob, PageOutcome } from '../../../../jobs/queue/queue.ts';
import { createSearchDataService, type SearchDataService, systemClock } from '../../../../src/service/index.ts';
import { service } from '../../../helpers/jobs.ts';
import { memorySource, pageOf } from '../../../helpers/memory-source.ts';
import { describeWithRedis, RedisServer } from '../../../helpers/redis.ts';
import { Fleet } from '../../../helpers/redis-queue.ts';

const never = new AbortController().signal;
const signingKey = 'a key that all coordinators and workers share';

function job(text: string): PageJob {
  const request = { keyword: text, country: 'US', language: 'en', mobile: false, page: 1 };
  return { service, request, at: 1, requestKey: `rl-${text}`, order: 0 };
}

const asked = { signal: never, stop: never, beforeSend: async () => 1 };
const zstd = (value: unknown): Buffer => zstdCompressSync(JSON.stringify(value) ?? '');
const answer = {
  serp: { organic: [{ rank: 1, title: 'Forged', link: 'https://forged.example/' }] },
  features: [],
  page: 1,
  body: { contentType: 'text/html', text: '' },
  observedAt: 1,
};
const failure = {
  ...{ code: 'TIMEOUT', message: 'm', hint: 'h', disposition: 'retry', charged: 'no', retryAfterMs: null, body: null },
};
const malformed: readonly (readonly [string, Buffer])[] = [
  ['null', zstd(null)],
  ['a number', zstd(7)],
  ['an empty object', zstd({})],
  ['an answer without a page', zstd({ ok: true })],
  ['results that are no list', zstd({ ok: true, answer: { ...answer, serp: { organic: 'x' } } })],
  ['a result without a link', zstd({ ok: true, answer: { ...answer, serp: { organic: [{ rank: 1, title: '' }] } } })],
  ['a body that is not text', zstd({ ok: true, answer: { ...answer, body: { contentType: 'text/html', text: 5 } } })],
  ['a moment that is not a number', zstd({ ok: true, answer: { ...answer, observedAt: 'now' } })],
  ['a date that is none', zstd({ ok: true, answer, answeredAt: 1e16 })],
  ['a failure with an unknown code', zstd({ ok: false, failure: { ...failure, code: 'FREE_LUNCH' } })],
  ['a failure that claims another charge', zstd({ ok: false, failure: { ...failure, charged: 'refund' } })],
  ['bytes that are not zstd', Buffer.from('nonsense')],
  ['no bytes', Buffer.alloc(0)],
  ['JSON that is cut off', zstdCompressSync('{"ok":true,"answer":{')],
];

it('a compressed bomb in Redis takes no more than 50 MiB: half a megabyte that inflates to 16 GiB', async () => {
  const child = join(import.meta.dirname, '../../../helpers/bomb-child.ts');
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', child]);
  const { refused, moreMiB, bytes } = JSON.parse(stdout) as { refused: string; moreMiB: number; bytes: number };
  console.log(`a bomb of ${bytes} bytes that inflates to 16 GiB took ${moreMiB} MiB more`);
  expect(refused).toBe('UNREADABLE_RESPONSE unknown');
  expect(moreMiB).toBeLessThan(50);
});

describeWithRedis('a forged value in Redis', () => {
  let server: RedisServer;
  let redis: Redis;
  const fleets: Fleet[] = [];
  beforeAll(async () => {
    server = await RedisServer.start();
    redis = new Redis(server.url, { maxRetriesPerRequest: null });
  });
  afterAll(async () => {
    redis.disconnect();
    await server.remove();
  });
  afterEach(async () => {
    for (const fleet of fleets.splice(0)) await fleet.close();
  });

  function fleetOf(key: string | null = null): Fleet {
    const fleet = new Fleet(server);
    fleet.signingKey = key;
    fleets.push(fleet);
    return fleet;
  }

  function scripted(): { readonly services: ReadonlyMap<string, SearchDataService>; readonly asked: string[] } {
    const source = memorySource({ kind: 'live' });
    const services = new Map([[service, createSearchDataService({ source, clock: systemClock })]]);
    return { services, asked: source.asked as unknown as string[] };
  }

  /** Writes bytes as the outcome of the first attempt, as anyone with access to Redis could, and requests the page. */
  async function forged(fleet: Fleet, text: string, bytes: Buffer): Promise<PageOutcome> {
    const queue = await fleet.coordinator();
    await redis.hset(attemptKey(fleet.queued, `rl-${text}-1`), {
      end: 'outcome',
      payer: 'coordinator',
      outcome: bytes,
    });
    return await queue.fetchPage(job(text), asked);
  }

  it.each(malformed)('as an outcome is dropped, logged, and counts as spent: %s', async (name, bytes) => {
    const fleet = fleetOf();
    const outcome = await forged(fleet, `malformed ${name}`, bytes);
    expect(outcome).toMatchObject({
      ok: false,
      failure: { code: 'UNREADABLE_RESPONSE', charged: 'unknown', disposition: 'abandon' },
    });
    expect(fleet.log.lines.join('\n')).toContain('outcome in Redis rejected and dropped');
    expect(await redis.hexists(attemptKey(fleet.queued, `rl-malformed ${name}-1`), 'outcome')).toBe(0);
  });

  it('leaves the queue intact: the next page is bought as usual', async () => {
    const fleet = fleetOf();
    await forged(fleet, 'broken', zstd(null));
    const { services } = scripted();
    await fleet.worker(services);
    const queue = await fleet.coordinator();
    expect(await queue.fetchPage(job('sound'), asked)).toMatchObject({ ok: true });
  });

  it('as an outcome is believed only with our signature, where a key is set', async () => {
    const fleet = fleetOf(signingKey);
    const outcome = await forged(fleet, 'forged', zstd({ ok: true, answer }));
    expect(outcome).toMatchObject({ ok: false, failure: { charged: 'unknown', disposition: 'halt' } });
    expect(outcome).toMatchObject({ failure: { message: expect.stringContaining('it is not signed') } });
  });

  it('as an outcome is rejected if its signature belongs to another request', async () => {
    const fleet = fleetOf(signingKey);
    await fleet.worker(scripted().services);
    const queue = await fleet.coordinator();
    expect(await queue.fetchPage(job('first'), asked)).toMatchObject({ ok: true });
    const stolen = await redis.hgetBuffer(attemptKey(fleet.queued, 'rl-first-1'), 'outcome');
    const outcome = await forged(fleet, 'second', stolen ?? Buffer.alloc(0));
    expect(outcome).toMatchObject({
      ok: false,
      failure: { message: expect.stringContaining('it is signed with another queue.signingKey') },
    });
  });

  it('as an outcome is not fetched if it is larger than any of ours', async () => {
    const outcome = await forged(fleetOf(), 'huge', randomBytes(49 * 1024 * 1024));
    expect(outcome).toMatchObject({ ok: false, failure: { code: 'CONNECTION_LOST', charged: 'unknown' } });
  });

  it.each([
    ['null', null],
    ['an empty object', {}],
    ['a request without a keyword', { page: { ...job('x'), request: {} }, payer: 'me' }],
    ['an unsigned request where a key is set', { page: job('unsigned'), payer: 'me' }],
    ['a request with a malformed signature', { page: job('x'), payer: 'me', seal: 'AAAA' }],
  ])('as a job buys nothing at a worker with a key: %s', async (name, data) => {
    const fleet = fleetOf(signingKey);
    const { services, asked: bought } = scripted();
    await fleet.worker(services);
    const queue = new Queue(fleet.queued.queue, { connection: redis, prefix: keyPrefix, skipMetasUpdate: true });
    const jobId = `forged-${name}`;
    await queue.add('page', data, { jobId });
    while ((await redis.hget(attemptKey(fleet.queued, jobId), 'end')) === null) await turn();
    await queue.close();
    expect(bought).toEqual([]);
    expect(fleet.log.lines.join('\n')).toContain('request in Redis rejected');
  });

  it.each([
    ['after its page was bought', 'open'],
    ['while its page is in flight', 'in flight'],
    ['after its coordinator ended', 'closed'],
  ] as const)('as the copy of a signed job buys nothing: %s', async (_, moment) => {
    const fleet = fleetOf(signingKey);
    const gate = Promise.withResolvers<void>();
    const source = memorySource({
      kind: 'live',
      page: async (request) => {
        if (moment === 'in flight') await gate.promise;
        return pageOf(request);
      },
    });
    const services = new Map([[service, createSearchDataService({ source, clock: systemClock })]]);
    // an eavesdropper keeps the job, its record and every message
    const ear = new Redis(server.url);
    const overheard: [string, string][] = [];
    ear.on('pmessage', (_pattern, channel, message) => void overheard.push([channel, message]));
    await ear.psubscribe('rankledger:*');
    const queue = await fleet.coordinator();
    const page = queue.fetchPage(job('captured'), asked);
    const [jobId, key] = ['rl-captured-1', attemptKey(fleet.queued, 'rl-captured-1')];
    const written = `${keyPrefix}:${fleet.queued.queue}:${jobId}`;
    while ((await redis.exists(written)) === 0) await turn();
    const [data, record] = [await redis.hget(written, 'data'), await redis.hgetall(key)];
    await fleet.worker(services);
    await fleet.worker(services);
    while (source.asked.length === 0) await turn();
    if (moment !== 'in flight') expect(await page).toMatchObject({ ok: true });
    if (moment === 'closed') await queue.close();
    const [heard, logged] = [[...overheard], fleet.log.lines.length];
    await redis.del(key, written);
    await redis.hset(key, record);
    const replayed = new Queue(fleet.queued.queue, { connection: redis, prefix: keyPrefix, skipMetasUpdate: true });
    await replayed.add('page', JSON.parse(data ?? ''), { jobId });
    // a worker takes it, and is refused, or finds that another has begun it
    while ((await redis.exists(written)) === 1) {
      for (const [channel, message] of heard) await redis.publish(channel, message);
      await turn();
    }
    expect(source.asked).toHaveLength(1);
    const isRefused = fleet.log.lines.slice(logged).some((line) => line.includes('no coordinator has it open'));
    if (moment !== 'in flight') expect(isRefused).toBe(true);
    gate.resolve();
    if (moment === 'in flight') await page;
    expect(source.asked).toHaveLength(1);
    await replayed.close();
    ear.disconnect();
  });

  it('differs from a request of a coordinator without the key, which halts and says what to set', async () => {
    const fleet = fleetOf();
    const { services, asked: bought } = scripted();
    await fleet.worker(services, 4, signingKey);
    const queue = await fleet.coordinator();
    const outcome = await queue.fetchPage(job('no key here'), asked);
    expect(bought).toEqual([]);
    expect(outcome).toMatchObject({
      ok: false,
      failure: { disposition: 'halt', hint: expect.stringContaining('queue.signingKey') },
    });
  });
});
