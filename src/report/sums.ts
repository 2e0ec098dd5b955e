// Sums over tracked rows: coverage, buckets, averages, visibility, each now and changed. Which rows belong together is left to reports.
import type { ChangeClass } from '../tracker/observation.ts';
import { type Bucket, bucketOf, startVisibility, type Visibility } from '../tracker/visibility.ts';
import type { RankChangeRow } from './row.ts';

/** Sums of some rows. Changes are taken over the comparable ones only: the same rows on both dates. */
export interface Sums {
  total: number;
  /** Rows of complete checks; all others are in the bucket `unknown` and in no other sum. */
  checked: number;
  /** Of these: with a comparable baseline. */
  comparable: number;
  /** When the oldest and the newest of their baselines were read, UTC milliseconds; null where there is none. */
  oldestBaseline: number | null;
  newestBaseline: number | null;
  readonly buckets: Map<Bucket, number>;
  /** Now less before. */
  readonly bucketChanges: Map<Bucket, number>;
  readonly classes: Map<ChangeClass, number>;
  readonly ranked: Mean;
  readonly capped: Mean;
  /** previous - current, over rows ranked on both dates. */
  readonly rankedChange: Mean;
  /** previous - current. */
  readonly cappedChange: Mean;
  readonly visibility: Visibility;
  readonly comparableNow: Visibility;
  readonly comparableBefore: Visibility;
}

export interface Mean {
  sum: number;
  count: number;
}

const organicPerPageMax = 10;

/** What of a row is summed up. */
export type SummedRow = Pick<
  RankChangeRow,
  | 'complete'
  | 'changeClass'
  | 'rank'
  | 'depth'
  | 'searchVolume'
  | 'previousRank'
  | 'previousDepth'
  | 'previousCheckedAt'
>;

/** Starts empty sums. `curveName` as in visibility.ts; throws RangeError for one that does not exist. */
export function startSums(curveName: string): Sums {
  return {
    total: 0,
    checked: 0,
    comparable: 0,
    oldestBaseline: null,
    newestBaseline: null,
    buckets: new Map(),
    bucketChanges: new Map(),
    classes: new Map(),
    ranked: { sum: 0, count: 0 },
    capped: { sum: 0, count: 0 },
    rankedChange: { sum: 0, count: 0 },
    cappedChange: { sum: 0, count: 0 },
    visibility: startVisibility(curveName),
    comparableNow: startVisibility(curveName),
    comparableBefore: startVisibility(curveName),
  };
}

/** Adds a row. */
export function addToSums(sums: Sums, row: SummedRow): void {
  sums.total += 1;
  count(sums.classes, row.changeClass, 1);
  if (!row.complete || row.depth === null) {
    count(sums.buckets, 'unknown', 1);
    return;
  }
  sums.checked += 1;
  count(sums.buckets, bucketOf(row.rank), 1);
  if (row.rank !== null) include(sums.ranked, row.rank);
  include(sums.capped, cappedRank(row.rank, row.depth));
  sums.visibility.add(row.searchVolume, row.rank);
  const isComparable = row.changeClass !== 'first_check' && row.changeClass !== 'not_comparable';
  if (isComparable && row.previousDepth !== null) addChange(sums, row, row.depth, row.previousDepth);
}

/** A mean, or null of nothing. */
export function meanOf({ sum, count: of }: Mean): number | null {
  return of === 0 ? null : sum / of;
}

function addChange(sums: Sums, row: SummedRow, depth: number, previousDepth: number): void {
  const { rank, previousRank } = row;
  sums.comparable += 1;
  if (row.previousCheckedAt !== null) {
    sums.oldestBaseline = Math.min(sums.oldestBaseline ?? row.previousCheckedAt, row.previousCheckedAt);
    sums.newestBaseline = Math.max(sums.newestBaseline ?? row.previousCheckedAt, row.previousCheckedAt);
  }
  count(sums.bucketChanges, bucketOf(rank), 1);
  count(sums.bucketChanges, bucketOf(previousRank), -1);
  if (rank !== null && previousRank !== null) include(sums.rankedChange, previousRank - rank);
  include(sums.cappedChange, cappedRank(previousRank, previousDepth) - cappedRank(rank, depth));
  sums.comparableNow.add(row.searchVolume, rank);
  sums.comparableBefore.add(row.searchVolume, previousRank);
}

/**
 * The rank held at depth + 1, in ranks: depth x 10 + 1, because depth is in pages and a page has ten organic results at most. An absence
 * counts as that.
 */
function cappedRank(rank: number | null, depth: number): number {
  const cap = depth * organicPerPageMax + 1;
  return rank === null ? cap : Math.min(rank, cap);
}

function include(mean: Mean, value: number): void {
  mean.sum += value;
  mean.count += 1;
}

function count<Key>(counts: Map<Key, number>, key: Key, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}
