// Pages that are bought at once: the same ranks for less, each page kept and paid once.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openConnection } from '../../../db/connection/client.ts';
import { callService, type PageJob } from '../../../jobs/queue/queue.ts';
import { createSearchDataService, createSource, type Source, systemClock } from '../../../src/service/index.ts';
import { invoke } from '../../cli/fake-host.ts';
import { projectFolder } from '../../cli/project-folder.ts';
import { runSlots } from '../../cli/real-app.ts';
import { temporaryFolder } from '../../helpers/closing.ts';
import { dieAt } from '../../helpers/death.ts';
import { JobClock } from '../../helpers/job-clock.ts';
import { deadOwner, keyword, project, service, World } from '../../helpers/jobs.ts';

const keywords = ['running shoes', 'trail shoes', 'hiking boots', 'gps watch', 'rain jacket', 'ski poles'];
const slots = ['2026-01-02T06:00Z', '2026-01-03T06:00Z', '2026-01-04T06:00Z'];
const first = slots.slice(0, 1);

function config(service: object, project: object): string {
  return `timezone: UTC
services:
  default: ${JSON.stringify({ mode: 'embedded', source: 'sandbox', sites: ['acme.com'], ...service })}
budget: { serpCredits: { perMonth: 5000 } }
projects:
  - ${JSON.stringify({
    ...{ id: 'acme', targets: ['acme.com'], schedule: '0 6 * * *', depth: 10, paging: 'full', keywords },
    ...{ market: { country: 'US', language: 'en', devices: ['desktop'] }, ...project },
  })}
`;
}

/** Runs these days, and reads the database. */
async function afterRuns(service: object, project: object = {}, days = slots) {
  const folder = projectFolder(config(service, project));
  // a run with blocked pages is partial
  await runSlots(folder, days).catch((error: Error) => expect(error.message).toContain('"partial"'));
  const database = openConnection(join(folder.path, 'data/rankledger.sqlite'));
  const read = (sql: string) => database.sql(sql).all() as Record<string, unknown>[];
  const found = {
    ranks: read('SELECT search_id, moment, target_id, rank FROM rankings ORDER BY 1, 2, 3'),
    pages: read('SELECT count(*) AS pages, count(DISTINCT purchase_id) AS purchases FROM pages')[0],
    credits: Number(read('SELECT sum(charged) AS credits FROM purchases')[0]?.['credits']),
    purchases: read('SELECT page FROM purchases ORDER BY id'),
    checks: read('SELECT pages_read, pages_reused FROM checks'),
  };
  database.close();
  return found;
}

describe('pages at once', () => {
  it('show the ranks of single pages, at the price of one purchase', async () => {
    const [single, atOnce] = [await afterRuns({}, {}, first), await afterRuns({ atOnceCredits: 2 }, {}, first)];
    expect(atOnce.ranks).toEqual(single.ranks);
    expect(single).toMatchObject({ credits: 60, pages: { pages: 60, purchases: 60 } });
    expect(atOnce).toMatchObject({ credits: 12, pages: { pages: 60, purchases: 6 } });
  });

  it('are bought where single pages are expected to cost more', async () => {
    const until = { paging: 'until-found', keywords: ['running shoes'] };
    const found = await afterRuns({ atOnceCredits: 2 }, until);
    expect(found.ranks).toEqual((await afterRuns({}, until)).ranks);
    // nothing is known at first; then it is found on page 1
    expect(found.credits).toBe(2 + 1 + 1);
    const nowhere = { ...until, targets: ['nowhere.example'] };
    expect((await afterRuns({ atOnceCredits: 2 }, nowhere)).credits).toBe(2 + 2 + 2);
    expect((await afterRuns({}, nowhere)).credits).toBe(30);
  });

  it('leave out a page that cannot be read, which is asked for alone', async () => {
    const { checks, purchases } = await afterRuns({ atOnceCredits: 2, blockedShare: 0.05 }, {}, first);
    expect(checks.map(({ pages_read: read, pages_reused: reused }) => [read, reused])).toEqual([
      ...[
        [9, 0],
        [9, 0],
      ],
      ...Array.from({ length: 4 }, () => [10, 0]),
    ]);
    expect(purchases.filter(({ page }) => page === 1)).toHaveLength(6);
    expect(new Set(purchases.map(({ page }) => page))).toEqual(new Set([1, 8, 9]));
  });
});

describe('the price of pages at once', () => {
  const at = Date.parse('2026-01-01T12:00Z');
  const env = { SERPER_KEY: 'key-of-a-vendor-1' };
  const serper = { source: 'serper', sites: undefined, apiKey: `\${SERPER_KEY}` };
  const json = async (config: string, ...argv: string[]) => {
    const { out, err } = await invoke([...argv, '--json'], { cwd: projectFolder(config).path, now: at, env });
    expect(err).toBe('');
    return JSON.parse(out);
  };

  it('is the one of plan, check and simulate, which spend as much as the runs', async () => {
    const written = config({ atOnceCredits: 2 }, {});
    expect(await json(written, 'plan', '--all')).toMatchObject({
      ...{ creditsExpected: 12, creditsWorstCase: 12, pagesWorstCase: 60 },
      projects: [{ run: { creditsExpected: 12, creditsWorstCase: 12 } }],
    });
    expect(await json(written, 'check')).toMatchObject({
      creditsPerMonth: 31 * 12,
      projects: [{ creditsPerRun: 12, creditsPerDeepRun: 12 }],
    });
    const simulated = async (text: string, from: string) =>
      await json(text, 'simulate', '--days', '3', '--policy', 'daily', '--from', from);
    expect(await simulated(written, 'history')).toMatchObject({ policies: [{ credits: 3 * 12 }] });
    // the sandbox in place of a vendor
    const ofVendor = config({ ...serper, wholeDepth: true }, {});
    expect(await simulated(ofVendor, 'sandbox')).toMatchObject({ policies: [{ credits: 3 * 12 }] });
  });

  it('adds up to that of a grid, in plan and check', async () => {
    const grid = { center: '30.2672,-97.7431', size: 2, spacing: '1km' };
    const written = config(
      { atOnceCredits: 2 },
      { market: { country: 'US', language: 'en', devices: ['desktop'], grid } },
    );
    const cost = { searches: 24, creditsPerRun: 48 };
    expect(await json(written, 'check')).toMatchObject({ projects: [{ grid: cost }] });
    expect(await json(written, 'plan', '--all')).toMatchObject({
      grids: [{ checks: 24, creditsExpected: 48, creditsWorstCase: 48 }],
    });
  });

  it('includes at worst the single pages up to where a target was that is gone', async () => {
    const report = await json(config({ atOnceCredits: 2 }, { paging: 'until-found' }), 'check');
    // pages 1 and 2 alone cost no more; then all
    expect(report).toMatchObject({ projects: [{ creditsPerRun: 6 * (1 + 1 + 2) }] });
  });

  it('is one in dollars, by the list price of a credit', async () => {
    const dollars = async (wholeDepth: boolean) => {
      const report = await json(config({ ...serper, wholeDepth }, {}), 'check');
      return report.projects[0].microUsdPerKeywordMonth;
    };
    expect(await dollars(false)).toEqual({ least: 31 * 10 * 300, most: 31 * 10 * 1000 });
    expect(await dollars(true)).toEqual({ least: 31 * 2 * 300, most: 31 * 2 * 1000 });
  });

  it('lets an adaptive plan check more keywords, and is what they cost', async () => {
    const adaptive = { cadence: 'adaptive', paging: 'until-found', targets: ['nowhere.example'] };
    const checked = async (service: object) => {
      const text = config(service, adaptive).replace('perMonth: 5000', 'perDay: 7');
      const { creditsWorstCase, adaptive: decisions } = await json(text, 'plan', '--all');
      return [decisions.filter(({ check }: { check: boolean }) => check).length, creditsWorstCase];
    };
    expect(await checked({})).toEqual([0, 0]);
    expect(await checked({ atOnceCredits: 2 })).toEqual([3, 6]);
  });
});

describe('a purchase of pages at once, interrupted at any transaction', () => {
  const at = Date.parse('2026-01-02T06:00Z');

  /** A vendor that sells the sandbox's pages. */
  async function vendor() {
    const { serp } = await createSource('sandbox', { sites: ['acme.com'], atOnceCredits: 2 }, { clock: systemClock });
    if (serp === undefined) throw new Error('the sandbox has pages');
    const sold: number[] = [];
    const source: Source = {
      serp: {
        ...serp,
        kind: 'live',
        async fetchPage(request, context) {
          sold.push(request.through === undefined ? 1 : 2);
          return await serp.fetchPage(request, context);
        },
      },
    };
    const services = () => new Map([[service, createSearchDataService({ source, clock: systemClock })]]);
    return { sold, services };
  }

  const projects = [
    project({
      targets: [{ match: 'domain', value: 'acme.com' }],
      keywords: ['running shoes', 'trail shoes'].map((text) => keyword(text, { depth: 3 })),
    }),
  ];
  const ranksOf = (world: World) => world.rows('SELECT search_id, rank FROM rankings ORDER BY 1');

  it.each(['before', 'after'] as const)(
    '%s it is durable, is recorded, and no page is bought twice',
    async (moment) => {
      const { services, sold } = await vendor();
      const whole = new World({ projects, services: services(), clock: new JobClock(at) });
      await whole.runSlot(at);
      expect(sold).toEqual([2, 2]);
      const ranks = ranksOf(whole);
      await whole.close();
      let deaths = 0;
      for (let n = 1; ; n += 1) {
        const { services, sold } = await vendor();
        const paths = { projects, file: join(temporaryFolder(), 'db.sqlite'), concurrency: 1 };
        const first = new World({ ...paths, services: services(), clock: new JobClock(at), owner: deadOwner });
        const facts = dieAt(first, n, moment);
        await first.runSlot(at).catch(() => undefined);
        await first.close();
        const second = new World({ ...paths, services: services(), clock: new JobClock(at + 60_000) });
        await second.runSlot(at);
        expect(second.broken()).toEqual([]);
        expect(ranksOf(second)).toEqual(ranks);
        // at most the one in flight is bought again, and counts as spent
        expect(sold.length).toBeLessThanOrEqual(3);
        const { spent, unknown } = second.credits;
        const paid = sold.reduce((sum, credits) => sum + credits, 0);
        expect(spent + unknown).toBeGreaterThanOrEqual(paid);
        // a purchase that was recorded, and perhaps not sent
        expect(spent + unknown).toBeLessThanOrEqual(paid + 2);
        await second.close();
        if (!facts.died) break;
        deaths += 1;
      }
      expect(deaths).toBeGreaterThan(5);
    },
  );

  it('is recalled as it was sent, and costs the price of all its pages', async () => {
    const { services } = await vendor();
    const paths = { projects, file: join(temporaryFolder(), 'db.sqlite'), concurrency: 1 };
    const first = new World({ ...paths, services: services(), clock: new JobClock(at), owner: deadOwner });
    const sent: PageJob[] = [];
    const { fetchPage } = first.queue;
    first.queue.fetchPage = (job, options) => {
      sent.push(job);
      return fetchPage(job, options);
    };
    first.store.ledger.settle = () => {
      throw new Error('died');
    };
    await first.runSlot(at).catch(() => undefined);
    await first.close();
    const recalled: PageJob[] = [];
    const second = new World({
      ...paths,
      services: services(),
      clock: new JobClock(at + 60_000),
      wrapQueue: (queue) => ({
        ...queue,
        async recall({ attempt: _, ...job }, signal) {
          recalled.push(job);
          const outcome = await callService(services(), job, { signal, beforeSend: async () => 1 });
          return { kind: 'outcome', outcome };
        },
      }),
    });
    await second.run({ kind: 'due' });
    expect(recalled.length).toBeGreaterThan(0);
    expect(recalled.map(({ request }) => request)).toEqual(
      sent.slice(0, recalled.length).map(({ request }) => request),
    );
    expect(second.credits).toEqual({ spent: 4, unknown: 0, open: 0 });
    expect(second.rows('SELECT page, charged FROM purchases')).toEqual(Array(2).fill({ page: 1, charged: 2 }));
    expect(second.rows('SELECT count(*) AS pages FROM pages')).toEqual([{ pages: 6 }]);
    expect(second.broken()).toEqual([]);
  });
});
