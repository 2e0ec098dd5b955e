// Which pages are bought: paging strategies, deep checks, fresh pages, and searches that projects share.
import { describe, expect, it } from 'vitest';
import { planReport } from '../../../jobs/query/planning.ts';
import type { FetchQueue } from '../../../jobs/queue/queue.ts';
import type { Project } from '../../../src/tracker/project.ts';
import { keyword, project, resultsWith, World, type WorldOptions } from '../../helpers/jobs.ts';
import { type Provider, type ProviderOptions, startProvider } from '../../helpers/provider.ts';

const dayMs = 86_400_000;
const start = Date.UTC(2026, 0, 15, 6);
const url = 'https://acme.example/';

/** Ten results per page, so that rank 25 is on page 3. */
async function begin(
  projects: Project[],
  options: ProviderOptions & { rank?: number } = {},
  more: Partial<WorldOptions> = {},
) {
  const provider = await startProvider({
    results: () => resultsWith(url, options.rank ?? 12, 120),
    pageSize: () => 10,
    ...options,
  });
  return { provider, world: new World({ provider, projects, ...more }) };
}

/** Runs all projects at this moment and returns the requested pages. */
async function runAt(
  { world, provider }: { world: World; provider: Provider },
  at: number,
  projects?: Project[],
): Promise<number[]> {
  const before = provider.requests.length;
  world.clock.set(at);
  await world.runSlot(at, projects);
  expect(world.broken()).toEqual([]);
  expect(world.credits.open).toBe(0);
  return provider.requests.slice(before).map(({ body }) => Number(body['start_page']));
}

describe('paging', () => {
  it('until-found reads from page 1 until every own target is found', async () => {
    const all = await begin([project({ paging: 'until-found', keywords: [keyword('a', { depth: 10 })] })], {
      rank: 25,
    });
    expect(await runAt(all, start)).toEqual([1, 2, 3]);
    expect(all.world.rankings()).toEqual(['acme.example rank 25']);
    // the worst case was reserved and freed again
    expect(all.world.rows('SELECT reserved, spent, released FROM reservations')).toEqual([
      { reserved: 10, spent: 3, released: 7 },
    ]);
  });

  it('until-found does not continue for a competitor, and records competitors on the pages read', async () => {
    const competitors = [
      { match: 'domain', value: 'site2.example' },
      { match: 'domain', value: 'site90.example' },
    ] as const;
    const all = await begin([project({ paging: 'until-found', competitors })], { rank: 12 });
    expect(await runAt(all, start)).toEqual([1, 2]);
    expect(all.world.rankings()).toEqual([
      'acme.example rank 12',
      'site2.example rank 2',
      'site90.example not found 2',
    ]);
  });

  it('full reads to its depth', async () => {
    const all = await begin([project({ paging: 'full', keywords: [keyword('a', { depth: 4 })] })], { rank: 1 });
    expect(await runAt(all, start)).toEqual([1, 2, 3, 4]);
  });

  it('anchored reads page 1 and the last known page, and widens from there where the target has moved', async () => {
    let rank = 45;
    const one = project({ paging: 'anchored', keywords: [keyword('a', { depth: 10 })] });
    const all = await begin([one], { results: () => resultsWith(url, rank, 120) });
    expect(await runAt(all, start)).toEqual([1, 2, 3, 4, 5]);
    expect(await runAt(all, start + dayMs)).toEqual([1, 5]);
    rank = 35;
    expect(await runAt(all, start + 2 * dayMs)).toEqual([1, 5, 4]);
    // beyond a gap there is no exact rank, and none is invented
    expect(all.world.rankings()).toEqual(['acme.example rank 45', 'acme.example seen 5', 'acme.example seen 4']);
  });

  it('ends where the results end', async () => {
    const all = await begin([project({ keywords: [keyword('a', { depth: 10 })] })], {
      results: () => resultsWith('https://other.example/', 1, 14),
    });
    expect(await runAt(all, start)).toEqual([1, 2, 3]);
    expect(all.world.rankings()).toEqual(['acme.example not found 10']);
  });
});

describe('a deep check', () => {
  it('is made every seven days between shallow ones', async () => {
    const deep = { depth: 10, everyMs: 7 * dayMs };
    const all = await begin([project({ deep, paging: 'until-found', keywords: [keyword('a', { depth: 3 })] })], {
      rank: 45,
    });
    const pages: number[] = [];
    for (let day = 0; day < 9; day += 1) pages.push((await runAt(all, start + day * dayMs)).length);
    expect(pages).toEqual([5, 3, 3, 3, 3, 3, 3, 5, 3]);
    expect(all.world.rankings().slice(0, 2)).toEqual(['acme.example rank 45', 'acme.example not found 3']);
  });
});

describe('a deep check that ran hours after its slot', () => {
  it('does not delay the next one: intervals count from slots, not from run times', async () => {
    const one = project({ deep: { depth: 5, everyMs: 7 * dayMs }, keywords: [keyword('a', { depth: 1 })] });
    const all = await begin([one]);
    all.world.clock.set(start + dayMs / 2);
    await all.world.runSlot(start);
    expect((await runAt(all, start + 6 * dayMs)).length).toBe(1);
    expect((await runAt(all, start + 7 * dayMs)).length).toBe(5);
  });
});

describe('a page that is fresh enough', () => {
  it('is reused at no cost, by another project as well', async () => {
    const one = project({ freshForMs: dayMs / 2 });
    const other = project({
      id: 'globex',
      freshForMs: dayMs / 2,
      targets: [{ match: 'domain', value: 'site5.example' }],
    });
    const all = await begin([one, other]);
    expect(await runAt(all, start, [one])).toEqual([1, 2, 3]);
    expect(await runAt(all, start + dayMs / 4, [other])).toEqual([]);
    expect(all.world.rankings()).toEqual(['acme.example rank 12', 'site5.example rank 5']);
    expect(all.world.rows('SELECT pages_reused, pages_read FROM checks WHERE id = 2')).toEqual([
      { pages_reused: 3, pages_read: 3 },
    ]);
    expect(await runAt(all, start + dayMs, [one])).toEqual([1, 2, 3]);
  });

  it('keeps the time at which it was observed', async () => {
    const all = await begin([project({ freshForMs: dayMs })]);
    await runAt(all, start);
    await runAt(all, start + 3_600_000);
    expect(all.world.rows('SELECT DISTINCT checked_at FROM checks').length).toBe(1);
  });

  it('is not used for a deeper check than its own unless the missing pages are bought', async () => {
    const one = project({ freshForMs: dayMs, keywords: [keyword('a', { depth: 2 })] });
    const deeper = project({ id: 'globex', freshForMs: dayMs, keywords: [keyword('a', { depth: 4 })] });
    const all = await begin([one, deeper]);
    expect(await runAt(all, start, [one])).toEqual([1, 2]);
    expect(planReport(all.world.context, { kind: 'now', projects: [deeper] })).toMatchObject({
      pagesFresh: 2,
      creditsWorstCase: 2,
    });
    expect(await runAt(all, start + 1000, [deeper])).toEqual([3, 4]);
  });

  it('is not reused for a plan with other pages', async () => {
    const anchored = project({ paging: 'anchored', freshForMs: dayMs, keywords: [keyword('a', { depth: 10 })] });
    const all = await begin([anchored], { rank: 95 });
    await runAt(all, start);
    await runAt(all, start + 2 * dayMs); // pages 1 and 10
    const shallow = project({ id: 'acme', freshForMs: dayMs, keywords: [keyword('a', { depth: 3 })] });
    (all.world.context.projects as Map<string, Project>).set('acme', shallow);
    expect(planReport(all.world.context, { kind: 'now', projects: [shallow] })).toMatchObject({
      pagesFresh: 1,
      creditsWorstCase: 2,
    });
  });

  it('is not taken from another source', async () => {
    const all = await begin([project({ freshForMs: dayMs })]);
    await runAt(all, start);
    const service = [...all.world.context.services.values()][0]!;
    Object.defineProperty(service, 'source', { value: 'another' });
    expect(await runAt(all, start + 60_000)).toEqual([1, 2, 3]);
    expect(all.world.rows('SELECT source FROM checks')).toEqual([
      { source: 'vendor/remote' },
      { source: 'vendor/another' },
    ]);
  });
});

describe('projects that share a search', () => {
  const shoes = (more: Partial<Project>) => project({ paging: 'until-found', ...more });
  const rival = [{ match: 'domain', value: 'site25.example' }] as const;

  it('in one run buy it once, as deep and as thoroughly as either requires', async () => {
    const a = shoes({ keywords: [keyword('a', { depth: 2 }), keyword('only a', { depth: 1 })] });
    const b = shoes({ id: 'globex', targets: rival, paging: 'full', keywords: [keyword('a', { depth: 4 })] });
    const all = await begin([a, b], { rank: 1 });
    expect(planReport(all.world.context, { kind: 'now', projects: [a, b] })).toMatchObject({
      searches: 2,
      sharedSearches: 1,
      creditsWorstCase: 5,
    });
    expect((await runAt(all, start)).sort()).toEqual([1, 1, 2, 3, 4]);
    expect(all.world.checks()).toEqual(['a ok 4', 'only a ok 1']);
    expect(all.world.rankings()).toEqual(['acme.example rank 1', 'site25.example rank 26', 'acme.example rank 1']);
    expect(all.world.value('SELECT count(*) FROM check_projects')).toBe(3);
  });

  it('continue until the own targets of both are found', async () => {
    const all = await begin([shoes({}), shoes({ id: 'globex', targets: rival })], { rank: 1 });
    expect(await runAt(all, start)).toEqual([1, 2, 3]);
  });

  it('continue until competitors are found as well where one of them requires it', async () => {
    const both = [shoes({}), shoes({ id: 'globex', competitors: rival, paging: 'until-all-found' })];
    const all = await begin(both, { rank: 1 });
    expect(await runAt(all, start)).toEqual([1, 2, 3]);
    // the next plan expects the page on which the competitor was found
    const plan = planReport(all.world.context, { kind: 'now', projects: both });
    expect(plan).toMatchObject({ creditsExpected: 3, creditsWorstCase: 3 });
  });

  it('in two runs of one slot buy each page once', async () => {
    const a = shoes({});
    const b = shoes({ id: 'globex', targets: rival });
    const all = await begin([a, b], { rank: 12 });
    expect(await runAt(all, start, [a])).toEqual([1, 2]);
    expect(await runAt(all, start, [b])).toEqual([3]);
    expect(all.world.value('SELECT count(*) FROM pages')).toBe(3);
    expect(all.world.rankings().at(-1)).toBe('site25.example rank 26');
  });

  it('use pages as fresh as the stricter project requires', async () => {
    const relaxed = shoes({ freshForMs: dayMs });
    const strict = shoes({ id: 'globex', freshForMs: 0 });
    const all = await begin([relaxed, strict], { rank: 1 });
    expect(await runAt(all, start)).toEqual([1]);
    expect(await runAt(all, start + 60_000, [relaxed])).toEqual([]);
    expect(await runAt(all, start + 120_000)).toEqual([1]);
  });

  it('share nothing where their markets differ', async () => {
    const all = await begin(
      [shoes({}), shoes({ id: 'globex', keywords: [keyword('running shoes', { devices: ['mobile', 'desktop'] })] })],
      { rank: 1 },
    );
    await runAt(all, start);
    expect(all.provider.requests.map(({ body }) => body['mobile']).sort()).toEqual([false, true]);
  });
});

describe('a run over a queue with a limit', () => {
  it.each([1, 20])(
    'has at most %i requests in flight, and that many once its service has answered before',
    async (concurrency) => {
      const keywords = Array.from({ length: 40 }, (_, index) => keyword(`k${index}`, { depth: 1 }));
      let [inFlight, most] = [0, 0];
      const wrapQueue = (queue: FetchQueue): FetchQueue => ({
        ...queue,
        async fetchPage(job, signal) {
          inFlight += 1;
          most = Math.max(most, inFlight);
          return await queue.fetchPage(job, signal).finally(() => {
            inFlight -= 1;
          });
        },
      });
      const all = await begin([project({ keywords })], {}, { concurrency, wrapQueue });
      await runAt(all, start);
      expect(most).toBeLessThanOrEqual(concurrency);
      // the second day: a service that has never answered does not get all of them at once
      await runAt(all, start + dayMs);
      expect(most).toBe(concurrency);
      expect(all.provider.sold.serpCredits).toBe(80);
      expect(all.world.store.checks.counts(2).ok).toBe(40);
    },
  );
});
