// One keyword data request of a run with its attempts: reserved, sent, settled and recorded.
import type { StoredVolume, VolumeMarket } from '../../db/history/volumes.ts';
import {
  type KeywordDataAnswer,
  type KeywordMetrics,
  keywordDataCostMicroUsd,
  keywordKey,
} from '../../src/service/index.ts';
import type { StopSignals } from '../check/check-search.ts';
import { findService, isSimulated, type JobContext, metricsLabel, shownMoment } from '../context.ts';
import { type Breaker, verdictOn } from '../purchase/breaker.ts';
import { metricsKey, shortBudget, windowKeysAt } from '../purchase/money.ts';
import {
  admissionTo,
  askedWait,
  breakerStop,
  haltStop,
  logAskedWait,
  type ServiceStop,
  type ServiceWait,
} from '../purchase/service-states.ts';
import { failedSettlement, logOpened, type PurchaseRef, settlePurchase } from '../purchase/settlement.ts';
import { toRequestFailure } from '../queue/queue.ts';
import { decideRetry, type RequestFailure, retryLimits } from '../retry.ts';

/** Keywords of one market that need metrics, and how many results a request asks for. */
export interface VolumeNeed {
  readonly market: VolumeMarket;
  readonly keywords: readonly string[];
  readonly limit: number;
  /** Local month that the metrics will be of: `2026-11`. */
  readonly month: string;
  /**
   * Null: request only unknown metrics. Otherwise request all again; the moment, in UTC milliseconds, makes it a new
   * request.
   */
  readonly repeatedAt: number | null;
}

interface Intent {
  readonly purchaseId: number;
  readonly reservationId: number;
  readonly requestKey: string;
  readonly price: number;
}

export type MetricsResult =
  /** `stop`: its cost exceeds the budget, and the service gets no more requests. */
  | { readonly kind: 'answered'; readonly keywords: readonly string[]; readonly stop: ServiceStop | null }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'interrupted' }
  /** Its service is to be probed, with another request; this one is carried out later. */
  | { readonly kind: 'postponed' }
  | { readonly kind: 'stopped'; readonly stop: ServiceStop };

/** What one request is for. */
export interface MetricsOrder {
  readonly runId: number;
  readonly keyword: string;
  /** Others that it asks for as well. */
  readonly wanted: readonly string[];
  readonly need: VolumeNeed;
  /** The run's, UTC milliseconds. */
  readonly moment: number;
  readonly breaker: Breaker | null;
}

/** One keyword data request with its attempts: reserved, sent, settled, recorded. */
export class MetricsRequest {
  readonly #context: JobContext;
  readonly #order: MetricsOrder;
  #attempts = 0;
  #waits = 0;

  constructor(context: JobContext, order: MetricsOrder) {
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
  ): Promise<MetricsResult> {
    const { store, clock, random } = this.#context;
    const { runId, keyword, wanted, need, moment, breaker } = this.#order;
    const { service: name, country, language } = need.market;
    const service = findService(this.#context, name);
    for (;;) {
      const admission = await admissionTo(this.#context, runId, breaker, signals.stop, onWait);
      if (admission === 'interrupted') return { kind: 'interrupted' };
      if (admission === null) return { kind: 'stopped', stop: breakerStop(name, breaker?.givenUp ?? '') };
      const intent = store.transaction(() => this.#open());
      if ('reason' in intent) {
        admission.end('neutral', clock.now());
        return { kind: 'failed', reason: intent.reason };
      }
      const sent = await service
        .keywordData(
          { keyword, country, language, limit: need.limit },
          {
            signal: signals.giveUp,
            idempotencyKey: intent.requestKey,
            at: shownMoment(this.#context, service.metrics ?? service, moment),
            wanted,
          },
        )
        .catch(toRequestFailure);
      if ('response' in sent) {
        admission.end('answered', clock.now());
        return await store.grouped(() => this.#record(intent, sent, metricsLabel(name, service)));
      }
      const failure = sent;
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

  #open(): Intent | { readonly reason: string } {
    const { store, clock, timezone } = this.#context;
    const { runId, keyword, need, moment } = this.#order;
    const { market, month, limit, repeatedAt } = need;
    const at = clock.now();
    const price = keywordDataCostMicroUsd(limit);
    const requestKey = metricsKey(keyword, market, month, limit, repeatedAt);
    const spent = this.#whySpent(requestKey);
    if (spent !== null) return { reason: spent };
    const reserved = store.ledger.reserve({
      runId,
      checkId: null,
      currency: 'micro_usd',
      amount: price,
      at,
      keys: windowKeysAt(at, timezone),
    });
    if (!reserved.ok) return { reason: shortBudget(reserved.short, price) };
    store.runs.heartbeat(runId, at);
    const { id: purchaseId, attempt } = store.ledger.open({
      reservationId: reserved.id,
      service: market.service,
      requestKey,
      searchId: null,
      moment,
      page: null,
      price,
      isSimulated: isSimulated(this.#context, market.service, 'micro_usd'),
      at,
    });
    const intent = { purchaseId, reservationId: reserved.id, requestKey, price };
    logOpened(this.#context, this.#ref(intent), attempt);
    return intent;
  }

  /**
   * Why the request is not sent again this month: over restarts, too, an answer that was paid for or kept is never
   * bought again.
   */
  #whySpent(requestKey: string): string | null {
    const { purchaseAttempts, pages } = this.#context.store;
    if (purchaseAttempts.isPaid(requestKey)) return 'it was paid this month, but its answer is unusable';
    if (pages.unreadBody(requestKey) !== null) return 'an answer that may have been charged is stored, but unreadable';
    if (purchaseAttempts.chargedAttempts(requestKey) < retryLimits.attemptsMax) return null;
    return `${retryLimits.attemptsMax} attempts without an answer may have been charged this month`;
  }

  #ref({ purchaseId, requestKey }: Intent): PurchaseRef {
    const { runId, need } = this.#order;
    const { service } = need.market;
    return { runId, checkId: null, service, purchaseId, requestKey, page: null };
  }

  #settleFailure(intent: Intent, failure: RequestFailure): ServiceStop | null {
    const { store, clock } = this.#context;
    const { stop } = settlePurchase(this.#context, this.#ref(intent), failedSettlement(failure, clock.now()));
    if (failure.body !== null && failure.charged !== 'no') store.pages.keepBody(intent.purchaseId, failure.body, false);
    store.ledger.release(intent.reservationId, clock.now());
    return stop;
  }

  /** Settles to what the answer cost, and keeps the metrics of every keyword in it that a project tracks. */
  #record(intent: Intent, answer: KeywordDataAnswer, source: string): MetricsResult {
    const { store, clock } = this.#context;
    const { charged, stated } = metricsPrice(answer, intent.price);
    const paid = { state: 'paid', charged, stated, at: clock.now() } as const;
    const { stop } = settlePurchase(this.#context, this.#ref(intent), paid);
    store.ledger.release(intent.reservationId, clock.now());
    const byKeyword = new Map(answer.response.data.map((metrics) => [keywordKey(metrics.keyword), metrics]));
    const { market, keywords, month, repeatedAt } = this.#order.need;
    const answered = keywords.filter(
      (keyword) => byKeyword.has(keywordKey(keyword)) || keyword === this.#order.keyword,
    );
    for (const keyword of answered) {
      const metrics = byKeyword.get(keywordKey(keyword));
      const volume = toVolume(metrics, month, answer.observedAt, source);
      // an answer without the keyword changes nothing that is stored of it
      if (repeatedAt !== null && metrics !== undefined)
        store.volumes.insertNewer(keyword, market, volume, intent.purchaseId);
      else store.volumes.insert(keyword, market, volume, intent.purchaseId);
    }
    return { kind: 'answered', keywords: answered, stop };
  }
}

/**
 * What an answer with these metrics costs as agreed, at most what was reserved, and what its provider says; both in
 * micro-USD.
 */
export function metricsPrice(
  { response, microUsdStated = 0 }: KeywordDataAnswer,
  priceAtMost: number,
): { readonly charged: number; readonly stated: number } {
  const charged = Math.min(priceAtMost, keywordDataCostMicroUsd(response.result_count));
  return { charged, stated: Math.max(Math.round(response.cost * 1_000_000), microUsdStated) };
}

function toVolume(
  metrics: KeywordMetrics | undefined,
  month: string,
  observedAt: number,
  source: string,
): StoredVolume {
  return {
    month,
    observedAt,
    source,
    searchVolume: metrics?.search_volume ?? null,
    cpcMicroUsd: metrics?.cpc == null ? null : Math.round(metrics.cpc * 1_000_000),
    competition: metrics?.competition == null ? null : Math.round(metrics.competition),
    competitionLevel: metrics?.competition_level ?? null,
    intent: metrics?.intent ?? null,
    relatedKeywords: metrics?.related_keywords ?? null,
  };
}
