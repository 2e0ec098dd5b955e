// One keyword data request of a run: what it asks for, costs and records.
import type { StoredVolume, VolumeMarket } from '../../db/history/volumes.ts';
import {
  type KeywordDataAnswer,
  type KeywordMetrics,
  keywordDataCostMicroUsd,
  keywordKey,
} from '../../src/service/terms.ts';
import { addTo } from '../../src/tracker/maps.ts';
import { findService, isSimulated, type JobContext, metricsLabel, type StopSignals, shownMoment } from '../context.ts';
import type { Breaker } from '../purchase/breaker.ts';
import { DollarRequest, type DollarResult } from '../purchase/dollar-request.ts';
import { metricsKey } from '../purchase/money.ts';
import type { ServiceWait } from '../purchase/service-states.ts';

/** Keywords of one market that need metrics, and how many results a request asks for. */
export interface VolumeNeed {
  readonly market: VolumeMarket;
  readonly keywords: readonly string[];
  /** Of each keyword the projects that want it. */
  readonly wantedBy: ReadonlyMap<string, readonly string[]>;
  readonly limit: number;
  /** Local month that the metrics will be of: `2026-11`. */
  readonly month: string;
  /**
   * Null: request only unknown metrics. Otherwise request all again; the moment, in UTC milliseconds, makes it a new
   * request.
   */
  readonly repeatedAt: number | null;
}

/** `keywords`: those that the answer is kept for. `isLacking`: it has other keywords, but not the one asked for. */
export type MetricsResult =
  | (Extract<DollarResult, { kind: 'answered' }> & {
      readonly keywords: readonly string[];
      readonly isLacking: boolean;
    })
  | Exclude<DollarResult, { kind: 'answered' }>;

/** What one request is for. */
interface MetricsOrder {
  readonly runId: number;
  readonly keyword: string;
  /** Others that it asks for as well. */
  readonly wanted: readonly string[];
  readonly need: VolumeNeed;
  /** The run's, UTC milliseconds. */
  readonly moment: number;
  readonly breaker: Breaker | null;
}

/** How many of these keywords each project wants. */
function countWanted({ wantedBy }: VolumeNeed, keywords: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const project of keywords.flatMap((keyword) => wantedBy.get(keyword) ?? [])) addTo(counts, project);
  return counts;
}

/** One keyword data request with its attempts. */
export class MetricsRequest {
  readonly #context: JobContext;
  readonly #order: MetricsOrder;
  readonly #request: DollarRequest<KeywordDataAnswer>;
  readonly #requestKey: string;
  #answered: readonly string[] = [];
  #isLacking = false;

  constructor(context: JobContext, order: MetricsOrder) {
    this.#context = context;
    this.#order = order;
    const { runId, keyword, wanted, need, moment, breaker } = order;
    const { service: name, country, language } = need.market;
    const service = findService(context, name);
    const price = keywordDataCostMicroUsd(need.limit);
    const requestKey = metricsKey(keyword, need.market, need.month, need.limit, need.repeatedAt);
    this.#requestKey = requestKey;
    this.#request = new DollarRequest(context, {
      runId,
      service: name,
      requestKey,
      wantedBy: countWanted(need, [keyword, ...wanted]),
      price,
      moment,
      isSimulated: isSimulated(context, name, 'micro_usd'),
      breaker,
      within: 'this month',
      send: (signal) =>
        service.keywordData(
          { keyword, country, language, limit: need.limit },
          {
            signal,
            idempotencyKey: requestKey,
            at: shownMoment(context, service.metrics ?? service, moment),
            wanted,
          },
        ),
      priceOf: (answer) => metricsPrice(answer, price),
      record: (answer, purchaseId) => this.#record(answer, purchaseId, metricsLabel(context, name, service)),
    });
  }

  /** Its answer of this month was paid and read. As its keyword has no metrics, the answer lacked it. */
  get wasLacking(): boolean {
    return this.#context.store.purchaseAttempts.isAnswered(this.#requestKey);
  }

  /** As of `DollarRequest`. */
  async carryOut(
    signals: StopSignals,
    onWait: (wait: ServiceWait) => void,
    mayPostpone: boolean,
  ): Promise<MetricsResult> {
    const result = await this.#request.carryOut(signals, onWait, mayPostpone);
    return result.kind === 'answered' ? { ...result, keywords: this.#answered, isLacking: this.#isLacking } : result;
  }

  /**
   * Keeps the metrics of every keyword in the answer that a project tracks. An empty answer says that nothing is known
   * of the keyword that was asked for; an answer with other keywords says nothing of it, so that none is kept. Of
   * several rows of a keyword, the first one counts.
   */
  #record(answer: KeywordDataAnswer, purchaseId: number, source: string): void {
    const { store } = this.#context;
    const byKeyword = new Map(
      answer.response.data.toReversed().map((metrics) => [keywordKey(metrics.keyword), metrics]),
    );
    const { market, keywords, month, repeatedAt } = this.#order.need;
    const { keyword: asked } = this.#order;
    const isEmpty = byKeyword.size === 0;
    this.#isLacking = !isEmpty && !byKeyword.has(keywordKey(asked));
    this.#answered = keywords.filter((keyword) => byKeyword.has(keywordKey(keyword)) || (isEmpty && keyword === asked));
    for (const keyword of this.#answered) {
      const metrics = byKeyword.get(keywordKey(keyword));
      const volume = toVolume(metrics, month, answer.observedAt, source);
      // an answer without the keyword changes nothing that is stored of it
      if (repeatedAt !== null && metrics !== undefined) store.volumes.insertNewer(keyword, market, volume, purchaseId);
      else store.volumes.insert(keyword, market, volume, purchaseId);
    }
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
  const {
    search_volume: searchVolume = null,
    cpc = null,
    competition = null,
    competition_level: competitionLevel = null,
    intent = null,
    related_keywords: relatedKeywords = null,
  } = metrics ?? {};
  return {
    month,
    observedAt,
    source,
    searchVolume,
    cpcMicroUsd: cpc === null ? null : Math.round(cpc * 1_000_000),
    competition: competition === null ? null : Math.round(competition),
    competitionLevel,
    intent,
    relatedKeywords,
  };
}
