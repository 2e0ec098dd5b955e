// The noise band: whether a change is more than what this keyword does anyway.
import { sumOf } from '../figures.ts';
import type { SignificanceClass } from '../observation.ts';
import { type Sighting, seenDownTo } from './sightings.ts';

/** A change between two comparable sightings, and the second look at it later the same day, if there was one. */
interface ObservedChange {
  readonly before: Sighting;
  readonly after: Sighting;
  readonly secondLook?: Sighting;
}

export interface Significance {
  readonly class: SignificanceClass;
  /** The usual ranks of this target, inclusive; null: it did not rank before, so there is no band. */
  readonly band: { readonly best: number; readonly worst: number } | null;
  /** Earlier ranks of the same source that decided the band. 1: only `before`, so that the prior decides. */
  readonly observations: number;
}

/**
 * The limits, in standard deviations of the jitter. `likely` lies between whole ranks for a jitter of one rank: 2 are
 * outside, 1 is inside. `confirmed` holds for the mean of two looks; a look counts up to `lookMax`, so that neither
 * decides alone. test/bench/policy.ts measures precision and recall.
 */
const limits = Object.freeze({ likely: 2.5, confirmed: 2.8, lookMax: 3.8, certain: 4 });

/** The prior of the scale weighs as much as this many observations. */
const priorWeight = 6;

/** The most earlier ranks that decide the scale. */
export const sightingsMax = 60;

/** The most that decide the level. */
const levelMax = 9;

/**
 * Differences count up to this many standard deviations (Huber 1964), so that single spikes do not widen the band.
 * Those of the jitter itself, if they are larger than those of the prior (his proposal 2): a wild past widens it.
 */
const winsorAt = 2;
/** The scale grows until a step changes it by less. */
const growthMin = 1.01;
const growthStepsMax = 50;

/** A change that the target has made so often before is never certain after one look. */
const habitMin = 2;

/** The mean square of a rank's distance from the median of it and its neighbours, for jitter of variance 1. */
const residualShare = 0.8;

/** Rounding to whole ranks alone has this variance (Sheppard 1898): a quiet past proves no less jitter. */
const roundingVariance = 1 / 12;

/**
 * Judges a change against the target's own history.
 *
 * 1. Scale s: the standard deviation of the jitter. The residuals e of a running median of three (Tukey 1977,
 *    Exploratory Data Analysis, chapter 7) are free of lasting moves. With the prior s0 of the rank, its weight w, and
 *    c = 2 max(s, s0): s^2 = (w s0^2 + sum(min(e^2, c^2)) / 0.8) / (w + n), and 1/12 at least: one rank is never
 *    certain.
 * 2. Level: the median of the n newest ranks that differ from `before` by no more than jitter explains.
 * 3. Band: level +- z s sqrt(1 + 1/n), the prediction interval of one more observation (z 2.5: likely, 4: certain).
 * 4. A second look decides: the mean of both looks must differ from the level by 2.8 s sqrt(1/2 + 1/n).
 *
 * An absence is censored: it counts as the rank after the last one that was read. It is never `certain` after one look,
 * because a page may be silently empty. So neither is the return to the usual ranks, nor a change that the target has
 * made twice before: it alternates between two ranks, or has a rhythm.
 *
 * `ranks`: exact ranks of the same source, oldest first and at most `sightingsMax`: those that were seen before
 * `before`, and at last that of `before` if it has one.
 */
export function significanceAmong(change: ObservedChange, ranks: ArrayLike<number>): Significance {
  const { before, after, secondLook } = change;
  if (before.rank === null) return judgeEntry(change, ranks);
  const scale = jitterScale(before.rank, ranks);
  const level = levelOf(before.rank, ranks, scale);
  const spread = scale * Math.sqrt(1 + 1 / level.count);
  const best = Math.max(1, Math.ceil(level.rank - limits.likely * spread));
  const band = { best, worst: Math.max(best, Math.floor(level.rank + limits.likely * spread)) };
  const observations = ranks.length;
  const distance = distanceOf(after, level.rank);
  if (after.rank === before.rank || Math.abs(distance) <= limits.likely * spread)
    return { class: 'noise', band, observations };
  if (secondLook === undefined) {
    const isFar = after.rank !== null && Math.abs(distance) > limits.certain * spread;
    const isCertain = isFar && timesMade([level.rank, after.rank], ranks, limits.likely * scale) < habitMin;
    return { class: isCertain ? 'certain' : 'likely', band, observations };
  }
  const most = limits.lookMax * scale;
  const mean = (clamp(distance, most) + clamp(distanceOf(secondLook, level.rank), most)) / 2;
  const isConfirmed = Math.abs(mean) > limits.confirmed * scale * Math.sqrt(1 / 2 + 1 / level.count);
  return { class: isConfirmed ? 'certain' : 'noise', band, observations };
}

/** The standard deviation of jitter without any history: half a rank at the top, more further down. */
function priorScale(rank: number): number {
  return 0.45 + 0.02 * rank;
}

function jitterScale(rank: number, ranks: ArrayLike<number>): number {
  const prior = priorScale(rank);
  const squares = squaredResiduals(ranks);
  const weight = priorWeight + Math.max(0, ranks.length - 2);
  let [scale, before] = [prior, 0];
  // grows towards the only solution, by ever smaller steps
  for (let step = 0; step < growthStepsMax && scale > before * growthMin; step += 1) {
    before = Math.max(scale, prior);
    const most = (winsorAt * before) ** 2;
    const sum = sumOf(squares, (square) => Math.min(square, most));
    scale = Math.sqrt((priorWeight * prior ** 2 + sum / residualShare) / weight);
  }
  return Math.max(Math.sqrt(roundingVariance), scale);
}

/** Squared distances of ranks from the median of each and its neighbours, without those that are 0. */
function squaredResiduals(ranks: ArrayLike<number>): number[] {
  const squares: number[] = [];
  for (let index = 1; index + 1 < ranks.length; index += 1) {
    const left = ranks[index - 1] ?? 0;
    const middle = ranks[index] ?? 0;
    const right = ranks[index + 1] ?? 0;
    const median = Math.max(Math.min(left, right), Math.min(Math.max(left, right), middle));
    if (middle !== median) squares.push((middle - median) ** 2);
  }
  return squares;
}

/** The median of the newest ranks that belong together with `rank`, and their number. */
function levelOf(rank: number, ranks: ArrayLike<number>, scale: number): { rank: number; count: number } {
  const sorted: number[] = [];
  for (let index = ranks.length - 1; index >= 0; index -= 1) {
    const other = ranks[index] ?? 0;
    if (Math.abs(other - rank) > limits.likely * scale * Math.SQRT2 || sorted.length === levelMax) break;
    insertSorted(sorted, other);
  }
  const middle = (sorted.length - 1) / 2;
  const median = ((sorted[Math.floor(middle)] ?? rank) + (sorted[Math.ceil(middle)] ?? rank)) / 2;
  return { rank: median, count: Math.max(1, sorted.length) };
}

/** How often two ranks in a row were as near to these as `within`. */
function timesMade([from, to]: readonly [from: number, to: number], ranks: ArrayLike<number>, within: number): number {
  let times = 0;
  for (let index = 1; index < ranks.length; index += 1) {
    const isFrom = Math.abs((ranks[index - 1] ?? 0) - from) <= within;
    if (isFrom && Math.abs((ranks[index] ?? 0) - to) <= within) times += 1;
  }
  return times;
}

/** Faster than sorting later: a table judges a hundred thousand changes, of a few ranks each. */
function insertSorted(sorted: number[], value: number): void {
  let at = sorted.length;
  for (; at > 0 && (sorted[at - 1] ?? 0) > value; at -= 1) sorted[at] = sorted[at - 1] ?? 0;
  sorted[at] = value;
}

/** Ranks from the level; positive is worse. An absence lies at least one rank below what was read. */
function distanceOf(look: Sighting, level: number): number {
  return (look.rank ?? seenDownTo(look) + 1) - level;
}

/** A target that was not found before has no level: it is judged by the distance from the last result read then. */
function judgeEntry({ before, after, secondLook }: ObservedChange, ranks: ArrayLike<number>): Significance {
  const observations = ranks.length;
  const border = seenDownTo(before) + 1;
  const looks = secondLook === undefined ? [after] : [after, secondLook];
  const distances = looks.map((look) =>
    look.rank === null ? 0 : (border - look.rank) / (priorScale(border) * Math.SQRT2),
  );
  const weakest = Math.min(...distances);
  if (weakest <= limits.likely) return { class: 'noise', band: null, observations };
  const isCertain = secondLook !== undefined || (weakest > limits.certain && !returns(after, ranks));
  return { class: isCertain ? 'certain' : 'likely', band: null, observations };
}

/** Whether a target is back at the ranks that it had before it was not found. */
function returns({ rank }: Sighting, ranks: ArrayLike<number>): boolean {
  const last = ranks[ranks.length - 1];
  if (rank === null || last === undefined) return false;
  const scale = jitterScale(last, ranks);
  const level = levelOf(last, ranks, scale);
  return Math.abs(rank - level.rank) <= limits.likely * scale * Math.sqrt(1 + 1 / level.count);
}

function clamp(value: number, most: number): number {
  return Math.max(-most, Math.min(most, value));
}

/** Whether a change lies outside the noise band of its keyword. */
export function exceedsBand(significance: Pick<Significance, 'class'> | null): boolean {
  return significance !== null && significance.class !== 'noise';
}
