// Days and months that turn while a run buys: a purchase counts in the windows of the moment in which it was opened, and no cap is exceeded.
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { Caps } from '../../db/ledger.ts';
import { type SearchDataService, ServiceError } from '../../src/service/index.ts';
import { JobClock } from '../helpers/job-clock.ts';
import { keyword, project, removeTemporaryFolders, service, World } from '../helpers/jobs.ts';

afterAll(removeTemporaryFolders);

const endOfJanuary = Date.UTC(2026, 0, 31, 23, 59, 50);
const hourMs = 3_600_000;

/** What happens to one request: time that passes before it leaves and while it is answered, its outcome, and the price that is stated. */
interface Event {
  readonly beforeMs: number;
  readonly duringMs: number;
  readonly outcome: 'ok' | 'free' | 'unknown' | 'unreadable';
  readonly stated: number;
}

const calm: Event = { beforeMs: 0, duringMs: 0, outcome: 'ok', stated: 1 };

/** A live service whose requests happen as `events` say, in order; calm after the last. */
function scriptedService(clock: JobClock, events: readonly Event[]): SearchDataService {
  const waiting = [...events];
  return {
    source: 'scripted',
    kind: 'live',
    async serp(request, options = {}) {
      const { beforeMs, duringMs, outcome, stated } = waiting.shift() ?? calm;
      clock.advance(beforeMs);
      await options.beforeSend?.();
      clock.advance(duringMs);
      if (outcome === 'free') throw new ServiceError('SERP_FAILED', 'failed for nothing', { charged: 'no' });
      if (outcome === 'unknown') throw new ServiceError('TIMEOUT', 'no answer');
      const body = { contentType: 'application/json', text: '{}' } as const;
      if (outcome === 'unreadable') throw new ServiceError('UNREADABLE_RESPONSE', 'cut', { body, stated });
      const page = request.start_page ?? 1;
      const link = `https://${String(request.keyword)}.example/${page}`;
      const serp = { organic: [{ rank: 1, title: 'a', link }] };
      const pages = [{ page, serp, features: [], body, observedAt: clock.now() }];
      return { requestId: 'r', creditsCharged: 1, creditsStated: stated, pages };
    },
    keywordData: () => Promise.reject(new Error('not asked')),
    readPage() {
      throw new ServiceError('UNREADABLE_RESPONSE', 'still cut');
    },
    close: async () => {},
  };
}

interface Life {
  readonly caps: Caps['serp_credit'];
  readonly keywords: number;
  readonly depth: number;
  readonly concurrency: number;
  readonly runs: readonly (readonly Event[])[];
}

async function live({ caps, keywords, depth, concurrency, runs }: Life): Promise<World> {
  const clock = new JobClock(endOfJanuary);
  const events = runs.flat();
  const world = new World({
    clock,
    concurrency,
    caps: { serp_credit: caps, micro_usd: {} },
    services: new Map([[service, scriptedService(clock, events)]]),
    projects: [project({ keywords: Array.from({ length: keywords }, (_, index) => keyword(`k${index}`, { depth })) })],
  });
  for (const _ of runs) {
    await world.run();
    clock.advance(hourMs);
  }
  return world;
}

/** Purchases by the window in which they were opened: what they cost, and how much of that nobody had agreed to. */
function boughtIn(world: World, scope: 'day' | 'month'): Map<string, { cost: number; beyondPrice: number }> {
  const length = scope === 'day' ? 10 : 7;
  const windows = new Map<string, { cost: number; beyondPrice: number }>();
  const purchases = world.rows(
    'SELECT p.opened_at, p.charged, coalesce(d.stated - d.agreed, 0) AS beyond FROM purchases p LEFT JOIN price_disputes d ON d.purchase_id = p.id',
  );
  for (const purchase of purchases) {
    const key = new Date(Number(purchase['opened_at'])).toISOString().slice(0, length);
    const { cost, beyondPrice } = windows.get(key) ?? { cost: 0, beyondPrice: 0 };
    windows.set(key, {
      cost: cost + Number(purchase['charged']),
      beyondPrice: beyondPrice + Number(purchase['beyond']),
    });
  }
  return windows;
}

describe('a window of the budget that turns while pages are bought', () => {
  it('never lets a month buy more than its cap by what was reserved in the month before', async () => {
    const turns = { ...calm, beforeMs: 20_000 };
    const world = await live({
      caps: { perMonth: 10 },
      keywords: 8,
      depth: 2,
      concurrency: 4,
      runs: [[calm, calm, turns], []],
    });
    const months = boughtIn(world, 'month');
    expect(Math.max(...[...months.values()].map(({ cost }) => cost))).toBeLessThanOrEqual(10);
    expect(months.get('2026-02')?.cost).toBe(10);
    expect(world.broken()).toEqual([]);
    await world.close();
  });

  it('defers a check whose first page finds no room in the new window', async () => {
    const turns = { ...calm, beforeMs: 20_000 };
    const world = await live({ caps: { perDay: 2 }, keywords: 4, depth: 1, concurrency: 1, runs: [[calm, turns]] });
    expect(world.checks()).toEqual(['k0 ok 1', 'k1 ok 1', 'k2 ok 1', 'k3 deferred 0']);
    expect(world.value("SELECT reason FROM checks WHERE state = 'deferred'")).toBe(
      'budget: needs 1 SERP credits, 0 of 2 are left for the day 2026-02-01',
    );
    await world.close();
  });

  const cap = fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined });
  const pause = fc.oneof(
    { weight: 4, arbitrary: fc.constant(0) },
    { weight: 2, arbitrary: fc.integer({ min: 0, max: 20_000 }) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 40 * 24 * hourMs }) },
  );
  const event = fc.record({
    beforeMs: pause,
    duringMs: pause,
    outcome: fc.constantFrom('ok', 'ok', 'ok', 'free', 'unknown', 'unreadable'),
    stated: fc.constantFrom(0, 1, 1, 1, 1, 1, 2, 5),
  });
  const life = fc.record({
    caps: fc
      .record({ perRun: cap, perDay: cap, perMonth: cap })
      .map((all) => Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))),
    keywords: fc.integer({ min: 1, max: 8 }),
    depth: fc.integer({ min: 1, max: 3 }),
    concurrency: fc.integer({ min: 1, max: 4 }),
    runs: fc.array(fc.array(event, { maxLength: 14 }), { minLength: 1, maxLength: 3 }),
  });

  it('counts every purchase in the window in which it was opened, whenever windows turn and whatever is stated', async () => {
    let turned = 0;
    await fc.assert(
      fc.asyncProperty(life, async (chosen) => {
        const world = await live(chosen);
        for (const scope of ['day', 'month'] as const) {
          const bought = boughtIn(world, scope);
          turned += bought.size - 1;
          const limit = (scope === 'day' ? chosen.caps['perDay'] : chosen.caps['perMonth']) ?? Number.POSITIVE_INFINITY;
          for (const [key, { cost, beyondPrice }] of bought) {
            const window = world.value(
              `SELECT reserved + spent FROM budget_windows WHERE scope = '${scope}' AND key = '${key}'`,
            );
            expect([key, window]).toEqual([key, cost]);
            expect(cost - beyondPrice).toBeLessThanOrEqual(limit);
          }
        }
        expect(world.broken()).toEqual([]);
        await world.close();
      }),
      { numRuns: 60 },
    );
    expect(turned).toBeGreaterThan(30);
  });
});
