// The queue over Redis, beyond the contract suite: several workers and coordinators, and the death of one.
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { FetchOptions, OpenAttempt, PageJob } from '../../../../jobs/queue/queue.ts';
import { SearchDataClient } from '../../../../src/service/client/client.ts';
import {
  createSearchDataService,
  type SearchDataService,
  ServiceError,
  systemClock,
  WitnessedClock,
} from '../../../../src/service/index.ts';
import { JobClock } from '../../../helpers/job-clock.ts';
import { clientOf, keyword, project, resultsWith, service, World } from '../../../helpers/jobs.ts';
import { type MemoryScript, memorySource, pageOf } from '../../../helpers/memory-source.ts';
import { type Provider, startProvider } from '../../../helpers/provider.ts';
import { describeWithRedis, RedisServer } from '../../../helpers/redis.ts';
import { Fleet, shortTimings } from '../../../helpers/redis-queue.ts';

const never = new AbortController().signal;
const at = Date.UTC(2026, 0, 15, 6);

function job(text: string, order = 0): PageJob {
  const request = { keyword: text, country: 'US', language: 'en', mobile: false, page: 1 };
  return { service, request, at, requestKey: `rl-${text}`, order };
}

const asked = (more: Partial<FetchOptions> = {}): FetchOptions => ({
  signal: never,
  stop: never,
  beforeSend: async () => 1,
  ...more,
});
const attemptOf = (text: string): OpenAttempt => ({ ...job(text), attempt: 1 });

function scripted(script: MemoryScript): ReadonlyMap<string, SearchDataService> {
  const source = memorySource({ kind: 'live', ...script });
  return new Map([[service, createSearchDataService({ source, clock: systemClock })]]);
}

/** A source whose pages wait until `open` is called. */
function gated() {
  const gate = Promise.withResolvers<void>();
  const seen: string[] = [];
  const services = scripted({
    async page(request) {
      seen.push(request.keyword);
      await gate.promise;
      return pageOf(request);
    },
  });
  return { services, seen, open: gate.resolve };
}

const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await holds())) await new Promise((next) => setImmediate(next));
};

describeWithRedis('over Redis', () => {
  let redis: RedisServer;
  const fleets: Fleet[] = [];
  const providers: Provider[] = [];
  beforeAll(async () => {
    redis = await RedisServer.start();
  });
  afterAll(() => redis.remove());
  afterEach(async () => {
    for (const fleet of fleets.splice(0)) await fleet.close();
    for (const provider of providers.splice(0)) await provider.close();
  });

  function fleetOf(...options: ConstructorParameters<typeof Fleet> extends [unknown, ...infer Rest] ? Rest : never) {
    const fleet = new Fleet(redis, ...options);
    fleets.push(fleet);
    return fleet;
  }

  async function provide(): Promise<{ provider: Provider; services: () => ReadonlyMap<string, SearchDataService> }> {
    const provider = await startProvider({ results: () => resultsWith('https://acme.example/', 12) });
    providers.push(provider);
    return { provider, services: () => new Map([[service, clientOf(provider, new JobClock())]]) };
  }

  it("the dates of a worker's answers and failures reach the clock of the coordinator, those of earlier pages do not", async () => {
    const fleet = fleetOf();
    const seen: (string | undefined)[] = [];
    fleet.witness = ({ date }) => void seen.push(date);
    const clock = new WitnessedClock(systemClock);
    fleet.clock = clock;
    const day = Date.UTC(2026, 0, 16);
    const services = scripted({
      page(request) {
        if (request.keyword !== 'undated') clock.witness({ date: new Date(day).toUTCString() });
        if (request.keyword === 'fails') throw new ServiceError('SERP_FAILED', 'the page could not be fetched');
        return pageOf(request);
      },
    });
    await fleet.worker(services);
    const queue = await fleet.coordinator();
    for (const text of ['dated', 'undated', 'fails']) await queue.fetchPage(job(text), asked());
    expect(seen).toEqual(Array(2).fill('Fri, 16 Jan 2026 00:00:00 GMT'));
  });

  it('a page that two coordinators need is bought once: one of them pays, and it is free in the ledger of the other', async () => {
    const fleet = fleetOf();
    const { provider, services } = await provide();
    await fleet.worker(services());
    const worlds: World[] = [];
    for (const id of ['acme', 'globex']) {
      const queue = await fleet.coordinator(() =>
        worlds.find(({ projects }) => projects[0]?.id === id)!.store.ledger.identity(),
      );
      const keywords = Array.from({ length: 5 }, (_, index) => keyword(`k${index}`));
      worlds.push(new World({ services: services(), projects: [project({ id, keywords })], wrapQueue: () => queue }));
    }
    await Promise.all(worlds.map((world) => world.runSlot(at)));
    expect(provider.sold.serpCredits).toBe(15);
    expect(worlds.reduce((sum, world) => sum + world.credits.spent, 0)).toBe(15);
    for (const world of worlds) {
      expect(world.rankings()).toEqual(Array.from({ length: 5 }, () => 'acme.example rank 12'));
      expect(world.broken()).toEqual([]);
      expect(world.credits).toMatchObject({ unknown: 0, open: 0 });
    }
    // a third one comes later: every page is there, and it pays for none
    const late = await fleet.coordinator('late');
    const world = new World({
      services: services(),
      projects: [project({ keywords: [keyword('k0')] })],
      wrapQueue: () => late,
    });
    await world.runSlot(at);
    expect(provider.sold.serpCredits).toBe(15);
    expect(world.credits.spent).toBe(0);
    expect(world.rows('SELECT DISTINCT state, error_code FROM purchases')).toEqual([
      { state: 'free', error_code: 'SHARED' },
    ]);
    expect(world.broken()).toEqual([]);
    for (const each of [...worlds, world]) await each.close();
  });

  it('a pause that a provider requires applies to every worker', async () => {
    const fleet = fleetOf();
    const arrivals: number[] = [];
    const provider = await startProvider({
      fault: () => (arrivals.push(performance.now()) === 1 ? { status: 429, retryAfter: '1' } : 'ok'),
    });
    providers.push(provider);
    const services = () => new Map([[service, clientOf(provider, new JobClock())]]);
    await Promise.all([fleet.worker(services(), 1), fleet.worker(services(), 1)]);
    const queue = await fleet.coordinator();
    expect(await queue.fetchPage(job('first'), asked())).toMatchObject({ ok: false, failure: { retryAfterMs: 1000 } });
    const rest = await Promise.all(['a', 'b', 'c', 'd'].map((text) => queue.fetchPage(job(text), asked())));
    expect(rest.every(({ ok }) => ok)).toBe(true);
    const [refused = 0, next = 0] = arrivals;
    // a slow machine makes the pause longer, none makes it shorter; Redis counts in its own milliseconds
    expect(next - refused).toBeGreaterThan(990);
  });

  it('the concurrency of a service applies to all workers together', async () => {
    const fleet = fleetOf({ concurrency: 2 });
    let now = 0;
    let most = 0;
    const services = scripted({
      async page(request) {
        now += 1;
        most = Math.max(most, now);
        for (let tick = 0; tick < 20; tick++) await new Promise((next) => setImmediate(next));
        now -= 1;
        return pageOf(request);
      },
    });
    await Promise.all([fleet.worker(services, 4), fleet.worker(services, 4)]);
    const queue = await fleet.coordinator();
    const texts = Array.from({ length: 20 }, (_, index) => `k${index}`);
    const outcomes = await Promise.all(texts.map((text) => queue.fetchPage(job(text), asked())));
    expect(outcomes.every(({ ok }) => ok)).toBe(true);
    expect(most).toBe(2);
  });

  it('a more urgent job overtakes waiting jobs', async () => {
    const fleet = fleetOf();
    const { services, seen, open } = gated();
    await fleet.worker(services, 1);
    const queue = await fleet.coordinator();
    const all = [queue.fetchPage(job('first', 5), asked())];
    await until(() => seen.length === 1);
    for (const order of [9, 7, 3_000_000, 1]) all.push(queue.fetchPage(job(`order ${order}`, order), asked()));
    const waiting = `rankledger:${fleet.queued.queue}:prioritized`;
    await redis.ask((client) => until(async () => (await client.zcard(waiting)) === 4));
    open();
    await Promise.all(all);
    expect(seen).toEqual(['first', 'order 1', 'order 7', 'order 9', 'order 3000000']);
  });

  it('a worker that stops finishes its jobs in progress, and the next worker takes the waiting jobs', async () => {
    const fleet = fleetOf();
    const { services, seen, open } = gated();
    const first = await fleet.worker(services, 1);
    const queue = await fleet.coordinator();
    const all = ['a', 'b', 'c'].map((text) => queue.fetchPage(job(text), asked()));
    await until(() => seen.length === 1);
    const closed = first.close(never);
    open();
    await closed;
    expect(seen.length).toBe(1);
    await fleet.worker(services, 1);
    expect((await Promise.all(all)).every(({ ok }) => ok)).toBe(true);
    expect(seen.length).toBe(3);
  });

  it('a worker that waits for a free connection to the provider returns the job when it stops', async () => {
    const fleet = fleetOf();
    const { provider, services } = await provide();
    const narrow = (): ReadonlyMap<string, SearchDataService> =>
      new Map([
        [
          service,
          new SearchDataClient({
            retries: { attemptsMax: 1 },
            baseUrl: provider.url,
            user: provider.user,
            password: provider.password,
            concurrency: 1,
          }),
        ],
      ]);
    provider.next('hang-before-sale');
    const first = await fleet.worker(narrow(), 2);
    const queue = await fleet.coordinator();
    const all = ['a', 'b'].map((text) => queue.fetchPage(job(text), asked()));
    await provider.untilRequests(1);
    const active = `rankledger:${fleet.queued.queue}:active`;
    await redis.ask((client) => until(async () => (await client.llen(active)) === 2));
    await first.close(AbortSignal.abort());
    await fleet.worker(services(), 2);
    const outcomes = await Promise.all(all);
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
    expect(outcomes.find(({ ok }) => !ok)).toMatchObject({
      failure: { code: 'CONNECTION_LOST', disposition: 'retry', charged: 'unknown' },
    });
    expect(provider.requests.length).toBe(2);
  });

  it('a coordinator that died learns the outcome of each of its attempts when it is back', async () => {
    const fleet = fleetOf();
    const { services, seen, open } = gated();
    await fleet.worker(services, 1);
    const dying = await fleet.coordinator('me');
    void dying.fetchPage(job('answered'), asked());
    await until(() => seen.length === 1);
    void dying.fetchPage(job('waiting', 1), asked());
    const waiting = `rankledger:${fleet.queued.queue}:prioritized`;
    await redis.ask((client) => until(async () => (await client.zcard(waiting)) === 1));
    // it dies between the commit of the purchase and adding its job
    const committed = Promise.withResolvers<void>();
    const beforeSend = (): Promise<number> => {
      committed.resolve();
      return new Promise(() => undefined);
    };
    void dying.fetchPage(job('never queued'), asked({ beforeSend }));
    await committed.promise;
    await dying.close();
    const next = await fleet.coordinator('me');
    expect(await next.recall(attemptOf('waiting'), never)).toEqual({ kind: 'never-sent' });
    expect(await next.recall(attemptOf('never queued'), never)).toEqual({ kind: 'never-sent' });
    // another driver bought it: this queue never knew of it
    expect(await next.recall(attemptOf('bought past the queue'), never)).toEqual({ kind: 'lost' });
    const recalling = next.recall(attemptOf('answered'), never);
    open();
    expect(await recalling).toMatchObject({ kind: 'outcome', outcome: { ok: true, answer: { page: 1 } } });
    expect(seen).toEqual(['answered']);
  });

  it('after a flush the outcome of an attempt that no worker holds is unknown', async () => {
    const fleet = fleetOf();
    const { services, seen, open } = gated();
    await fleet.worker(services, 1);
    const queue = await fleet.coordinator('me', 4);
    const held = queue.fetchPage(job('held'), asked());
    await until(() => seen.length === 1);
    const waiting = queue.fetchPage(job('waiting'), asked());
    await redis.ask((client) =>
      until(async () => (await client.zcard(`rankledger:${fleet.queued.queue}:prioritized`)) === 1),
    );
    await redis.flush();
    expect(await waiting).toMatchObject({
      failure: { code: 'CONNECTION_LOST', disposition: 'retry', charged: 'unknown' },
    });
    expect(await queue.recall(attemptOf('never queued'), never)).toEqual({ kind: 'lost' });
    open();
    expect(await held).toMatchObject({ ok: true });
    expect(seen).toEqual(['held']);
    expect(await queue.fetchPage(job('later'), asked())).toMatchObject({ ok: true });
  });

  it('a job that is gone while its attempt is recorded is queued again', async () => {
    const fleet = fleetOf();
    const { services, seen, open } = gated();
    open();
    const queue = await fleet.coordinator();
    const fetching = queue.fetchPage(job('removed'), asked());
    const prefix = `rankledger:${fleet.queued.queue}`;
    await redis.ask(async (client) => {
      await until(async () => (await client.zcard(`${prefix}:prioritized`)) === 1);
      await client.del(`${prefix}:prioritized`, `${prefix}:rl-removed-1`, `${prefix}:marker`);
    });
    await fleet.worker(services);
    expect(await fetching).toMatchObject({ ok: true });
    expect(seen).toEqual(['removed']);
    await until(async () => fleet.log.details.some((line) => line.startsWith('page answered')));
  });

  it('a worker that misses the signal of a waiting job takes it all the same', async () => {
    const fleet = fleetOf();
    const { services, seen, open } = gated();
    open();
    const queue = await fleet.coordinator();
    const fetching = queue.fetchPage(job('unsignalled'), asked());
    const waiting = `rankledger:${fleet.queued.queue}:prioritized`;
    await redis.ask(async (client) => {
      await until(async () => (await client.zcard(waiting)) === 1);
      const [id = '', score = ''] = await client.zpopmin(waiting);
      await client.del(`rankledger:${fleet.queued.queue}:marker`);
      await fleet.worker(services);
      await until(async () => String(await client.client('LIST')).includes('cmd=bzpopmin'));
      await client.zadd(waiting, score, id); // without the marker that wakes a worker
    });
    expect(await fetching).toMatchObject({ ok: true });
    expect(seen).toEqual(['unsignalled']);
  });

  it('Redis never receives a credential, and keeps no job once it is finished', async () => {
    const fleet = fleetOf();
    const { provider, services } = await provide();
    await fleet.worker(services());
    const queue = await fleet.coordinator();
    const commands: string[] = [];
    await redis.ask(async (client) => {
      const monitor = await client.monitor();
      monitor.on('monitor', (_time: string, words: string[]) => commands.push(words.join(' ')));
      expect((await queue.fetchPage(job('shoes'), asked())).ok).toBe(true);
      await client.ping();
      await until(() => commands.some((line) => /^ping$/i.test(line)));
      monitor.disconnect();
      const jobs = (await client.keys(`rankledger:${fleet.queued.queue}:*`)).filter((key) => key.includes('rl-shoes'));
      expect(jobs).toEqual([]);
    });
    expect(commands.some((line) => line.includes('rl-shoes'))).toBe(true);
    expect(commands.filter((line) => line.includes(provider.password) || line.includes(provider.user))).toEqual([]);
  });
});

describeWithRedis('a Redis that forgets everything when it restarts', () => {
  it('costs the pages in flight, and the run continues to its end', async () => {
    const server = await RedisServer.start('none');
    const fleet = new Fleet(server);
    const provider = await startProvider();
    const services = new Map<string, SearchDataService>([[service, clientOf(provider, new JobClock())]]);
    let world: World | undefined;
    try {
      await fleet.worker(services, 2);
      const queue = await fleet.coordinator(() => world?.store.ledger.identity() ?? '', 6);
      const keywords = Array.from({ length: 12 }, (_, index) => keyword(`k${index}`));
      world = new World({ services, projects: [project({ keywords })], wrapQueue: () => queue });
      const running = world.runSlot(at);
      await provider.untilRequests(5);
      await server.kill();
      await server.start();
      await running;
      expect(world.checks()).toEqual(keywords.map((word) => `${word.keyword} ok 3`));
      expect(world.broken()).toEqual([]);
      const { spent, unknown, open } = world.credits;
      expect({ spent, open }).toEqual({ spent: 36, open: 0 });
      expect(provider.sold.serpCredits).toBeLessThanOrEqual(spent + unknown);
      expect(fleet.log.lines.filter((line) => line.startsWith('Redis is unreachable'))).toHaveLength(2);
      expect(fleet.log.lines.filter((line) => line.startsWith('Redis is back'))).toHaveLength(2);
    } finally {
      await fleet.close();
      await world?.close();
      await provider.close();
      await server.remove();
    }
  });

  it('and stays down halts the run, which says so and can be resumed', async () => {
    const server = await RedisServer.start('none');
    const fleet = new Fleet(server, {}, { ...shortTimings, awayMaxMs: 300 });
    const { services, seen, open } = gated();
    try {
      await fleet.worker(services, 1);
      const queue = await fleet.coordinator();
      const begun = queue.fetchPage(job('begun'), asked());
      await until(() => seen.length === 1);
      await server.kill();
      expect(await begun).toMatchObject({ failure: { disposition: 'halt', charged: 'unknown' } });
      const beforeSend = () => Promise.reject(new Error('nothing is written down while Redis is away'));
      const halted = {
        code: 'CONNECTION_FAILED',
        disposition: 'halt',
        charged: 'no',
        hint: expect.stringContaining('Start Redis'),
      };
      expect(await queue.fetchPage(job('later'), asked({ beforeSend }))).toMatchObject({ failure: halted });
    } finally {
      open();
      await fleet.close();
      await server.remove();
    }
  });
});

describeWithRedis('a Redis that refuses every write', () => {
  it('halts the run as if it stayed away, and says why', async () => {
    const server = await RedisServer.start();
    const fleet = new Fleet(server, {}, { ...shortTimings, awayMaxMs: 300 });
    const { services, seen, open } = gated();
    try {
      await fleet.worker(services, 1);
      const queue = await fleet.coordinator();
      const begun = queue.fetchPage(job('begun'), asked());
      await until(() => seen.length === 1);
      await server.ask((client) => client.config('SET', 'maxmemory', '1'));
      const halted = {
        code: 'CONNECTION_FAILED',
        disposition: 'halt',
        message: expect.stringMatching(/^Redis has refused writes for \d+ s: OOM command not allowed/),
        hint: expect.stringContaining('Correct that'),
      };
      const beforeSend = () => Promise.reject(new Error('nothing is written down while Redis refuses'));
      const later = queue.fetchPage(job('later'), asked({ beforeSend }));
      expect(await later).toMatchObject({ failure: { ...halted, charged: 'no' } });
      expect(await begun).toMatchObject({ failure: { ...halted, charged: 'unknown' } });
      await server.ask((client) => client.config('SET', 'maxmemory', '0'));
      open();
      expect(await queue.fetchPage(job('again'), asked())).toMatchObject({ ok: true });
    } finally {
      open();
      await fleet.close();
      await server.remove();
    }
  });
});

describeWithRedis('a Redis', () => {
  async function opened(
    ...settings: Parameters<typeof RedisServer.start>
  ): Promise<{ lines: string[]; error: unknown }> {
    const server = await RedisServer.start(...settings);
    const fleet = new Fleet(server);
    try {
      const outcomes = await Promise.allSettled([fleet.coordinator(), fleet.worker(new Map())]);
      const errors = outcomes.map((outcome) => (outcome.status === 'rejected' ? String(outcome.reason) : null));
      expect(errors[0]).toBe(errors[1]);
      return { lines: fleet.log.lines, error: (outcomes[0] as PromiseRejectedResult).reason };
    } finally {
      await fleet.close();
      await server.remove();
    }
  }

  it('that may evict keys is refused', async () => {
    const { error } = await opened('aof', '--maxmemory', '50mb', '--maxmemory-policy', 'allkeys-lru');
    expect(error).toMatchObject({ code: 'REDIS_EVICTS', hint: expect.stringContaining('noeviction') });
    expect(String(error)).toContain('allkeys-lru');
  });

  it('that persists nothing is reported by coordinator and worker', async () => {
    const { lines, error } = await opened('none');
    expect(error).toBeUndefined();
    expect(lines.filter((line) => line.includes('persists nothing'))).toHaveLength(2);
  });

  it('that keeps only snapshots is reported', async () => {
    const { lines } = await opened('none', '--save', '60', '1');
    expect(lines.filter((line) => line.includes('snapshots only'))).toHaveLength(2);
  });

  it('that syncs its log once per second is reported', async () => {
    const { lines } = await opened('everysec');
    expect(lines.filter((line) => line.includes('appendfsync is not always'))).toHaveLength(2);
  });

  it('that syncs its log at each write is accepted without a warning', async () => {
    expect((await opened('aof')).lines).toEqual([]);
  });
});
