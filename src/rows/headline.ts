// The headline numbers of sums: what a run, a project card and a segment show first.
import type { Bucket, Visibility } from '../tracker/changes/visibility.ts';
import { changeOver, mean, type Sums } from './sums.ts';

/** Null means missing: nothing was checked, or less than half of that compares. Changes are of comparable rows only. */
export interface Headline {
  readonly total: number;
  /** Rows with a complete check. */
  readonly checked: number;
  /** Rows in the changes. */
  readonly comparable: number;
  /** Rows that were not checked in this slot: their newest rank is older, by so many days at most, and in no number. */
  readonly older: number;
  readonly olderDaysMax: number | null;
  readonly averageRank: number | null;
  /** Previous - current: positive is better. */
  readonly averageRankChange: number | null;
  readonly top3: number | null;
  readonly top3Change: number | null;
  readonly top10: number | null;
  readonly top10Change: number | null;
  /** Percent, and percentage points. */
  readonly visibility: number | null;
  readonly visibilityChange: number | null;
  /** A month. */
  readonly estimatedClicks: number | null;
  readonly estimatedClicksChange: number | null;
}

const top3: readonly Bucket[] = ['1', '2-3'];
const top10: readonly Bucket[] = ['1', '2-3', '4-10'];

export function computeHeadline(sums: Sums): Headline {
  const { total, checked, comparable, older, olderDaysMax } = sums;
  const counted = (counts: ReadonlyMap<Bucket, number>, names: readonly Bucket[], of: number): number | null =>
    of === 0 ? null : names.reduce((count, name) => count + (counts.get(name) ?? 0), 0);
  const change = (of: number | null): number | null => rounded(changeOver(sums, of));
  return {
    total,
    checked,
    comparable,
    older,
    olderDaysMax,
    averageRank: rounded(mean(sums.ranked)),
    averageRankChange: change(mean(sums.rankedChange)),
    top3: counted(sums.buckets, top3, checked),
    top3Change: change(counted(sums.bucketChanges, top3, comparable)),
    top10: counted(sums.buckets, top10, checked),
    top10Change: change(counted(sums.bucketChanges, top10, comparable)),
    visibility: rounded(sums.visibility.percent()),
    visibilityChange: change(difference(sums.comparableNow.percent(), sums.comparableBefore.percent())),
    estimatedClicks: rounded(clicks(sums.visibility)),
    estimatedClicksChange: change(difference(clicks(sums.comparableNow), clicks(sums.comparableBefore))),
  };
}

/** Null instead of 0 if no volume is known. */
function clicks(visibility: Visibility): number | null {
  return visibility.count() === 0 ? null : visibility.clicks();
}

function difference(now: number | null, before: number | null): number | null {
  return now === null || before === null ? null : now - before;
}

function rounded(value: number | null): number | null {
  return value === null ? null : Math.round(value * 10_000) / 10_000 + 0;
}
