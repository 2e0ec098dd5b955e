// Buys the keyword metrics that a month lacks, once a month for each tracked keyword.

import type { VolumeMarket } from '../../db/history/volumes.ts';
import { sumOf } from '../../src/tracker/figures.ts';
import { getOrInsert } from '../../src/tracker/maps.ts';
import type { Project } from '../../src/tracker/project.ts';
import { monthWindowKey } from '../../src/tracker/schedule/local-time.ts';
import { variantWords } from '../../src/tracker/searches.ts';
import { findService, type JobContext, type StopSignals, shownMoment } from '../context.ts';
import type { Breaker } from '../purchase/breaker.ts';
import { createBreaker, type ServiceStop, type ServiceWait } from '../purchase/service-states.ts';
import { MetricsRequest, type MetricsResult, type VolumeNeed } from './metrics-request.ts';

interface RefreshResult {
  readonly interrupted: boolean;
  readonly problems: readonly string[];
  /** Keywords that paid answers have no data for. */
  readonly notes: readonly string[];
  /** Services that received no more requests, because they refused us or failed too often in a row. */
  readonly stops: readonly ServiceStop[];
}

/**
 * What the month is still missing for these projects, or with `repeatedAt` all that they track; one entry a market.
 * `monthOf` returns the month of a service. Reads only.
 */
export function missingVolumes(
  context: Pick<JobContext, 'store'>,
  projects: readonly Project[],
  monthOf: (service: string) => string,
  repeatedAt: number | null = null,
): VolumeNeed[] {
  const needs = new Map<string, { market: VolumeMarket; wantedBy: Map<string, string[]>; limit: number }>();
  for (const project of projects) {
    if (project.volumes === undefined) continue;
    const { limit } = project.volumes;
    const month = monthOf(project.service);
    for (const { keyword, country, language } of project.keywords) {
      const market = { service: project.service, country, language };
      if (repeatedAt === null && context.store.volumes.has(keyword, market, month)) continue;
      const key = `${market.service}\0${country}\0${language}`;
      const need = getOrInsert(needs, key, () => ({ market, wantedBy: new Map(), limit }));
      need.limit = Math.max(need.limit, limit);
      const projectsOf = getOrInsert(need.wantedBy, context.store.names.storedKeyword(keyword), () => []);
      if (projectsOf.at(-1) !== project.id) projectsOf.push(project.id);
    }
  }
  return [...needs.values()].map((need) => ({
    ...need,
    keywords: [...need.wantedBy.keys()],
    month: monthOf(need.market.service),
    repeatedAt,
  }));
}

/** What a run of these projects at `moment` needs. */
export function volumeNeeds(
  context: JobContext,
  projects: readonly Project[],
  moment: number,
  repeatedAt: number | null = null,
): VolumeNeed[] {
  // a live service answers for the current month, however late the slot
  const monthOf = (name: string): string => {
    const service = findService(context, name);
    return monthWindowKey(shownMoment(context, service.metrics ?? service, moment), context.timezone);
  };
  return missingVolumes(context, projects, monthOf, repeatedAt);
}

const noDataReason = 'the paid answer has other keywords and no data for this one; it is requested again next month';

/** Buys what a run needs. Problems are reported, never filled in: a keyword without an answer has no volume. */
export async function refreshVolumes(
  context: JobContext,
  runId: number,
  needs: readonly VolumeNeed[],
  signals: StopSignals,
  onProgress: (done: number, total: number, waits: readonly ServiceWait[]) => void,
): Promise<RefreshResult> {
  const refresh = new VolumeRefresh(context, runId, needs, signals, onProgress);
  for (const need of needs) {
    if ((await refresh.buy(need)) === 'interrupted') return { interrupted: true, problems: [], notes: [], stops: [] };
  }
  return refresh.result();
}

class VolumeRefresh {
  readonly #context: JobContext;
  readonly #runId: number;
  readonly #moment: number;
  readonly #signals: StopSignals;
  readonly #report: (waits: readonly ServiceWait[]) => void;
  readonly #breakers: ReadonlyMap<string, Breaker | null>;
  readonly #stops = new Map<string, ServiceStop>();
  readonly #problems: string[] = [];
  readonly #notes: string[] = [];
  #done = 0;

  constructor(
    context: JobContext,
    runId: number,
    needs: readonly VolumeNeed[],
    signals: StopSignals,
    onProgress: (done: number, total: number, waits: readonly ServiceWait[]) => void,
  ) {
    const total = sumOf(needs, (need) => need.keywords.length);
    this.#context = context;
    this.#runId = runId;
    this.#moment = context.store.runs.run(runId)?.moment ?? context.clock.now();
    this.#signals = signals;
    this.#report = (waits) => onProgress(this.#done, total, waits);
    this.#breakers = new Map(
      needs.map(({ market: { service } }) => [service, createBreaker(context, service, 'micro_usd')]),
    );
  }

  result(): RefreshResult {
    return { interrupted: false, problems: this.#problems, notes: this.#notes, stops: [...this.#stops.values()] };
  }

  /** Until nothing is missing, or its service is stopped. */
  async buy(need: VolumeNeed): Promise<'done' | 'interrupted'> {
    const { service } = need.market;
    const missing = new Set(need.keywords);
    const postponed = new Map<string, MetricsRequest>();
    const queue = [...need.keywords];
    for (const keyword of queue) {
      if (!missing.has(keyword)) continue;
      if (this.#stops.has(service)) break;
      if (this.#signals.stop.aborted) return 'interrupted';
      const request = postponed.get(keyword) ?? this.#request(keyword, missing, need);
      if (request.wasLacking) {
        missing.delete(keyword);
        this.#done += 1;
        continue;
      }
      const hasOthers = missing.values().some((other) => other !== keyword && !postponed.has(other));
      const result = await request.carryOut(this.#signals, (wait) => this.#report([wait]), hasOthers);
      if (result.kind === 'interrupted') return 'interrupted';
      if (result.kind === 'postponed') {
        postponed.set(keyword, request);
        queue.push(keyword);
      } else if (result.kind === 'stopped') this.#stop(service, result.stop);
      else this.#note(keyword, need, result, missing);
    }
    return 'done';
  }

  #request(keyword: string, missing: ReadonlySet<string>, need: VolumeNeed): MetricsRequest {
    const wanted = wantedBeside(keyword, missing, need.limit);
    const breaker = this.#breakers.get(need.market.service) ?? null;
    const order = { runId: this.#runId, keyword, wanted, need, moment: this.#moment, breaker };
    return new MetricsRequest(this.#context, order);
  }

  /** Takes the keywords of a request that has ended from those that are missing. */
  #note(
    keyword: string,
    { market: { service, country, language } }: VolumeNeed,
    result: Extract<MetricsResult, { kind: 'answered' | 'failed' }>,
    missing: Set<string>,
  ): void {
    const name = `"${keyword}" (${country}, ${language})`;
    if (result.kind === 'failed') this.#problems.push(`${name}: ${result.reason}`);
    else if (result.isLacking) this.#notes.push(`${name}: ${noDataReason}`);
    for (const ended of new Set(result.kind === 'answered' ? [keyword, ...result.keywords] : [keyword])) {
      if (missing.delete(ended)) this.#done += 1;
    }
    this.#report([]);
    if (result.kind === 'answered' && result.stop !== null) this.#stop(service, result.stop);
  }

  #stop(service: string, stop: ServiceStop): void {
    this.#stops.set(service, stop);
    this.#problems.push(`service ${service}: ${stop.remedy}`);
  }
}

/**
 * The missing keywords that a request for one of them can include. Leaves out close variants of each other, because ad
 * planners answer for only one of those; they get a later request.
 */
function wantedBeside(keyword: string, missing: ReadonlySet<string>, limit: number): string[] {
  const wanted = new Map([[variantWords(keyword), keyword]]);
  let looksLeft = 4 * limit;
  for (const other of missing) {
    if (wanted.size >= limit || looksLeft-- <= 0) break;
    const words = variantWords(other);
    if (!wanted.has(words)) wanted.set(words, other);
  }
  return [...wanted.values()].filter((each) => each !== keyword);
}
