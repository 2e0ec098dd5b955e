// The worst-case cost of a config per run and month. Ignores shared and fresh pages, which `plan` considers.
import type { ResolvedConfig, ServiceConfig } from '../../../config/resolve.ts';
import { keywordDataCostMicroUsd, keywordKey, metricsCostMoney, sourceKindOf } from '../../service/index.ts';
import { secondLookPagesMax } from '../../tracker/paging.ts';
import type { Project } from '../../tracker/project.ts';
import { toInstant } from '../../tracker/schedule/local-time.ts';
import { slotsBetween } from '../../tracker/schedule/schedule.ts';

/** Assumes that every check reads to its depth, and that nothing is shared or reused. A month has 31 days. */
export interface ProjectCost {
  readonly project: string;
  readonly keywords: number;
  readonly searches: number;
  readonly slotsPerMonth: number;
  readonly creditsPerRun: number;
  /** The cost if every check is a deep one, as in the first run; the same as above without `deep`. */
  readonly creditsPerDeepRun: number;
  /** Second looks included. */
  readonly creditsPerMonth: number;
  /** At most one request per keyword, country and language; metrics that are known this month are not bought again. */
  readonly keywordRequestsPerMonth: number;
  readonly microUsdPerMonth: number;
}

const dayMs = 86_400_000;
const monthDays = 31;
/** One slot per minute for a month. */
const slotsMax = monthDays * 24 * 60;

/**
 * The worst case of each project. `now` in UTC milliseconds: slots are counted in the first month of 31 days that
 * follows.
 */
export function projectCosts(config: ResolvedConfig, now: number): ProjectCost[] {
  return config.projects.map((project) => projectCost(project, now));
}

/** Whether a service costs money: a provider, or a live source of pages or metrics. */
export function costsMoney(service: ServiceConfig | undefined): boolean {
  if (service === undefined) return false;
  if (service.mode === 'remote' || sourceKindOf(service.source) === 'live') return true;
  return service.metrics !== undefined && metricsCostMoney(service.metrics.source);
}

function projectCost(project: Project, now: number): ProjectCost {
  const { keywords, deep, timezone, schedule, volumes } = project;
  const pages = (depthOf: (depth: number) => number) =>
    keywords.reduce((sum, { devices, depth }) => sum + devices.length * depthOf(depth), 0);
  const creditsPerRun = pages((depth) => depth);
  const creditsPerDeepRun = pages((depth) => Math.max(depth, deep?.depth ?? 0));
  const withLooks = (pagesOfRun: number): number => pagesOfRun + secondLookPagesMax(project, pagesOfRun);
  const slotsPerMonth = slotsInMonth(schedule, timezone, now);
  const deepRuns = deep === undefined ? 0 : Math.min(slotsPerMonth, Math.ceil((monthDays * dayMs) / deep.everyMs));
  const lists = new Set(
    keywords.map(({ keyword, country, language }) => `${country}\n${language}\n${keywordKey(keyword)}`),
  );
  const keywordRequestsPerMonth = slotsInMonth(volumes?.schedule, timezone, now) > 0 ? lists.size : 0;
  return {
    project: project.id,
    keywords: keywords.length,
    searches: pages(() => 1),
    slotsPerMonth,
    creditsPerRun,
    creditsPerDeepRun,
    creditsPerMonth: (slotsPerMonth - deepRuns) * withLooks(creditsPerRun) + deepRuns * withLooks(creditsPerDeepRun),
    keywordRequestsPerMonth,
    microUsdPerMonth: keywordRequestsPerMonth * keywordDataCostMicroUsd(volumes?.limit ?? 0),
  };
}

function slotsInMonth(schedule: string | undefined, timezone: string, now: number): number {
  if (schedule === undefined) return 0;
  const [start, end] = nextLongMonth(now).map((clock) => toInstant(clock, timezone) ?? clock);
  return slotsBetween(schedule, timezone, (start ?? 0) - 1, (end ?? 0) - 1, slotsMax).length;
}

/**
 * The first midnight of the next month with 31 days, and the midnight after its last day, on a clock without a zone.
 */
function nextLongMonth(now: number): readonly [start: number, end: number] {
  const date = new Date(now);
  for (let month = date.getUTCMonth() + 1; ; month += 1) {
    const start = Date.UTC(date.getUTCFullYear(), month, 1);
    const end = Date.UTC(date.getUTCFullYear(), month + 1, 1);
    if (end - start === monthDays * dayMs) return [start, end];
  }
}
