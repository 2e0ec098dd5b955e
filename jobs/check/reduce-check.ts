// One claimed check as a reducer: (state, event) -> state and next step. Call inside a transaction.
import { type PlannedCheck, shortRemedy } from '../../db/history/checks/checks.ts';
import type { SecondLookRank } from '../../db/history/checks/second-looks.ts';
import {
  type AnsweredPage,
  errorText,
  type PageBody,
  type ReadPage,
  type SearchDataService,
} from '../../src/service/terms.ts';
import type { CheckStatus } from '../../src/tracker/observation.ts';
import { expectedPages, firstPageBought } from '../../src/tracker/paging.ts';
import type { TargetOutcome } from '../../src/tracker/targets/match.ts';
import type { Doubt, RunPages } from '../../src/tracker/trust/page-trust.ts';
import { checkLabel, checkSource, findService, type JobContext, pageLabel, shownMoment } from '../context.ts';
import {
  type AskedPages,
  mayBuyAgain,
  type NextPurchase,
  PageBuyer,
  type PageReservation,
} from '../purchase/page-buyer.ts';
import type { ServiceStop } from '../purchase/service-states.ts';
import { failedSettlement, logOpened, receivedSettlement, type SettledPurchase } from '../purchase/settlement.ts';
import type { PageJob, ReceivedPage } from '../queue/queue.ts';
import { decideRetry, isUnusableAnswer, type RequestFailure, retryLimits } from '../retry.ts';
import type { ShownRun } from '../slot-day.ts';
import {
  type CheckPages,
  doubtCode,
  doubtRemedy,
  findNextPage,
  freshSince,
  type Judgement,
  type KeptPage,
  knownPages,
  type LostPage,
  linksByPage,
  noPages,
  PageJudge,
  takePage,
} from './check-pages.ts';
import { type CheckTargets, ownAppearances, proveOutcomes, toContents } from './evidence.ts';

/** What a check works with. */
export interface CheckJob {
  readonly context: JobContext;
  readonly check: PlannedCheck;
  readonly targets: CheckTargets;
  readonly run: ShownRun;
  readonly service: SearchDataService;
  /** How pages that are bought now are labelled. */
  readonly source: string;
  readonly buyer: PageBuyer;
  readonly judge: PageJudge;
  readonly elsewhere: Elsewhere;
}

/** What the other sources of a service that chooses among several mean to a check. */
interface Elsewhere {
  /** Pages that its source is believed for: below, another one is asked. */
  readonly depthBelieved: number;
  /** Whether another source takes the check; its own is then passed over. */
  moveOn(): boolean;
}

const nowhereElse: Elsewhere = { depthBelieved: Number.POSITIVE_INFINITY, moveOn: () => false };

export interface CheckState {
  readonly pages: CheckPages;
  readonly reservation: PageReservation | null;
  /** Why nothing more may be bought from the service: the price that it stated exceeds the budget. */
  readonly overpriced: ServiceStop | null;
  /** Of the page that is fetched: attempts that failed, and waits that its provider asked for. */
  readonly failures: number;
  readonly waits: number;
  /** Of the request in flight; null while it waits for its turn. */
  readonly purchaseId: number | null;
  /** Nothing more is bought: the check is put back instead. */
  readonly isStopping: boolean;
}

export const claimedState: CheckState = {
  pages: noPages,
  reservation: null,
  overpriced: null,
  failures: 0,
  waits: 0,
  purchaseId: null,
  isStopping: false,
};

/**
 * `claimed`: with `isLast`, no reservation can come back to the budget any more. `resumed`: after a pause. `turn`: a
 * request may leave.
 */
export type CheckEvent =
  | { readonly kind: 'claimed'; readonly isLast: boolean }
  | { readonly kind: 'resumed' }
  | { readonly kind: 'turn'; readonly fetch: FetchStep; readonly isAdmitted: boolean }
  | { readonly kind: 'received'; readonly fetch: FetchStep; readonly received: ReceivedPage }
  | { readonly kind: 'failed'; readonly fetch: FetchStep; readonly failure: RequestFailure };

/**
 * The effect of an event: a page to fetch, a request to send, a pause, or the end. `put-back`: stopped half way,
 * claimable again with its pages kept. `moved`: put back, and another source goes on with it. `short`, at the claim
 * only: the budget has no room for the worst case of the check, and nothing was changed.
 */
export type CheckStep =
  | { readonly kind: 'fetch'; readonly purchase: NextPurchase; readonly job: PageJob }
  | { readonly kind: 'send'; readonly attempt: number }
  | { readonly kind: 'pause'; readonly delayMs: number }
  | { readonly kind: 'ended'; readonly status: CheckStatus }
  | { readonly kind: 'put-back' }
  | { readonly kind: 'moved' }
  | { readonly kind: 'halted'; readonly failure: RequestFailure }
  | { readonly kind: 'short'; readonly reason: string };

export type FetchStep = Extract<CheckStep, { kind: 'fetch' }>;

export function checkJob(
  context: JobContext,
  check: PlannedCheck,
  targets: CheckTargets,
  run: ShownRun,
  runPages: RunPages,
  elsewhere = nowhereElse,
): CheckJob {
  const service = findService(context, check.seller);
  const source = checkSource(context, check);
  const buyer = new PageBuyer(context, check, run, expectedOf(context, check, targets));
  const judge = new PageJudge(context, check, service, source, runPages);
  return { context, check, targets, run, service, source, buyer, judge, elsewhere };
}

/** Where the targets that a check follows ranked before decides how many pages it is expected to need. */
function expectedOf({ store, services }: JobContext, check: PlannedCheck, targets: CheckTargets): number {
  const { seller, paging, depth, searchId } = check;
  if (services.get(seller)?.range === undefined) return depth;
  const followed = paging === 'until-all-found' ? targets.ids : targets.ids.slice(0, targets.ownCount);
  const ids = followed.filter((_, index) => targets.list[index]?.match !== 'place');
  const lastKnown = ids.map((id) => store.rankings.lastKnownPages(id, [searchId])[0] ?? null);
  return expectedPages(paging, depth, lastKnown);
}

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
  return page !== null && mayBuyAgain(buyer.next(page)) ? withoutShortPages(job, claimed) : claimed;
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
    ...receivedSettlement(isShared, context.clock.now(), answer, stated ?? buyer.priceAtOnce(purchase)),
    ...doubtOf,
  });
  const state = { ...afterSettling(before, settled), failures: 0, waits: 0 };
  if (service.kind === 'live') context.store.pages.keepBody(purchaseId, answer.body, isBelieved);
  if (doubt === null || isBelieved) {
    const page = keepPage(job, purchase.page, purchaseId, answer);
    const pages = { ...state.pages, read: [...state.pages.read, page] };
    return goOn(job, { ...state, pages: withOthersAtHand(job, pages, purchase, purchaseId, answer) });
  }
  if (mayBuyAgain(buyer.next(purchase.page))) return putLast(job, state);
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
  const isLast = decision.kind === 'again' && buyer.isExhausted(buyer.next(page));
  if (decision.kind === 'again' && !isUnusable && !isLast) return [state, { kind: 'pause', delayMs: decision.delayMs }];
  if (decision.kind === 'halt') return [putBack(job, state)[0], { kind: 'halted', failure }];
  if (isUnusable && mayBuyAgain(buyer.next(page))) return putLast(job, state);
  const reason = `${failure.code}: ${failure.message}`;
  return goOn(job, losePage(state, { page, reason, remedy: failure.hint, isOfSource: true }));
}

/** A request that never got its turn has no purchase to settle. */
function settleFailure(job: CheckJob, state: CheckState, purchase: NextPurchase, failure: RequestFailure): CheckState {
  const { store, clock } = job.context;
  const { purchaseId } = state;
  if (purchaseId === null) return state;
  const settled = job.buyer.settle(
    purchase,
    purchaseId,
    failedSettlement(failure, clock.now(), job.buyer.priceAtOnce(purchase) ?? 1),
  );
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
    if (page > job.elsewhere.depthBelieved && job.elsewhere.moveOn()) return moveOn(job, state);
    const taken = takePage(pages, page);
    if (taken !== null) {
      state = { ...state, pages: taken };
      continue;
    }
    const purchase = buyer.next(page);
    const again = readAgain(job, pages, purchase);
    if (again?.kind === 'kept') state = { ...state, pages: again.pages };
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
  const delayMs = buyer.pauseMs(purchase);
  if (delayMs > 0) return [state, { kind: 'pause', delayMs }];
  const atMost = buyer.creditsAtMost(knownPages(state.pages));
  const prepared = buyer.prepare(purchase, state.reservation, atMost);
  if (prepared.kind === 'exhausted') {
    const remedy = 'Ask the provider whether they were charged; `rankledger audit` lists them.';
    return advance(job, losePage(state, { page, reason: prepared.reason, remedy, isOfSource: true }));
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
      const request = { service: check.seller, request: buyer.request(purchase), at, requestKey, order };
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

/** The pages that this source sold are kept: the next one goes on where it stopped. */
function moveOn(job: CheckJob, state: CheckState): Transition {
  return [putBack(job, state)[0], { kind: 'moved' }];
}

/** Records the end of a check: state, pages, and the proven ranking of each target. */
function end(job: CheckJob, state: CheckState): Transition {
  const { context, check, targets, run, source, buyer } = job;
  const { store, clock } = context;
  const { read, taken, lost } = state.pages;
  if (lost.some(({ isOfSource }) => isOfSource) && job.elsewhere.moveOn()) return moveOn(job, state);
  const mayHavePaid = read.length === 0 && lost.some(({ page }) => buyer.mayHavePaid(page));
  const failed = mayHavePaid ? 'unknown_paid' : 'failed';
  const status = lost.length === 0 ? 'ok' : read.length > 0 ? 'incomplete' : failed;
  const evidence = read.length === 0 ? null : proveOutcomes(read, targets, check.depth, lost.length > 0);
  const pageIds = read.map(({ id }) => id);
  store.checks.end(check.id, {
    state: status,
    pagesRead: read.length,
    // an earlier attempt may have bought them for the same check
    pagesReused: taken === 0 ? 0 : store.pages.countBoughtElsewhere(check.id, pageIds),
    checkedAt: read.length === 0 ? null : Math.min(...read.map((page) => page.observedAt)),
    source: checkLabel(read[0]?.source ?? source),
    features: evidence?.features ?? [],
    reason: lost.length === 0 ? null : lost.map(({ page, reason }) => `page ${page}: ${reason}`).join('; '),
    remedy: lost[0]?.remedy ?? null,
    at: clock.now(),
  });
  for (const { page, id } of read) store.pages.attach(check.id, page, id);
  const outcomes = evidence?.outcomes ?? [];
  if (run.origin === 'confirm') {
    // it looks a second time at a change: the first look keeps the ranking of its slot
    if (status === 'ok') store.secondLooks.record(check.id, ownOutcomes(targets, outcomes));
  } else {
    const { searchId, depth } = check;
    for (const [index, outcome] of outcomes.entries()) {
      const targetId = targets.ids[index];
      if (targetId === undefined) continue;
      const owned = evidence?.owned[index] ?? [];
      const ranking = { targetId, searchId, moment: run.moment, checkId: check.id, depth, outcome };
      store.rankings.insert({ ...ranking, ownedFeatures: owned });
    }
  }
  buyer.release(state.reservation);
  return [
    { ...state, reservation: null },
    { kind: 'ended', status },
  ];
}

function judgeAnswer(
  { buyer, judge }: CheckJob,
  pages: CheckPages,
  page: number,
  purchaseId: number,
  answer: AnsweredPage,
): Judgement {
  const { doubts, body } = answer;
  const isOfEngine = body.contentType === 'text/html';
  const judged = { purchaseId, request: buyer.request({ page }), contents: toContents(answer), doubts, isOfEngine };
  return judge.judge(judged, linksByPage(pages));
}

function keepPage(job: CheckJob, page: number, purchaseId: number, answer: AnsweredPage): KeptPage {
  const { context, check, run, source, targets } = job;
  const stored = {
    ...toContents(answer),
    searchId: check.searchId,
    moment: run.moment,
    page,
    purchaseId,
    observedAt: Math.min(answer.observedAt, context.clock.now()),
    source: pageLabel(source, answer),
  };
  const id = context.store.pages.insert(stored);
  context.store.appearances.keep(id, stored, ownAppearances(answer, targets));
  return { ...stored, id };
}

/** Keeps the other pages of a body that has several, each as if it had been bought alone. */
function withOthersAtHand(
  job: CheckJob,
  before: CheckPages,
  asked: AskedPages,
  purchaseId: number,
  { body, observedAt, source }: AnsweredPage,
): CheckPages {
  const { page, through } = asked;
  if (through === undefined) return before;
  const known = knownPages(before);
  const atHand = new Map(before.atHand);
  for (let other = 1; other <= through; other += 1) {
    if (other === page || known.has(other)) continue;
    const read = readOrNull(job, body, { ...asked, page: other }, observedAt);
    if (read === null) continue;
    const answer = { ...read, page: other, body, observedAt, source };
    const pages = { ...before, read: [...before.read, ...atHand.values()] };
    // a page in doubt is bought alone when the check comes to it
    if (judgeAnswer(job, pages, other, purchaseId, answer).isBelieved)
      atHand.set(other, keepPage(job, other, purchaseId, answer));
  }
  return { ...before, atHand };
}

/** Null: the body does not have the page, or not in a readable form. */
function readOrNull(
  { service, buyer }: CheckJob,
  body: PageBody,
  asked: AskedPages,
  receivedAt: number,
): ReadPage | null {
  try {
    return service.readPage(body, buyer.request(asked), receivedAt);
  } catch {
    return null;
  }
}

/**
 * The result of reading an answer that was bought before. Null: there is none, or it is unusable and another may be
 * bought.
 */
type ReadAgain =
  | { readonly kind: 'kept'; readonly pages: CheckPages }
  | { readonly kind: 'lost'; readonly page: LostPage }
  | null;

/** Reads an unused answer again before more is bought: a later version may read it, a later purchase may prove it. */
function readAgain(job: CheckJob, pages: CheckPages, purchase: NextPurchase): ReadAgain {
  const { context, buyer, service } = job;
  const { page } = purchase;
  const unread = buyer.unread(purchase);
  if (unread === null) return null;
  const { purchaseId, body, receivedAt, asked } = unread;
  let read: ReadPage;
  try {
    read = service.readPage(body, buyer.request(asked), receivedAt);
  } catch (error) {
    if (mayBuyAgain(purchase)) return null;
    const reason = `the paid answer is unreadable: ${errorText(error)}`;
    const remedy = 'It is kept, so that a later version can read it.';
    return { kind: 'lost', page: { page, reason, remedy, isOfSource: true } };
  }
  const answer = { ...read, page, body, observedAt: receivedAt };
  const { doubt, isBelieved } = judgeAnswer(job, pages, page, purchaseId, answer);
  if (isBelieved) {
    const kept = keepPage(job, page, purchaseId, answer);
    context.store.pages.markReadable(purchaseId);
    const withKept = { ...pages, read: [...pages.read, kept] };
    return { kind: 'kept', pages: withOthersAtHand(job, withKept, asked, purchaseId, answer) };
  }
  if (doubt === null || mayBuyAgain(purchase)) return null;
  return { kind: 'lost', page: doubtedPage(page, doubt) };
}

/** A page that is lost because it is not believed. */
function doubtedPage(page: number, { reason, message }: Doubt): LostPage {
  return { page, reason: `${reason}: ${message}`, remedy: doubtRemedy(reason), isOfSource: true };
}

/** What a second look proves about the own targets. */
function ownOutcomes({ ids, ownCount }: CheckTargets, outcomes: readonly TargetOutcome[]): SecondLookRank[] {
  return outcomes.slice(0, ownCount).flatMap((outcome, index): SecondLookRank[] => {
    const targetId = ids[index];
    if (targetId === undefined) return [];
    if (outcome.kind === 'ranked') return [{ targetId, rank: outcome.organicRank, depth: outcome.page }];
    return outcome.kind === 'notFound' ? [{ targetId, rank: null, depth: outcome.depth }] : [];
  });
}

/** The end of a check that is not bought. The default remedy is for a budget without room. */
export function deferredEnd(reason: string, at: number, remedy = shortRemedy) {
  return {
    state: 'deferred',
    pagesRead: 0,
    pagesReused: 0,
    checkedAt: null,
    source: null,
    features: [],
    reason,
    remedy,
    at,
  } as const;
}
