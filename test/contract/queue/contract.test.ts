// The contract of both queue drivers: which requests are sent, when, and which answers come back.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { callService, type FetchQueue, type PageJob, type ReceivedPage } from '../../../jobs/queue/queue.ts';
import { SearchDataClient } from '../../../src/service/client/client.ts';
import {
  createSearchDataService,
  limits,
  type PageRequest,
  type SearchDataService,
  type Source,
} from '../../../src/service/index.ts';
import { createSandboxSource } from '../../../src/service/sources/sandbox.ts';
import type { TrackedKeyword } from '../../../src/tracker/project.ts';
import { bestParts } from '../../helpers/best-service.ts';
import { temporaryFolder } from '../../helpers/closing.ts';
import { JobClock } from '../../helpers/job-clock.ts';
import { deadOwner, keyword, project, resultsWith, service, World } from '../../helpers/jobs.ts';
import { type Fault, type Provider, startProvider } from '../../helpers/provider.ts';
import { queueSubjects } from './subjects.ts';

const never = new AbortController().signal;

function job(text: string, more: Partial<PageJob> = {}): PageJob {
  const request = { keyword: text, country: 'US', language: 'en', mobile: false, page: 1 };
  return { service, request, at: Date.UTC(2026, 0, 15, 6), requestKey: `rl-${text}`, order: 0, ...more };
}

/** A client that runs at most `concurrency` requests at once. */
function narrowClient({ url, user, password }: Provider, clock: JobClock, concurrency: number): SearchDataService {
  return new SearchDataClient({
    retries: { attemptsMax: 1 },
    baseUrl: url,
    user,
    password,
    clock,
    concurrency,
    requestsPerSecond: 100_000,
  });
}

const options = (more: Partial<Parameters<FetchQueue['fetchPage']>[1]> = {}) => ({
  signal: never,
  stop: never,
  beforeSend: async () => 1,
  ...more,
});

describe.each(queueSubjects(describe))('the queue $name', (subject) => {
  subject.describe('keeps the contract:', () => {
    beforeAll(() => subject.prepare());
    afterAll(() => subject.remove());

    /** Closed in this order: users of requests, then the queue, then the provider. */
    const open: { close(): Promise<void> }[] = [];
    const queues: { close(): Promise<void> }[] = [];
    afterEach(async () => {
      for (const one of [...queues.splice(0), ...open.splice(0).reverse()]) await one.close();
    });

    interface Opened {
      readonly provider: Provider;
      readonly clock: JobClock;
      readonly services: ReadonlyMap<string, SearchDataService>;
      readonly queue: FetchQueue;
    }

    async function openQueue(
      concurrency = 4,
      atOnce = concurrency,
      payer = (): string => 'coordinator',
    ): Promise<Opened> {
      const provider = await startProvider({ results: () => resultsWith('https://acme.example/', 12) });
      const clock = new JobClock();
      const services = new Map<string, SearchDataService>([[service, narrowClient(provider, clock, concurrency)]]);
      const opened = await subject.open(services, { concurrency, atOnce }, payer);
      queues.push(opened);
      return { provider, clock, services, queue: opened.queue };
    }

    interface OpenedWorld extends Opened {
      readonly world: World;
    }

    async function openWorld(
      keywords: readonly TrackedKeyword[],
      concurrency = 4,
      atOnce = concurrency,
    ): Promise<OpenedWorld> {
      let world: World | undefined;
      const opened = await openQueue(concurrency, atOnce, () => world?.store.ledger.identity() ?? 'nobody');
      const { queue, services, clock } = opened;
      world = new World({ services, clock, projects: [project({ keywords })], wrapQueue: () => queue });
      return { ...opened, world };
    }

    const words = (count: number) => Array.from({ length: count }, (_, index) => keyword(`k${index}`, { depth: 1 }));

    it('returns an answer with its body as received, bought under its key', async () => {
      const { queue, provider, services } = await openQueue();
      const outcome = await queue.fetchPage(job('shoes'), options());
      expect(outcome).toMatchObject({ ok: true, answer: { page: 1, body: { contentType: 'application/json' } } });
      if (!outcome.ok) return;
      const { body, serp, features } = outcome.answer;
      expect(services.get(service)?.readPage(body, job('shoes').request)).toEqual({ serp, features });
      expect(serp.organic?.length).toBeGreaterThan(3);
      expect(provider.sales.map(({ idempotencyKey }) => idempotencyKey)).toEqual(['rl-shoes']);
      expect(outcome.isShared).not.toBe(true);
    });

    /** A service over the sandbox, whose source states a price and has doubts, as those of vendors may. */
    const openSandbox = async () => {
      const { serp } = await createSandboxSource({ sites: ['acme.com'], atOnceCredits: 2 });
      if (serp === undefined) throw new Error('the sandbox has pages');
      const clock = new JobClock();
      const source: Source = { serp: { ...serp, kind: 'live', firstPageCredits: 2 } };
      const services = new Map([[service, createSearchDataService({ source, clock })]]);
      const opened = await subject.open(services, { concurrency: 4, atOnce: 4 }, () => 'coordinator');
      queues.push(opened);
      return { services, queue: opened.queue };
    };

    const asked = job('shoes').request;
    // a new field of a message stands here with the values that a run may give it, or the types do not fit
    const requests: Record<keyof PageRequest, readonly Partial<PageRequest>[]> = {
      keyword: [{ keyword: 'läufer 跑鞋 "' }, { keyword: 'k'.repeat(limits.keywordCharsMax) }],
      country: [{ country: 'DE' }],
      language: [{ language: 'pt-BR' }],
      mobile: [{ mobile: true }],
      page: [{ page: 2 }, { page: 10 }],
      location: [{ location: 'Austin,Texas,United States' }, { location: '30.267153,-97.743057' }],
      through: [{ through: 2 }, { through: 10 }, { page: 3, through: 10 }],
    };
    const jobs: Record<keyof PageJob, readonly Partial<PageJob>[]> = {
      service: [{}],
      request: Object.values(requests)
        .flat()
        .map((more) => ({ request: { ...asked, ...more } })),
      at: [{ at: Date.UTC(2026, 1, 1) }],
      requestKey: [{ requestKey: `rl-${'0'.repeat(64)}` }],
      // second looks of sources come first; a search that is overdue is moved behind the others of a run
      order: [{ order: -1 }, { order: 0 }, { order: 7e10 + 1 }],
    };

    it.each(Object.values(jobs).flat())('carries every page that a run may ask for: %j', async (more) => {
      const { queue, services } = await openSandbox();
      const page = job('shoes', more);
      const outcome = await queue.fetchPage(page, options());
      const direct = await callService(services, page, { signal: never, beforeSend: async () => 1 });
      if (!outcome.ok || !direct.ok) throw new Error(JSON.stringify([outcome, direct]));
      // the body of an invented page is written when it is read
      const plain = ({ answer, stated }: ReceivedPage) => {
        const { observedAt: _at, body, ...read } = answer;
        return JSON.parse(
          JSON.stringify({ ...read, body: { contentType: body.contentType, text: body.text }, stated }),
        );
      };
      expect(plain(outcome)).toEqual(plain(direct));
    });

    it('sends nothing before the purchase is durable, and nothing at all if it cannot become durable', async () => {
      const { queue, provider } = await openQueue();
      const durable = Promise.withResolvers<number>();
      const fetching = queue.fetchPage(job('shoes'), options({ beforeSend: () => durable.promise }));
      const refused = await queue.fetchPage(
        job('boots'),
        options({ beforeSend: () => Promise.reject(new Error('the disk is full')) }),
      );
      expect(refused.ok).toBe(false);
      expect(provider.requests.length).toBe(0);
      durable.resolve(1);
      expect((await fetching).ok).toBe(true);
      expect(provider.requests.length).toBe(1);
    });

    it('returns a failure with its code, disposition and charge, and with the unreadable body', async () => {
      const { queue, provider } = await openQueue(1);
      provider.next({ status: 502 }, 'html', 'reset-after-sale');
      const failures = [];
      for (const attempt of [1, 2, 3])
        failures.push(await queue.fetchPage(job('shoes'), options({ beforeSend: async () => attempt })));
      expect(failures).toMatchObject([
        { ok: false, failure: { code: 'SERP_FAILED', disposition: 'retry', charged: 'unknown', body: null } },
        { ok: false, failure: { code: 'UNREADABLE_RESPONSE', body: { text: expect.stringContaining('Bad gateway') } } },
        { ok: false, failure: { code: 'CONNECTION_LOST', disposition: 'retry', charged: 'unknown' } },
      ]);
    });

    it.each<[string, Fault[], { sold: number; spent: number; unknown: number; checks: string[] }]>([
      ['retries', [{ status: 502 }], { sold: 1, spent: 1, unknown: 1, checks: ['k0 ok 1'] }],
      ['waits', [{ status: 429, retryAfter: '1' }], { sold: 1, spent: 1, unknown: 0, checks: ['k0 ok 1'] }],
      ['looks again', ['truncated'], { sold: 2, spent: 1, unknown: 1, checks: ['k0 ok 1'] }],
      ['abandons', ['truncated', 'truncated'], { sold: 2, spent: 0, unknown: 2, checks: ['k0 unknown_paid 0'] }],
      [
        'gives up',
        [{ status: 502 }, { status: 502 }, { status: 502 }],
        { sold: 0, spent: 0, unknown: 3, checks: ['k0 unknown_paid 0'] },
      ],
    ])('a run %s as each failure requires, with each attempt in the ledger', async (_, faults, expected) => {
      const { world, provider } = await openWorld(words(1));
      provider.next(...faults);
      await world.run();
      const { spent, unknown } = world.credits;
      expect({ sold: provider.sold.serpCredits, spent, unknown, checks: world.checks() }).toEqual(expected);
      expect(world.broken()).toEqual([]);
    });

    it('halts: it cancels requests that no worker has started, and sends nothing more', async () => {
      const { world, provider } = await openWorld(words(8), 1, 8);
      provider.next('ok', 'ok', { status: 402, code: 'INSUFFICIENT_CREDITS' });
      await world.run();
      expect(provider.requests.length).toBe(3);
      expect(world.store.checks.counts(1)).toMatchObject({ ok: 2, deferred: 6 });
      expect(world.value('SELECT state FROM runs')).toBe('halted');
      expect(world.credits).toEqual({ spent: 2, unknown: 0, open: 0 });
      expect(world.broken()).toEqual([]);
    });

    it('ends a stalled request at its timeout, counts it as spent while its charge is unknown, and retries it', async () => {
      const { world, provider, clock } = await openWorld(words(1));
      provider.next('hang-after-sale');
      const running = world.run();
      await provider.untilRequests(1);
      clock.expire();
      await running;
      expect(world.checks()).toEqual(['k0 ok 1']);
      expect(world.credits).toEqual({ spent: 1, unknown: 1, open: 0 });
    });

    it('runs requests by priority', async () => {
      const priorities = ['low', 'normal', 'high', 'normal', 'low', 'high'] as const;
      const keywords = priorities.map((priority, at) => keyword(`${priority} ${at}`, { depth: 1, priority }));
      const { world, provider } = await openWorld(keywords, 1);
      await world.run();
      const asked = provider.requests.map(({ body }) => String(body['keyword']).split(' ')[0]);
      expect(asked).toEqual(['high', 'high', 'normal', 'normal', 'low', 'low']);
    });

    it('has no more requests in flight than the concurrency allows', async () => {
      const { world, provider } = await openWorld(words(20), 3);
      await world.run();
      expect(provider.sold.serpCredits).toBe(20);
      expect(provider.mostAtOnce).toBeLessThanOrEqual(3);
    });

    it('stops gracefully: it records the requests in flight, keeps the rest claimable, and resumes at the next start', async () => {
      const { world, provider, clock } = await openWorld(words(6), 2, 6);
      const stop = new AbortController();
      provider.next('hang-after-sale', 'hang-after-sale');
      const running = world.run(undefined, { signals: { stop: stop.signal, giveUp: never } });
      await provider.untilRequests(2);
      stop.abort();
      clock.expire();
      const [run] = await running;
      expect(run).toMatchObject({ interrupted: true });
      expect(provider.requests.length).toBe(2);
      expect(world.credits).toEqual({ spent: 0, unknown: 2, open: 0 });
      await world.run({ kind: 'due' });
      expect(world.store.checks.counts(1)).toMatchObject({ ok: 6 });
      expect(world.broken()).toEqual([]);
    });

    it('gives up at once if asked: requests that may have left have an unknown charge', async () => {
      const { world, provider } = await openWorld(words(4), 1, 4);
      provider.next('hang-after-sale');
      const stop = new AbortController();
      const giveUp = new AbortController();
      const running = world.run(undefined, { signals: { stop: stop.signal, giveUp: giveUp.signal } });
      await provider.untilRequests(1);
      stop.abort();
      giveUp.abort();
      await running;
      expect(provider.requests.length).toBe(1);
      expect(world.credits).toEqual({ spent: 0, unknown: 1, open: 0 });
      expect(world.store.checks.counts(1).planned).toBe(4);
      expect(world.broken()).toEqual([]);
    });

    it('buys a page that two projects need once', async () => {
      const { services, clock, queue, provider } = await openQueue();
      const projects = [project(), project({ id: 'globex', keywords: [keyword('running shoes')] })];
      const world = new World({ services, clock, projects, wrapQueue: () => queue });
      await world.run();
      expect(provider.sold.serpCredits).toBe(3);
    });

    it('resumes a run whose process died: every credit is explained, and nothing recorded is bought again', async () => {
      const { services, clock, queue, provider } = await openQueue(2);
      const file = `${temporaryFolder()}/db.sqlite`;
      const common = { services, projects: [project({ keywords: words(6) })], file, clock, wrapQueue: () => queue };
      const first = new World({ ...common, owner: deadOwner });
      let settled = 0;
      const settle = first.store.ledger.settle.bind(first.store.ledger);
      first.store.ledger.settle = (...settlement) => {
        settled += 1;
        if (settled > 3) throw new Error('died');
        return settle(...settlement);
      };
      await first.runSlot(clock.now()).catch(() => undefined);
      const second = new World({ ...common });
      await second.run({ kind: 'due' });
      expect(second.checks()).toEqual(words(6).map((word) => `${word.keyword} ok 1`));
      const { spent, unknown, open: left } = second.credits;
      expect({ spent, left }).toEqual({ spent: 6, left: 0 });
      expect(spent + unknown).toBeGreaterThanOrEqual(provider.sold.serpCredits);
      expect(second.broken()).toEqual([]);
    });

    it('carries the looks of a service that compares its sources, from run to run', async () => {
      const at = Date.UTC(2026, 0, 2, 6);
      const parts = await bestParts({ of: ['dear', 'slow', 'cheap'], at, count: 40 }, () => undefined);
      const opened = await subject.open(parts.services, { concurrency: 4, atOnce: 4 }, () => 'coordinator');
      queues.push(opened);
      const orders = new Set<number>();
      const { queue } = opened;
      const fetchPage: FetchQueue['fetchPage'] = (page, more) => {
        orders.add(Math.sign(page.order));
        return queue.fetchPage(page, more);
      };
      const noted = { ...{ concurrency: 4, claimsMax: 4, fetchPage }, prepare: () => queue.prepare() };
      const wrapQueue = () => ({
        ...noted,
        recall: queue.recall.bind(queue),
        close: () => queue.close(),
      });
      const world = new World({ ...parts, clock: new JobClock(at), wrapQueue });
      for (const day of [0, 1, 2]) await world.runSlot(at + day * 86_400_000);
      expect(world.rows('SELECT DISTINCT state FROM checks')).toEqual([{ state: 'ok' }]);
      expect(world.rows('SELECT DISTINCT state FROM runs')).toEqual([{ state: 'complete' }]);
      expect([...orders].toSorted()).toEqual([-1, 1]);
      expect(world.broken()).toEqual([]);
    });

    it('writes the same rows and the same ledger with every driver', async () => {
      const keywords = Array.from({ length: 8 }, (_, index) => keyword(`k${index}`, { depth: 2 }));
      const { world } = await openWorld(keywords);
      await world.run();
      expect(world.rankings()).toEqual(keywords.map(() => 'acme.example rank 12'));
      expect(world.checks()).toEqual(keywords.map((word) => `${word.keyword} ok 2`));
      expect(world.rows('SELECT DISTINCT state, charged, attempt FROM purchases')).toEqual([
        { state: 'paid', charged: 1, attempt: 1 },
      ]);
      expect(world.credits).toEqual({ spent: 16, unknown: 0, open: 0 });
      expect(world.broken()).toEqual([]);
    });
  });
});
