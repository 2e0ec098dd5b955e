// Doubted pages are bought once more at the end of the run, under the same budget, and believed only if both agree.
import { describe, expect, it } from 'vitest';
import { createSearchDataService } from '../../../src/service/index.ts';
import type { Project } from '../../../src/tracker/project.ts';
import { temporaryFolder } from '../../helpers/closing.ts';
import { JobClock } from '../../helpers/job-clock.ts';
import { keyword, project, resultsWith, service, World, type WorldOptions } from '../../helpers/jobs.ts';
import { memorySource } from '../../helpers/memory-source.ts';
import { type Fault, type Provider, type ProviderOptions, startProvider } from '../../helpers/provider.ts';

const dayMs = 86_400_000;
const acmeAt = (rank: number) => () => resultsWith('https://www.acme.example/shoes', rank);
/** A page without results, as the specification shows it. */
const nothingFound: Fault = { answer: { navigation: [{ title: 'Images', href: 'https://engine.example/images' }] } };

async function start(options: ProviderOptions, one: Partial<Project> = {}, more: Partial<WorldOptions> = {}) {
  const provider = await startProvider({ results: acmeAt(5), ...options });
  const world = new World({
    provider,
    projects: [project({ keywords: [keyword('running shoes', { depth: 1 })], ...one })],
    ...more,
  });
  return { provider, world };
}

/** Runs again a day later. */
async function nextDay(world: World): Promise<void> {
  world.clock.advance(dayMs);
  await world.run();
}

const codes = (world: World) =>
  world
    .rows('SELECT state, error_code FROM purchases ORDER BY id')
    .map((row) => `${row['state']} ${row['error_code'] ?? ''}`.trim());
const reason = (world: World) => String(world.value('SELECT reason FROM checks ORDER BY id DESC LIMIT 1'));
const bought = (provider: Provider) => provider.requests.length;

describe('an empty page where the last complete check found results', () => {
  it('is bought once more, and the second answer is used', async () => {
    const { world, provider } = await start({});
    await world.run();
    provider.next(nothingFound);
    await nextDay(world);
    expect(world.checks()).toEqual(['running shoes ok 1', 'running shoes ok 1']);
    expect(world.rankings()).toEqual(['acme.example rank 5', 'acme.example rank 5']);
    expect(codes(world)).toEqual(['paid', 'paid EMPTY_UNPROVEN', 'paid']);
    expect(new Set(provider.sales.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(3);
    expect(world.clock.slept.some((ms) => ms >= 4000)).toBe(true);
    expect(world.credits).toEqual({ spent: 3, unknown: 0, open: 0 });
    expect(world.broken()).toEqual([]);
  });

  it('is believed if the second answer is empty, too', async () => {
    const { world, provider } = await start({});
    await world.run();
    provider.next(nothingFound, nothingFound);
    await nextDay(world);
    expect(world.rankings()).toEqual(['acme.example rank 5', 'acme.example not found 1']);
    expect(world.broken()).toEqual([]);
    // from then on the last complete check is an empty one
    provider.next(nothingFound);
    await nextDay(world);
    expect(bought(provider)).toBe(4);
  });

  it('is not believed if the service returns empty pages for other keywords as well', async () => {
    const keywords = ['running shoes', 'tax office', 'apple pie'].map((text) => keyword(text, { depth: 1 }));
    const { world, provider } = await start({}, { keywords });
    await world.run();
    provider.next(...Array.from({ length: 6 }, () => nothingFound));
    await nextDay(world);
    expect(world.checks().slice(3)).toEqual(['running shoes failed 0', 'tax office failed 0', 'apple pie failed 0']);
    expect(reason(world)).toContain('empty_unproven: nothing is listed where the last complete check found 10 results');
    expect(world.rankings()).toHaveLength(3);
    expect(bought(provider)).toBe(9);
    expect(world.broken()).toEqual([]);
  });

  it('is bought again in the next slot if the policy forbids it in the same run', async () => {
    const { world, provider } = await start({}, {}, { retryUnreadable: 0 });
    await world.run();
    provider.next(nothingFound, nothingFound);
    await nextDay(world);
    expect(world.checks().at(-1)).toBe('running shoes failed 0');
    await nextDay(world);
    expect(world.checks().at(-1)).toBe('running shoes ok 1');
    expect(world.rankings().at(-1)).toBe('acme.example not found 1');
    expect(bought(provider)).toBe(3);
  });

  it('is not bought more often because the process dies between the two purchases', async () => {
    const file = `${temporaryFolder()}/history.db`;
    const clock = new JobClock();
    const { world, provider } = await start({}, {}, { file, clock });
    await world.run();
    clock.advance(dayMs);
    const at = clock.now();
    const dying = new World({
      provider,
      projects: world.projects,
      file,
      clock,
      wrapQueue: (queue) => ({
        ...queue,
        concurrency: 4,
        prepare: () => queue.prepare(),
        recall: (one, signal) => queue.recall(one, signal),
        close: () => queue.close(),
        async fetchPage(job, options) {
          const outcome = await queue.fetchPage(job, options);
          dying.stop();
          return outcome;
        },
      }),
    });
    provider.next(nothingFound, nothingFound, nothingFound);
    await dying.runSlot(at);
    expect([bought(provider), world.checks().at(-1)]).toEqual([2, 'running shoes planned 0']);
    for (let start = 0; start < 3; start += 1) {
      const next = new World({ provider, projects: world.projects, file, clock });
      await next.runSlot(at);
    }
    expect(bought(provider)).toBe(3);
    expect(world.rankings().at(-1)).toBe('acme.example not found 1');
    expect(world.broken()).toEqual([]);
  });

  it('is still doubted after a suspect run that found none: a suspect run is not a baseline', async () => {
    const { world, provider } = await start({});
    await world.run();
    provider.next(nothingFound, nothingFound);
    await nextDay(world);
    expect(world.rankings().at(-1)).toBe('acme.example not found 1');
    world.db.sql("UPDATE slots SET suspect_reason = 'many were lost' WHERE run_id = 2").run();
    provider.next(nothingFound);
    await nextDay(world);
    expect(codes(world).slice(3)).toEqual(['paid EMPTY_UNPROVEN', 'paid']);
    expect(world.rankings().at(-1)).toBe('acme.example rank 5');
  });

  it('is bought again after the other work of its run', async () => {
    const keywords = ['running shoes', 'tax office', 'apple pie'].map((text) => keyword(text, { depth: 1 }));
    const { world, provider } = await start({}, { keywords }, { concurrency: 1 });
    await world.run();
    provider.next(nothingFound);
    await nextDay(world);
    const [first, ...others] = provider.requests.slice(3).map(({ body }) => body['keyword']);
    expect(others).toHaveLength(3);
    expect(others.at(-1)).toBe(first);
  });

  it('frees the reservation of the later pages, which the second purchase needs', async () => {
    const keywords = [keyword('running shoes', { depth: 2 })];
    const caps = { serp_credit: { perDay: 3 }, micro_usd: {} };
    const { world, provider } = await start({}, { keywords }, { caps });
    await world.run();
    provider.next(nothingFound);
    await nextDay(world);
    expect(world.checks().at(-1)).toBe('running shoes ok 2');
    expect([bought(provider), world.credits]).toEqual([5, { spent: 5, unknown: 0, open: 0 }]);
    expect(world.broken()).toEqual([]);
  });

  it('stays unproven if the budget has no room for a second purchase', async () => {
    const { world, provider } = await start({}, {}, { caps: { serp_credit: { perDay: 1 }, micro_usd: {} } });
    await world.run();
    provider.next(nothingFound);
    await nextDay(world);
    expect(world.checks().at(-1)).toBe('running shoes failed 0');
    expect(reason(world)).toContain('budget');
    expect([bought(provider), world.credits]).toEqual([2, { spent: 2, unknown: 0, open: 0 }]);
    expect(world.broken()).toEqual([]);
  });
});

describe('an unreadable answer', () => {
  it('may still have been charged if the second request is refused', async () => {
    const { world, provider } = await start({});
    provider.next('truncated', { status: 400 });
    await world.run();
    expect(world.checks()).toEqual(['running shoes unknown_paid 0']);
    expect(codes(world)).toEqual(['unknown UNREADABLE_RESPONSE', 'free INVALID_REQUEST']);
    expect(world.broken()).toEqual([]);
  });
});

describe('a page that lost most of its results', () => {
  it('is bought once more, and the longer page is used', async () => {
    let size = 10;
    const { world, provider } = await start({ pageSize: () => size });
    await world.run();
    size = 3;
    world.clock.advance(dayMs);
    const running = world.run();
    await provider.untilRequests(2);
    size = 10;
    await running;
    expect(codes(world)).toEqual(['paid', 'paid RESULTS_LOST', 'paid']);
    expect(world.rankings().at(-1)).toBe('acme.example rank 5');
  });
});

describe('the same results', () => {
  const same = () => Array.from({ length: 10 }, (_, index) => `https://shop${index}.example/`);
  const words = [
    ...['running shoes', 'tax office', 'apple pie', 'hotel rome', 'used cars', 'chess rules', 'garden hose'],
    ...['violin lessons', 'frozen pizza', 'moon phases', 'wool socks', 'blue whale', 'iron bridge', 'night train'],
  ];

  it('under more than ten unrelated keywords prove nothing, and the run is suspect', async () => {
    const keywords = words.map((text) => keyword(text, { depth: 1 }));
    const { world } = await start({ results: same }, { keywords });
    await world.run();
    const checks = world.checks();
    expect(checks.filter((line) => line.includes('failed'))).toHaveLength(words.length - 10);
    expect(world.value('SELECT suspect_reason FROM slots')).not.toBeNull();
    expect(world.broken()).toEqual([]);
  });

  it('under keywords that had others before prove nothing, not even for the first keyword', async () => {
    const keywords = words.map((text) => keyword(text, { depth: 1 }));
    let isStuck = false;
    const { world } = await start(
      { results: (search) => (isStuck ? same() : acmeAt(5)().map((link) => link.replace('shop', search.keyword))) },
      { keywords },
    );
    await world.run();
    isStuck = true;
    await nextDay(world);
    expect(
      world
        .checks()
        .slice(words.length)
        .every((line) => line.endsWith('failed 0')),
    ).toBe(true);
    expect(world.rankings()).toHaveLength(words.length);
  });

  it('under near-duplicate keywords are genuine', async () => {
    const keywords = ['shoe', 'shoes', 'the shoe', 'acme', 'acme shop'].map((text) => keyword(text, { depth: 1 }));
    const { world, provider } = await start(
      { results: ({ keyword: text }) => (text.startsWith('acme') ? acmeAt(1)() : same()) },
      { keywords },
    );
    await world.run();
    expect(world.checks().every((line) => line.endsWith('ok 1'))).toBe(true);
    expect(bought(provider)).toBe(keywords.length);
  });

  it.each([
    ['another srsltid', (link: string, index: number) => `${link}?srsltid=Afm${index}`],
    ['nine of ten equal', (link: string, index: number) => (index === 12 ? 'https://new.example/' : link)],
  ])('on page 2 with %s make page 2 a failure', async (_, change) => {
    const results = () => [...same(), ...same()].map((link, index) => (index < 10 ? link : change(link, index)));
    const keywords = [keyword('running shoes', { depth: 2 })];
    const { world } = await start({ results, pageSize: () => 10 }, { keywords });
    await world.run();
    expect(world.checks()).toEqual(['running shoes incomplete 1']);
    expect(reason(world)).toContain('it repeats page 1');
    expect(world.rankings()).toEqual([]);
  });
});

describe('a page that its parser classifies as a decoy', () => {
  const decoy = (links: readonly string[], doubts: readonly 'decoy_page'[] = ['decoy_page']) => ({
    serp: { organic: links.map((link, index) => ({ rank: index + 1, title: 'Pizza', link })) },
    features: [],
    ...(doubts.length > 0 && { doubts }),
  });
  const pizzas = Array.from({ length: 8 }, (_, index) => `https://pizza${index}.example/`);

  async function worldOf(pages: ReturnType<typeof decoy>[]) {
    const source = memorySource({ kind: 'live', page: () => pages.shift() ?? decoy(pizzas) });
    const clock = new JobClock();
    const services = new Map([[service, createSearchDataService({ source, clock })]]);
    const world = new World({
      services,
      clock,
      projects: [project({ keywords: [keyword('dakdekker', { depth: 1 })] })],
    });
    return { world, source };
  }

  it('is a failure, however often it is returned', async () => {
    const { world, source } = await worldOf([]);
    await world.run();
    await nextDay(world);
    expect(world.checks()).toEqual(['dakdekker failed 0', 'dakdekker failed 0']);
    expect(reason(world)).toContain('decoy_page: its results have too little to do with the keyword');
    expect(source.asked).toHaveLength(4);
  });

  it('is believed if the last complete check had largely the same results', async () => {
    const { world, source } = await worldOf([decoy(pizzas, [])]);
    await world.run();
    await nextDay(world);
    expect(world.checks()).toEqual(['dakdekker ok 1', 'dakdekker ok 1']);
    expect(source.asked).toHaveLength(2);
  });
});
