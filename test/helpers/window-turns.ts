// Runs with scripted times, outcomes and prices of requests, so that days and months end while they buy.
import type { Caps } from '../../db/ledger/budget-windows.ts';
import { type SearchDataService, ServiceError } from '../../src/service/index.ts';
import { JobClock } from './job-clock.ts';
import { keyword, project, service, World } from './jobs.ts';

const endOfJanuary = Date.UTC(2026, 0, 31, 23, 59, 50);

/** One request: time before it is sent and until it is answered, its outcome, and the stated price. */
export interface RequestEvent {
  readonly beforeMs: number;
  readonly duringMs: number;
  readonly outcome: 'ok' | 'free' | 'unknown' | 'unreadable';
  readonly stated: number;
}

export const plainRequest: RequestEvent = { beforeMs: 0, duringMs: 0, outcome: 'ok', stated: 1 };

/** A live service whose requests behave as `events`, in order; like `plainRequest` after the last. */
function scriptedService(clock: JobClock, events: readonly RequestEvent[]): SearchDataService {
  const waiting = [...events];
  return {
    source: 'scripted',
    kind: 'live',
    async serp(request, options = {}) {
      const { beforeMs, duringMs, outcome, stated } = waiting.shift() ?? plainRequest;
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

export interface Scenario {
  readonly caps: Caps['serp_credit'];
  readonly keywords: number;
  readonly depth: number;
  readonly concurrency: number;
  readonly runs: readonly (readonly RequestEvent[])[];
}

/** One run after the other, an hour apart, beginning ten seconds before February. */
export async function runScenario({ caps, keywords, depth, concurrency, runs }: Scenario): Promise<World> {
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
    clock.advance(3_600_000);
  }
  return world;
}

/** Purchases by the window in which they were opened: their cost, and how much of it exceeded the agreed price. */
export function boughtIn(world: World, scope: 'day' | 'month'): Map<string, { cost: number; beyondPrice: number }> {
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

/** Windows that were exceeded or differ from their purchases, as text; and how many ended during a purchase. */
export function judgeWindows(
  world: World,
  caps: Scenario['caps'],
): { readonly turned: number; readonly wrong: string[] } {
  const wrong: string[] = [];
  let turned = 0;
  for (const scope of ['day', 'month'] as const) {
    const bought = boughtIn(world, scope);
    turned += Math.max(0, bought.size - 1);
    const limit = (scope === 'day' ? caps.perDay : caps.perMonth) ?? Number.POSITIVE_INFINITY;
    for (const [key, { cost, beyondPrice }] of bought) {
      const counted = world.value(
        `SELECT reserved + spent FROM budget_windows WHERE scope = '${scope}' AND key = '${key}'`,
      );
      if (counted !== cost) wrong.push(`${scope} ${key}: ${cost} credits bought, ${String(counted)} counted`);
      if (cost - beyondPrice > limit) wrong.push(`${scope} ${key}: ${cost - beyondPrice} credits bought of ${limit}`);
    }
  }
  return { turned, wrong };
}
