// A claimed check on its way: which pages it has, what it may buy next, and how it ends. Its methods belong inside transactions.
import type { PlannedCheck } from '../db/checks.ts';
import type { SearchDataService } from '../src/service/index.ts';
import { firstPageBought } from '../src/tracker/paging.ts';
import { RunPages } from '../src/tracker/run-pages.ts';
import { type Admission, type Breaker, verdictOn } from './breaker.ts';
import { type LostPage, recordEnd } from './check-end.ts';
import { CheckPages } from './check-pages.ts';
import type { Fetch, Short, Step } from './check-step.ts';
import { type JobContext, serviceOf, shownMoment, sourceLabel } from './context.ts';
import { freshSince } from './freshness.ts';
import { PageBuyer } from './page-buyer.ts';
import { doubtCode } from './page-judge.ts';
import { type ReceivedPage, receivedSettlement } from './queue.ts';
import { doubtedPage, ReceivedPages } from './received-pages.ts';
import { type Failure, isUnusableAnswer, nextMove, retryLimits } from './retry.ts';
import type { ServiceStop } from './service-lines.ts';
import { failedSettlement, tellOpened } from './settlement.ts';
import type { ShownRun } from './slot-day.ts';
import type { CheckTargets } from './targets.ts';

export class CheckWork {
  readonly check: PlannedCheck;
  readonly #context: JobContext;
  readonly #targets: CheckTargets;
  readonly #service: SearchDataService;
  readonly #run: ShownRun;
  /** When a page must be fresh; null: when it is used. What a backfill was opened for stays fresh however long it takes. */
  readonly #freshAt: number | null;
  readonly #buyer: PageBuyer;
  /** How pages that are bought now are labelled. */
  readonly #source: string;
  readonly #pages: CheckPages;
  readonly #received: ReceivedPages;
  /** Of the page at hand: tries that failed, and waits that its provider asked for. */
  #tries = 0;
  #waits = 0;
  #stopping = false;
  /** Of the request in flight; null while it waits for its turn. */
  #purchaseId: number | null = null;
  readonly #breaker: Breaker | null;
  #admission: Admission | null = null;

  constructor(
    context: JobContext,
    check: PlannedCheck,
    targets: CheckTargets,
    run: ShownRun,
    breaker: Breaker | null = null,
    runPages: RunPages = new RunPages(),
  ) {
    this.check = check;
    this.#breaker = breaker;
    this.#context = context;
    this.#targets = targets;
    this.#service = serviceOf(context, check.market.service);
    this.#run = run;
    this.#freshAt = run.origin === 'backfill' ? run.moment : null;
    this.#pages = new CheckPages(check, targets);
    this.#buyer = new PageBuyer(context, check, run.moment);
    this.#source = sourceLabel(check.market.service, this.#service);
    const shared = { service: this.#service, source: this.#source, pages: this.#pages, buyer: this.#buyer };
    this.#received = new ReceivedPages(context, { check, moment: run.moment, ...shared }, runPages);
  }

  /** The way back to this moment, should what is done from here on be rolled back and done once more. */
  mark(): () => void {
    const before = [this.#tries, this.#waits, this.#purchaseId, this.#admission] as const;
    const undo = [this.#pages.mark(), this.#buyer.mark(), this.#breaker?.mark()];
    return () => {
      [this.#tries, this.#waits, this.#purchaseId, this.#admission] = before;
      for (const one of undo) one?.();
    };
  }

  /** Why nothing more may be bought from its service: the price that it stated exceeds the budget. */
  get overpriced(): ServiceStop | null {
    return this.#buyer.overpriced;
  }

  /** Claims the check: takes pages that need not be bought, and reserves the worst case of the others. The caller says that it has started. */
  claim(): Step | Short {
    const { store } = this.#context;
    const { check } = this;
    this.#look();
    if (check.paging === 'anchored') {
      this.#pages.lastKnown = store.rankings.lastKnownPages(
        this.#targets.ids.slice(0, this.#targets.ownCount),
        check.searchId,
      );
    }
    return this.#advance();
  }

  /** Where the budget has no room at the claim: the end of a check that had pages bought for it, which only lacks a later look; null: it is put off whole. */
  endShort(short: Short): Step | null {
    const page = this.#pages.next();
    return page !== null && this.#buyer.looks.mayLookAgain(page) ? this.#settled(short) : null;
  }

  /** The request's turn has come: opens its purchase, after which it may leave. Another step where it must not leave any more. */
  open(fetch: Fetch): { readonly kind: 'open'; readonly attempt: number } | Step {
    if (this.#stopping) return this.putBack();
    const now = this.#context.clock.now();
    const admission = this.#breaker?.admit(now) ?? null;
    if (this.#breaker !== null && admission === null) return this.putBack();
    const purchase = this.#buyer.open(fetch.page);
    if (purchase.kind !== 'open') {
      admission?.end('neutral', now);
      if (purchase.kind === 'elsewhere') return this.#settled(this.#waitForOther(fetch.page));
      // a new window without room: with nothing read, the check is claimed anew, or deferred
      return this.#pages.read.length === 0 ? this.putBack() : this.#settled(purchase);
    }
    this.#admission = admission;
    this.#purchaseId = purchase.id;
    tellOpened(this.#context, this.#buyer.ref(fetch.page, purchase.id), purchase.attempt);
    return { kind: 'open', attempt: purchase.attempt };
  }

  /** Settles a page that was received, keeps it, and says what comes next. A shared one was paid by another coordinator. */
  receive(fetch: Fetch, { answer, isShared = false, stated }: ReceivedPage): Step {
    const { store, clock } = this.#context;
    const purchaseId = this.#purchaseId;
    if (purchaseId === null) throw new Error('the service sent a request before its purchase was written down');
    this.#purchaseId = null;
    const { doubt, isBelieved } = this.#received.judge(fetch.page, purchaseId, answer);
    const marks = doubt === null ? {} : { errorCode: doubtCode(doubt.reason), message: doubt.message };
    this.#buyer.settle(fetch.page, purchaseId, {
      ...receivedSettlement(isShared, clock.now(), answer, stated),
      ...marks,
    });
    if (this.#service.kind === 'live') store.pages.keepBody(purchaseId, answer.body, isBelieved);
    if (isBelieved) this.#received.keep(fetch.page, purchaseId, answer);
    this.#admission?.end('answered', clock.now());
    this.#admission = null;
    [this.#tries, this.#waits] = [0, 0];
    if (doubt === null || isBelieved) return this.#continue();
    if (this.#buyer.looks.mayLookAgain(fetch.page)) return this.#putLast();
    this.#lose(doubtedPage(fetch.page, doubt));
    return this.#continue();
  }

  /** Settles a request that failed, and says what comes next. */
  fail(fetch: Fetch, failure: Failure): Step {
    this.#settleFailure(fetch.page, failure);
    if (failure.disposition === 'wait') this.#waits += 1;
    this.#admission?.end(verdictOn(failure, this.#waits), this.#context.clock.now(), failure);
    this.#admission = null;
    if (failure.code === 'ABORTED') return this.putBack();
    if (failure.disposition !== 'wait') this.#tries += 1;
    const move = nextMove(failure, this.#tries, this.#waits, this.#context.random());
    if (move.kind === 'again' && !isUnusableAnswer(failure)) return { kind: 'pause', delayMs: move.delayMs };
    if (move.kind === 'halt') {
      this.putBack();
      return { kind: 'halted', failure };
    }
    if (isUnusableAnswer(failure) && this.#buyer.looks.mayLookAgain(fetch.page)) return this.#putLast();
    this.#lose({ page: fetch.page, reason: `${failure.code}: ${failure.message}`, remedy: failure.hint });
    return this.#continue();
  }

  /** A request that never got its turn has no purchase to settle. */
  #settleFailure(page: number, failure: Failure): void {
    const { store, clock } = this.#context;
    const purchaseId = this.#purchaseId;
    if (purchaseId === null) return;
    this.#purchaseId = null;
    this.#buyer.settle(page, purchaseId, failedSettlement(failure, clock.now()));
    if (failure.charged !== 'no' && failure.body !== null) store.pages.keepBody(purchaseId, failure.body, false);
  }

  /** After a pause: opens the next try, unless another process has bought the page meanwhile. */
  tryAgain(): Step {
    this.#look();
    return this.#continue();
  }

  /** From now on nothing more is bought: the check is put back where it would buy. */
  stop(): void {
    this.#stopping = true;
  }

  /** Stops half way: what was read is kept, what was reserved is released, and the check is claimable again. */
  putBack(): Step {
    this.#buyer.release();
    this.#context.store.checks.putBack(this.check.id);
    return { kind: 'put-back' };
  }

  /** Puts the check behind the others of its run, where its page is looked at again: what they show meanwhile helps to judge it. */
  #putLast(): Step {
    this.#buyer.release();
    this.#context.store.checks.putLast(this.check.id);
    return { kind: 'put-back' };
  }

  /** Looks for pages that need not be bought. */
  #look(): void {
    const { check } = this;
    const freshAt = this.#freshAt ?? shownMoment(this.#context, this.#service, this.#run.shownAt);
    const since = freshSince(check.freshForMs, freshAt);
    this.#pages.atHand = this.#context.store.pages.reusable(check.searchId, this.#run.moment, since, this.#source);
  }

  #continue(): Step {
    return this.#settled(this.#advance());
  }

  /** A budget that runs short in the middle loses the page; at the claim it defers the check. */
  #settled(step: Step | Short): Step {
    if (step.kind !== 'short') return step;
    const page = this.#pages.next();
    const remedy = 'Raise the budget, or wait for the next window.';
    if (page !== null) this.#lose({ page, reason: step.reason, remedy });
    return this.#continue();
  }

  #advance(): Step | Short {
    for (;;) {
      const page = this.#pages.next();
      if (page === null) return this.#end();
      if (this.#pages.take(page)) continue;
      if (this.#readAgain(page)) continue;
      if (page >= firstPageBought(this.check.paging)) return this.#buy(page);
      const reason = 'it was not asked for, and none is fresh enough to be used';
      this.#lose({ page, reason, remedy: 'Ask for the pages before it as well.' });
    }
  }

  /** True where an answer that was bought before settles what becomes of the page. */
  #readAgain(page: number): boolean {
    const again = this.#received.readAgain(page);
    if (again.kind === 'lost') {
      this.#lose(again.page);
    }
    return again.kind !== 'none';
  }

  #buy(page: number): Step | Short {
    if (this.#stopping || this.overpriced !== null) return this.putBack();
    const delayMs = this.#buyer.looks.pauseMs(page);
    if (delayMs > 0) return { kind: 'pause', delayMs };
    const step = this.#buyer.prepare(page, this.#pages.toBuyAtMost());
    switch (step.kind) {
      case 'short':
        return step;
      case 'exhausted':
        this.#lose({
          page,
          reason: step.reason,
          remedy: 'Ask the provider what became of them; `rankledger audit` lists them.',
        });
        return this.#advance();
      case 'elsewhere':
        return this.#waitForOther(page);
      case 'ready': {
        const at = shownMoment(this.#context, this.#service, this.#run.shownAt);
        return { kind: 'fetch', page, job: this.#buyer.job(page, at) };
      }
    }
  }

  /** Another process is buying this very page for its run: what it gets is ours as well. */
  #waitForOther(page: number): Step | Short {
    this.#waits += 1;
    if (this.#waits <= retryLimits.waitsMax) return { kind: 'pause', delayMs: retryLimits.otherBuyerPauseMs };
    const reason = 'another process has been buying this page for long';
    this.#lose({ page, reason, remedy: 'Run again when that process has ended.' });
    return this.#advance();
  }

  #lose(page: LostPage): void {
    this.#pages.lose(page);
    this.#tries = 0;
    this.#waits = 0;
  }

  #end(): Step {
    const { read, taken, lost } = this.#pages;
    const mayHavePaid = read.length === 0 && lost.some(({ page }) => this.#buyer.looks.mayHavePaid(page));
    const failed = mayHavePaid ? 'unknown_paid' : 'failed';
    const status = lost.length === 0 ? 'ok' : read.length > 0 ? 'incomplete' : failed;
    recordEnd(this.#context, {
      check: this.check,
      targets: this.#targets,
      moment: this.#run.moment,
      status,
      pages: read,
      pagesAtHand: taken,
      lost,
      source: this.#source,
    });
    this.#buyer.release();
    return { kind: 'ended', status };
  }
}
