// Buys the keyword metrics that a month lacks, once a month for each tracked keyword.
import type { VolumeMarket } from '../../db/history/volumes.ts';
import type { Project } from '../../src/tracker/project.ts';
import { monthWindowKey } from '../../src/tracker/schedule/local-time.ts';
import { variantWords } from '../../src/tracker/variants.ts';
import type { StopSignals } from '../check/check-search.ts';
import { findService, type JobContext, shownMoment } from '../context.ts';
import { createBreaker, type ServiceStop, type ServiceWait } from '../purchase/service-states.ts';
import { MetricsRequest, type VolumeNeed } from './metrics-request.ts';

/** `stops`: services that received no more requests, because they refused us or failed too often in a row. */
export type RefreshResult =
  | {
      readonly kind: 'done';
      readonly problems: readonly string[];
      /** Keywords that paid answers have no data for. */
      readonly notes: readonly string[];
      readonly stops: readonly ServiceStop[];
    }
  | { readonly kind: 'interrupted' };

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
  const needs = new Map<string, { market: VolumeMarket; keywords: Set<string>; limit: number }>();
  for (const project of projects) {
    if (project.volumes === undefined) continue;
    const month = monthOf(project.service);
    for (const { keyword, country, language } of project.keywords) {
      const market = { service: project.service, country, language };
      if (repeatedAt === null && context.store.volumes.has(keyword, market, month)) continue;
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
  const moment = context.store.runs.run(runId)?.moment ?? context.clock.now();
  const total = needs.reduce((sum, need) => sum + need.keywords.length, 0);
  const problems: string[] = [];
  const notes: string[] = [];
  const breakers = new Map(
    needs.map(({ market: { service } }) => [service, createBreaker(context, service, 'micro_usd')]),
  );
  const stops = new Map<string, ServiceStop>();
  let done = 0;
  for (const need of needs) {
    const { service } = need.market;
    const missing = new Set(need.keywords);
    const postponed = new Map<string, MetricsRequest>();
    const queue = [...need.keywords];
    for (const keyword of queue) {
      if (!missing.has(keyword)) continue;
      if (stops.has(service)) break;
      if (signals.stop.aborted) return { kind: 'interrupted' };
      const wanted = wantedBeside(keyword, missing, need.limit);
      const request =
        postponed.get(keyword) ??
        new MetricsRequest(context, { runId, keyword, wanted, need, moment, breaker: breakers.get(service) ?? null });
      if (request.wasLacking) {
        missing.delete(keyword);
        done += 1;
        continue;
      }
      const hasOthers = missing.values().some((other) => other !== keyword && !postponed.has(other));
      const result = await request.carryOut(signals, (wait) => onProgress(done, total, [wait]), hasOthers);
      if (result.kind === 'interrupted') return result;
      if (result.kind === 'postponed') {
        postponed.set(keyword, request);
        queue.push(keyword);
        continue;
      }
      if (result.kind === 'stopped') {
        stops.set(service, result.stop);
        problems.push(`service ${service}: ${result.stop.remedy}`);
        break;
      }
      const name = `"${keyword}" (${need.market.country}, ${need.market.language})`;
      if (result.kind === 'failed') problems.push(`${name}: ${result.reason}`);
      else if (result.isLacking) notes.push(`${name}: ${noDataReason}`);
      for (const answered of new Set(result.kind === 'answered' ? [keyword, ...result.keywords] : [keyword])) {
        if (missing.delete(answered)) done += 1;
      }
      onProgress(done, total, []);
      if (result.kind === 'answered' && result.stop !== null) {
        stops.set(service, result.stop);
        problems.push(`service ${service}: ${result.stop.remedy}`);
        break;
      }
    }
  }
  return { kind: 'done', problems, notes, stops: [...stops.values()] };
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
