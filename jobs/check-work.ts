// A claimed check on its way: which pages it has, what it may buy next, and how it ends. Its methods belong inside transactions.
import type { PlannedCheck } from '../db/checks.ts';
import type { RunRow } from '../db/runs.ts';
import { type AnsweredPage, doubtFailure, type SearchDataService } from '../src/service/index.ts';
import { firstPageBought } from '../src/tracker/paging.ts';
import { type Admission, type Breaker, verdictOn } from './breaker.ts';
import { recordEnd } from './check-end.ts';
import { CheckPages, turnsNoPages } from './check-pages.ts';
import type { Fetch, Short, Step } from './check-step.ts';
import { type JobContext, pageLabel, serviceOf, shownMoment, sourceLabel } from './context.ts';
import { contentsOf } from './evidence.ts';
import { freshSince } from './freshness.ts';
import { PageBuyer } from './page-buyer.ts';
import { type ReceivedPage, receivedSettlement } from './queue.ts';
import { type Failure, nextMove, retryLimits } from './retry.ts';
import type { ServiceStop } from './service-lines.ts';
import { failedSettlement, tellOpened } from './settlement.ts';
import type { CheckTargets } from './targets.ts';

export class CheckWork {
  readonly check: PlannedCheck;
  readonly #context: JobContext;
  readonly #targets: CheckTargets;
  readonly #service: SearchDataService;
  readonly #moment: number;
  /** When a page must be fresh; null: when it is used. What a backfill was opened for stays fresh however long it takes. */
  readonly #freshAt: number | null;
  readonly #buyer: PageBuyer;
  /** How pages that are bought now are labelled. */
  readonly #source: string;
  readonly #pages: CheckPages;
  /** Of the page at hand: tries that failed, and waits that its provider asked for. */
  #tries = 0;
  #waits = 0;
  #stopping = false;
  #mayHavePaid = false;
  /** Of the request in flight; null while it waits for its turn. */
  #purchaseId: number | null = null;
  readonly #breaker: Breaker | null;
  #admission: Admission | null = null;

  constructor(
    context: JobContext,
    check: PlannedCheck,
    targets: CheckTargets,
    { moment, origin }: Pick<RunRow, 'moment' | 'origin'>,
    breaker: Breaker | null = null,
  ) {
    this.check = check;
    this.#breaker = breaker;
    this.#context = context;
    this.#targets = targets;
    this.#service = serviceOf(context, check.market.service);
    this.#moment = moment;
    this.#freshAt = origin === 'backfill' ? moment : null;
    this.#pages = new CheckPages(check, targets);
    this.#buyer = new PageBuyer(context, check, moment);
    this.#source = sourceLabel(check.market.service, this.#service);
  }

  /** The way back to this moment, should what is done from here on be rolled back and done once more. */
  mark(): () => void {
    const before = [this.#tries, this.#waits, this.#mayHavePaid, this.#purchaseId, this.#admission] as const;
    const undo = [this.#pages.mark(), this.#buyer.mark(), this.#breaker?.mark()];
    return () => {
      [this.#tries, this.#waits, this.#mayHavePaid, this.#purchaseId, this.#admission] = before;
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
    this.#buyer.settle(fetch.page, purchaseId, receivedSettlement(isShared, clock.now(), answer, stated));
    if (this.#service.kind === 'live') store.pages.keepBody(purchaseId, answer.body, true);
    this.#keepOrLose(fetch.page, purchaseId, answer);
    this.#admission?.end('answered', clock.now());
    this.#admission = null;
    [this.#tries, this.#waits] = [0, 0];
    return this.#continue();
  }

  /** Settles a request that failed, and says what comes next. */
  fail(fetch: Fetch, failure: Failure): Step {
    this.#settleFailure(fetch.page, failure);
    this.#admission?.end(verdictOn(failure), this.#context.clock.now(), failure);
    this.#admission = null;
    if (failure.code === 'ABORTED') return this.putBack();
    if (failure.disposition === 'wait') this.#waits += 1;
    else this.#tries += 1;
    const move = nextMove(failure, this.#tries, this.#waits, this.#context.random());
    if (move.kind === 'again') return { kind: 'pause', delayMs: move.delayMs };
    if (move.kind === 'halt') {
      this.putBack();
      return { kind: 'halted', failure };
    }
    this.#lose(fetch.page, `${failure.code}: ${failure.message}`, failure.hint);
    return this.#continue();
  }

  /** A request that never got its turn has no purchase to settle. */
  #settleFailure(page: number, failure: Failure): void {
    const { store, clock } = this.#context;
    const purchaseId = this.#purchaseId;
    if (purchaseId === null) return;
    this.#purchaseId = null;
    this.#buyer.settle(page, purchaseId, failedSettlement(failure, clock.now()));
    if (failure.charged === 'unknown') this.#mayHavePaid = true;
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

  /** Looks for pages that need not be bought. */
  #look(): void {
    const { check } = this;
    const freshAt = this.#freshAt ?? shownMoment(this.#context, this.#service, this.#moment);
    const since = freshSince(check.freshForMs, freshAt);
    this.#pages.atHand = this.#context.store.pages.reusable(check.searchId, this.#moment, since, this.#source);
  }

  #continue(): Step {
    return this.#settled(this.#advance());
  }

  /** A budget that runs short in the middle loses the page; at the claim it defers the check. */
  #settled(step: Step | Short): Step {
    if (step.kind !== 'short') return step;
    const page = this.#pages.next();
    if (page !== null) this.#lose(page, step.reason, 'Raise the budget, or wait for the next window.');
    return this.#continue();
  }

  #advance(): Step | Short {
    for (;;) {
      const page = this.#pages.next();
      if (page === null) return this.#end();
      if (this.#pages.take(page)) continue;
      if (this.#readAgain(page)) continue;
      if (page >= firstPageBought(this.check.paging)) return this.#buy(page);
      this.#lose(
        page,
        'it was not asked for, and none is fresh enough to be used',
        'Ask for the pages before it as well.',
      );
    }
  }

  /** A body that was received before and could not be read: it is read again, and never bought again. True where there was one. */
  #readAgain(page: number): boolean {
    const { store } = this.#context;
    const key = this.#buyer.key(page);
    const unread = this.#buyer.wasTried(page) ? store.pages.unreadBody(key) : null;
    if (unread === null) return false;
    try {
      const read = this.#service.readPage(unread.body, this.#buyer.request(page), unread.receivedAt);
      const answer = { ...read, page, body: unread.body, observedAt: unread.receivedAt };
      if (this.#keepOrLose(page, unread.purchaseId, answer)) store.pages.markReadable(unread.purchaseId);
    } catch (error) {
      this.#mayHavePaid ||= !store.tries.isPaid(key);
      this.#lose(
        page,
        `the answer that was bought cannot be read: ${error instanceof Error ? error.message : String(error)}`,
        'It is kept, and read again by a later version.',
      );
    }
    return true;
  }

  #buy(page: number): Step | Short {
    if (this.#stopping || this.overpriced !== null) return this.putBack();
    const step = this.#buyer.prepare(page, this.#pages.toBuyAtMost());
    switch (step.kind) {
      case 'short':
        return step;
      case 'exhausted':
        this.#mayHavePaid ||= !this.#context.store.tries.isPaid(this.#buyer.key(page));
        this.#lose(page, step.reason, 'Ask the provider what became of them; `rankledger audit` lists them.');
        return this.#advance();
      case 'elsewhere':
        return this.#waitForOther(page);
      case 'ready': {
        const at = shownMoment(this.#context, this.#service, this.#moment);
        return { kind: 'fetch', page, job: this.#buyer.job(page, at) };
      }
    }
  }

  /** Another process is buying this very page for its run: what it gets is ours as well. */
  #waitForOther(page: number): Step | Short {
    this.#waits += 1;
    if (this.#waits <= retryLimits.waitsMax) return { kind: 'pause', delayMs: retryLimits.otherBuyerPauseMs };
    this.#lose(page, 'another process has been buying this page for long', 'Run again when that process has ended.');
    return this.#advance();
  }

  /** A page in doubt, or one that repeats another one, proves nothing: it is lost, and false comes back. */
  #keepOrLose(page: number, purchaseId: number, answer: AnsweredPage): boolean {
    const doubt = doubtFailure(answer);
    const before = this.#pages.repeatedBy(answer);
    if (doubt !== undefined) this.#lose(page, `${doubt.reason}: ${doubt.message}`, doubt.hint);
    else if (before !== null) this.#lose(page, `it repeats page ${before}`, turnsNoPages);
    else this.#keep(page, purchaseId, answer);
    return doubt === undefined && before === null;
  }

  #keep(page: number, purchaseId: number, answer: AnsweredPage): void {
    const stored = {
      ...contentsOf(answer),
      searchId: this.check.searchId,
      moment: this.#moment,
      page,
      purchaseId,
      observedAt: answer.observedAt,
      source: pageLabel(this.#source, answer),
    };
    this.#pages.add({ ...stored, id: this.#context.store.pages.insert(stored) });
  }

  #lose(page: number, reason: string, remedy: string | null): void {
    this.#pages.lose({ page, reason, remedy });
    [this.#tries, this.#waits] = [0, 0];
  }

  #end(): Step {
    const { read, taken, lost } = this.#pages;
    const failed = this.#mayHavePaid ? 'unknown_paid' : 'failed';
    const status = lost.length === 0 ? 'ok' : read.length > 0 ? 'incomplete' : failed;
    recordEnd(this.#context, {
      check: this.check,
      targets: this.#targets,
      moment: this.#moment,
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
