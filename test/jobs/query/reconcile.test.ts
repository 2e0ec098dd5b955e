// Unknown outcomes are reconciled, by a provider that keeps keys or by its bill. Every credit stays accounted for.
import { describe, expect, it } from 'vitest';
import { ranksBackfill } from '../../../jobs/backfill/backfill.ts';
import { askAgain, takeWord } from '../../../jobs/query/reconcile.ts';
import { settleUnknown } from '../../../src/cli/commands/audit.ts';
import { JobClock } from '../../helpers/job-clock.ts';
import { clientOf, keyword, project, resultsWith, service, World, type WorldOptions } from '../../helpers/jobs.ts';
import { type Fault, type Provider, startProvider } from '../../helpers/provider.ts';

const at = Date.UTC(2026, 0, 15, 6);
const hourMs = 3_600_000;
const never = new AbortController().signal;
/** A world at a provider that sells each key once, as `rankledger serve` does, or at one that ignores keys. */
async function begin(
  keeps: boolean,
  more: Partial<WorldOptions> = {},
  fault: () => Fault = () => 'ok',
  charged: () => string | undefined = () => undefined,
): Promise<{ world: World; provider: Provider }> {
  const provider = await startProvider({
    isIdempotent: keeps,
    fault,
    charged,
    results: () => resultsWith('https://acme.example/', 4),
  });
  const clock = new JobClock(at);
  const world = new World({
    clock,
    projects: [project({ keywords: [keyword('shoes', { depth: 1 }), keyword('boots', { depth: 1 })] })],
    services: new Map([[service, clientOf(provider, clock, { keepsKeys: keeps })]]),
    concurrency: 1,
    ...more,
  });
  return { world, provider };
}

const lost: readonly Fault[] = ['reset-after-sale', 'reset-after-sale', 'reset-after-sale'];
const windows = (world: World) =>
  world
    .rows('SELECT scope, reserved, spent FROM budget_windows ORDER BY scope')
    .map((row) => `${row['scope']} ${row['reserved']} ${row['spent']}`);
const ask = (world: World) => askAgain(world.context, never);

describe('in a run, at a provider that keeps keys,', () => {
  it('a page that was sold before its answer was lost is paid once and counted once', async () => {
    const { world, provider } = await begin(true);
    provider.next('reset-after-sale', 'reset-before-sale');
    await world.runSlot(at);
    expect(world.checks()).toEqual(['shoes ok 1', 'boots ok 1']);
    expect(provider.sold.serpCredits).toBe(2);
    expect(world.credits).toEqual({ spent: 2, unknown: 0, open: 0 });
    expect(
      world.rows('SELECT state, reconciled, charged FROM purchases WHERE attempt < 3 ORDER BY id LIMIT 2'),
    ).toEqual([
      { state: 'unknown', reconciled: 'free', charged: 0 },
      { state: 'unknown', reconciled: 'free', charged: 0 },
    ]);
    expect(windows(world)).toEqual(['day 0 2', 'month 0 2', 'run 0 2']);
    expect(world.broken()).toEqual([]);
  });

  it('at most one attempt of a key counts as spent while its outcome is unknown', async () => {
    const { world, provider } = await begin(true);
    provider.next(...lost);
    await world.runSlot(at);
    expect(world.checks()).toEqual(['shoes unknown_paid 0', 'boots ok 1']);
    expect(world.credits).toEqual({ spent: 1, unknown: 1, open: 0 });
    expect(provider.sold.serpCredits).toBe(2);
    expect(world.broken()).toEqual([]);
  });

  it('the budget that a lost attempt took is freed, and spent on deferred checks', async () => {
    const { world, provider } = await begin(true, { caps: { serp_credit: { perDay: 2 }, micro_usd: {} } });
    provider.next('reset-before-sale');
    await world.runSlot(at);
    expect(world.checks()).toEqual(['shoes ok 1', 'boots ok 1']);
  });

  it.each([
    ['of the day before stays as it is: its key is forgotten', 25 * hourMs],
    ['that a clock ahead opened stays as it is: nothing proves that its key is kept', -720 * hourMs],
  ])('an attempt %s', async (_name, byMs) => {
    const { world, provider } = await begin(true);
    provider.next({ status: 500, sold: true });
    const sleep = world.clock.sleep.bind(world.clock);
    let isFirst = true;
    world.clock.sleep = async (ms, signal) => {
      await sleep(ms, signal);
      if (isFirst && ms < 1000) world.clock.advance(byMs);
      if (ms < 1000) isFirst = false;
    };
    await world.runSlot(at);
    expect(world.credits).toEqual({ spent: 2, unknown: 1, open: 0 });
    expect(world.broken()).toEqual([]);
  });

  it('keyword data is counted once as well', async () => {
    const volumes = { schedule: '0 4 2 * *', limit: 33 };
    const { world, provider } = await begin(true, {
      projects: [project({ keywords: [keyword('shoes', { depth: 1 })], volumes })],
    });
    world.clock.set(Date.UTC(2026, 1, 3));
    provider.next('reset-after-sale');
    await world.run({ kind: 'due' });
    expect(world.store.audit.totals('micro_usd')).toMatchObject({ spent: provider.sold.microUsd, unknown: 0, open: 0 });
    expect(world.broken()).toEqual([]);
  });
});

it('every lost attempt at a provider that keeps no keys counts: each may have been sold', async () => {
  const { world, provider } = await begin(false);
  provider.next('reset-after-sale');
  await world.runSlot(at);
  expect(provider.sold.serpCredits).toBe(3);
  expect(world.credits).toEqual({ spent: 2, unknown: 1, open: 0 });
  expect(await ask(world)).toMatchObject({
    settled: [],
    left: [{ service }],
    notes: [`service "${service}" was not queried: keepsKeys is not true`],
  });
  expect(provider.requests.length).toBe(3);
});

describe('a query with the key of an unknown purchase', () => {
  it('settles an answer that could not be read, although its page was bought again', async () => {
    const { world, provider } = await begin(true);
    provider.next('truncated');
    await world.runSlot(at);
    expect(world.checks()).toEqual(['shoes ok 1', 'boots ok 1']);
    expect(world.credits).toEqual({ spent: 2, unknown: 1, open: 0 });
    expect(await ask(world)).toMatchObject({ settled: [{ as: 'charged' }], left: [], notes: [] });
    expect(world.credits).toEqual({ spent: 3, unknown: 0, open: 0 });
    expect(provider.sold.serpCredits).toBe(3);
    expect(world.value('SELECT count(*) FROM pages')).toBe(2);
    expect(world.broken()).toEqual([]);
    const asked = provider.requests.length;
    await ask(world);
    expect(provider.requests).toHaveLength(asked);
  });

  it('obtains the answer that was paid for, which is stored and read for free when the slot is checked again', async () => {
    const { world, provider } = await begin(true);
    provider.next(...lost);
    await world.runSlot(at);
    world.clock.advance(2 * hourMs);
    const result = await ask(world);
    expect(result.settled.map(({ as }) => as)).toEqual(['charged']);
    expect(result.left).toEqual([]);
    expect(provider.sold.serpCredits).toBe(2);
    expect(world.credits).toEqual({ spent: 2, unknown: 0, open: 0 });
    expect(
      world
        .rows("SELECT kind, amount FROM ledger WHERE kind IN ('confirm', 'refund') ORDER BY id")
        .map((row) => row['kind']),
    ).toEqual(['refund', 'refund', 'confirm']);
    const asked = provider.requests.length;
    const second = project({ id: 'globex', keywords: [keyword('shoes', { depth: 1 })] });
    (world.context.projects as Map<string, typeof second>).set('globex', second);
    await world.runSlot(at, [second]);
    expect(world.checks(2)).toEqual(['shoes ok 1']);
    expect(world.value('SELECT checked_at FROM checks WHERE run_id = 2')).toBe(
      world.value("SELECT reconciled_at FROM purchases WHERE reconciled = 'charged'"),
    );
    expect(provider.requests.length).toBe(asked);
    expect(world.broken()).toEqual([]);
  });

  it('obtains a page that a backfill uses, minutes later and however long the backfill takes', async () => {
    const { world, provider } = await begin(true);
    provider.next(...lost);
    await world.runSlot(at);
    expect(world.checks()).toEqual(['shoes unknown_paid 0', 'boots ok 1']);
    world.clock.advance(hourMs);
    expect((await ask(world)).settled).toHaveLength(1);
    world.clock.advance(hourMs / 2);
    const asked = provider.requests.length;
    const options = { keywords: [], tags: [], pages: null, missing: true, failed: true };
    const request = ranksBackfill(world.context, [...world.context.projects.values()], options);
    await world.run({
      ...request,
      open: () => {
        const opened = request.open();
        world.clock.advance(2 * hourMs);
        return opened;
      },
    });
    expect(world.checks(2)).toEqual(['shoes ok 1']);
    expect(provider.requests.length).toBe(asked);
    expect(world.credits).toEqual({ spent: 2, unknown: 0, open: 0 });
    expect(world.broken()).toEqual([]);
  });

  it('buys what was never sold, at the credit that was reserved for it', async () => {
    const { world, provider } = await begin(true);
    provider.next('reset-before-sale', 'reset-before-sale', 'reset-before-sale');
    await world.runSlot(at);
    expect(provider.sold.serpCredits).toBe(1);
    await ask(world);
    expect(provider.sold.serpCredits).toBe(2);
    expect(world.credits).toEqual({ spent: 2, unknown: 0, open: 0 });
    expect(world.broken()).toEqual([]);
  });

  it('books the higher price that the provider states, and stops where that exceeds the budget', async () => {
    let fault: Fault = 'reset-after-sale';
    let stated: string | undefined;
    const keywords = Array.from({ length: 25 }, (_, index) => keyword(`k${index}`, { depth: 1 }));
    const caps = { serp_credit: { perMonth: 100 }, micro_usd: {} };
    const { world } = await begin(
      true,
      { projects: [project({ keywords })], caps },
      () => fault,
      () => stated,
    );
    for (let day = 0; day < 7; day += 1) {
      world.clock.set(at + day * hourMs);
      await world.runSlot(at + day * hourMs);
    }
    const { unknown } = world.credits;
    [fault, stated] = ['ok', '21'];
    const report = await settleUnknown(world.context, { kind: 'ask' }, never);
    const settled = report.settled.length;
    expect(new Set(report.settled.map(({ as, amount }) => `${as} ${amount}`))).toEqual(new Set(['charged 21']));
    expect(report.left).toBe(unknown - settled);
    expect(report.left).toBeGreaterThan(0);
    expect(report.notes).toEqual([
      expect.stringMatching(
        /stopped: PRICE_DISPUTED: service vendor states 21 SERP credits instead of the agreed 1 SERP credit, which exceeds the budget by \d+ SERP credits$/,
      ),
    ]);
    expect(world.credits).toEqual({ spent: 21 * settled, unknown: report.left, open: 0 });
    expect(
      world.store.disputes.totals().map(({ purchases, agreed, stated: booked }) => [purchases, agreed, booked]),
    ).toEqual([[settled, settled, 21 * settled]]);
    expect(world.value("SELECT spent FROM budget_windows WHERE scope = 'month'")).toBe(21 * settled + report.left);
    expect(world.broken()).toEqual([]);
  });

  it('settles any number of purchases, and sends only a few requests to a dead service', async () => {
    const keywords = Array.from({ length: 25 }, (_, index) => keyword(`k${index}`, { depth: 1 }));
    let isDead = true;
    const fault = (): Fault => (isDead ? 'reset-after-sale' : 'ok');
    const { world, provider } = await begin(true, { projects: [project({ keywords })] }, fault);
    for (let day = 0; day < 7; day += 1) {
      world.clock.set(at + day * hourMs);
      await world.runSlot(at + day * hourMs);
    }
    const unknown = world.credits.unknown;
    expect(unknown).toBeGreaterThan(8);
    const asked = provider.requests.length;
    expect((await ask(world)).notes).toEqual([
      `queries to service "${service}" stopped: too many consecutive failures`,
    ]);
    expect(provider.requests.length).toBe(asked + 1);
    isDead = false;
    expect((await ask(world)).left).toEqual([]);
    expect(world.credits).toEqual({ spent: provider.sold.serpCredits, unknown: 0, open: 0 });
    expect(world.broken()).toEqual([]);
  });

  it('leaves what it cannot settle, and stops where the service refuses', async () => {
    const { world, provider } = await begin(true);
    provider.next(...lost, ...lost);
    await world.runSlot(at);
    provider.next({ status: 402 }, { status: 402 });
    const result = await ask(world);
    expect(result).toMatchObject({
      settled: [],
      left: [{}, {}],
      notes: [expect.stringContaining('INSUFFICIENT_CREDITS')],
    });
    expect(world.credits).toEqual({ spent: 0, unknown: 2, open: 0 });
    expect((await ask(world)).settled.length).toBe(2);
    expect(world.broken()).toEqual([]);
  });

  it('leaves purchases whose key has expired at the provider, and those of a run in progress', async () => {
    const { world, provider } = await begin(true);
    provider.next(...lost);
    await world.runSlot(at);
    const asked = provider.requests.length;
    world.db.sql("UPDATE runs SET state = 'open', closed_at = NULL").run();
    expect((await ask(world)).left.length).toBe(1);
    world.db.sql("UPDATE runs SET state = 'partial', closed_at = 1").run();
    for (const byMs of [25 * hourMs, -720 * hourMs]) {
      world.clock.advance(byMs);
      expect((await ask(world)).left.length).toBe(1);
      expect(provider.requests.length).toBe(asked);
    }
  });
});

describe("a reconciliation by the provider's bill", () => {
  it('confirms a charge, or frees the credit in the windows in which it was counted, also a month later', async () => {
    const { world, provider } = await begin(false, { caps: { serp_credit: { perMonth: 8 }, micro_usd: {} } });
    provider.next('reset-after-sale', 'reset-before-sale');
    await world.runSlot(at);
    expect(windows(world)).toEqual(['day 0 4', 'month 0 4', 'run 0 4']);
    world.clock.advance(40 * 24 * hourMs);
    const [sold, unsold] = world.store.reconciliations.unknown();
    expect(takeWord(world.context, 'charged', ({ purchaseId }) => purchaseId === sold?.purchaseId).left.length).toBe(1);
    expect(takeWord(world.context, 'free', ({ purchaseId }) => purchaseId === unsold?.purchaseId).settled.length).toBe(
      1,
    );
    expect(world.credits).toEqual({ spent: provider.sold.serpCredits, unknown: 0, open: 0 });
    expect(windows(world)).toEqual(['day 0 3', 'month 0 3', 'run 0 3']);
    expect(takeWord(world.context, 'free', () => true).settled).toEqual([]);
    expect(world.broken()).toEqual([]);
  });

  it('as free lets a page be requested again that had used up its attempts', async () => {
    const { world, provider } = await begin(false);
    provider.next('reset-before-sale', 'reset-before-sale', 'reset-before-sale');
    await world.runSlot(at);
    const globex = project({ id: 'globex', keywords: [keyword('shoes', { depth: 1 })] });
    const again = project({ id: 'again', keywords: [keyword('shoes', { depth: 1 })] });
    for (const one of [globex, again]) (world.context.projects as Map<string, typeof one>).set(one.id, one);
    await world.runSlot(at, [globex]);
    expect(world.checks(2)).toEqual(['shoes unknown_paid 0']);
    expect(provider.requests.length).toBe(4);
    takeWord(world.context, 'free', () => true);
    await world.runSlot(at, [again]);
    expect(world.checks(3)).toEqual(['shoes ok 1']);
    expect(world.credits).toEqual({ spent: provider.sold.serpCredits, unknown: 0, open: 0 });
    expect(world.broken()).toEqual([]);
  });
});

it('a reconciliation of a service that does not exist is refused', async () => {
  const { world } = await begin(false);
  const request = { kind: 'word', as: 'charged', purchases: [], service: 'nope' } as const;
  const reconciled = settleUnknown(world.context, request, never);
  await expect(reconciled).rejects.toThrow(`there is no service "nope"; known: ${service}`);
});
