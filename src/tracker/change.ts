// What became of a target between two checks, and with which earlier check a new one is compared. Only proven observations are compared.
import type { ChangeClass, Observation } from './observation.ts';

/** A change, or why there is none. */
export interface Change {
  readonly changeClass: ChangeClass;
  /** previous rank - current rank: positive is better; null unless both are ranked. */
  readonly change: number | null;
  /** Why the two are not comparable; null where they are. */
  readonly reason: string | null;
}

/** Each class once, in the order reports list them. */
export const changeClasses = [
  'improved',
  'declined',
  'unchanged',
  'entered',
  'dropped',
  'first_check',
  'not_comparable',
] as const satisfies readonly ChangeClass[];

/** Whether a class says that the place is another one than before. */
export function hasMoved(changeClass: ChangeClass): boolean {
  return (
    changeClass === 'improved' || changeClass === 'declined' || changeClass === 'entered' || changeClass === 'dropped'
  );
}

/**
 * Compares two observations of one target in one search. Two ranks compare whatever the depths. A rank and an absence compare only where
 * the absence reaches down to the ranked page; two absences only at equal depth. Observations of different sources never compare.
 */
export function compare(previous: Observation | null, current: Observation): Change {
  if (previous === null) return { changeClass: 'first_check', change: null, reason: null };
  if (previous.source !== current.source) {
    return notComparable(`the earlier check came from another source (${previous.source})`);
  }
  if (previous.rank !== null && current.rank !== null) {
    const change = previous.rank - current.rank;
    return { changeClass: change > 0 ? 'improved' : change < 0 ? 'declined' : 'unchanged', change, reason: null };
  }
  if (previous.rank !== null) return afterRanked(previous, current);
  if (current.rank !== null) return afterNotFound(previous, current);
  if (previous.depth === current.depth) return { changeClass: 'unchanged', change: null, reason: null };
  return notComparable(`not found in ${pages(previous.depth)} before, in ${pages(current.depth)} now`);
}

/** The change of a row that has no observation: a check that is incomplete, failed, deferred or paid for without an answer. */
export function notComparable(reason: string): Change {
  return { changeClass: 'not_comparable', change: null, reason };
}

/**
 * The earlier observation that a report compares with: of the candidates the most recent comparable one, else the most recent one (whose
 * date and reason the report then prints), else null. Candidates belong to earlier slots, the latest first: the database gives the one of
 * the latest earlier slot and, for a deep check, also that of at least its depth. One observed at the very moment of `current` counts (two
 * slots may use the same fresh page, or the same recording); one observed after it does not.
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

/** Ranked before, absent now. */
function afterRanked(previous: Observation, current: Observation): Change {
  if (previous.page === null) return notComparable('the page of the earlier rank is not known');
  if (previous.page <= current.depth) return { changeClass: 'dropped', change: null, reason: null };
  return notComparable(`last ranked on page ${previous.page}, this check reads ${pages(current.depth)}`);
}

/** Absent before, ranked now. */
function afterNotFound(previous: Observation, current: Observation): Change {
  if (current.page === null) return notComparable('the page of this rank is not known');
  if (current.page <= previous.depth) return { changeClass: 'entered', change: null, reason: null };
  return notComparable(`ranks on page ${current.page}, the earlier check read ${pages(previous.depth)}`);
}

function pages(count: number): string {
  return count === 1 ? '1 page' : `${count} pages`;
}
