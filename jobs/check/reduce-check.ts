// The reducer of a claimed check: (state, event) -> state and next step. Call inside a transaction.
import { firstPageBought } from '../../src/tracker/paging.ts';
import { shownMoment } from '../context.ts';
import { mayBuyAgain, type NextPurchase } from '../purchase/page-purchases.ts';
import { failedSettlement, logOpened, receivedSettlement, type SettledPurchase } from '../purchase/settlement.ts';
import { decideRetry, isUnusableAnswer, type RequestFailure, retryLimits } from '../retry.ts';
import { type LostPage, recordEnd } from './check-end.ts';
import { creditsToBuyAtMost, findNextPage, freshSince, takePage } from './check-pages.ts';
import type { CheckEvent, CheckJob, CheckState, CheckStep } from './check-state.ts';
import { doubtCode } from './page-judge.ts';
import { doubtedPage, judgeAnswer, keepPage, readAgain } from './received-pages.ts';

export type Transition = readonly [CheckState, CheckStep];
type EventOf<Kind extends CheckEvent['kind']> = Extract<CheckEvent, { kind: Kind }>;

export function reduceCheck(job: CheckJob, state: CheckState, event: CheckEvent): Transition {
  switch (event.kind) {
    case 'claimed':
      return claim(job, state, event);
    case 'resumed':
      return goOn(job, withPagesAtHand(job, state));
    case 'turn':
      return open(job, state, event);
    case 'received':
      return receive(job, state, event);
    case 'failed':
      return fail(job, state, event);
  }
}

/** Waits for the current page, after this failure. */
export function waitsAfter({ waits }: CheckState, { disposition }: RequestFailure): number {
  return disposition === 'wait' ? waits + 1 : waits;
}

/** Reads pages that need not be bought, and reserves the worst case of the others. */
function claim(job: CheckJob, before: CheckState, { isLast }: EventOf<'claimed'>): Transition {
  const { context, check, targets, buyer } = job;
  const own = targets.ids.slice(0, targets.ownCount).filter((_, index) => targets.list[index]?.match !== 'place');
  const { rankings } = context.store;
  const anchors = check.paging === 'anchored' ? own : [];
  const lastKnown = anchors.map((target) => rankings.lastKnownPages(target, [check.searchId])[0] ?? null);
  const state = withPagesAtHand(job, { ...before, pages: { ...before.pages, lastKnown } });
  const claimed = advance(job, state);
  if (claimed[1].kind !== 'short' || !isLast) return claimed;
  // a check that had pages bought and lacks only a later purchase ends; any other is deferred whole
  const page = findNextPage(check, targets, claimed[0].pages);
  return page !== null && mayBuyAgain(buyer.purchases.next(page)) ? withoutShortPages(job, claimed) : claimed;
}

/** The request's turn has come: opens its purchase; then it may leave. */
function open(job: CheckJob, state: CheckState, { fetch, isAdmitted }: EventOf<'turn'>): Transition {
  if (state.isStopping || !isAdmitted) return putBack(job, state);
  const { context, buyer } = job;
  const purchase = buyer.open(fetch.purchase, state.reservation);
  const after = { ...state, reservation: purchase.reservation };
  switch (purchase.kind) {
    case 'open':
      logOpened(context, buyer.ref(fetch.purchase, purchase.id), purchase.attempt);
      return [
        { ...after, purchaseId: purchase.id },
        { kind: 'send', attempt: purchase.attempt },
      ];
    case 'elsewhere':
      return withoutShortPages(job, waitForOther(job, after, fetch.purchase.page));
    case 'short':
      // a new window without room: with nothing read, the check is claimed anew, or deferred
      if (after.pages.read.length === 0) return putBack(job, after);
      return withoutShortPages(job, [after, { kind: 'short', reason: purchase.reason }]);
  }
}

/** Settles a received page, and keeps it if it is trusted. A shared one was paid by another coordinator. */
function receive(job: CheckJob, before: CheckState, { fetch, received }: EventOf<'received'>): Transition {
  const { context, service, buyer } = job;
  const { purchase } = fetch;
  const { answer, isShared = false, stated } = received;
  const { purchaseId } = before;
  if (purchaseId === null) throw new Error('the service sent a request before its purchase was recorded');
  const { doubt, isBelieved } = judgeAnswer(job, before.pages, purchase.page, purchaseId, answer);
  const doubtOf = doubt === null ? {} : { errorCode: doubtCode(doubt.reason), message: doubt.message };
  const settled = buyer.settle(purchase, purchaseId, {
    ...receivedSettlement(isShared, context.clock.now(), answer, stated),
    ...doubtOf,
  });
  const state = { ...afterSettling(before, settled), failures: 0, waits: 0 };
  if (service.kind === 'live') context.store.pages.keepBody(purchaseId, answer.body, isBelieved);
  if (doubt === null || isBelieved) {
    const page = keepPage(job, purchase.page, purchaseId, answer);
    return goOn(job, { ...state, pages: { ...state.pages, read: [...state.pages.read, page] } });
  }
  if (mayBuyAgain(buyer.purchases.next(purchase.page))) return putLast(job, state);
  return goOn(job, losePage(state, doubtedPage(purchase.page, doubt)));
}

/** Settles a request that failed. */
function fail(job: CheckJob, before: CheckState, { fetch, failure }: EventOf<'failed'>): Transition {
  const { context, buyer } = job;
  const { page } = fetch.purchase;
  const settled = settleFailure(job, before, fetch.purchase, failure);
  const waits = waitsAfter(settled, failure);
  if (failure.code === 'ABORTED') return putBack(job, { ...settled, waits });
  const failures = failure.disposition === 'wait' ? settled.failures : settled.failures + 1;
  const state = { ...settled, waits, failures };
  const decision = decideRetry(failure, failures, waits, context.random());
  const isUnusable = isUnusableAnswer(failure);
  if (decision.kind === 'again' && !isUnusable) return [state, { kind: 'pause', delayMs: decision.delayMs }];
  if (decision.kind === 'halt') return [putBack(job, state)[0], { kind: 'halted', failure }];
  if (isUnusable && mayBuyAgain(buyer.purchases.next(page))) return putLast(job, state);
  return goOn(job, losePage(state, { page, reason: `${failure.code}: ${failure.message}`, remedy: failure.hint }));
}

/** A request that never got its turn has no purchase to settle. */
function settleFailure(job: CheckJob, state: CheckState, purchase: NextPurchase, failure: RequestFailure): CheckState {
  const { store, clock } = job.context;
  const { purchaseId } = state;
  if (purchaseId === null) return state;
  const settled = job.buyer.settle(purchase, purchaseId, failedSettlement(failure, clock.now(), 1));
  if (failure.charged !== 'no' && failure.body !== null) store.pages.keepBody(purchaseId, failure.body, false);
  return afterSettling(state, settled);
}

function afterSettling(state: CheckState, { left, stop }: SettledPurchase): CheckState {
  const reservation = state.reservation && { ...state.reservation, left };
  return { ...state, reservation, purchaseId: null, overpriced: state.overpriced ?? stop };
}

/** Stops half way: what was read is kept, what was reserved is released, and the check is claimable again. */
function putBack({ context, check, buyer }: CheckJob, state: CheckState): Transition {
  buyer.release(state.reservation);
  context.store.checks.putBack(check.id);
  return [{ ...state, reservation: null }, { kind: 'put-back' }];
}

/** Moves the check behind the others of its run if its page is bought again: their pages help to judge it. */
function putLast({ context, check, buyer }: CheckJob, state: CheckState): Transition {
  buyer.release(state.reservation);
  context.store.checks.putLast(check.id);
  return [{ ...state, reservation: null }, { kind: 'put-back' }];
}

/** Finds the pages that need not be bought. Pages stay fresh for a backfill as of its moment, however long it takes. */
function withPagesAtHand({ context, check, service, run, source }: CheckJob, state: CheckState): CheckState {
  const freshAt = run.origin === 'backfill' ? run.moment : shownMoment(context, service, run.shownAt);
  const since = freshSince(check.freshForMs, freshAt);
  const atHand = context.store.pages.reusable(check.searchId, run.moment, since, source);
  return { ...state, pages: { ...state.pages, atHand } };
}

function goOn(job: CheckJob, state: CheckState): Transition {
  return withoutShortPages(job, advance(job, state));
}

/** If the budget runs short after the claim, the page is lost. */
function withoutShortPages(job: CheckJob, [before, first]: Transition): Transition {
  let [state, step] = [before, first];
  while (step.kind === 'short') {
    const page = findNextPage(job.check, job.targets, state.pages);
    const remedy = 'Raise the budget, or wait for the next window.';
    if (page !== null) state = losePage(state, { page, reason: step.reason, remedy });
    [state, step] = advance(job, state);
  }
  return [state, step];
}

/** Reads available pages, up to the one that must be bought or the end of the check. */
function advance(job: CheckJob, before: CheckState): Transition {
  const { check, targets, buyer } = job;
  let state = before;
  for (;;) {
    const { pages } = state;
    const page = findNextPage(check, targets, pages);
    if (page === null) return end(job, state);
    const taken = takePage(pages, page);
    if (taken !== null) {
      state = { ...state, pages: taken };
      continue;
    }
    const purchase = buyer.purchases.next(page);
    const again = readAgain(job, pages, purchase);
    if (again?.kind === 'kept') state = { ...state, pages: { ...pages, read: [...pages.read, again.page] } };
    else if (again?.kind === 'lost') state = losePage(state, again.page);
    else if (page >= firstPageBought(check.paging)) return buy(job, state, purchase);
    else {
      const reason = 'it was not requested, and no stored page is fresh enough';
      state = losePage(state, { page, reason, remedy: 'Request the pages before it, too.' });
    }
  }
}

function buy(job: CheckJob, state: CheckState, purchase: NextPurchase): Transition {
  const { context, check, service, run, buyer } = job;
  const { page, key: requestKey } = purchase;
  if (state.isStopping || state.overpriced !== null) return putBack(job, state);
  const delayMs = buyer.purchases.pauseMs(purchase);
  if (delayMs > 0) return [state, { kind: 'pause', delayMs }];
  const atMost = creditsToBuyAtMost(check, state.pages, (of) => buyer.creditsOf(of));
  const prepared = buyer.prepare(purchase, state.reservation, atMost);
  if (prepared.kind === 'exhausted') {
    const remedy = 'Ask the provider whether they were charged; `rankledger audit` lists them.';
    return advance(job, losePage(state, { page, reason: prepared.reason, remedy }));
  }
  const after = { ...state, reservation: prepared.reservation };
  switch (prepared.kind) {
    case 'short':
      return [after, { kind: 'short', reason: prepared.reason }];
    case 'elsewhere':
      return waitForOther(job, after, page);
    case 'ready': {
      const at = shownMoment(context, service, run.shownAt);
      const order = check.sequence;
      const request = { service: check.market.service, request: buyer.request(page), at, requestKey, order };
      return [after, { kind: 'fetch', purchase, job: request }];
    }
  }
}

/** Another process is buying this page for its run: this check reads it as well. */
function waitForOther(job: CheckJob, before: CheckState, page: number): Transition {
  const state = { ...before, waits: before.waits + 1 };
  if (state.waits <= retryLimits.otherBuyerPausesMax) {
    return [state, { kind: 'pause', delayMs: retryLimits.otherBuyerPauseMs }];
  }
  const reason = 'another process has been buying this page for too long';
  return advance(job, losePage(state, { page, reason, remedy: 'Run again when that process has ended.' }));
}

function losePage(state: CheckState, page: LostPage): CheckState {
  return { ...state, pages: { ...state.pages, lost: [...state.pages.lost, page] }, failures: 0, waits: 0 };
}

function end(job: CheckJob, state: CheckState): Transition {
  const { context, check, targets, run, source, buyer } = job;
  const { read, taken, lost } = state.pages;
  const mayHavePaid = read.length === 0 && lost.some(({ page }) => buyer.purchases.mayHavePaid(page));
  const failed = mayHavePaid ? 'unknown_paid' : 'failed';
  const status = lost.length === 0 ? 'ok' : read.length > 0 ? 'incomplete' : failed;
  recordEnd(context, {
    check,
    targets,
    moment: run.moment,
    status,
    pages: read,
    pagesAtHand: taken,
    lost,
    source,
    isSecondLook: run.origin === 'confirm',
  });
  buyer.release(state.reservation);
  return [
    { ...state, reservation: null },
    { kind: 'ended', status },
  ];
}
