// Sums over tracked rows: coverage, buckets, averages, visibility, each with its change, and the numbers made of them.

import { changeClasses } from '../tracker/changes/change.ts';
import { type Bucket, bucketOf, buckets, Visibility } from '../tracker/changes/visibility.ts';
import { figureDecimals, rounded, sumOf } from '../tracker/figures.ts';
import { addTo } from '../tracker/maps.ts';
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

interface Mean {
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
    visibility: new Visibility(curveName),
    comparableNow: new Visibility(curveName),
    comparableBefore: new Visibility(curveName),
  };
}

export function addToSums(sums: Sums, row: SummedRow): void {
  sums.total += 1;
  addTo(sums.classes, row.changeClass);
  const { lastAgeDays } = row;
  if (lastAgeDays !== null) {
    sums.older += 1;
    sums.olderDaysMax = Math.max(sums.olderDaysMax ?? 0, lastAgeDays);
  }
  const depth = provenPages(row, row.depth);
  if (!row.complete || depth === null) {
    addTo(sums.buckets, 'unknown');
    return;
  }
  sums.checked += 1;
  addTo(sums.buckets, bucketOf(row.rank));
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
  addTo(sums.bucketChanges, bucketOf(rank));
  addTo(sums.bucketChanges, bucketOf(previousRank), -1);
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

const top3: readonly Bucket[] = ['1', '2-3'];
const top10: readonly Bucket[] = [...top3, '4-10'];

function inBuckets(counts: ReadonlyMap<Bucket, number>, names: readonly Bucket[]): number {
  return sumOf(names, (name) => counts.get(name) ?? 0);
}

/** Null instead of 0 if no volume is known. */
function clicks(visibility: Visibility): number | null {
  return visibility.count() === 0 ? null : visibility.clicks();
}

export function difference(now: number | null, before: number | null): number | null {
  return now === null || before === null ? null : now - before;
}

/**
 * The numbers of sums: each formula of every table, page and API. Null: nothing was checked, or nothing compares.
 * Changes are of comparable rows only; positive is better.
 */
export const numbers = {
  averageRank: ({ ranked }) => mean(ranked),
  averageRankChange: ({ rankedChange }) => mean(rankedChange),
  averageCapped: ({ capped }) => mean(capped),
  averageCappedChange: ({ cappedChange }) => mean(cappedChange),
  top3: ({ checked, buckets }) => (checked === 0 ? null : inBuckets(buckets, top3)),
  top3Change: ({ comparable, bucketChanges }) => (comparable === 0 ? null : inBuckets(bucketChanges, top3)),
  top10: ({ checked, buckets }) => (checked === 0 ? null : inBuckets(buckets, top10)),
  top10Change: ({ comparable, bucketChanges }) => (comparable === 0 ? null : inBuckets(bucketChanges, top10)),
  /** Percent, and percentage points. */
  visibility: ({ visibility }) => visibility.percent(),
  visibilityChange: (sums) => difference(sums.comparableNow.percent(), sums.comparableBefore.percent()),
  /** A month. */
  estimatedClicks: ({ visibility }) => clicks(visibility),
  estimatedClicksChange: (sums) => difference(clicks(sums.comparableNow), clicks(sums.comparableBefore)),
} satisfies Readonly<Record<string, (sums: Sums) => number | null>>;

/**
 * What a run, a project card and a segment show first. Null means missing: nothing was checked, or less than half of
 * that compares. Changes are of comparable rows only.
 */
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
  /** Checked rows whose searches a month are known: visibility and clicks are of these. */
  readonly visibilityOver: number;
  /** A month. */
  readonly estimatedClicks: number | null;
  readonly estimatedClicksChange: number | null;
}

export function computeHeadline(sums: Sums): Headline {
  const { total, checked, comparable, older, olderDaysMax } = sums;
  const now = (number: keyof typeof numbers): number | null => rounded(numbers[number](sums), figureDecimals);
  const change = (number: keyof typeof numbers): number | null => changeOver(sums, now(number));
  return {
    total,
    checked,
    comparable,
    older,
    olderDaysMax,
    averageRank: now('averageRank'),
    averageRankChange: change('averageRankChange'),
    top3: now('top3'),
    top3Change: change('top3Change'),
    top10: now('top10'),
    top10Change: change('top10Change'),
    visibility: now('visibility'),
    visibilityChange: change('visibilityChange'),
    visibilityOver: sums.visibility.count(),
    estimatedClicks: now('estimatedClicks'),
    estimatedClicksChange: change('estimatedClicksChange'),
  };
}

/** A headline with all its parts. */
export interface WholeSums extends Headline {
  readonly buckets: Readonly<Record<Bucket, number>>;
  readonly changes: Readonly<Record<ChangeClass, number>>;
}

export function wholeSums(sums: Sums): WholeSums {
  return {
    ...computeHeadline(sums),
    buckets: countsOf(buckets, sums.buckets),
    changes: countsOf(changeClasses, sums.classes),
  };
}

/** A count for each name. */
function countsOf<Name extends string>(
  names: readonly Name[],
  counted: ReadonlyMap<Name, number>,
): Readonly<Record<Name, number>> {
  return Object.fromEntries(names.map((name) => [name, counted.get(name) ?? 0])) as Record<Name, number>; // of each name
}
