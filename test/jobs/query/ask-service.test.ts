// Ad-hoc requests: one request each, through the same budget and ledger as a run.
import { describe, expect, it } from 'vitest';
import type { Caps } from '../../../db/ledger/budget-windows.ts';
import { askKeywords, askSerp } from '../../../jobs/query/ask-service.ts';
import { disputeNotes } from '../../../jobs/read/price-disputes.ts';
import type { ServiceError } from '../../../src/service/index.ts';
import { noCaps, project, service, World } from '../../helpers/jobs.ts';
import { type ProviderOptions, startProvider } from '../../helpers/provider.ts';

async function begin(caps: Caps = noCaps, options: ProviderOptions = {}) {
  const provider = await startProvider(options);
  return { provider, world: new World({ provider, projects: [project()], caps }) };
}

const totals = (world: World, currency: 'serp_credit' | 'micro_usd') => {
  const { spent, unknown, open: reserved } = world.store.audit.totals(currency);
  return { spent, unknown, open: reserved };
};

describe('an ad-hoc request', () => {
  it('for pages costs one credit per page, in the same ledger', async () => {
    const { world, provider } = await begin();
    const answer = await askSerp(world.context, service, { keyword: 'shoes', start_page: 2, end_page: 4 });
    expect(answer.pages.map((page) => page.page)).toEqual([2, 3, 4]);
    expect(totals(world, 'serp_credit')).toEqual({ spent: 3, unknown: 0, open: 0 });
    expect(provider.sold.serpCredits).toBe(3);
    expect(world.store.runs.run(1)).toMatchObject({ kind: 'adhoc', state: 'complete', owner: null });
    expect(world.broken()).toEqual([]);
  });

  it('for keyword data is settled to its actual cost', async () => {
    const { world, provider } = await begin();
    await askKeywords(world.context, service, { keyword: 'shoes', limit: 500 });
    expect(totals(world, 'micro_usd')).toEqual({ spent: provider.sold.microUsd, unknown: 0, open: 0 });
    expect(world.value('SELECT released FROM reservations')).toBe(140_000);
  });

  it('at a price above the agreed one is booked at that price, and its caller can say so', async () => {
    const { world, provider } = await begin({ serp_credit: { perRun: 60 }, micro_usd: {} }, { charged: () => '70' });
    const said: string[] = [];
    const onBooked = (runId: number): void => void said.push(...disputeNotes(world.store, runId));
    await askSerp(world.context, service, { keyword: 'shoes' }, undefined, onBooked);
    expect(said).toEqual([
      `price in dispute: service ${service} states 70 SERP credits for a purchase agreed at 1 SERP credit. See: rankledger audit`,
    ]);
    expect(totals(world, 'serp_credit')).toEqual({ spent: 70, unknown: 0, open: 0 });
    expect(provider.requests.length).toBe(1);
  });

  it('that exceeds the budget is not sent and leaves no record', async () => {
    const { world, provider } = await begin({ serp_credit: { perDay: 2 }, micro_usd: { perRun: 9000 } });
    await expect(askSerp(world.context, service, { keyword: 'shoes', end_page: 3 })).rejects.toMatchObject({
      code: 'INSUFFICIENT_CREDITS',
      message: expect.stringContaining('2 of 2 are left'),
    });
    await expect(askKeywords(world.context, service, { keyword: 'shoes', limit: 1 })).rejects.toMatchObject({
      code: 'INSUFFICIENT_CREDITS',
    });
    expect(provider.requests.length).toBe(0);
    expect(world.value('SELECT count(*) FROM runs')).toBe(0);
  });

  it.each([
    [{ status: 401 }, 0, 0],
    [{ status: 500 }, 0, 1],
    ['reset-after-sale', 1, 1],
    ['truncated', 1, 1],
  ] as const)('that fails (%j) is not retried, and is accounted for', async (fault, sold, unknown) => {
    const { world, provider } = await begin();
    provider.next(fault);
    const cost = 'The request may have been charged and counts as spent: see `rankledger audit`.';
    const failure = await askSerp(world.context, service, { keyword: 'shoes' }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: 'ServiceError' });
    expect((failure as ServiceError).hint.endsWith(cost)).toBe(unknown > 0);
    expect(world.store.audit.unknownPurchases()).toMatchObject(
      unknown > 0 ? [{ what: 'pages of a serp request' }] : [],
    );
    expect(provider.requests.length).toBe(1);
    expect(provider.sold.serpCredits).toBe(sold);
    expect(totals(world, 'serp_credit')).toEqual({ spent: 0, unknown, open: 0 });
    expect(world.store.runs.run(1)).toMatchObject({ state: 'partial' });
    expect(world.broken()).toEqual([]);
  });

  it('in progress is left alone by a run of the same process', async () => {
    const { world, provider } = await begin();
    provider.next('hang-before-sale');
    const asking = askSerp(world.context, service, { keyword: 'shoes' });
    await provider.untilRequests(1);
    await world.run();
    expect(world.store.runs.run(1)).toMatchObject({ kind: 'adhoc', state: 'open' });
    world.clock.expire();
    await expect(asking).rejects.toMatchObject({ code: 'TIMEOUT' });
    expect(totals(world, 'serp_credit')).toEqual({ spent: 3, unknown: 1, open: 0 });
    expect(world.broken()).toEqual([]);
  });

  it('whose process died is settled by the next run', async () => {
    const { world, provider } = await begin();
    world.store.transaction(() => {
      const run = world.store.runs.open({ kind: 'adhoc', moment: 1, owner: 'gone|boot|1', at: 1 }, []);
      const reserved = world.store.ledger.reserve({
        runId: run?.id ?? 0,
        checkId: null,
        currency: 'serp_credit',
        amount: 2,
        at: 1,
        keys: { day: '2026-01-15', month: '2026-01' },
      });
      if (reserved.ok)
        world.store.ledger.open({
          reservationId: reserved.id,
          service,
          requestKey: 'adhoc',
          searchId: null,
          moment: 1,
          page: null,
          price: 2,
          at: 1,
        });
    });
    await world.run({ kind: 'due' });
    expect(world.store.runs.run(1)).toMatchObject({
      state: 'partial',
      reason: expect.stringContaining('process ended'),
    });
    expect(totals(world, 'serp_credit')).toEqual({ spent: 0, unknown: 2, open: 0 });
    expect(provider.requests.length).toBe(0);
    expect(world.broken()).toEqual([]);
  });
});
