// The observation history of a target in a search: what was seen when, and what that says of its changes.
import type { Observation } from '../observation.ts';
import { dayMs, daysBetween } from '../schedule/time-units.ts';

/**
 * One proven look at a target. `rank` null: on none of the pages read, so it ranks below `seenDownTo`. Between two
 * sightings nothing is known: a change in between happened at an unknown moment (interval censoring).
 */
export type Sighting = Pick<Observation, 'rank' | 'depth' | 'resultsRead' | 'checkedAt' | 'source'>;

/** Organic results of an ordinary page at most. */
const resultsPerPage = 10;

/** The rank down to which an absence is proven: the results read, or ten per page. */
export function seenDownTo({ depth, resultsRead }: Pick<Sighting, 'depth' | 'resultsRead'>): number {
  return resultsRead ?? depth * resultsPerPage;
}

/** The page that holds a rank, 1-based, for pages of ten. */
export function pageOfRank(rank: number): number {
  return Math.ceil(rank / resultsPerPage);
}

/** An interval between two sightings that are comparable, and whether the rank differs at its ends. */
interface Interval {
  readonly days: number;
  readonly changed: boolean;
  /** Rank at the start; null: not found. */
  readonly from: number | null;
  /** Rank at the end; null: not found. */
  readonly to: number | null;
}

/**
 * The intervals of a history (oldest first) that say whether the rank changed. Sightings of different sources do not
 * compare: those of each source have their own intervals, also where two tools looked by turns. A rank after an
 * absence, or the reverse, counts only where the absence covers the rank. A shallow absence that does not cover the
 * last rank is passed over: the interval goes on to the next sighting.
 */
export function intervalsOf(history: readonly Sighting[]): Interval[] {
  const intervals: Interval[] = [];
  const starts = new Map<string, Sighting>();
  for (const sighting of history) {
    const start = starts.get(sighting.source);
    const isChanged = start === undefined ? false : differs(start, sighting);
    if (isChanged === null) continue;
    starts.set(sighting.source, sighting);
    const days = start === undefined ? 0 : Math.max(0, daysBetween(start.checkedAt, sighting.checkedAt));
    if (start !== undefined && days > 0)
      intervals.push({ days, changed: isChanged, from: start.rank, to: sighting.rank });
  }
  return intervals;
}

/** Whether two sightings of one source show different ranks; null: their depths do not allow an answer. */
function differs(before: Sighting, after: Sighting): boolean | null {
  if (before.rank !== null && after.rank !== null) return before.rank !== after.rank;
  if (before.rank !== null) return before.rank <= seenDownTo(after) ? true : null;
  if (after.rank !== null) return after.rank <= seenDownTo(before) ? true : null;
  return seenDownTo(after) >= seenDownTo(before) ? false : null;
}

/** The condensed history of one target in one search. */
export interface TargetEvidence {
  /** Last proven rank; null: it was not found, or never checked. A shallow absence below a deep rank does not count. */
  readonly rank: number | null;
  /** Rank down to which the last check that followed the target looked; 0: never checked. */
  readonly seenDownTo: number;
  /** Absent: it is known where it is, or it was never found. */
  readonly lost?: LostTarget;
  /** UTC milliseconds of the newest check, and of the newest that followed the target; null: never. */
  readonly lookedAt: number | null;
  readonly followedAt: number | null;
  /** Lengths in days of the intervals in which the rank changed. */
  readonly changedDays: readonly number[];
  /** Days of all intervals in which it did not. */
  readonly stillDays: number;
  /** Sum and number of |ln(rank after / rank before)| over changes between two ranks. */
  readonly logMoveSum: number;
  readonly logMoves: number;
}

/** Where a target ranked before a check that read that far did not find it, and how far it was looked for since. */
interface LostTarget {
  readonly rank: number;
  /** When it was seen there, UTC milliseconds. */
  readonly at: number;
  /** The most pages that were read without it. */
  readonly pages: number;
}

/** Older rankings say little about how often a rank changes now. */
export const historyMs = 120 * dayMs;

/** A target without history. */
export const noEvidence: TargetEvidence = Object.freeze({
  rank: null,
  seenDownTo: 0,
  lookedAt: null,
  followedAt: null,
  changedDays: [],
  stillDays: 0,
  logMoveSum: 0,
  logMoves: 0,
});

/** Condenses a history, oldest sighting first. */
export function evidenceOf(history: readonly Sighting[]): TargetEvidence {
  const last = history.at(-1);
  if (last === undefined) return noEvidence;
  const changedDays: number[] = [];
  let [stillDays, logMoveSum, logMoves] = [0, 0, 0];
  for (const { days, changed, from, to } of intervalsOf(history)) {
    if (!changed) stillDays += days;
    else changedDays.push(days);
    if (!changed || from === null || to === null) continue;
    logMoveSum += Math.abs(Math.log(to / from));
    logMoves += 1;
  }
  const followed = lastFollowed(history);
  const lost = lostIn(history);
  return {
    rank: followed.rank,
    seenDownTo: seenDownTo(followed),
    ...(lost !== null && { lost }),
    lookedAt: last.checkedAt,
    followedAt: followed.rank === null ? last.checkedAt : followed.checkedAt,
    changedDays: changedDays.slice(), // without spare room: a plan keeps one list per search
    stillDays,
    logMoveSum,
    logMoves,
  };
}

/** Where the target was before the newest checks, if these read as far and did not find it. */
function lostIn(history: readonly Sighting[]): LostTarget | null {
  const at = history.findLastIndex(({ rank }) => rank !== null);
  const { rank = null, checkedAt = 0 } = history[at] ?? {};
  if (rank === null) return null;
  const absences = history.slice(at + 1).filter((sighting) => rank <= seenDownTo(sighting));
  if (absences.length === 0) return null;
  return { rank, at: checkedAt, pages: Math.max(...absences.map(({ depth }) => depth)) };
}

/** The newest sighting that says where the target is: a rank, or an absence that reaches the rank before it. */
function lastFollowed(history: readonly Sighting[]): Sighting {
  let [followed] = history as readonly [Sighting];
  for (const sighting of history) {
    const isCovered =
      followed.rank === null ? seenDownTo(sighting) >= seenDownTo(followed) : followed.rank <= seenDownTo(sighting);
    if (sighting.rank !== null || isCovered) followed = sighting;
  }
  return followed;
}
