// Settles purchases whose outcome was unknown: by asking providers that keep idempotency keys, or by the word of who has seen their bill.
import type { ReconciledAs, UnknownPage, UnknownTry } from '../db/reconciliations.ts';
import type { AnsweredPage, SearchDataService } from '../src/service/index.ts';
import { breakerLimits, verdictOn } from './breaker.ts';
import { type JobContext, pageLabel, sourceLabel } from './context.ts';
import { contentsOf } from './evidence.ts';
import { failureOf } from './queue.ts';
import type { Failure } from './retry.ts';
import { breakerOf } from './service-lines.ts';
import { keepsKeys, keysKeptMs } from './settlement.ts';

export interface Settled {
  readonly purchase: UnknownTry;
  readonly as: ReconciledAs;
}

/** What was found out, what is still unknown, and why no more was asked. */
export interface ReconcileResult {
  readonly settled: readonly Settled[];
  readonly left: readonly UnknownTry[];
  readonly notes: readonly string[];
}

/**
 * Asks for pages again whose purchase is unknown, each under its own key, where the provider keeps keys and has not yet forgotten this one. What comes is
 * the answer that was sold then, or one that is sold now: one charge either way, and it is counted already. The page is kept for the moment that it was
 * bought for, and used when its search is checked again for that moment, or by a backfill. Keyword data and ad-hoc requests are left to runs and to people. Rejects only where the store fails.
 */
export async function askAgain(context: JobContext, signal: AbortSignal): Promise<ReconcileResult> {
  const { store, clock } = context;
  const settled: Settled[] = [];
  const notes: string[] = [];
  const askable = store.reconciliations
    .unknown()
    .filter(
      (purchase) =>
        purchase.page !== null &&
        !purchase.isUnderWay &&
        keepsKeys(context, purchase) &&
        purchase.openedAt > clock.now() - keysKeptMs,
    );
  // one request a key: its last try carries the charge of all of them
  const newest = new Map(askable.map((purchase) => [purchase.requestKey, purchase]));
  for (const [service, purchases] of Map.groupBy(newest.values(), (purchase) => purchase.service)) {
    const result = await askService(context, service, purchases, signal);
    settled.push(...result.settled);
    if (result.note !== null) notes.push(result.note);
  }
  const left = store.reconciliations.unknown();
  for (const service of new Set(left.filter((each) => !keepsKeys(context, each)).map((each) => each.service))) {
    notes.push(`service "${service}" was not asked: it keeps no keys`);
  }
  return { settled, left, notes };
}

/** A few at once, until the service refuses us or fails too often in a row. */
async function askService(
  context: JobContext,
  service: string,
  purchases: readonly UnknownTry[],
  signal: AbortSignal,
): Promise<{ readonly settled: readonly Settled[]; readonly note: string | null }> {
  const breaker = breakerOf(context, service);
  const settled: Settled[] = [];
  let refusal: Failure | null = null;
  const waiting = [...purchases];
  while (waiting.length > 0 && !signal.aborted && refusal === null) {
    const now = context.clock.now();
    const room = Math.min(breaker?.room(now) ?? 0, breakerLimits.failuresMax);
    if (room < 1) break;
    const asked = waiting.splice(0, room).map(async (purchase) => {
      const admission = breaker?.admit(now) ?? null;
      if (admission === null) return;
      const { found, failure } = await askOne(context, purchase, signal);
      admission.end(failure === null ? 'answered' : verdictOn(failure), context.clock.now(), failure ?? undefined);
      if (failure?.disposition === 'halt' || failure?.disposition === 'wait') refusal ??= failure;
      settled.push(...found);
    });
    await Promise.all(asked);
  }
  const why = refusal as Failure | null;
  if (why !== null) return { settled, note: `service "${service}" was asked no further: ${why.code}: ${why.message}` };
  const isCut = waiting.length > 0 && !signal.aborted;
  return { settled, note: isCut ? `service "${service}" was asked no further: it failed too often in a row` : null };
}

interface Found {
  readonly found: readonly Settled[];
  readonly failure: Failure | null;
}

async function askOne(context: JobContext, purchase: UnknownTry, signal: AbortSignal): Promise<Found> {
  const { store, services, log } = context;
  const { page, requestKey, service } = purchase;
  const provider = services.get(service);
  if (page === null || provider === undefined) return { found: [], failure: null };
  const { country, language, device } = page.market;
  const request = { keyword: page.keyword, country, language, mobile: device === 'mobile' };
  try {
    const answer = await provider.serp(
      { ...request, start_page: page.page, end_page: page.page },
      { idempotencyKey: requestKey, signal },
    );
    const [gained] = answer.pages;
    const keep = (): void => {
      if (gained !== undefined) keepPage(context, provider, purchase, page, gained);
    };
    return { found: store.transaction(() => confirm(context, purchase, keep)), failure: null };
  } catch (error) {
    const failure = failureOf(error);
    log.debug({ service, purchaseId: purchase.purchaseId, errorCode: failure.code }, 'still unknown');
    if (failure.charged !== 'yes') return { found: [], failure };
    const { body } = failure;
    const keep = (): void => {
      if (body !== null) store.pages.keepBody(purchase.purchaseId, body, false);
    };
    const found = store.transaction(() => confirm(context, purchase, keep));
    return { found, failure };
  }
}

/** What was gained is there from now on, like a page that a check has bought. A page in doubt is left to the check that reads its body. */
function keepPage(
  { store }: JobContext,
  provider: SearchDataService,
  { purchaseId, service }: UnknownTry,
  { searchId, moment }: UnknownPage,
  answer: AnsweredPage,
): void {
  const { page, observedAt, body } = answer;
  const source = pageLabel(sourceLabel(service, provider), answer);
  const isInDoubt = answer.doubts !== undefined;
  store.pages.keepBody(purchaseId, body, !isInDoubt);
  if (isInDoubt) return;
  store.pages.insert({ ...contentsOf(answer), searchId, moment, page, purchaseId, observedAt, source });
}

/** The key was sold, once: this try is charged, and those before it were free. Where another process knew it sooner, its word stands. */
function confirm({ store, clock, log }: JobContext, purchase: UnknownTry, keep: () => void): Settled[] {
  const at = clock.now();
  const { purchaseId, requestKey, service } = purchase;
  const as = store.tries.isPaid(requestKey) ? 'free' : 'charged';
  if (!store.reconciliations.settle(purchaseId, as, purchase.amount, at)) return [];
  if (as === 'charged') keep();
  const earlier = store.reconciliations.unknown().filter((other) => other.requestKey === requestKey);
  const freed = new Set(store.reconciliations.freeEarlier(purchaseId, at - keysKeptMs, at));
  log.info({ service, purchaseId, requestKey, as, freed: [...freed] }, 'purchase reconciled');
  const others = earlier.filter((other) => freed.has(other.purchaseId));
  return [{ purchase, as }, ...others.map((other) => ({ purchase: other, as: 'free' as const }))];
}

/** Settles what `selects` picks by somebody's word. What a run has under way is left to it. */
export function takeWord(
  { store, clock, log }: JobContext,
  as: ReconciledAs,
  selects: (purchase: UnknownTry) => boolean,
): ReconcileResult {
  return store.transaction(() => {
    const picked = store.reconciliations.unknown().filter((purchase) => !purchase.isUnderWay && selects(purchase));
    for (const { purchaseId, amount, service } of picked) {
      store.reconciliations.settle(purchaseId, as, amount, clock.now());
      log.info({ service, purchaseId, as }, 'purchase reconciled by word');
    }
    return {
      settled: picked.map((purchase) => ({ purchase, as })),
      left: store.reconciliations.unknown(),
      notes: [],
    };
  });
}
