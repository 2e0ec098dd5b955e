// One check of one search at every behaviour of a provider: its state, its rankings, the money on both sides, audit.
import { describe, expect, it } from 'vitest';
import type { Project } from '../../../src/tracker/project.ts';
import { keyword, project, resultsWith, World, type WorldOptions } from '../../helpers/jobs.ts';
import { type Fault, type Provider, type ProviderOptions, startProvider } from '../../helpers/provider.ts';

const acmeAt = (rank: number) => () => resultsWith('https://www.acme.example/shoes', rank);

async function start(
  options: ProviderOptions,
  one: Partial<Project> = {},
  more: Partial<WorldOptions> = {},
): Promise<{ world: World; provider: Provider }> {
  const provider = await startProvider(options);
  return { provider, world: new World({ provider, projects: [project(one)], ...more }) };
}

interface Behaviour {
  readonly name: string;
  readonly faults?: readonly Fault[];
  readonly options?: ProviderOptions;
  readonly project?: Partial<Project>;
  /** `state pagesRead` */
  readonly check: string;
  readonly rankings: readonly string[];
  readonly requests: number;
  readonly sold: number;
  readonly spent: number;
  readonly unknown?: number;
  readonly run?: 'complete' | 'partial' | 'halted';
  readonly reason?: string;
}

const usual = { rankings: ['acme.example rank 12'], requests: 3, sold: 3, spent: 3 } as const;
const lost = { rankings: [], run: 'partial' } as const;

const behaviours: readonly Behaviour[] = [
  { name: 'answers', ...usual, check: 'ok 3' },
  { name: 'numbers its ranks on over the pages', options: { ranks: 'run-on' }, ...usual, check: 'ok 3' },
  { name: 'gives 4 results a page', options: { pageSize: () => 4 }, ...usual, check: 'ok 3' },
  { name: 'gives 10 results a page', options: { pageSize: () => 10 }, ...usual, check: 'ok 3' },
  {
    name: 'gives 4 to 10 results a page',
    options: { pageSize: (page) => [10, 4, 7][page - 1] ?? 5 },
    ...usual,
    check: 'ok 3',
  },
  {
    name: 'is busy for a while',
    faults: [
      { status: 429, retryAfter: '2' },
      { status: 429, retryAfter: '1' },
    ],
    ...usual,
    requests: 5,
    check: 'ok 3',
  },
  {
    name: 'is busy in the middle',
    faults: ['ok', { status: 429, retryAfter: '2' }],
    ...usual,
    requests: 4,
    check: 'ok 3',
  },
  { name: 'fails once', faults: [{ status: 500 }], ...usual, requests: 4, unknown: 1, check: 'ok 3' },
  {
    name: 'fails once and charges for it',
    faults: [{ status: 502, sold: true }],
    ...usual,
    requests: 4,
    sold: 4,
    unknown: 1,
    check: 'ok 3',
  },
  { name: 'times out once', faults: [{ status: 504 }], ...usual, requests: 4, unknown: 1, check: 'ok 3' },
  {
    name: 'fails twice on each page',
    faults: [{ status: 500 }, { status: 500 }, 'ok', { status: 500 }, { status: 500 }, 'ok'],
    ...usual,
    requests: 7,
    unknown: 4,
    check: 'ok 3',
  },
  {
    name: 'loses page 2 while the target is nowhere, and the check stops there',
    faults: ['ok', 'truncated', 'truncated'],
    options: { results: () => resultsWith('https://other.example/', 1) },
    project: { paging: 'until-found' },
    ...lost,
    check: 'incomplete 1',
    requests: 3,
    sold: 3,
    spent: 1,
    unknown: 2,
  },
  {
    name: 'fails on and on',
    options: { fault: () => ({ status: 500 }) },
    ...lost,
    check: 'unknown_paid 0',
    requests: 9,
    sold: 0,
    spent: 0,
    unknown: 9,
    reason: 'INTERNAL_ERROR',
  },
  {
    name: 'fails on and on, where the target decides when to stop',
    options: { fault: () => ({ status: 503 }) },
    project: { paging: 'until-found' },
    ...lost,
    check: 'unknown_paid 0',
    requests: 3,
    sold: 0,
    spent: 0,
    unknown: 3,
  },
  {
    name: 'resets the connection after the sale',
    faults: ['reset-after-sale'],
    ...usual,
    requests: 4,
    sold: 4,
    unknown: 1,
    check: 'ok 3',
  },
  {
    name: 'breaks off in the middle of an answer',
    faults: ['cut'],
    ...usual,
    requests: 4,
    sold: 4,
    unknown: 1,
    check: 'ok 3',
  },
  {
    name: 'cuts its JSON short once',
    faults: ['truncated'],
    ...usual,
    requests: 4,
    sold: 4,
    unknown: 1,
    check: 'ok 3',
  },
  {
    name: 'cuts its JSON short twice',
    faults: ['truncated', 'truncated'],
    ...lost,
    rankings: ['acme.example seen 2'],
    check: 'incomplete 2',
    requests: 4,
    sold: 4,
    spent: 2,
    unknown: 2,
    reason: 'UNREADABLE_RESPONSE',
  },
  {
    name: 'answers with HTML once',
    faults: ['html'],
    ...usual,
    requests: 4,
    sold: 4,
    unknown: 1,
    check: 'ok 3',
  },
  {
    name: 'answers with HTML twice',
    faults: ['html', 'html'],
    ...lost,
    rankings: ['acme.example seen 2'],
    check: 'incomplete 2',
    requests: 4,
    sold: 4,
    spent: 2,
    unknown: 2,
  },
  {
    name: 'answers {} for a page once',
    faults: ['empty'],
    ...usual,
    requests: 4,
    sold: 4,
    spent: 4,
    check: 'ok 3',
  },
  {
    name: 'answers {} for a page twice',
    faults: ['empty', 'empty'],
    ...lost,
    rankings: ['acme.example seen 2'],
    check: 'incomplete 2',
    requests: 4,
    sold: 4,
    spent: 4,
  },
  {
    name: 'sends an oversized answer once',
    faults: ['huge'],
    ...usual,
    requests: 4,
    sold: 4,
    unknown: 1,
    check: 'ok 3',
  },
  {
    name: 'sends an oversized answer twice',
    faults: ['huge', 'huge'],
    ...lost,
    rankings: ['acme.example seen 2'],
    check: 'incomplete 2',
    requests: 4,
    sold: 4,
    spent: 2,
    unknown: 2,
  },
  {
    name: 'runs out of our credits',
    faults: [{ status: 402 }],
    ...lost,
    check: 'deferred 0',
    requests: 1,
    sold: 0,
    spent: 0,
    run: 'halted',
  },
  {
    name: 'refuses our password after a page',
    faults: ['ok', { status: 401 }],
    ...lost,
    check: 'deferred 0',
    requests: 2,
    sold: 1,
    spent: 1,
    run: 'halted',
  },
  {
    name: 'refuses our address after two pages',
    faults: ['ok', 'ok', { status: 403 }],
    ...lost,
    check: 'deferred 0',
    requests: 3,
    sold: 2,
    spent: 2,
    run: 'halted',
  },
  {
    name: 'refuses the request',
    options: { fault: () => ({ status: 400 }) },
    ...lost,
    check: 'failed 0',
    requests: 3,
    sold: 0,
    spent: 0,
    reason: 'INVALID_REQUEST',
  },
  {
    name: 'has no such path',
    faults: [{ status: 404 }],
    ...lost,
    check: 'deferred 0',
    requests: 1,
    sold: 0,
    spent: 0,
    unknown: 1,
    run: 'halted',
  },
  {
    name: 'loses page 2 while the target is on page 3',
    faults: ['ok', 'truncated', 'truncated'],
    options: { results: acmeAt(25), pageSize: () => 10 },
    check: 'incomplete 2',
    rankings: ['acme.example seen 3'],
    requests: 4,
    sold: 4,
    spent: 2,
    unknown: 2,
    run: 'partial',
  },
  {
    name: 'loses page 2 while the target is on page 1',
    faults: ['ok', 'truncated', 'truncated'],
    options: { results: acmeAt(5) },
    check: 'incomplete 2',
    rankings: ['acme.example rank 5'],
    requests: 4,
    sold: 4,
    spent: 2,
    unknown: 2,
    run: 'partial',
  },
  {
    name: 'has no results at all',
    options: { results: () => [] },
    check: 'ok 1',
    rankings: ['acme.example not found 3'],
    requests: 1,
    sold: 1,
    spent: 1,
  },
  {
    name: 'has eleven results, none of them ours',
    options: { results: () => resultsWith('https://other.example/', 1, 10) },
    check: 'ok 3',
    rankings: ['acme.example not found 3'],
    requests: 3,
    sold: 3,
    spent: 3,
  },
  {
    name: 'has the target nowhere',
    options: { results: () => resultsWith('https://notacme.example/', 3) },
    check: 'ok 3',
    rankings: ['acme.example not found 3'],
    requests: 3,
    sold: 3,
    spent: 3,
  },
];

describe('a check against a provider that', () => {
  it.each(behaviours)('$name', async (behaviour) => {
    const { world, provider } = await start({ results: acmeAt(12), ...behaviour.options }, behaviour.project);
    provider.next(...(behaviour.faults ?? []));
    await world.run();

    expect(world.checks()).toEqual([`running shoes ${behaviour.check}`]);
    expect(world.rankings()).toEqual(behaviour.rankings);
    expect(provider.requests.length).toBe(behaviour.requests);
    expect(provider.sold.serpCredits).toBe(behaviour.sold);
    expect(world.credits).toEqual({ spent: behaviour.spent, unknown: behaviour.unknown ?? 0, open: 0 });
    // we never count less as spent than was sold
    expect(world.credits.spent + world.credits.unknown).toBeGreaterThanOrEqual(provider.sold.serpCredits);
    expect(world.value('SELECT state FROM runs')).toBe(behaviour.run ?? 'complete');
    if (behaviour.reason !== undefined) expect(world.value('SELECT reason FROM checks')).toContain(behaviour.reason);
    expect(world.broken()).toEqual([]);
  });

  it('never answers: the timeout ends the attempt, which counts as possibly charged, and the next attempt succeeds', async () => {
    const { world, provider } = await start({ results: acmeAt(12) });
    provider.next('hang-after-sale');
    const running = world.run();
    await provider.untilRequests(1);
    world.clock.expire();
    await running;
    expect(world.checks()).toEqual(['running shoes ok 3']);
    expect(world.credits).toEqual({ spent: 3, unknown: 1, open: 0 });
    expect(provider.sold.serpCredits).toBe(4);
    expect(world.broken()).toEqual([]);
  });

  it('is unreachable: nothing is charged, and the check says so', async () => {
    const world = new World({ projects: [project()] });
    await world.run();
    expect(world.checks()).toEqual(['running shoes failed 0']);
    expect(world.credits).toEqual({ spent: 0, unknown: 0, open: 0 });
    expect(world.broken()).toEqual([]);
    await world.close();
  });

  it('requires a pause gets no request before the pause is over', async () => {
    const { world, provider } = await start({ results: acmeAt(1) }, { keywords: [keyword('a', { depth: 1 })] });
    provider.next({ status: 429, retryAfter: '17' });
    const before = world.clock.now();
    await world.run();
    expect(world.clock.now() - before).toBeGreaterThanOrEqual(17_000);
    expect(world.credits.spent).toBe(1);
  });

  it('stays busy is paused after five waits for a page, then gets one request per pause: each may be charged', async () => {
    const { world, provider } = await start(
      { fault: () => ({ status: 429, retryAfter: '1' }) },
      { keywords: [keyword('a', { depth: 1 })] },
    );
    await world.run();
    expect(provider.requests.length).toBe(8);
    expect(world.checks()).toEqual(['a deferred 0']);
    expect(world.credits).toEqual({ spent: 0, unknown: 0, open: 0 });
  });
});

describe('an unreadable answer', () => {
  it('is stored, and read again instead of bought again when the run is repeated', async () => {
    const { world, provider } = await start({ results: acmeAt(12) }, {}, { retryUnreadable: 0 });
    const at = world.clock.now();
    provider.next('truncated');
    await world.runSlot(at);
    expect(world.checks()).toEqual(['running shoes incomplete 2']);
    expect(world.value('SELECT count(*) FROM bodies WHERE readable = 0')).toBe(1);

    // another project needs the same page in the same slot: no request is sent for it
    const other = project({ id: 'other' });
    (world.context.projects as Map<string, Project>).set('other', other);
    await world.runSlot(at, [other]);
    expect(provider.requests.length).toBe(3);
    expect(world.checks()).toEqual(['running shoes incomplete 2', 'running shoes incomplete 2']);
    expect(world.credits).toEqual({ spent: 2, unknown: 1, open: 0 });
    expect(world.broken()).toEqual([]);
  });

  it('becomes a page at no cost once it can be read', async () => {
    const { world, provider } = await start({ results: acmeAt(2) }, {}, { retryUnreadable: 0 });
    const at = world.clock.now();
    provider.next('truncated');
    await world.runSlot(at);
    // a later version reads what this one cannot
    const service = [...world.context.services.values()][0]!;
    const received: (number | undefined)[] = [];
    service.readPage = (_body, _request, receivedAt) => {
      received.push(receivedAt);
      return {
        serp: { organic: [{ rank: 1, global_rank: 1, title: 't', link: 'https://acme.example/found' }] },
        features: [],
      };
    };
    const other = project({ id: 'other' });
    (world.context.projects as Map<string, Project>).set('other', other);
    await world.runSlot(at, [other]);
    expect(provider.requests.length).toBe(3);
    // the freshness of a page counts from when it arrived, not from now
    expect(received).toEqual([at]);
    expect(world.checks()).toEqual(['running shoes incomplete 2', 'running shoes ok 3']);
    expect(world.rankings().at(-1)).toBe('acme.example rank 1');
    expect(world.credits).toEqual({ spent: 2, unknown: 1, open: 0 });
    expect(world.broken()).toEqual([]);
  });
});

describe('a page whose every attempt may have been charged', () => {
  it('is not requested again for the same slot by any project', async () => {
    const { world, provider } = await start({ fault: () => 'reset-after-sale' }, { paging: 'until-found' });
    const at = world.clock.now();
    await world.runSlot(at);
    expect(provider.requests.length).toBe(3);
    const other = project({ id: 'other', paging: 'until-found' });
    (world.context.projects as Map<string, Project>).set('other', other);
    await world.runSlot(at, [other]);
    expect(provider.requests.length).toBe(3);
    expect(world.checks()).toEqual(['running shoes unknown_paid 0', 'running shoes unknown_paid 0']);
    expect(world.credits).toEqual({ spent: 0, unknown: 3, open: 0 });
    expect(world.broken()).toEqual([]);
  });
});

describe('a halt', () => {
  it('stops every check in flight, buys nothing more and defers the rest', async () => {
    const provider = await startProvider({ fault: (nth) => (nth === 3 ? { status: 402 } : 'ok') });
    const keywords = Array.from({ length: 30 }, (_, index) => keyword(`k${index}`));
    const world = new World({ provider, projects: [project({ keywords })], concurrency: 5 });
    await world.run();
    // five in flight at most when the refusal came; none of them requested another page
    expect(provider.requests.length).toBeLessThanOrEqual(3 + 2 * 5);
    const counts = world.store.checks.counts(1);
    expect(counts.ok + counts.deferred).toBe(30);
    expect(counts.deferred).toBeGreaterThanOrEqual(28);
    expect(world.store.runs.run(1)).toMatchObject({
      state: 'halted',
      reason: expect.stringContaining('INSUFFICIENT_CREDITS'),
    });
    expect(world.credits).toEqual({ spent: provider.sold.serpCredits, unknown: 0, open: 0 });
    expect(world.broken()).toEqual([]);
  });

  it('leaves the pages it bought to the next run of the same slot', async () => {
    const { world, provider } = await start({ results: acmeAt(12) });
    const at = world.clock.now();
    provider.next('ok', { status: 402 });
    await world.runSlot(at);
    const other = project({ id: 'other' });
    (world.context.projects as Map<string, Project>).set('other', other);
    await world.runSlot(at, [other]);
    expect(world.checks()).toEqual(['running shoes deferred 0', 'running shoes ok 3']);
    expect(provider.sold.serpCredits).toBe(3);
    expect(world.value('SELECT pages_reused FROM checks WHERE id = 2')).toBe(1);
    expect(world.broken()).toEqual([]);
  });

  it("is resumed where it stopped, and the check's own pages do not count as reused", async () => {
    const { world, provider } = await start({ results: acmeAt(12) });
    const at = world.clock.now();
    provider.next('ok', { status: 402 });
    await world.runSlot(at);
    await world.runSlot(at);
    expect(world.checks()).toEqual(['running shoes ok 3']);
    expect(provider.sold.serpCredits).toBe(3);
    expect(world.value('SELECT pages_reused FROM checks')).toBe(0);
    expect(world.broken()).toEqual([]);
  });
});
