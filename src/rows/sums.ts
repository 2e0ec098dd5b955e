// Sums over tracked rows: coverage, buckets, averages, visibility, each with its change.

import { type Bucket, bucketOf, startVisibility, type Visibility } from '../tracker/changes/visibility.ts';
import type { ChangeClass } from '../tracker/observation.ts';
import type { Row } from './row.ts';

/** Sums of rows. Changes cover only comparable rows: the same rows on both dates. */
export interface Sums {
  total: number;
  /** Rows with complete checks. All others count only in the bucket `unknown`. */
  checked: number;
  /** Of these: with a comparable baseline. */
  comparable: number;
  /** Rows whose newest ranking is older than the slot: they wait, and are in no number. Its greatest age, days. */
  older: number;
  olderDaysMax: number | null;
  /** When the oldest and the newest baselines were read, UTC milliseconds; null: none. */
  oldestBaseline: number | null;
  newestBaseline: number | null;
  readonly buckets: Map<Bucket, number>;
  /** Now minus previous. */
  readonly bucketChanges: Map<Bucket, number>;
  readonly classes: Map<ChangeClass, number>;
  readonly ranked: Mean;
  readonly capped: Mean;
  /** Previous - current, over rows ranked on both dates. */
  readonly rankedChange: Mean;
  /** Previous - current. */
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

/** The summed parts of a row. */
export type SummedRow = Pick<
  Row,
  | 'complete'
  | 'isPlace'
  | 'changeClass'
  | 'rank'
  | 'depth'
  | 'searchVolume'
  | 'estimatedClicks'
  | 'previousRank'
  | 'previousDepth'
  | 'previousCheckedAt'
  | 'lastAgeDays'
>;

/** Of a place page 1 decides: "not found" counts as 11, at any depth of the check. */
export function provenPages({ isPlace }: Pick<Row, 'isPlace'>, depth: number | null): number | null {
  return isPlace && depth !== null ? 1 : depth;
}

/** Of the checked rows. A change over fewer comparable ones says nothing of the whole. */
const comparableShareMin = 0.5;

/** A change of sums; null where too few of their rows compare. */
export function changeOver<Change extends number | null>(
  { checked, comparable }: Pick<Sums, 'checked' | 'comparable'>,
  change: Change,
): Change | null {
  return comparable < comparableShareMin * checked ? null : change;
}

/** Throws RangeError for an unknown curve. */
export function startSums(curveName: string): Sums {
  return {
    total: 0,
    checked: 0,
    comparable: 0,
    older: 0,
    olderDaysMax: null,
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

export function addToSums(sums: Sums, row: SummedRow): void {
  sums.total += 1;
  count(sums.classes, row.changeClass, 1);
  const { lastAgeDays } = row;
  if (lastAgeDays !== null) {
    sums.older += 1;
    sums.olderDaysMax = Math.max(sums.olderDaysMax ?? 0, lastAgeDays);
  }
  const depth = provenPages(row, row.depth);
  if (!row.complete || depth === null) {
    count(sums.buckets, 'unknown', 1);
    return;
  }
  sums.checked += 1;
  count(sums.buckets, bucketOf(row.rank), 1);
  if (row.rank !== null) include(sums.ranked, row.rank);
  include(sums.capped, cappedRank(row.rank, depth));
  const volume = countedVolume(row);
  sums.visibility.add(volume, row.rank);
  const isComparable = row.changeClass !== 'first_check' && row.changeClass !== 'not_comparable';
  const previousDepth = provenPages(row, row.previousDepth);
  if (isComparable && previousDepth !== null) addChange(sums, row, volume, depth, previousDepth);
}

/** A mean; null without values. */
export function mean({ sum, count: of }: Mean): number | null {
  return of === 0 ? null : sum / of;
}

function addChange(sums: Sums, row: SummedRow, volume: number | null, depth: number, previousDepth: number): void {
  const { rank, previousRank, previousCheckedAt } = row;
  sums.comparable += 1;
  if (previousCheckedAt !== null) {
    if (sums.oldestBaseline === null || previousCheckedAt < sums.oldestBaseline)
      sums.oldestBaseline = previousCheckedAt;
    if (sums.newestBaseline === null || previousCheckedAt > sums.newestBaseline)
      sums.newestBaseline = previousCheckedAt;
  }
  count(sums.bucketChanges, bucketOf(rank), 1);
  count(sums.bucketChanges, bucketOf(previousRank), -1);
  if (rank !== null && previousRank !== null) include(sums.rankedChange, previousRank - rank);
  include(sums.cappedChange, cappedRank(previousRank, previousDepth) - cappedRank(rank, depth));
  sums.comparableNow.add(volume, rank);
  sums.comparableBefore.add(volume, previousRank);
}

/** Rows without estimated clicks, such as those of places, count in no visibility. */
function countedVolume({ estimatedClicks, searchVolume }: SummedRow): number | null {
  return estimatedClicks === null ? null : searchVolume;
}

/**
 * Caps a rank at depth x 10 + 1: depth is in pages, and a page has at most ten organic results. "Not found" counts as
 * that.
 */
export function cappedRank(rank: number | null, depth: number): number {
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
