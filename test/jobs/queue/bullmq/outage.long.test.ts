// A coordinator that loses Redis at the worst moments: each attempt continues within seconds, and none begins twice.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { FetchOptions, PageJob } from '../../../../jobs/queue/queue.ts';
import { createSearchDataService, type SearchDataService, systemClock } from '../../../../src/service/index.ts';
import { service } from '../../../helpers/jobs.ts';
import { memorySource, pageOf } from '../../../helpers/memory-source.ts';
import { startProvider } from '../../../helpers/provider.ts';
import { describeWithRedis, RedisServer } from '../../../helpers/redis.ts';
import { type Cut, RedisRelay } from '../../../helpers/redis-cut.ts';
import { Fleet } from '../../../helpers/redis-queue.ts';

const program = join(import.meta.dirname, '../../../helpers/worker-child.ts');
/** BullMQ's timer of its wait for a job runs for 5 seconds at most. */
const endMsMax = 15_000;
const never = new AbortController().signal;
const asked: FetchOptions = { signal: never, stop: never, beforeSend: async () => 1 };

function job(text: string): PageJob {
  const request = { keyword: text, country: 'US', language: 'en', mobile: false, page: 1 };
  return { service, request, at: Date.UTC(2026, 0, 15, 6), requestKey: `rl-${text}`, order: 0 };
}

/** A source whose pages wait until `open` is called. */
function gated() {
  const gate = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const seen: string[] = [];
  const source = memorySource({
    kind: 'live',
    async page(request) {
      seen.push(request.keyword);
      begun.resolve();
      await gate.promise;
      return pageOf(request);
    },
  });
  const services: ReadonlyMap<string, SearchDataService> = new Map([
    [service, createSearchDataService({ source, clock: systemClock })],
  ]);
  return { services, seen, begun: begun.promise, open: gate.resolve };
}

/** Only jobs contain a request to fetch. */
const atJob = (bytes: string): boolean => bytes.includes('"requestKey"');

describeWithRedis('a coordinator that loses Redis', () => {
  let redis: RedisServer;
  const fleets: Fleet[] = [];
  const relays: RedisRelay[] = [];
  beforeAll(async () => {
    redis = await RedisServer.start();
  });
  afterAll(() => redis.remove());
  afterEach(async () => {
    for (const fleet of fleets.splice(0)) await fleet.close();
    for (const relay of relays.splice(0)) await relay.close();
  });

  /** A fleet whose workers reach Redis directly, and whose coordinator reaches it through a relay that is cut. */
  async function cutOff(cut: Cut) {
    const relay = await RedisRelay.start(redis, cut);
    const fleet = new Fleet(redis);
    relays.push(relay);
    fleets.push(fleet);
    return { relay, fleet, coordinator: () => fleet.coordinator('me', 4, relay.url) };
  }

  it('while its queue opens continues with a working connection', async () => {
    const atQuestion = (bytes: string): boolean => bytes.includes('appendfsync');
    const { relay, fleet, coordinator } = await cutOff({ at: atQuestion, isDelivered: false });
    const { services, seen, open } = gated();
    open();
    await fleet.worker(services);
    const queue = await coordinator();
    await relay.isCut;
    expect(await queue.fetchPage(job('opening'), asked)).toMatchObject({ ok: true });
    expect(seen).toEqual(['opening']);
  });

  it('after it stored the attempt and before it added the job adds the job', async () => {
    const { relay, fleet, coordinator } = await cutOff({ at: atJob, isDelivered: false });
    const { services, seen, open } = gated();
    open();
    await fleet.worker(services);
    const queue = await coordinator();
    const fetching = queue.fetchPage(job('not added'), asked);
    await relay.isCut;
    expect(await fetching).toMatchObject({ ok: true });
    expect(seen).toEqual(['not added']);
  });

  it('after the job was added but before the reply arrived adds no second job', async () => {
    const { relay, fleet, coordinator } = await cutOff({ at: atJob, isDelivered: true });
    const { services, seen, open } = gated();
    const queue = await coordinator();
    const fetching = queue.fetchPage(job('added'), asked);
    await relay.isCut;
    const [waiting] = await redis.ask((client) =>
      Promise.all([client.zcard(`rankledger:${fleet.queued.queue}:prioritized`)]),
    );
    expect(waiting).toBe(1);
    open();
    await fleet.worker(services);
    expect(await fetching).toMatchObject({ ok: true });
    expect(seen).toEqual(['added']);
  });

  it('that then loses its data: an attempt whose job may have been added counts as unknown', async () => {
    const { fleet, coordinator } = await cutOff({ at: atJob, isDelivered: true, meanwhile: () => redis.flush() });
    const { services, seen, open } = gated();
    open();
    const queue = await coordinator();
    const fetching = queue.fetchPage(job('forgotten'), asked);
    expect(await fetching).toMatchObject({
      failure: { code: 'CONNECTION_LOST', disposition: 'retry', charged: 'unknown' },
    });
    await fleet.worker(services);
    expect(await queue.fetchPage(job('later'), asked)).toMatchObject({ ok: true });
    expect(seen).toEqual(['later']);
  });

  it('that then loses its data while a worker fetches the page: the answer is accepted, and the page is requested once', async () => {
    const { services, seen, begun, open } = gated();
    const meanwhile = async (): Promise<void> => {
      await begun;
      await redis.flush();
    };
    const { relay, fleet, coordinator } = await cutOff({ at: atJob, isDelivered: true, meanwhile });
    await fleet.worker(services);
    const queue = await coordinator();
    const fetching = queue.fetchPage(job('under way'), asked);
    await relay.isCut;
    open();
    expect(await fetching).toMatchObject({ ok: true });
    expect(seen).toEqual(['under way']);
  });
});

describeWithRedis('a worker whose Redis is full', () => {
  it('delivers its answer repeatedly until Redis accepts it', async () => {
    const server = await RedisServer.start();
    const fleet = new Fleet(server);
    const { services, seen, begun, open } = gated();
    try {
      await fleet.worker(services);
      const queue = await fleet.coordinator();
      const fetching = queue.fetchPage(job('answered'), asked);
      await begun;
      await server.ask((client) => client.config('SET', 'maxmemory', '1'));
      open();
      const isRefused = (): boolean =>
        fleet.log.lines.some((line) => line.startsWith('outcome could not be delivered to Redis'));
      for (let pings = 0; pings < 100 && !isRefused(); pings++) await server.ask((client) => client.ping());
      await server.ask((client) => client.config('SET', 'maxmemory', '0'));
      expect(await fetching).toMatchObject({ ok: true });
      expect(seen).toEqual(['answered']);
      expect(isRefused()).toBe(true);
    } finally {
      await fleet.close();
      await server.remove();
    }
  });
});

describeWithRedis('the operator', () => {
  it('gets a sentence when Redis is away or refuses writes, and one when it is back', async () => {
    const server = await RedisServer.start();
    const fleet = new Fleet(server);
    const { services, open } = gated();
    open();
    try {
      const queue = await fleet.coordinator();
      await server.kill();
      await fleet.untilNotices(1);
      await server.start();
      await fleet.untilNotices(2);
      await server.ask((client) => client.config('SET', 'maxmemory', '1'));
      const fetching = queue.fetchPage(job('waits'), asked);
      await fleet.untilNotices(3);
      await server.ask((client) => client.config('SET', 'maxmemory', '0'));
      await fleet.untilNotices(4);
      await fleet.worker(services);
      expect(await fetching).toMatchObject({ ok: true });
      const address = `Redis at ${server.url.replace('redis://', '')}/0`;
      expect(fleet.notices).toEqual([
        `${address} does not answer. The run waits for it, at most 10 minutes.`,
        'Redis is back.',
        expect.stringMatching(/ refuses writes \(OOM .*\)\. The run waits for it, at most 10 minutes\.$/),
        'Redis is back.',
      ]);
    } finally {
      await fleet.close();
      await server.remove();
    }
  });
});

describeWithRedis('a worker that stops while Redis is away', () => {
  it.each([0, 1])('ends its process, with %i requests in flight', async (inFlight) => {
    const server = await RedisServer.start();
    const provider = await startProvider();
    const fleet = new Fleet(server);
    const given = [server.url, fleet.queued.queue, '2', provider.url, provider.user, provider.password, '100'];
    const child = spawn(process.execPath, [program, ...given], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      await once(child.stdout, 'data');
      provider.next('hang-before-sale');
      const queue = await fleet.coordinator();
      if (inFlight > 0) queue.fetchPage(job('lost'), asked).catch(() => undefined);
      await provider.untilRequests(inFlight);
      await server.kill();
      child.kill('SIGTERM');
      await once(child, 'exit', { signal: AbortSignal.timeout(endMsMax) });
      expect(child.exitCode).toBe(0);
    } finally {
      child.kill('SIGKILL');
      await fleet.close();
      await provider.close();
      await server.remove();
    }
  });
});

describeWithRedis('the opening of a queue', () => {
  it('fails at once where Redis was never reachable', async () => {
    const server = await RedisServer.start();
    await server.kill();
    const fleet = new Fleet(server);
    await expect(fleet.coordinator()).rejects.toMatchObject({ code: 'REDIS_UNREACHABLE' });
    await expect(fleet.worker(new Map())).rejects.toMatchObject({ code: 'REDIS_UNREACHABLE' });
    await server.remove();
  });
});
