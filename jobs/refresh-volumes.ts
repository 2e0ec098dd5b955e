// Buys keyword metrics that a month is missing. One result list answers for every tracked keyword in it; nothing is bought twice in a month.
import type { StoredVolume, VolumeMarket } from '../db/volumes.ts';
import { type KeywordDataAnswer, type KeywordMetrics, keywordDataCostMicroUsd } from '../src/service/index.ts';
import { monthWindowKey } from '../src/tracker/local-time.ts';
import type { Project } from '../src/tracker/project.ts';
import type { StopSignals } from './check-search.ts';
import { type JobContext, serviceOf, shownMoment, sourceLabel } from './context.ts';
import { metricsKey, shortBudget, windowKeysAt } from './money.ts';
import { failureOf } from './queue.ts';
import { type Failure, nextMove, retryLimits } from './retry.ts';

/** Keywords of one market that need metrics, and how many results a request asks for. */
export interface VolumeNeed {
  readonly market: VolumeMarket;
  readonly keywords: readonly string[];
  readonly limit: number;
  /** Local month that the metrics will be of: `2026-11`. */
  readonly month: string;
}

export type RefreshResult =
  | { readonly kind: 'done'; readonly problems: readonly string[] }
  | { readonly kind: 'interrupted' }
  | { readonly kind: 'halted'; readonly failure: Failure };

/** What the month is still missing for these projects, one entry a market; `monthOf` tells a service's month. Reads only. */
export function missingVolumes(
  context: Pick<JobContext, 'store'>,
  projects: readonly Project[],
  monthOf: (service: string) => string,
): VolumeNeed[] {
  const needs = new Map<string, { market: VolumeMarket; keywords: Set<string>; limit: number }>();
  for (const project of projects) {
    if (project.volumes === undefined) continue;
    const month = monthOf(project.service);
    for (const { keyword, country, language } of project.keywords) {
      const market = { service: project.service, country, language };
      if (context.store.volumes.has(keyword, market, month)) continue;
      const key = `${market.service}\0${country}\0${language}`;
      const need = needs.get(key) ?? { market, keywords: new Set(), limit: project.volumes.limit };
      need.limit = Math.max(need.limit, project.volumes.limit);
      need.keywords.add(keyword);
      needs.set(key, need);
    }
  }
  return [...needs.values()].map((need) => ({
    ...need,
    keywords: [...need.keywords],
    month: monthOf(need.market.service),
  }));
}

/** Buys what is missing for a run's projects. Problems are told, never filled in: a keyword without an answer has no volume. */
export async function refreshVolumes(
  context: JobContext,
  runId: number,
  projects: readonly Project[],
  signals: StopSignals,
  onAnswered: (done: number, total: number) => void,
): Promise<RefreshResult> {
  const run = context.store.runs.run(runId);
  const moment = run?.moment ?? context.clock.now();
  // a live service tells of the month it is asked in, however late the slot
  const needs = missingVolumes(context, projects, (service) =>
    monthWindowKey(shownMoment(context, serviceOf(context, service), moment), context.timezone),
  );
  const total = needs.reduce((sum, need) => sum + need.keywords.length, 0);
  const problems: string[] = [];
  let done = 0;
  for (const need of needs) {
    const missing = new Set(need.keywords);
    for (const keyword of need.keywords) {
      if (!missing.has(keyword)) continue;
      if (signals.stop.aborted) return { kind: 'interrupted' };
      const request = new MetricsRequest(context, runId, keyword, need, moment);
      const result = await request.carryOut(signals);
      if (result.kind === 'halted' || result.kind === 'interrupted') return result;
      if (result.kind === 'failed')
        problems.push(`"${keyword}" (${need.market.country}, ${need.market.language}): ${result.reason}`);
      for (const answered of result.kind === 'answered' ? result.keywords : [keyword]) {
        if (missing.delete(answered)) done += 1;
      }
      onAnswered(done, total);
    }
  }
  return { kind: 'done', problems };
}

type MetricsResult =
  | { readonly kind: 'answered'; readonly keywords: readonly string[] }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'interrupted' }
  | { readonly kind: 'halted'; readonly failure: Failure };

/** One keyword data request with its tries: reserved, sent, settled, recorded. */
class MetricsRequest {
  readonly #context: JobContext;
  readonly #runId: number;
  readonly #keyword: string;
  readonly #need: VolumeNeed;
  readonly #month: string;
  readonly #moment: number;
  #tries = 0;
  #waits = 0;

  constructor(context: JobContext, runId: number, keyword: string, need: VolumeNeed, moment: number) {
    this.#context = context;
    this.#runId = runId;
    this.#keyword = keyword;
    this.#need = need;
    this.#month = need.month;
    this.#moment = moment;
  }

  async carryOut(signals: StopSignals): Promise<MetricsResult> {
    const { store, clock, random } = this.#context;
    const service = serviceOf(this.#context, this.#need.market.service);
    const { country, language } = this.#need.market;
    for (;;) {
      const intent = store.transaction(() => this.#open());
      if ('reason' in intent) return { kind: 'failed', reason: intent.reason };
      const sent = await service
        .keywordData(
          { keyword: this.#keyword, country, language, limit: this.#need.limit },
          {
            signal: signals.giveUp,
            idempotencyKey: intent.requestKey,
            at: shownMoment(this.#context, service, this.#moment),
          },
        )
        .catch(failureOf);
      if ('response' in sent) {
        return store.transaction(() => this.#record(intent, sent, sourceLabel(this.#need.market.service, service)));
      }
      const failure = sent;
      store.transaction(() => this.#settleFailure(intent, failure));
      if (failure.code === 'ABORTED') return { kind: 'interrupted' };
      if (failure.disposition === 'wait') this.#waits += 1;
      else this.#tries += 1;
      const move = nextMove(failure, this.#tries, this.#waits, random());
      if (move.kind === 'halt') return { kind: 'halted', failure };
      if (move.kind === 'give-up') return { kind: 'failed', reason: `${failure.code}: ${failure.message}` };
      await clock.sleep(move.delayMs, signals.stop).catch(() => undefined);
      if (signals.stop.aborted) return { kind: 'interrupted' };
    }
  }

  #open(): { purchaseId: number; reservationId: number; requestKey: string; price: number } | { reason: string } {
    const { store, clock, timezone } = this.#context;
    const at = clock.now();
    const price = keywordDataCostMicroUsd(this.#need.limit);
    const requestKey = metricsKey(this.#keyword, this.#need.market, this.#month, this.#need.limit);
    const spent = this.#whySpent(requestKey);
    if (spent !== null) return { reason: spent };
    const reserved = store.ledger.reserve({
      runId: this.#runId,
      checkId: null,
      currency: 'micro_usd',
      amount: price,
      at,
      keys: windowKeysAt(at, timezone),
    });
    if (!reserved.ok) return { reason: shortBudget(reserved.short, price) };
    store.runs.heartbeat(this.#runId, at);
    const { id: purchaseId } = store.ledger.open({
      reservationId: reserved.id,
      service: this.#need.market.service,
      requestKey,
      searchId: null,
      moment: this.#moment,
      page: null,
      price,
      at,
    });
    return { purchaseId, reservationId: reserved.id, requestKey, price };
  }

  /** Why the request is not sent again this month: over restarts, too, an answer that was paid for or kept is never bought again. */
  #whySpent(requestKey: string): string | null {
    const { tries, pages } = this.#context.store;
    if (tries.isPaid(requestKey)) return 'it was paid for this month, and its answer could not be used';
    if (pages.unreadBody(requestKey) !== null)
      return 'an answer that may have been paid for is kept and cannot be read';
    if (tries.chargedTries(requestKey) < retryLimits.attemptsMax) return null;
    return `${retryLimits.attemptsMax} tries may have been charged without an answer this month`;
  }

  #settleFailure(intent: { purchaseId: number; reservationId: number }, failure: Failure): void {
    const { store, clock } = this.#context;
    const state = ({ no: 'free', yes: 'paid', unknown: 'unknown' } as const)[failure.charged];
    store.ledger.settle(intent.purchaseId, {
      state,
      at: clock.now(),
      errorCode: failure.code,
      message: failure.message,
    });
    if (failure.body !== null && state !== 'free') store.pages.keepBody(intent.purchaseId, failure.body, false);
    store.ledger.release(intent.reservationId, clock.now());
  }

  /** Settles to what the answer cost, and keeps the metrics of every keyword in it that a project tracks. */
  #record(
    intent: { purchaseId: number; reservationId: number; price: number },
    answer: KeywordDataAnswer,
    source: string,
  ): MetricsResult {
    const { store, clock } = this.#context;
    const cost = Math.round(answer.response.cost * 1_000_000);
    const excess =
      cost > intent.price
        ? `the provider says ${answer.response.cost} USD, more than the ${intent.price / 1_000_000} agreed`
        : null;
    store.ledger.settle(intent.purchaseId, {
      state: 'paid',
      charged: Math.min(cost, intent.price),
      at: clock.now(),
      ...(excess === null ? {} : { message: excess }),
    });
    store.ledger.release(intent.reservationId, clock.now());
    const byKeyword = new Map(answer.response.data.map((metrics) => [comparable(metrics.keyword), metrics]));
    const answered = this.#need.keywords.filter(
      (keyword) => byKeyword.has(comparable(keyword)) || keyword === this.#keyword,
    );
    for (const keyword of answered) {
      const volume = volumeOf(byKeyword.get(comparable(keyword)), this.#month, answer.observedAt, source);
      store.volumes.insert(keyword, this.#need.market, volume, intent.purchaseId);
    }
    return { kind: 'answered', keywords: answered };
  }
}

/** Services answer in lower case and with single spaces. */
function comparable(keyword: string): string {
  return keyword.normalize('NFC').toLowerCase().replace(/\s+/gu, ' ').trim();
}

function volumeOf(
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
