// The sums of rows in the shape of the read API.
import { mean, type Sums } from '../../src/report/rows/sums.ts';
import { changeClasses } from '../../src/tracker/change.ts';
import type { ChangeClass } from '../../src/tracker/observation.ts';
import { type Bucket, buckets, type Visibility } from '../../src/tracker/visibility.ts';
import type { Summary } from '../../src/workspace/records.ts';

const top3 = ['1', '2-3'] as const;
const top10 = [...top3, '4-10'] as const;

export function summaryOf(sums: Sums, date: string | null, compare: string): Summary {
  const { checked, comparable } = sums;
  const counted = (names: readonly Bucket[]): number | null =>
    checked === 0 ? null : names.reduce((count, name) => count + (sums.buckets.get(name) ?? 0), 0);
  const gained = (names: readonly Bucket[]): number | null =>
    comparable === 0 ? null : names.reduce((change, name) => change + (sums.bucketChanges.get(name) ?? 0), 0);
  return {
    date,
    compare,
    total: sums.total,
    checked,
    comparable,
    averageRank: rounded(mean(sums.ranked)),
    averageRankChange: rounded(mean(sums.rankedChange)),
    top3: counted(top3),
    top3Change: gained(top3),
    top10: counted(top10),
    top10Change: gained(top10),
    visibility: rounded(sums.visibility.percent()),
    visibilityChange: rounded(difference(sums.comparableNow.percent(), sums.comparableBefore.percent())),
    estimatedClicks: rounded(clicks(sums.visibility)),
    estimatedClicksChange: rounded(difference(clicks(sums.comparableNow), clicks(sums.comparableBefore))),
    buckets: Object.fromEntries(buckets.map((name) => [name, sums.buckets.get(name) ?? 0])) as Record<Bucket, number>,
    changes: Object.fromEntries(changeClasses.map((name) => [name, sums.classes.get(name) ?? 0])) as Record<
      ChangeClass,
      number
    >,
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
