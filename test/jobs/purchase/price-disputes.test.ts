// A provider that states another price than agreed: the higher one is booked, and may stop the service.
import { describe, expect, it } from 'vitest';
import type { Caps } from '../../../db/ledger/budget-windows.ts';
import { runResult } from '../../../src/app/runs/run.ts';
import { settleUnknown } from '../../../src/cli/commands/audit.ts';
import type { Project } from '../../../src/tracker/project.ts';
import { keyword, project, resultsWith, World } from '../../helpers/jobs.ts';
import { type Provider, type ProviderOptions, startProvider } from '../../helpers/provider.ts';

async function worldWith(
  options: ProviderOptions,
  projects: readonly Project[],
  caps: Partial<Caps>,
  retryUnreadable = 1,
): Promise<{ world: World; provider: Provider; warnings: string[] }> {
  const provider = await startProvider({
    pageSize: () => 10,
    results: () => resultsWith('https://acme.example/', 1),
    ...options,
  });
  const warnings: string[] = [];
  const log = { debug() {}, info() {}, warn: (_facts: object, text: string) => warnings.push(text), error() {} };
  const world = new World({
    reports: true,
    provider,
    projects,
    concurrency: 1,
    retryUnreadable,
    log,
    caps: { serp_credit: {}, micro_usd: {}, ...caps },
  });
  return { world, provider, warnings };
}

const keywords = (count: number) => Array.from({ length: count }, (_, index) => keyword(`k${index}`, { depth: 1 }));
const metrics = project({ keywords: keywords(3), volumes: { schedule: '0 6 * * *', limit: 1 } } as Partial<Project>);
const volumeAnswer = (cost: number) => (_nth: number, body: Readonly<Record<string, unknown>>) =>
  body['limit'] === undefined
    ? ('ok' as const)
    : {
        answer: {
          success: true,
          result_count: 1,
          cost,
          data: [{ keyword: body['keyword'], search_volume: 10, country: 'us', language: 'en' }],
        },
      };

describe('pages', () => {
  it('are booked at the price in X-Credits-Charged where that is above the agreed credit', async () => {
    const { world, warnings } = await worldWith({ charged: () => '5' }, [project({ keywords: keywords(3) })], {
      serp_credit: { perMonth: 100 },
    });
    const [run] = await world.run();
    expect(world.credits).toEqual({ spent: 15, unknown: 0, open: 0 });
    expect(world.checks()).toEqual(['k0 ok 1', 'k1 ok 1', 'k2 ok 1']);
    expect(world.store.runs.run(1)).toMatchObject({
      state: 'partial',
      reason: 'price in dispute: service vendor states 15 SERP credits for 3 purchases agreed at 3 SERP credits',
    });
    expect(run && runResult(world.context, run).notes).toEqual([
      'price in dispute: service vendor states 15 SERP credits for 3 purchases agreed at 3 SERP credits. See: rankledger audit',
    ]);
    expect(world.store.disputes.newest(1)).toMatchObject([{ purchaseId: 3, agreed: 1, stated: 5, exceeded: 0 }]);
    expect(warnings).toContain('provider states a higher price than agreed: the higher price is booked');
    expect(run?.reports[0]?.files).toContain('summary.csv');
    expect(world.broken()).toEqual([]);
  });

  it('whose price exceeds the budget stop the service, and the overrun is booked', async () => {
    const { world, provider } = await worldWith({ charged: () => '5' }, [project({ keywords: keywords(4) })], {
      serp_credit: { perMonth: 8 },
    });
    const [run] = await world.run();
    expect(provider.requests).toHaveLength(2);
    expect(world.credits).toEqual({ spent: 10, unknown: 0, open: 0 });
    expect(run?.halts).toMatchObject([{ service: 'vendor', code: 'PRICE_DISPUTED' }]);
    expect(run?.halts[0]?.reason).toContain(
      'states 5 SERP credits instead of the agreed 1 SERP credit, which exceeds the budget by 2 SERP credits',
    );
    expect(world.store.runs.run(1)?.state).toBe('halted');
    expect(world.checks()).toEqual(['k0 ok 1', 'k1 ok 1', 'k2 deferred 0', 'k3 deferred 0']);
    expect(world.rows("SELECT reserved, spent, cap, overdrawn FROM budget_windows WHERE scope = 'month'")).toEqual([
      { reserved: 0, spent: 10, cap: 8, overdrawn: 2 },
    ]);
    expect(world.broken()).toEqual([]);
  });

  it.each(['1, 5', '5, 1', '-1, 5', '4.5'])(
    'are booked at the highest price that the provider states: %j',
    async (charged) => {
      const { world } = await worldWith({ charged: () => charged }, [project({ keywords: keywords(1) })], {});
      await world.run();
      expect(world.credits.spent).toBe(5);
      expect(world.store.disputes.newest(1)).toMatchObject([{ agreed: 1, stated: 5 }]);
    },
  );

  it('whose price is too large to count are booked at a billion credits', async () => {
    const { world } = await worldWith({ charged: () => '99999999999999999999' }, [project({ keywords: keywords(2) })], {
      serp_credit: { perMonth: 8 },
    });
    await world.run();
    expect(world.credits).toEqual({ spent: 1_000_000_000, unknown: 0, open: 0 });
    expect(world.checks()).toEqual(['k0 ok 1', 'k1 deferred 0']);
    expect(world.broken()).toEqual([]);
  });

  it.each(['1', '0', 'free', '1.0', '-3', '-9, 1', ''])(
    'are booked at the agreed credit where the provider states %j',
    async (charged) => {
      const { world } = await worldWith({ charged: () => charged }, [project({ keywords: keywords(2) })], {});
      await world.run();
      expect(world.credits.spent).toBe(2);
      expect(world.store.disputes.totals()).toEqual([]);
    },
  );

  it('that are unreadable count at the stated price until they are reconciled', async () => {
    const { world, provider } = await worldWith({ charged: () => '3' }, [project({ keywords: keywords(1) })], {}, 0);
    provider.next('truncated');
    await world.run();
    expect(world.credits).toEqual({ spent: 0, unknown: 3, open: 0 });
    expect(world.broken()).toEqual([]);
    const id = Number(world.value('SELECT id FROM purchases'));
    world.store.transaction(() => world.store.reconciliations.settle(id, 'free', 0, 9));
    expect(world.credits).toEqual({ spent: 0, unknown: 0, open: 0 });
    expect(world.broken()).toEqual([]);
  });

  it('that a provider refuses but bills are paid once and not requested again', async () => {
    const { world, provider } = await worldWith(
      { fault: () => ({ status: 429, retryAfter: '0', charged: '1' }) },
      [project({ keywords: keywords(2) })],
      {},
    );
    await world.run();
    expect(provider.requests).toHaveLength(2);
    expect(world.credits).toEqual({ spent: 2, unknown: 0, open: 0 });
    expect(world.rankings()).toEqual([]);
    expect(world.broken()).toEqual([]);
  });

  it('that a provider refuses but bills cost a run no more than a dead provider does', async () => {
    const { world, provider } = await worldWith(
      { fault: () => ({ status: 429, retryAfter: '0', charged: '1' }) },
      [project({ keywords: keywords(40) })],
      {},
    );
    await world.run();
    expect(provider.requests).toHaveLength(10 + 3);
    expect(world.credits).toEqual({ spent: 13, unknown: 0, open: 0 });
    expect(world.store.runs.run(1)).toMatchObject({ state: 'partial' });
    expect(world.broken()).toEqual([]);
  });
});

describe('a price of 1,000,000 credits that the bill does not have', () => {
  const month = (world: World) =>
    world.rows("SELECT reserved, spent, overdrawn FROM budget_windows WHERE scope = 'month'");
  const asAgreed = (world: World) =>
    settleUnknown(world.context, { kind: 'word', as: 'agreed', purchases: [], service: 'vendor' }, never);
  const never = new AbortController().signal;

  it('is settled at the agreed credit by the operator, and the month has its budget again', async () => {
    const { world } = await worldWith(
      { charged: (nth) => (nth === 1 ? '1000000' : '1') },
      [project({ keywords: keywords(3) })],
      { serp_credit: { perMonth: 8 } },
    );
    await world.run();
    expect(world.checks()).toEqual(['k0 ok 1', 'k1 deferred 0', 'k2 deferred 0']);
    expect(month(world)).toEqual([{ reserved: 0, spent: 1_000_000, overdrawn: 999_992 }]);
    expect(await asAgreed(world)).toMatchObject({
      settled: [],
      prices: [{ purchaseId: 1, service: 'vendor', currency: 'serp_credit', agreed: 1, returned: 999_999 }],
    });
    expect(month(world)).toEqual([{ reserved: 0, spent: 1, overdrawn: 0 }]);
    expect(world.credits).toEqual({ spent: 1, unknown: 0, open: 0 });
    expect(world.store.disputes.totals()).toEqual([]);
    expect(world.store.disputes.newest(9)).toMatchObject([{ agreed: 1, stated: 1_000_000, counted: 1 }]);
    expect(world.broken()).toEqual([]);
    expect(await asAgreed(world)).toMatchObject({ prices: [] });
    await expect(settleUnknown(world.context, { kind: 'word', as: 'agreed', purchases: [1] }, never)).rejects.toThrow(
      'purchase 1 has no price in dispute',
    );
    world.clock.set(world.clock.now() + 86_400_000);
    await world.run();
    expect(world.credits.spent).toBe(4);
    expect(world.broken()).toEqual([]);
  });

  it('is settled as well where the answer was lost', async () => {
    const { world, provider } = await worldWith(
      { charged: () => '1000000' },
      [project({ keywords: keywords(1) })],
      { serp_credit: { perMonth: 8 } },
      0,
    );
    provider.next('truncated');
    await world.run();
    expect(world.credits).toEqual({ spent: 0, unknown: 1_000_000, open: 0 });
    await asAgreed(world);
    expect(world.credits).toEqual({ spent: 1, unknown: 0, open: 0 });
    expect(month(world)).toEqual([{ reserved: 0, spent: 1, overdrawn: 0 }]);
    expect(world.store.disputes.totals()).toEqual([]);
    expect(world.broken()).toEqual([]);
  });

  it('is settled as well where the provider was asked again and has confirmed it', async () => {
    const { world, provider } = await worldWith(
      { charged: () => '1000000' },
      [project({ keywords: keywords(1) })],
      {},
      0,
    );
    provider.next('truncated');
    await world.run();
    world.store.transaction(() => world.store.reconciliations.settle(1, 'charged', 1_000_000, 9));
    await asAgreed(world);
    expect(world.credits).toEqual({ spent: 1, unknown: 0, open: 0 });
    expect(world.broken()).toEqual([]);
  });
});

describe('keyword metrics', () => {
  it('that cost 4.5 USD instead of 0.01 are booked at 4.5 USD and stop the service', async () => {
    const { world, provider } = await worldWith({ fault: volumeAnswer(4.5) }, [metrics], {
      micro_usd: { perMonth: 50_000 },
    });
    const [run] = await world.run();
    const asked = provider.requests.filter(({ path }) => path.endsWith('keyword-data'));
    expect(asked).toHaveLength(1);
    expect(world.store.audit.totals('micro_usd')).toMatchObject({ spent: 4_500_000, open: 0 });
    expect(run?.halts).toMatchObject([{ service: 'vendor', code: 'PRICE_DISPUTED' }]);
    expect(world.store.volumes.has('k0', { service: 'vendor', country: 'US', language: 'en' }, '2026-01')).toBe(true);
    expect(world.store.disputes.totals()).toEqual([
      {
        service: 'vendor',
        currency: 'micro_usd',
        purchases: 1,
        agreed: 10_000,
        stated: 4_500_000,
        exceeded: 4_450_000,
      },
    ]);
    expect(world.broken()).toEqual([]);
  });

  it.each([1e15, 1e300])('that cost %d USD are booked at a million dollars and stop the service', async (cost) => {
    const { world, provider } = await worldWith({ fault: volumeAnswer(cost) }, [metrics], {
      micro_usd: { perMonth: 50_000 },
    });
    const [run] = await world.run();
    expect(provider.requests.filter(({ body }) => body['limit'] !== undefined)).toHaveLength(1);
    expect(world.store.audit.totals('micro_usd')).toMatchObject({ spent: 1_000_000_000_000, open: 0 });
    expect(run?.halts).toMatchObject([{ service: 'vendor', code: 'PRICE_DISPUTED' }]);
    expect(world.broken()).toEqual([]);
  });

  it('are booked by the formula where the provider states less', async () => {
    const { world } = await worldWith({ fault: volumeAnswer(0) }, [metrics], {});
    await world.run();
    expect(world.store.audit.totals('micro_usd')).toMatchObject({ spent: 30_000, open: 0 });
    expect(world.store.disputes.totals()).toEqual([]);
  });
});
