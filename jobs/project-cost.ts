// The worst-case cost of a project per run and month. Ignores shared and fresh pages, which `plan` considers.
import { keywordDataCostMicroUsd, keywordKey } from '../src/service/terms.ts';
import { monthDays } from '../src/tracker/page-price.ts';
import { secondLookPagesMax } from '../src/tracker/paging.ts';
import type { Project, TrackedKeyword } from '../src/tracker/project.ts';
import { toInstant } from '../src/tracker/schedule/local-time.ts';
import { slotsBetween } from '../src/tracker/schedule/schedule.ts';
import { dayMs } from '../src/tracker/schedule/time-units.ts';
import { countSearches, type GridSearches, gridSearches, keywordsAtPoints } from '../src/tracker/searches.ts';

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
  /** Part of the numbers above; absent: the project has no grid. */
  readonly grid?: GridSearches & { readonly creditsPerRun: number; readonly creditsPerMonth: number };
}

/** One slot per minute for a month. */
const slotsMax = monthDays * 24 * 60;

/** `now` in UTC milliseconds: slots are counted in the first month of 31 days that follows. */
export function projectCost(project: Project, now: number): ProjectCost {
  const { keywords, deep, timezone, schedule, volumes } = project;
  const creditsPerRun = countPages(keywords);
  const creditsPerDeepRun = countPages(keywords, deep?.depth);
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
    searches: countSearches(keywords),
    slotsPerMonth,
    creditsPerRun,
    creditsPerDeepRun,
    creditsPerMonth: (slotsPerMonth - deepRuns) * withLooks(creditsPerRun) + deepRuns * withLooks(creditsPerDeepRun),
    keywordRequestsPerMonth,
    microUsdPerMonth: keywordRequestsPerMonth * keywordDataCostMicroUsd(volumes?.limit ?? 0),
    ...gridCost(project, slotsPerMonth, deepRuns),
  };
}

/** The same without second looks, of the keywords of the grid. */
function gridCost({ grid, keywords, deep }: Project, slots: number, deepRuns: number): Pick<ProjectCost, 'grid'> {
  if (grid === undefined) return {};
  const found = keywordsAtPoints(keywords, new Set(grid.points));
  const creditsPerRun = countPages(found);
  return {
    grid: {
      ...gridSearches(grid, found),
      creditsPerRun,
      creditsPerMonth: (slots - deepRuns) * creditsPerRun + deepRuns * countPages(found, deep?.depth),
    },
  };
}

/** Pages of one check of each search, to its depth. */
function countPages(keywords: readonly TrackedKeyword[], depthMin = 0): number {
  return keywords.reduce((sum, { devices, depth }) => sum + devices.length * Math.max(depth, depthMin), 0);
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
