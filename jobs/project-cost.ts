// The worst-case cost of a project per run and month. Ignores shared and fresh pages, which `plan` considers.

import { keywordDataCostMicroUsd, keywordKey, type PageRange } from '../src/service/terms.ts';
import { sumOf } from '../src/tracker/figures.ts';
import { getOrInsert } from '../src/tracker/maps.ts';
import { monthDays } from '../src/tracker/page-price.ts';
import { secondLookPagesMax, worstCaseCredits } from '../src/tracker/paging.ts';
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

/**
 * `now` in UTC milliseconds: slots are counted in the first month of 31 days that follows. `range`: what the service
 * sells besides single pages; absent: a credit a page.
 */
export function projectCost(project: Project, now: number, range?: PageRange): ProjectCost {
  const { keywords, deep, timezone, schedule, volumes } = project;
  const credits = creditsByDepth(project, range);
  const [creditsPerRun, creditsPerDeepRun] = [credits(keywords), credits(keywords, deep?.depth)];
  const looksOf = (depthMin?: number): number => secondLookPagesMax(project, sumOfDepths(keywords, depthMin));
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
    creditsPerMonth:
      (slotsPerMonth - deepRuns) * (creditsPerRun + looksOf()) + deepRuns * (creditsPerDeepRun + looksOf(deep?.depth)),
    keywordRequestsPerMonth,
    microUsdPerMonth: keywordRequestsPerMonth * keywordDataCostMicroUsd(volumes?.limit ?? 0),
    ...gridCost(project, slotsPerMonth, deepRuns, credits),
  };
}

/** The same without second looks, of the keywords of the grid. */
function gridCost(
  { grid, keywords, deep }: Project,
  slots: number,
  deepRuns: number,
  credits: CreditsByDepth,
): Pick<ProjectCost, 'grid'> {
  if (grid === undefined) return {};
  const found = keywordsAtPoints(keywords, new Set(grid.points));
  const creditsPerRun = credits(found);
  return {
    grid: {
      ...gridSearches(grid, found),
      creditsPerRun,
      creditsPerMonth: (slots - deepRuns) * creditsPerRun + deepRuns * credits(found, deep?.depth),
    },
  };
}

/** Of one check of each search, to its depth, and at least to this one. */
type CreditsByDepth = (keywords: readonly TrackedKeyword[], depthMin?: number) => number;

function creditsByDepth({ paging }: Project, range: PageRange | undefined): CreditsByDepth {
  const known = new Map<number, number>();
  const creditsOf = (depth: number): number => {
    return getOrInsert(known, depth, () => worstCaseCredits(range, depth, paging));
  };
  return (keywords, depthMin = 0) => sumOfDepths(keywords, depthMin, creditsOf);
}

/** Pages, or what `of` gives for the depth of a search. */
function sumOfDepths(
  keywords: readonly TrackedKeyword[],
  depthMin = 0,
  of: (depth: number) => number = (depth) => depth,
): number {
  return sumOf(keywords, ({ devices, depth }) => devices.length * of(Math.max(depth, depthMin)));
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
