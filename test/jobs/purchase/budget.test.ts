// A short budget: what is bought first, what is deferred and why, and that `plan` predicts what `run` does.
import { describe, expect, it } from 'vitest';
import type { Caps } from '../../../db/ledger/budget-windows.ts';
import { planReport } from '../../../jobs/query/planning.ts';
import type { Project } from '../../../src/tracker/project.ts';
import { temporaryFolder } from '../../helpers/closing.ts';
import { keyword, project, resultsWith, World } from '../../helpers/jobs.ts';
import { type Provider, type ProviderOptions, startProvider } from '../../helpers/provider.ts';

const dayMs = 86_400_000;
const start = Date.UTC(2026, 0, 15, 6);
const credits = (cap: Caps['serp_credit']): Caps => ({ serp_credit: cap, micro_usd: {} });

async function provide(options: ProviderOptions = {}): Promise<Provider> {
  const provider = await startProvider({
    pageSize: () => 10,
    results: () => resultsWith('https://acme.example/', 1),
    ...options,
  });
  return provider;
}

function worldOf(
  provider: Provider,
  projects: readonly Project[],
  caps: Caps,
  more: { file?: string; concurrency?: number } = {},
): World {
  const world = new World({ provider, projects, caps, ...more });
  world.clock.set(start);
  return world;
}

const keywords = (count: number, depth = 2, name = 'k') =>
  Array.from({ length: count }, (_, index) => keyword(`${name}${index}`, { depth }));

describe('a budget', () => {
  it.each([
    ['run', { perRun: 7 }, 'needs 2 SERP credits, 1 of 7 are left for this run'],
    ['day', { perDay: 7 }, 'needs 2 SERP credits, 1 of 7 are left for the day 2026-01-15'],
    ['month', { perMonth: 7 }, 'needs 2 SERP credits, 1 of 7 are left for the month 2026-01'],
  ] as const)(
    'of a %s is never overdrawn: what does not fit is deferred with its reason',
    async (_name, cap, reason) => {
      const provider = await provide();
      const world = worldOf(provider, [project({ keywords: keywords(5) })], credits(cap));
      await world.run();
      expect(world.checks()).toEqual(['k0 ok 2', 'k1 ok 2', 'k2 ok 2', 'k3 deferred 0', 'k4 deferred 0']);
      expect(world.value("SELECT reason FROM checks WHERE state = 'deferred'")).toBe(`budget: ${reason}`);
      expect(world.store.runs.run(1)?.state).toBe('partial');
      expect(provider.sold.serpCredits).toBe(6);
      expect(world.broken()).toEqual([]);
    },
  );

  it('frees what a check did not use of its worst case', async () => {
    const provider = await provide();
    const world = worldOf(
      provider,
      [project({ paging: 'until-found', keywords: keywords(8, 5) })],
      credits({ perRun: 9 }),
    );
    await world.run();
    // each reads one page of the five set aside; the last ones no longer have five to set aside
    expect(world.store.checks.counts(1)).toMatchObject({ ok: 5, deferred: 3 });
    expect(world.credits).toEqual({ spent: 5, unknown: 0, open: 0 });
  });

  it('is spent by priority, and the next run begins with deferred checks', async () => {
    const provider = await provide();
    const list = [
      keyword('low', { depth: 1, priority: 'low' }),
      keyword('normal 1', { depth: 1 }),
      keyword('normal 2', { depth: 1 }),
      keyword('normal 3', { depth: 1 }),
      keyword('high', { depth: 1, priority: 'high' }),
    ];
    const world = worldOf(provider, [project({ keywords: list })], credits({ perRun: 3 }), { concurrency: 1 });
    await world.runSlot(start);
    const asked = () => provider.requests.map(({ body }) => body['keyword']);
    expect(asked()).toEqual(['high', 'normal 1', 'normal 2']);
    world.clock.set(start + dayMs);
    await world.runSlot(start + dayMs);
    expect(asked().slice(3)).toEqual(['high', 'normal 3', 'normal 1']);
    world.clock.set(start + 2 * dayMs);
    await world.runSlot(start + 2 * dayMs);
    expect(asked().slice(6)).toEqual(['high', 'normal 2', 'normal 1']);
    expect(world.broken()).toEqual([]);
  });

  it('is spent on deferred checks before those that have waited longer', async () => {
    const provider = await provide();
    const file = `${temporaryFolder()}/db.sqlite`;
    const a = project({ keywords: [keyword('a', { depth: 1 })] });
    const b = project({ id: 'globex', keywords: [keyword('b', { depth: 1 })] });
    const runs = [
      [[b], 5],
      [[a], 5],
      [[a], 0],
      [[b, a], 1],
    ] as const;
    for (const [day, [projects, perRun]] of runs.entries()) {
      const world = worldOf(provider, [b, a], credits({ perRun }), { file });
      world.clock.set(start + day * dayMs);
      await world.runSlot(start + day * dayMs, projects);
    }
    expect(provider.requests.map(({ body }) => body['keyword'])).toEqual(['b', 'a', 'a']);
  });

  it('that was lowered below what is spent defers everything', async () => {
    const provider = await provide();
    const file = `${temporaryFolder()}/db.sqlite`;
    const first = worldOf(provider, [project({ keywords: keywords(5) })], credits({ perMonth: 100 }), { file });
    await first.runSlot(start);
    const second = worldOf(provider, [project({ keywords: keywords(5) })], credits({ perMonth: 4 }), { file });
    await second.runSlot(start + 60_000);
    expect(second.store.checks.counts(2)).toMatchObject({ ok: 0, deferred: 5 });
    expect(provider.sold.serpCredits).toBe(10);
    expect(second.value('SELECT reason FROM checks WHERE run_id = 2')).toContain('0 of 4 are left');
    expect(second.broken()).toEqual([]);
  });

  it('of zero defers any number of checks', async () => {
    const provider = await provide();
    const world = worldOf(provider, [project({ keywords: keywords(1200, 1) })], credits({ perRun: 0 }));
    const [run] = await world.run();
    expect(run).toMatchObject({ interrupted: false });
    expect(world.store.checks.counts(1)).toMatchObject({ deferred: 1200, planned: 0 });
    expect(provider.requests.length).toBe(0);
  });

  it('that runs out in the middle of a check leaves the check incomplete', async () => {
    const provider = await provide();
    provider.next('reset-after-sale');
    const world = worldOf(provider, [project({ keywords: keywords(1, 3) })], credits({ perRun: 3 }));
    await world.run();
    expect(world.checks()).toEqual(['k0 incomplete 2']);
    expect(world.value('SELECT reason FROM checks')).toContain('page 3: budget: needs 1 SERP credits, 0 of 3 are left');
    expect(world.credits).toEqual({ spent: 2, unknown: 1, open: 0 });
    expect(world.rankings()).toEqual(['acme.example rank 1']);
    expect(world.broken()).toEqual([]);
  });

  it('is not charged for pages that were bought before', async () => {
    const provider = await provide();
    const file = `${temporaryFolder()}/db.sqlite`;
    const first = worldOf(provider, [project()], credits({}), { file });
    await first.runSlot(start);
    const second = worldOf(provider, [project({ id: 'globex' })], credits({ perMonth: 3 }), { file });
    await second.runSlot(start);
    expect(second.checks(2)).toEqual(['running shoes ok 3']);
    expect(provider.sold.serpCredits).toBe(3);
  });

  it('is reserved before a request leaves: many concurrent checks cannot overdraw it', async () => {
    const provider = await provide();
    const world = worldOf(provider, [project({ keywords: keywords(60, 3) })], credits({ perDay: 50 }), {
      concurrency: 20,
    });
    await world.run();
    expect(provider.sold.serpCredits).toBe(48);
    expect(world.credits).toEqual({ spent: 48, unknown: 0, open: 0 });
    expect(world.broken()).toEqual([]);
  });
});

describe('a plan', () => {
  const shapes: readonly (readonly [name: string, projects: readonly Project[], caps: Caps])[] = [
    ['of one project without a cap', [project({ keywords: keywords(6, 2) })], credits({})],
    ['of a short budget', [project({ keywords: keywords(9, 3) })], credits({ perRun: 14 })],
    ['of several windows', [project({ keywords: keywords(9, 3) })], credits({ perRun: 20, perDay: 13, perMonth: 16 })],
    [
      'of two projects that share searches',
      [
        project({ keywords: [...keywords(4, 2), ...keywords(3, 1, 'a')] }),
        project({ id: 'globex', keywords: [...keywords(4, 3), ...keywords(2, 5, 'b')] }),
      ],
      credits({ perRun: 17 }),
    ],
    [
      'of priorities and depths',
      [
        project({
          keywords: [
            keyword('low', { priority: 'low', depth: 1 }),
            keyword('deep', { depth: 9 }),
            keyword('high', { priority: 'high', depth: 4 }),
            ...keywords(4, 2),
          ],
        }),
      ],
      credits({ perDay: 13 }),
    ],
    [
      'of deep checks',
      [project({ deep: { depth: 5, everyMs: 7 * dayMs }, keywords: keywords(4, 2) })],
      credits({ perRun: 11 }),
    ],
    [
      'of two devices',
      [project({ keywords: [keyword('a', { devices: ['desktop', 'mobile'] })] })],
      credits({ perRun: 3 }),
    ],
  ];

  it.each(shapes)('%s predicts what the run then does, twice', async (_name, projects, caps) => {
    const provider = await provide({ results: () => resultsWith('https://other.example/', 1, 120) });
    const world = worldOf(provider, projects, caps, { concurrency: 3 });
    for (const at of [start, start + dayMs]) {
      world.clock.set(at);
      const soldBefore = provider.sold.serpCredits;
      const plan = planReport(world.context, { kind: 'slot', projects, at });
      const [run] = await world.runSlot(at);
      const counts = world.store.checks.counts(run?.runId ?? 0);
      expect(counts.ok + counts.deferred).toBe(plan.searches);
      expect(counts.deferred).toBe(plan.deferred.checks);
      const deferred = world.rows(
        `SELECT k.text AS keyword FROM checks c JOIN searches s ON s.id = c.search_id JOIN keywords k ON k.id = s.keyword_id
         WHERE c.run_id = ${run?.runId ?? 0} AND c.state = 'deferred' ORDER BY c.sequence, c.id LIMIT 10`,
      );
      expect(plan.deferred.sample.map(({ keyword }) => ({ keyword }))).toEqual(deferred);
      if (plan.deferred.checks === 0) expect(provider.sold.serpCredits - soldBefore).toBe(plan.creditsWorstCase);
      expect(provider.sold.serpCredits - soldBefore).toBeLessThanOrEqual(plan.creditsWorstCase);
    }
    expect(world.broken()).toEqual([]);
  });

  it('subtracts what another run has reserved', async () => {
    const provider = await provide();
    const projects = [project({ keywords: keywords(3, 2) })];
    const world = worldOf(provider, projects, credits({ perDay: 7 }));
    world.store.transaction(() => {
      const run = world.store.runs.open({ kind: 'adhoc', moment: start, owner: 'o', at: start }, []);
      const keys = { day: '2026-01-15', month: '2026-01' };
      const ask = { checkId: null, currency: 'serp_credit', amount: 4, at: start, keys } as const;
      world.store.ledger.reserve({ ...ask, runId: run?.id ?? 0 });
    });
    const plan = planReport(world.context, { kind: 'now', projects });
    expect(plan.deferred).toMatchObject({
      checks: 2,
      reason: 'budget: needs 2 SERP credits, 1 of 7 are left for the day 2026-01-15',
    });
  });

  it('changes nothing', async () => {
    const provider = await provide();
    const projects = [project({ keywords: keywords(3) })];
    const world = worldOf(provider, projects, credits({ perRun: 3 }));
    const count = () =>
      world.value(
        'SELECT sum(n) FROM (SELECT count(*) AS n FROM keywords UNION ALL SELECT count(*) FROM runs UNION ALL SELECT count(*) FROM budget_windows UNION ALL SELECT count(*) FROM slots)',
      );
    planReport(world.context, { kind: 'now', projects });
    expect(count()).toBe(0);
  });
});
