// Simulated ranks of the days ahead, and which changes a series of checks finds in ranks that are known.

import { ctr } from '../changes/visibility.ts';
import { sumOf } from '../figures.ts';
import {
  changeChance,
  changeRate,
  type GroupPriors,
  type RankBand,
  rankBandOf,
  ranksAfterChange,
  usualStarts,
} from './rates.ts';
import type { TargetEvidence } from './sightings.ts';

/** A number in [0, 1), the next of a reproducible sequence. */
export type Random = () => number;

/** What the targets of a group share, as in the adaptive plan. */
export interface WalkGroup {
  readonly priors: GroupPriors;
  /** Pages of a full check; ranks below them count as not found. */
  readonly depth: number;
  /** Last ranks of targets with history, from which a target without history starts. */
  readonly knownRanks: readonly (number | null)[];
}

/** The ranks of the targets of one site in one check; null: not found down to the full depth. */
export type SiteRanks = readonly (number | null)[];

/** Where the walk of a site starts. `past`: its proven ranks so far, oldest first. */
export interface WalkStart {
  /** Of the target that ranks best. */
  readonly evidence: TargetEvidence;
  readonly last: SiteRanks;
  readonly past: readonly SiteRanks[];
}

/** Rates within a band spread as a gamma distribution of this shape: `usualShape` of rates.ts, rounded. */
const rateShape = 1;
/** A generator of uniform numbers (mulberry32): the same seed, the same sequence. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Ranks that change go back to earlier ones with this probability, where enough of them are known. */
const returnShare = 0.75;
const pastRanksMin = 5;

/** Remembers the moves of a group: its targets at the same rank share them. */
export type MoveCache = Map<number | null, readonly number[]>;

/**
 * The ranks of a site's targets on each of `days` days. Day 0 has the last known ranks, or one drawn from the known
 * ranks of the group. Ranks change with the rate of the band of the best one, times how much faster or slower this site
 * has changed than its band. Most new ranks are those of an earlier check, so that the walk stays where the site has
 * been; the others come from the moves of the group, for all targets that ranked with the best one.
 */
export function walkRanks(
  { evidence, last, past }: WalkStart,
  group: WalkGroup,
  days: number,
  random: Random,
  moves: MoveCache,
): SiteRanks[] {
  const bandRate = (band: RankBand): number => group.priors.rates[band].shape / group.priors.rates[band].days;
  const isKnown = evidence.lookedAt !== null;
  const first = isKnown ? null : startRank(group, random);
  let ranks = isKnown ? last : last.map(() => first);
  const band = rankBandOf(bestRank(ranks));
  const factor = isKnown
    ? changeRate(evidence, group.priors.rates[band]) / bandRate(band)
    : -Math.log(1 - random()) / rateShape;
  const walk: SiteRanks[] = [ranks];
  while (walk.length < days) {
    const best = bestRank(ranks);
    if (random() < changeChance(factor * bandRate(rankBandOf(best)), 1)) {
      const others = past.length < pastRanksMin ? [] : past.filter((each) => bestRank(each) !== best);
      const returned = random() < returnShare ? others[Math.floor(random() * others.length)] : undefined;
      const moved = returned === undefined ? movedRank(best, group, random, moves) : null;
      ranks = returned ?? ranks.map((rank) => (rank === best ? moved : rank));
    }
    walk.push(ranks);
  }
  return walk;
}

/** The best of several ranks; null: none. */
export function bestRank(ranks: SiteRanks): number | null {
  return ranks.reduce((best, rank) => (best === null || (rank !== null && rank < best) ? rank : best), null);
}

function startRank({ knownRanks, depth }: WalkGroup, random: Random): number | null {
  const chance = random();
  if (knownRanks.length > 0) return knownRanks[Math.floor(chance * knownRanks.length)] ?? null;
  let left = chance;
  for (const [share, from, to] of usualStarts) {
    if (left < share) {
      const rank = from + Math.floor(random() * (to - from + 1));
      return rank === 0 || rank > depth * 10 ? null : rank;
    }
    left -= share;
  }
  return null;
}

function movedRank(rank: number | null, { priors, depth }: WalkGroup, random: Random, moves: MoveCache): number | null {
  let chances = moves.get(rank);
  if (chances === undefined) {
    chances = ranksAfterChange(rank, depth, priors.spreads[rankBandOf(rank)]);
    moves.set(rank, chances);
  }
  let left = random();
  for (const [index, chance] of chances.entries()) {
    left -= chance;
    if (left < 0) return index === depth * 10 ? null : index + 1;
  }
  return rank;
}

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
    const changesUntil = (day: number): Change[] => {
      const pending: Change[] = [];
      for (; next <= day && next < days; next += 1) {
        const [before, now] = [ranks[next - 1] ?? null, ranks[next] ?? null];
        if (before !== now) pending.push({ day: next, worth: volume * Math.abs(ctr(curve, before) - ctr(curve, now)) });
      }
      changes += pending.length;
      for (const { worth } of pending) all += worth;
      return pending;
    };
    for (const look of looks) {
      for (const { day, worth } of changesUntil(look.day)) {
        if (!differs(seen, look)) continue;
        shown += 1;
        delays += look.day - day;
        if (look.day - day > inTimeDays) continue;
        found += worth;
        inTime += 1;
      }
      if (look.rank !== null || seen.rank === null || seen.rank <= look.seenDownTo) seen = look;
      gap = Math.max(gap, look.day - lastDay);
      lastDay = look.day;
    }
    changesUntil(days);
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
  const all = sumOf(shares, ([each]) => each);
  if (all === 0) return { foundTraffic: null, foundTrafficError: null };
  const ratio = sumOf(shares, ([, found]) => found) / all;
  const squares = sumOf(shares, ([each, found]) => (found - ratio * each) ** 2);
  return { foundTraffic: ratio, foundTrafficError: Math.sqrt(squares) / all };
}
