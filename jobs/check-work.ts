// A claimed check on its way: which pages it has, what it may buy next, and how it ends. Its methods belong inside transactions.
import type { PlannedCheck } from '../db/checks.ts';
import type { AnsweredPage, SearchDataService } from '../src/service/index.ts';
import type { CheckStatus } from '../src/tracker/observation.ts';
import { nextPage } from '../src/tracker/paging.ts';
import { type JobContext, serviceOf, shownMoment, sourceLabel } from './context.ts';
import { contentsOf, type Evidence, type EvidencePage, endOfResults, evidenceOf } from './evidence.ts';
import { freshSince } from './freshness.ts';
import { pageKey, shortBudget, windowKeysAt } from './money.ts';
import type { PageJob } from './queue.ts';
import { type Failure, nextMove, retryLimits } from './retry.ts';
import type { CheckTargets } from './targets.ts';

/** What comes next: a page to fetch, a pause before it is tried again, or the end. */
export type Step =
  | { readonly kind: 'fetch'; readonly page: number; readonly purchaseId: number; readonly job: PageJob }
  | { readonly kind: 'pause'; readonly page: number; readonly delayMs: number }
  | { readonly kind: 'ended'; readonly status: CheckStatus }
  | { readonly kind: 'put-back' }
  | { readonly kind: 'halted'; readonly failure: Failure };

type Fetch = Extract<Step, { kind: 'fetch' }>;

/** The budget has no room for the worst case of the check; nothing was changed. */
export interface Short {
  readonly kind: 'short';
  readonly reason: string;
}

interface KeptPage extends EvidencePage {
  readonly id: number;
  readonly source: string;
}

interface LostPage {
  readonly page: number;
  readonly reason: string;
  readonly remedy: string | null;
}

export class CheckWork {
  readonly check: PlannedCheck;
  readonly #context: JobContext;
  readonly #targets: CheckTargets;
  readonly #service: SearchDataService;
  readonly #moment: number;
  #available = new Map<number, KeptPage>();
  readonly #pages = new Map<number, KeptPage>();
  readonly #lost: LostPage[] = [];
  #lastKnownPages: readonly (number | null)[] = [];
  #reservationId: number | null = null;
  #pagesReused = 0;
  /** Of the page at hand: tries that failed, and waits that its provider asked for. */
  #tries = 0;
  #waits = 0;
  #stopping = false;
  #paidForNothing = false;

  constructor(context: JobContext, check: PlannedCheck, targets: CheckTargets, moment: number) {
    this.check = check;
    this.#context = context;
    this.#targets = targets;
    this.#service = serviceOf(context, check.market.service);
    this.#moment = moment;
  }

  /** Claims the check: takes pages that need not be bought, reserves the worst case of the others, opens the first purchase. */
  claim(): Step | Short {
    const { store } = this.#context;
    const { check } = this;
    const now = shownMoment(this.#context, this.#service, this.#moment);
    this.#available = store.pages.reusable(check.searchId, this.#moment, freshSince(check.freshForMs, now));
    if (check.paging === 'anchored') {
      this.#lastKnownPages = store.rankings.lastKnownPages(
        this.#targets.ids.slice(0, this.#targets.ownCount),
        check.searchId,
      );
    }
    const step = this.#advance();
    if (step.kind !== 'short') store.checks.start(check.id);
    return step;
  }

  /** Settles a page that was received, keeps it, and says what comes next. */
  receive(fetch: Fetch, answer: AnsweredPage): Step {
    const { store, clock } = this.#context;
    store.ledger.settle(fetch.purchaseId, { state: 'paid', at: clock.now() });
    if (this.#service.kind === 'live') store.pages.keepBody(fetch.purchaseId, answer.body, true);
    this.#keep(fetch.page, fetch.purchaseId, answer);
    this.#tries = 0;
    this.#waits = 0;
    return this.#continue();
  }

  /** Settles a request that failed, and says what comes next. */
  fail(fetch: Fetch, failure: Failure): Step {
    const { store, clock, random } = this.#context;
    const state = ({ no: 'free', yes: 'paid', unknown: 'unknown' } as const)[failure.charged];
    store.ledger.settle(fetch.purchaseId, {
      state,
      at: clock.now(),
      errorCode: failure.code,
      message: failure.message,
    });
    if (state !== 'free') this.#paidForNothing = true;
    if (state !== 'free' && failure.body !== null) store.pages.keepBody(fetch.purchaseId, failure.body, false);
    if (failure.code === 'ABORTED') return this.putBack();
    if (failure.disposition === 'wait') this.#waits += 1;
    else this.#tries += 1;
    const move = nextMove(failure, this.#tries, this.#waits, random());
    if (move.kind === 'again') return { kind: 'pause', page: fetch.page, delayMs: move.delayMs };
    if (move.kind === 'halt') {
      this.putBack();
      return { kind: 'halted', failure };
    }
    this.#lose(fetch.page, `${failure.code}: ${failure.message}`, failure.hint);
    return this.#continue();
  }

  /** After a pause: opens the next try. */
  tryAgain(page: number): Step {
    return this.#settled(this.#buy(page));
  }

  /** From now on nothing more is bought: the check is put back where it would buy. */
  stop(): void {
    this.#stopping = true;
  }

  /** Stops half way: what was read is kept, what was reserved is released, and the check is claimable again. */
  putBack(): Step {
    this.#release();
    this.#context.store.checks.putBack(this.check.id);
    return { kind: 'put-back' };
  }

  #continue(): Step {
    return this.#settled(this.#advance());
  }

  /** A budget that runs short in the middle loses the page; at the claim it defers the check. */
  #settled(step: Step | Short): Step {
    if (step.kind !== 'short') return step;
    const page = this.#nextPage();
    if (page !== null) this.#lose(page, step.reason, 'Raise the budget, or wait for the next window.');
    return this.#continue();
  }

  #advance(): Step | Short {
    for (;;) {
      const page = this.#nextPage();
      if (page === null) return this.#end();
      const available = this.#available.get(page);
      if (available !== undefined) {
        this.#pages.set(page, available);
        this.#pagesReused += 1;
        continue;
      }
      if (this.#readAgain(page)) continue;
      return this.#buy(page);
    }
  }

  /** A body that was received before and could not be read: it is read again, and never bought again. True where there was one. */
  #readAgain(page: number): boolean {
    const { store } = this.#context;
    const unread = store.pages.unreadBody(this.#key(page));
    if (unread === null) return false;
    try {
      const read = this.#service.readPage(unread.body, this.#request(page));
      store.pages.markReadable(unread.purchaseId);
      this.#keep(page, unread.purchaseId, { ...read, page, body: unread.body, observedAt: unread.openedAt });
    } catch (error) {
      this.#paidForNothing = true;
      this.#lose(
        page,
        `the answer that was bought cannot be read: ${error instanceof Error ? error.message : String(error)}`,
        'It is kept, and read again by a later version.',
      );
    }
    return true;
  }

  #buy(page: number): Step | Short {
    if (this.#stopping) return this.putBack();
    const { store, clock, timezone } = this.#context;
    const at = clock.now();
    const requestKey = this.#key(page);
    if (store.ledger.chargedTries(requestKey) >= retryLimits.attemptsMax) {
      this.#paidForNothing = true;
      this.#lose(
        page,
        `${retryLimits.attemptsMax} tries may have been charged without an answer`,
        'Ask the provider what became of them; `rankledger audit` lists them.',
      );
      return this.#advance();
    }
    if (this.#reservationId === null) {
      const amount = this.#pagesToBuyAtMost();
      const reserved = store.ledger.reserve({
        runId: this.check.runId,
        checkId: this.check.id,
        currency: 'serp_credit',
        amount,
        at,
        keys: windowKeysAt(at, timezone),
      });
      if (!reserved.ok) return { kind: 'short', reason: shortBudget(reserved.short, amount) };
      this.#reservationId = reserved.id;
    }
    const short = store.ledger.ensure(this.#reservationId, 1, at);
    if (short !== null) return { kind: 'short', reason: shortBudget(short, 1) };
    const purchaseId = store.ledger.open({
      reservationId: this.#reservationId,
      service: this.check.market.service,
      requestKey,
      searchId: this.check.searchId,
      moment: this.#moment,
      page,
      price: 1,
      at,
    });
    const job = {
      service: this.check.market.service,
      request: this.#request(page),
      at: shownMoment(this.#context, this.#service, this.#moment),
      requestKey,
    };
    return { kind: 'fetch', page, purchaseId, job };
  }

  #keep(page: number, purchaseId: number, answer: AnsweredPage): void {
    const contents = contentsOf(answer);
    const source = sourceLabel(this.check.market.service, this.#service);
    const { observedAt } = answer;
    const stored = {
      ...contents,
      searchId: this.check.searchId,
      moment: this.#moment,
      page,
      purchaseId,
      observedAt,
      source,
    };
    this.#pages.set(page, { ...stored, id: this.#context.store.pages.insert(stored) });
  }

  #lose(page: number, reason: string, remedy: string | null): void {
    this.#lost.push({ page, reason, remedy });
    this.#tries = 0;
    this.#waits = 0;
  }

  #end(): Step {
    const { store, clock } = this.#context;
    const { check } = this;
    const pages = [...this.#pages.values()];
    const broken = this.#lost.length > 0;
    const status = this.#status(pages.length, broken);
    const evidence = pages.length === 0 ? null : evidenceOf(pages, this.#targets, check.depth, broken);
    store.checks.end(check.id, {
      state: status,
      pagesRead: pages.length,
      pagesReused: this.#pagesReused,
      checkedAt: pages.length === 0 ? null : Math.min(...pages.map((page) => page.observedAt)),
      source: pages[0]?.source ?? sourceLabel(check.market.service, this.#service),
      features: evidence?.features ?? [],
      reason: broken ? this.#lost.map(({ page, reason }) => `page ${page}: ${reason}`).join('; ') : null,
      remedy: this.#lost[0]?.remedy ?? null,
      at: clock.now(),
    });
    for (const page of pages) store.pages.attach(check.id, page.page, page.id);
    if (evidence !== null) this.#record(evidence);
    this.#release();
    return { kind: 'ended', status };
  }

  #record(evidence: Evidence): void {
    const { check } = this;
    evidence.outcomes.forEach((outcome, index) => {
      const targetId = this.#targets.ids[index];
      if (targetId === undefined) return;
      this.#context.store.rankings.insert({
        targetId,
        searchId: check.searchId,
        moment: this.#moment,
        checkId: check.id,
        depth: check.depth,
        outcome,
        ownedFeatures: evidence.owned[index] ?? [],
      });
    });
  }

  #release(): void {
    if (this.#reservationId === null) return;
    this.#context.store.ledger.release(this.#reservationId, this.#context.clock.now());
    this.#reservationId = null;
  }

  #status(pagesRead: number, broken: boolean): CheckStatus {
    if (!broken) return 'ok';
    if (pagesRead > 0) return 'incomplete';
    return this.#paidForNothing ? 'unknown_paid' : 'failed';
  }

  #nextPage(): number | null {
    const pages = [...this.#pages.values()];
    return nextPage({
      strategy: this.check.paging,
      depth: this.check.depth,
      lastKnownPages: this.#lastKnownPages,
      read: pages.map((page) => page.page),
      failed: this.#lost.map((lost) => lost.page),
      endsAfterPage: endOfResults(pages),
      allFound: this.#allFound(pages),
    });
  }

  #allFound(pages: readonly KeptPage[]): boolean {
    if (pages.length === 0 || this.check.paging === 'full') return false;
    const { outcomes } = evidenceOf(pages, this.#targets, this.check.depth, false);
    return outcomes.slice(0, this.#targets.ownCount).every(({ kind }) => kind === 'ranked' || kind === 'seen');
  }

  /** The worst case: every page down to the depth that is not at hand. */
  #pagesToBuyAtMost(): number {
    let count = 0;
    for (let page = 1; page <= this.check.depth; page += 1) {
      if (!this.#pages.has(page) && !this.#available.has(page)) count += 1;
    }
    return Math.max(1, count);
  }

  #key(page: number): string {
    return pageKey(this.check.keyword, this.check.market, this.#moment, page);
  }

  #request(page: number): PageJob['request'] {
    const { country, language, device } = this.check.market;
    return { keyword: this.check.keyword, country, language, mobile: device === 'mobile', page };
  }
}
