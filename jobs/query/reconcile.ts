// Settles unknown purchases: by asking providers that keep idempotency keys, or as the operator says.
import type { ListedDispute, ReconciledAs, UnknownAttempt, UnknownPage } from '../../db/ledger/reconciliations.ts';
import type { AnsweredPage, SearchDataService, SerpAnswer } from '../../src/service/index.ts';
import { toContents } from '../check/evidence.ts';
import { type JobContext, pageLabel, sourceLabel } from '../context.ts';
import { breakerLimits, verdictOn } from '../purchase/breaker.ts';
import { createBreaker, type ServiceStop } from '../purchase/service-states.ts';
import { disputed, keepsKeys, keysKeptMs } from '../purchase/settlement.ts';
import { toRequestFailure } from '../queue/queue.ts';
import type { RequestFailure } from '../retry.ts';

interface Settled {
  /** With what it cost, where that is more than was counted. */
  readonly purchase: UnknownAttempt;
  readonly as: ReconciledAs;
}

/** Purchases that were settled, those still unknown, and why asking stopped. */
export interface ReconcileResult {
  readonly settled: readonly Settled[];
  readonly left: readonly UnknownAttempt[];
  readonly notes: readonly string[];
}

/**
 * Requests pages of unknown purchases again, each under its own key, if the provider keeps keys and has not yet
 * forgotten this one. The answer is the one sold then or one sold now: one charge either way, and already counted,
 * except for a higher price that the provider states. The page is kept for its original moment, and used when its
 * search is checked again for that moment, or by a backfill. Keyword data and ad-hoc requests are left to runs and
 * operators. Rejects only if the store fails.
 */
export async function askAgain(context: JobContext, signal: AbortSignal): Promise<ReconcileResult> {
  const { store, clock } = context;
  const settled: Settled[] = [];
  const notes: string[] = [];
  const askable = store.reconciliations.unknown().filter(
    (purchase) =>
      purchase.page !== null &&
      !purchase.isUnderWay &&
      keepsKeys(context, purchase) &&
      purchase.openedAt > clock.now() - keysKeptMs &&
      // opened by a clock that ran ahead: its age is unknown
      purchase.openedAt <= clock.now(),
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
    notes.push(`service "${service}" was not queried: keepsKeys is not true`);
  }
  return { settled, left, notes };
}

/** A few at once, until the service refuses us, fails too often in a row or states a price that exceeds the budget. */
async function askService(
  context: JobContext,
  service: string,
  purchases: readonly UnknownAttempt[],
  signal: AbortSignal,
): Promise<{ readonly settled: readonly Settled[]; readonly note: string | null }> {
  const breaker = createBreaker(context, service);
  const settled: Settled[] = [];
  let halt: string | null = null;
  const waiting = [...purchases];
  while (waiting.length > 0 && !signal.aborted && halt === null) {
    const now = context.clock.now();
    const room = Math.min(breaker?.room(now) ?? 0, breakerLimits.failuresMax);
    if (room < 1) break;
    const asked = waiting.splice(0, room).map(async (purchase) => {
      const admission = breaker?.admit(now) ?? null;
      if (admission === null) return;
      const { found, failure, stop } = await askOne(context, purchase, signal);
      admission.end(failure === null ? 'answered' : verdictOn(failure), context.clock.now(), failure ?? undefined);
      if (failure?.disposition === 'halt' || failure?.disposition === 'wait')
        halt ??= `${failure.code}: ${failure.message}`;
      if (stop !== null) halt ??= stop.reason;
      settled.push(...found);
    });
    await Promise.all(asked);
  }
  if (halt !== null) return { settled, note: `queries to service "${service}" stopped: ${halt as string}` };
  const isCut = waiting.length > 0 && !signal.aborted;
  return { settled, note: isCut ? `queries to service "${service}" stopped: too many consecutive failures` : null };
}

interface Confirmed {
  readonly found: readonly Settled[];
  /** The stated price exceeds the budget. */
  readonly stop: ServiceStop | null;
}

interface Found extends Confirmed {
  readonly failure: RequestFailure | null;
}

async function askOne(context: JobContext, purchase: UnknownAttempt, signal: AbortSignal): Promise<Found> {
  const { store, services, log } = context;
  const { page, requestKey, service } = purchase;
  const provider = services.get(service);
  if (page === null || provider === undefined) return { found: [], stop: null, failure: null };
  const { country, language, device, location } = page.market;
  const request = { keyword: page.keyword, country, language, mobile: device === 'mobile', location };
  let answer: SerpAnswer;
  try {
    answer = await provider.serp(
      { ...request, start_page: page.page, end_page: page.page },
      { idempotencyKey: requestKey, signal },
    );
  } catch (error) {
    const failure = toRequestFailure(error);
    log.debug({ service, purchaseId: purchase.purchaseId, errorCode: failure.code }, 'purchase still unknown');
    if (failure.charged !== 'yes') return { found: [], stop: null, failure };
    const { body, stated } = failure;
    const keep = (): void => {
      if (body !== null) store.pages.keepBody(purchase.purchaseId, body, false);
    };
    const confirmed = store.transaction(() => confirm(context, purchase, stated, keep));
    return { ...confirmed, failure };
  }
  const [gained] = answer.pages;
  const keep = (): void => {
    if (gained !== undefined) keepPage(context, provider, purchase, page, gained);
  };
  const confirmed = store.transaction(() => confirm(context, purchase, answer.creditsStated, keep));
  return { ...confirmed, failure: null };
}

/**
 * What was gained is there from now on, like a page that a check has bought. A page in doubt is left to the check that
 * reads its body; one that was bought again meanwhile stays as it is.
 */
function keepPage(
  context: JobContext,
  provider: SearchDataService,
  { purchaseId, service }: UnknownAttempt,
  { searchId, moment }: UnknownPage,
  answer: AnsweredPage,
): void {
  const { store } = context;
  const { page, observedAt, body } = answer;
  const source = pageLabel(sourceLabel(context, service, provider), answer);
  const isInDoubt = answer.doubts !== undefined;
  store.pages.keepBody(purchaseId, body, !isInDoubt);
  if (isInDoubt || store.pages.reusable(searchId, moment, null, source).has(page)) return;
  store.pages.insert({ ...toContents(answer), searchId, moment, page, purchaseId, observedAt, source });
}

/**
 * The key was sold, once: this try is charged, at the price that the provider states where that is higher, and those
 * before it were free. Where another process knew it sooner, its word stands.
 */
function confirm(
  context: JobContext,
  purchase: UnknownAttempt,
  stated: number | undefined,
  keep: () => void,
): Confirmed {
  const { store, clock, log } = context;
  const at = clock.now();
  const { purchaseId, requestKey, service } = purchase;
  const as = store.purchaseAttempts.isPaid(requestKey) ? 'free' : 'charged';
  const dispute = as === 'free' || stated === undefined ? null : store.reconciliations.book(purchaseId, stated, at);
  const amount = dispute?.stated ?? purchase.amount;
  if (!store.reconciliations.settle(purchaseId, as, amount, at)) return { found: [], stop: null };
  const stop = dispute === null ? null : disputed(context, { service, purchaseId, requestKey }, dispute);
  if (as === 'charged') keep();
  const earlier = store.reconciliations.unknown().filter((other) => other.requestKey === requestKey);
  const freed = new Set(store.reconciliations.freeEarlier(purchaseId, at - keysKeptMs, at));
  log.info({ service, purchaseId, requestKey, as, freed: [...freed] }, 'purchase reconciled');
  const others = earlier.filter((other) => freed.has(other.purchaseId));
  const freedAttempts = others.map((other) => ({ purchase: other, as: 'free' as const }));
  return { found: [{ purchase: { ...purchase, amount }, as }, ...freedAttempts], stop };
}

/** Settles the purchases that `selects` picks as the operator says. Purchases of an active run are left to it. */
export function takeWord(
  { store, clock, log }: JobContext,
  as: ReconciledAs,
  selects: (purchase: UnknownAttempt) => boolean,
): ReconcileResult {
  return store.transaction(() => {
    const picked = store.reconciliations.unknown().filter((purchase) => !purchase.isUnderWay && selects(purchase));
    for (const { purchaseId, amount, service } of picked) {
      store.reconciliations.settle(purchaseId, as, amount, clock.now());
      log.info({ service, purchaseId, as }, 'purchase reconciled by the operator');
    }
    return {
      settled: picked.map((purchase) => ({ purchase, as })),
      left: store.reconciliations.unknown(),
      notes: [],
    };
  });
}

/**
 * Settles the open disputes that `selects` picks at the agreed price, as the operator says: the bill does not have the
 * higher one. Purchases of an active run are left to it. Returns the settled ones.
 */
export function settleAsAgreed(
  { store, clock, log }: JobContext,
  selects: (dispute: ListedDispute) => boolean,
): ListedDispute[] {
  return store.transaction(() => {
    const picked = store.disputes.open().filter((dispute) => !dispute.isUnderWay && selects(dispute));
    for (const { purchaseId, service, agreed, counted } of picked) {
      store.reconciliations.settleAsAgreed(purchaseId, clock.now());
      log.info({ service, purchaseId, agreed, counted }, 'disputed price settled at the agreed one by the operator');
    }
    return picked;
  });
}
