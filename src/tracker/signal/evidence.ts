// What a history says about a target, condensed for planning: where it is, when that was seen, how often it changed.
import { intervalsOf, type Sighting, seenDownTo } from './sighting.ts';

/** The condensed history of one target in one search. */
export interface TargetEvidence {
  /** Last proven rank; null: it was not found, or never checked. A shallow absence below a deep rank does not count. */
  readonly rank: number | null;
  /** Rank down to which the last check that followed the target looked; 0: never checked. */
  readonly seenDownTo: number;
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

/** Older rankings say little about how often a rank changes now. */
export const historyMs = 120 * 86_400_000;

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
  return {
    rank: followed.rank,
    seenDownTo: seenDownTo(followed),
    lookedAt: last.checkedAt,
    followedAt: followed.rank === null ? last.checkedAt : followed.checkedAt,
    changedDays: changedDays.slice(), // without spare room: a plan keeps one list per search
    stillDays,
    logMoveSum,
    logMoves,
  };
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
