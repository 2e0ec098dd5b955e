// Classifies the change of a target between two checks, and chooses the baseline. Only proven observations compare.
import type { ChangeClass, Observation } from '../observation.ts';

/** A change, or the reason why the two are not comparable. */
export interface Change {
  readonly changeClass: ChangeClass;
  /** Previous rank - current rank: positive is better; null unless both are ranked. */
  readonly change: number | null;
  /** Why the two are not comparable; null if they are. */
  readonly reason: string | null;
}

/** All classes, in the order of reports. */
export const changeClasses = [
  'improved',
  'declined',
  'unchanged',
  'entered',
  'dropped',
  'first_check',
  'not_comparable',
] as const satisfies readonly ChangeClass[];

/** Whether the class means that the ranking changed. */
export function hasMoved(changeClass: ChangeClass): boolean {
  return (
    changeClass === 'improved' || changeClass === 'declined' || changeClass === 'entered' || changeClass === 'dropped'
  );
}

/** Every reason why two observations are not comparable. docs/reports.md lists them. */
export const incomparable = {
  otherSource: (source: string) => `the earlier check came from another source (${source})`,
  rankedBelowResults: (rank: number, results: number) =>
    `last ranked ${rank}, this check reads ${counted(results, 'result')}`,
  ranksBelowResults: (rank: number, results: number) =>
    `ranks ${rank}, the earlier check read ${counted(results, 'result')}`,
  rankedBelowPages: (page: number, depth: number) =>
    `last ranked on page ${page}, this check reads ${counted(depth, 'page')}`,
  ranksBelowPages: (page: number, depth: number) =>
    `ranks on page ${page}, the earlier check read ${counted(depth, 'page')}`,
  otherDepth: (before: number, now: number) =>
    `not found in ${counted(before, 'page')} before, in ${counted(now, 'page')} now`,
  earlierPageUnknown: () => 'the page of the earlier rank is not known',
  pageUnknown: () => 'the page of this rank is not known',
  noBaseline: (comparison: string) => `no complete check near ${comparison}`,
  seenLater: (source: string) => `what the slot before shows was seen after this check (${source})`,
} as const;

/**
 * Compares two observations of one target in one search. Two ranks compare at any depth. A rank and an absence compare
 * only if the absence covers the rank: within the results that were read, or within as many pages of ten. So a page of
 * 9 results after one of 10 still shows a drop, and a page of 100 shows none. Two absences compare only at equal depth.
 * Observations of different sources never compare.
 */
export function compare(previous: Observation | null, current: Observation): Change {
  if (previous === null) return { changeClass: 'first_check', change: null, reason: null };
  if (previous.source !== current.source) return notComparable(incomparable.otherSource(previous.source));
  if (previous.rank !== null && current.rank !== null) {
    const change = previous.rank - current.rank;
    return { changeClass: change > 0 ? 'improved' : change < 0 ? 'declined' : 'unchanged', change, reason: null };
  }
  if (previous.rank !== null) return afterRanked({ ...previous, rank: previous.rank }, current);
  if (current.rank !== null) return afterNotFound(previous, { ...current, rank: current.rank });
  if (previous.depth === current.depth) return { changeClass: 'unchanged', change: null, reason: null };
  return notComparable(incomparable.otherDepth(previous.depth, current.depth));
}

/** The change of a row without an observation: its check is incomplete, failed, deferred or `unknown_paid`. */
export function notComparable(reason: string): Change {
  return { changeClass: 'not_comparable', change: null, reason };
}

/**
 * Chooses the observation to compare with: the most recent comparable candidate; else the most recent one, whose date
 * and reason the report prints; else null. Candidates belong to earlier slots, latest first. The database gives the one
 * of the latest earlier slot and, for a deep check, one of at least the same depth. A candidate observed at the same
 * moment as `current` counts, because two slots may share a fresh page or a recording. A later one does not.
 */
export function chooseBaseline(current: Observation, candidates: readonly (Observation | null)[]): Observation | null {
  let newest: Observation | null = null;
  let newestComparable: Observation | null = null;
  for (const candidate of candidates) {
    if (candidate === null || candidate.checkedAt > current.checkedAt) continue;
    if (newest === null || candidate.checkedAt > newest.checkedAt) newest = candidate;
    const isNewer = newestComparable === null || candidate.checkedAt > newestComparable.checkedAt;
    if (isNewer && compare(candidate, current).changeClass !== 'not_comparable') newestComparable = candidate;
  }
  return newestComparable ?? newest;
}

type Ranked = Pick<Observation, 'page'> & { readonly rank: number };
type Absent = Pick<Observation, 'depth' | 'resultsRead'>;

/** The most organic results of an ordinary results page. A larger page counts as several. */
const resultsPerPageMax = 10;

/**
 * Whether an absence covers a rank: within its results, or within as many ordinary pages. Null if this needs the page
 * of the rank and it is unknown.
 */
function covers({ depth, resultsRead }: Absent, { rank, page }: Ranked): boolean | null {
  if (resultsRead !== null && rank <= resultsRead) return true;
  if (page === null) return resultsRead === null ? null : false;
  const pagesNeeded = resultsRead === null ? page : Math.max(page, Math.ceil(rank / resultsPerPageMax));
  return pagesNeeded <= depth;
}

function afterRanked(ranked: Ranked, absent: Absent): Change {
  const isCovered = covers(absent, ranked);
  if (isCovered === true) return { changeClass: 'dropped', change: null, reason: null };
  if (isCovered === null || ranked.page === null) return notComparable(incomparable.earlierPageUnknown());
  return notComparable(
    absent.resultsRead === null
      ? incomparable.rankedBelowPages(ranked.page, absent.depth)
      : incomparable.rankedBelowResults(ranked.rank, absent.resultsRead),
  );
}

function afterNotFound(absent: Absent, ranked: Ranked): Change {
  const isCovered = covers(absent, ranked);
  if (isCovered === true) return { changeClass: 'entered', change: null, reason: null };
  if (isCovered === null || ranked.page === null) return notComparable(incomparable.pageUnknown());
  return notComparable(
    absent.resultsRead === null
      ? incomparable.ranksBelowPages(ranked.page, absent.depth)
      : incomparable.ranksBelowResults(ranked.rank, absent.resultsRead),
  );
}

function counted(count: number, one: string): string {
  return count === 1 ? `1 ${one}` : `${count} ${one}s`;
}
