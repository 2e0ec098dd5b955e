// One request that is paid in dollars, with its attempts: reserved, sent, settled and recorded.
import type { JobContext, StopSignals } from '../context.ts';
import { toRequestFailure } from '../queue/queue.ts';
import { decideRetry, type RequestFailure, retryLimits } from '../retry.ts';
import { type Breaker, verdictOn } from './breaker.ts';
import { shortBudget, windowKeysAt } from './money.ts';
import {
  admissionTo,
  askedWait,
  breakerStop,
  haltStop,
  logAskedWait,
  type ServiceStop,
  type ServiceWait,
} from './service-states.ts';
import { failedSettlement, logOpened, type PurchaseRef, settlePurchase } from './settlement.ts';

/** What one request buys. */
interface DollarOrder<Answer extends object> {
  readonly runId: number;
  /** Name of the service in the config. */
  readonly service: string;
  /** The same on every attempt of this purchase, also after restarts. */
  readonly requestKey: string;
  /** The projects that pay for it, with how many of its keywords each wants. */
  readonly wantedBy: ReadonlyMap<string, number>;
  /** The most that it may cost, in micro-USD. */
  readonly price: number;
  /** The run's, UTC milliseconds. */
  readonly moment: number;
  readonly isSimulated: boolean;
  readonly breaker: Breaker | null;
  /** The time in which a purchase is not repeated, for messages: `this month`. */
  readonly within: string;
  /** Rejects with a ServiceError. */
  send(signal: AbortSignal): Promise<Answer>;
  /** What the answer costs as agreed, and what its source says; in micro-USD. */
  priceOf(answer: Answer): { readonly charged: number; readonly stated: number };
  /** Keeps the answer, in the transaction that settles it. */
  record(answer: Answer, purchaseId: number): void;
}

export type DollarResult =
  /** `stop`: its cost exceeds the budget, and the service gets no more requests. */
  | { readonly kind: 'answered'; readonly stop: ServiceStop | null }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'interrupted' }
  /** Its service is to be probed, with another request; this one is carried out later. */
  | { readonly kind: 'postponed' }
  | { readonly kind: 'stopped'; readonly stop: ServiceStop };

interface Intent {
  readonly purchaseId: number;
  readonly reservationId: number;
}

export class DollarRequest<Answer extends object> {
  readonly #context: JobContext;
  readonly #order: DollarOrder<Answer>;
  #attempts = 0;
  #waits = 0;

  constructor(context: JobContext, order: DollarOrder<Answer>) {
    this.#context = context;
    this.#order = order;
  }

  /**
   * `onWait`: the service is waited for. `mayPostpone`: there are others to probe it with. Called again where it was
   * postponed.
   */
  async carryOut(
    signals: StopSignals,
    onWait: (wait: ServiceWait) => void,
    mayPostpone: boolean,
  ): Promise<DollarResult> {
    const { store, clock, random } = this.#context;
    const { runId, service: name, breaker } = this.#order;
    for (;;) {
      const admission = await admissionTo(this.#context, runId, breaker, signals.stop, onWait);
      if (admission === 'interrupted') return { kind: 'interrupted' };
      if (admission === null) return { kind: 'stopped', stop: breakerStop(name, breaker?.givenUp ?? '') };
      const intent = store.transaction(() => this.#open());
      if ('reason' in intent) {
        admission.end('neutral', clock.now());
        return { kind: 'failed', reason: intent.reason };
      }
      const sent = await this.#send(signals.giveUp);
      if ('answer' in sent) {
        admission.end('answered', clock.now());
        return await store.grouped(() => this.#record(intent, sent.answer));
      }
      const { failure } = sent;
      if (failure.disposition === 'wait') this.#waits += 1;
      else this.#attempts += 1;
      admission.end(verdictOn(failure, this.#waits), clock.now(), failure);
      const stop = await store.grouped(() => this.#settleFailure(intent, failure));
      if (stop !== null) return { kind: 'stopped', stop };
      if (failure.code === 'ABORTED') return { kind: 'interrupted' };
      const decision = decideRetry(failure, this.#attempts, this.#waits, random());
      if (decision.kind === 'halt') return { kind: 'stopped', stop: haltStop(name, failure) };
      if (decision.kind === 'give-up') return { kind: 'failed', reason: `${failure.code}: ${failure.message}` };
      if (mayPostpone && failure.disposition === 'retry' && breaker?.isProbing === true) return { kind: 'postponed' };
      const wait = askedWait(name, failure, clock.now());
      if (wait !== null) {
        logAskedWait(this.#context.log, runId, wait);
        onWait(wait);
      }
      await clock.sleep(decision.delayMs, signals.stop).catch(() => undefined);
      if (signals.stop.aborted) return { kind: 'interrupted' };
    }
  }

  async #send(signal: AbortSignal): Promise<{ readonly answer: Answer } | { readonly failure: RequestFailure }> {
    try {
      return { answer: await this.#order.send(signal) };
    } catch (error) {
      return { failure: toRequestFailure(error) };
    }
  }

  #open(): Intent | { readonly reason: string } {
    const { store, clock, timezone } = this.#context;
    const { runId, service, requestKey, moment, price, isSimulated } = this.#order;
    const at = clock.now();
    const spent = this.#whySpent();
    if (spent !== null) return { reason: spent };
    const reserved = store.ledger.reserve({
      runId,
      checkId: null,
      wantedBy: this.#order.wantedBy,
      currency: 'micro_usd',
      amount: price,
      at,
      keys: windowKeysAt(at, timezone),
    });
    if (!reserved.ok) return { reason: shortBudget(reserved.short, price) };
    store.runs.heartbeat(runId, at);
    const { id: purchaseId, attempt } = store.ledger.open({
      reservationId: reserved.id,
      service,
      requestKey,
      searchId: null,
      moment,
      page: null,
      price,
      isSimulated,
      at,
    });
    const intent = { purchaseId, reservationId: reserved.id };
    logOpened(this.#context, this.#ref(intent), attempt);
    return intent;
  }

  /**
   * Why the request is not sent again: over restarts, too, an answer that was paid for or kept is never bought again.
   */
  #whySpent(): string | null {
    const { purchaseAttempts, pages } = this.#context.store;
    const { requestKey, within } = this.#order;
    if (purchaseAttempts.isPaid(requestKey)) return `it was paid ${within}, but its answer is unusable`;
    if (pages.unreadBody(requestKey) !== null) return 'an answer that may have been charged is stored, but unreadable';
    if (purchaseAttempts.chargedAttempts(requestKey) < retryLimits.attemptsMax) return null;
    return `${retryLimits.attemptsMax} attempts without an answer may have been charged ${within}`;
  }

  #ref({ purchaseId }: Intent): PurchaseRef {
    const { runId, service, requestKey } = this.#order;
    return { runId, checkId: null, service, purchaseId, requestKey, page: null };
  }

  #settleFailure(intent: Intent, failure: RequestFailure): ServiceStop | null {
    const { store, clock } = this.#context;
    const { stop } = settlePurchase(this.#context, this.#ref(intent), failedSettlement(failure, clock.now()));
    if (failure.body !== null && failure.charged !== 'no') store.pages.keepBody(intent.purchaseId, failure.body, false);
    store.ledger.release(intent.reservationId, clock.now());
    return stop;
  }

  /** Settles to what the answer cost, and keeps it. */
  #record(intent: Intent, answer: Answer): DollarResult {
    const { store, clock } = this.#context;
    const paid = { state: 'paid', ...this.#order.priceOf(answer), at: clock.now() } as const;
    const { stop } = settlePurchase(this.#context, this.#ref(intent), paid);
    store.ledger.release(intent.reservationId, clock.now());
    this.#order.record(answer, intent.purchaseId);
    return { kind: 'answered', stop };
  }
}
