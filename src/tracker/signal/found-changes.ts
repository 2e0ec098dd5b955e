// Which changes of rank a series of checks finds, and how late, held against the true ranks of every day.
import { ctr } from '../changes/visibility.ts';

/** One check, by day. `rank` null: not on the results down to `seenDownTo`. */
export interface DailyLook {
  readonly day: number;
  readonly rank: number | null;
  readonly seenDownTo: number;
}

/** A target in a search: its true rank on each day, and what was seen of it, in order of days. */
export interface FollowedTarget {
  /** Searches a month. */
  readonly volume: number;
  readonly ranks: readonly (number | null)[];
  readonly looks: readonly DailyLook[];
}

export interface FoundChanges {
  /** Changes of rank from one day to the next. */
  readonly changes: number;
  /** Share of the traffic of all changes (volume x change of CTR) that was found within one day; null without any. */
  readonly foundTraffic: number | null;
  /** The standard error of that share, as if the targets were a random sample. */
  readonly foundTrafficError: number | null;
  /** The same share, each change counting once. */
  readonly foundChanges: number | null;
  /** Mean days between a change and the check that showed another rank, over changes that a check showed. */
  readonly delayDays: number | null;
  /** The longest time without a check, in days. */
  readonly longestGapDays: number;
  /** Targets that were not checked for more than seven days. */
  readonly oldTargets: number;
}

interface Change {
  readonly day: number;
  readonly worth: number;
}

const inTimeDays = 1;
const oldDays = 7;

/**
 * The rank of day 0 is known. A change is found in time if a check on its day or the next shows another rank than the
 * last one it compares with. A change that is reversed before a check is never found. Throws RangeError for an unknown
 * curve.
 */
export function findChanges(targets: readonly FollowedTarget[], days: number, curve: string): FoundChanges {
  const shares: (readonly [all: number, found: number])[] = [];
  let [changes, inTime, shown, delays, longestGapDays, oldTargets] = [0, 0, 0, 0, 0, 0];
  for (const { volume, ranks, looks } of targets) {
    let [all, found, lastDay, gap, next] = [0, 0, 0, 0, 1];
    let seen: DailyLook = { day: 0, rank: ranks[0] ?? null, seenDownTo: Number.POSITIVE_INFINITY };
    let pending: Change[] = [];
    for (const look of looks) {
      for (; next <= look.day && next < days; next += 1) {
        const [before, now] = [ranks[next - 1] ?? null, ranks[next] ?? null];
        if (before === now) continue;
        const worth = volume * Math.abs(ctr(curve, before) - ctr(curve, now));
        all += worth;
        changes += 1;
        pending.push({ day: next, worth });
      }
      if (differs(seen, look)) {
        for (const { day, worth } of pending) {
          shown += 1;
          delays += look.day - day;
          if (look.day - day > inTimeDays) continue;
          found += worth;
          inTime += 1;
        }
      }
      pending = [];
      if (look.rank !== null || seen.rank === null || seen.rank <= look.seenDownTo) seen = look;
      gap = Math.max(gap, look.day - lastDay);
      lastDay = look.day;
    }
    for (; next < days; next += 1) {
      const [before, now] = [ranks[next - 1] ?? null, ranks[next] ?? null];
      if (before === now) continue;
      all += volume * Math.abs(ctr(curve, before) - ctr(curve, now));
      changes += 1;
    }
    gap = Math.max(gap, days - 1 - lastDay);
    longestGapDays = Math.max(longestGapDays, gap);
    if (gap > oldDays) oldTargets += 1;
    shares.push([all, found]);
  }
  return {
    changes,
    ...ratioWithError(shares),
    foundChanges: changes === 0 ? null : inTime / changes,
    delayDays: shown === 0 ? null : delays / shown,
    longestGapDays,
    oldTargets,
  };
}

/** Whether a check shows another rank than the last one that it compares with. */
function differs(before: DailyLook, after: DailyLook): boolean {
  if (before.rank !== null && after.rank !== null) return before.rank !== after.rank;
  if (before.rank !== null) return before.rank <= after.seenDownTo;
  return after.rank !== null && after.rank <= before.seenDownTo;
}

/** A ratio of two sums and its standard error (ratio estimator: Cochran 1977, Sampling Techniques, section 6.4). */
function ratioWithError(
  shares: readonly (readonly [all: number, found: number])[],
): Pick<FoundChanges, 'foundTraffic' | 'foundTrafficError'> {
  const all = shares.reduce((sum, [each]) => sum + each, 0);
  if (all === 0) return { foundTraffic: null, foundTrafficError: null };
  const ratio = shares.reduce((sum, [, found]) => sum + found, 0) / all;
  const squares = shares.reduce((sum, [each, found]) => sum + (found - ratio * each) ** 2, 0);
  return { foundTraffic: ratio, foundTrafficError: Math.sqrt(squares) / all };
}
