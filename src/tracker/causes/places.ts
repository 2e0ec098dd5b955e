// What moved between two results pages around a target: who entered, left, passed or fell behind it. Pure.

import { sumOf } from '../figures.ts';
import { getOrInsert } from '../maps.ts';

/** The organic results of one check from rank 1 without a gap: numbers that stand for URLs and their sites. */
export interface ResultsRead {
  readonly urlIds: readonly number[];
  /** By result; 0: no site is known. */
  readonly siteIds: readonly number[];
}

/** Another result that stands on the other side of the target than before. */
export interface Mover {
  readonly kind: 'entered' | 'left' | 'passed' | 'overtaken';
  /** Of `after`; of a result that left, of `before`. */
  readonly urlId: number;
  readonly siteId: number;
  /** Null: not among the results that were read; of one that passed or was overtaken, below all of them. */
  readonly previousRank: number | null;
  readonly rank: number | null;
  /** How much of the change of sides is its own movement, and not the target's: 0 to 1. 1: it entered or left. */
  readonly lead: number;
}

export interface Movements {
  readonly movers: readonly Mover[];
  /** Places that the target gained: each mover that left or was overtaken gives 1, each other one takes 1. */
  readonly places: number;
  /** How much of the movement in the direction of the change is the target's own: 0 to 1. */
  readonly ownShare: number;
}

export const placesOf = ({ kind }: Pick<Mover, 'kind'>): 1 | -1 => (kind === 'left' || kind === 'overtaken' ? 1 : -1);

/**
 * `previousRank` and `rank`: of the target's best result; null: below all results that were read, so that the places
 * are at least so many. A result is the same if its URL is, or else the next one of its site: a site that swaps its
 * page neither enters nor leaves.
 */
export function movementsAround(
  before: ResultsRead,
  previousRank: number | null,
  after: ResultsRead,
  rank: number | null,
): Movements {
  const [then, now] = [previousRank ?? before.urlIds.length + 1, rank ?? after.urlIds.length + 1];
  const beforeOf = sameResults(before, then - 1, after, now - 1);
  const afterOf = new Map<number, number>();
  for (const [at, earlier] of beforeOf.entries()) if (earlier >= 0) afterOf.set(earlier, at);
  const moved = new OwnMoves(beforeOf, then - 1, now - 1);
  const movers: Mover[] = [];
  for (let at = 0; at < now - 1; at += 1) {
    const earlier = beforeOf[at] ?? -1;
    if (earlier >= 0 && earlier < then - 1) continue;
    // below what was read before, it may have stood there all the time
    const isNew = earlier < 0 && at < before.urlIds.length;
    movers.push({
      kind: isNew ? 'entered' : 'passed',
      urlId: after.urlIds[at] ?? 0,
      siteId: after.siteIds[at] ?? 0,
      previousRank: earlier < 0 ? null : earlier + 1,
      rank: at + 1,
      lead: isNew ? 1 : moved.lead(at),
    });
  }
  for (let at = 0; at < then - 1; at += 1) {
    const later = afterOf.get(at);
    if (later !== undefined && later < now - 1) continue;
    const isGone = later === undefined && at < after.urlIds.length;
    movers.push({
      kind: isGone ? 'left' : 'overtaken',
      urlId: before.urlIds[at] ?? 0,
      siteId: before.siteIds[at] ?? 0,
      previousRank: at + 1,
      rank: later === undefined ? null : later + 1,
      lead: isGone ? 1 : moved.lead(later ?? -1),
    });
  }
  const places = then - now;
  const alike = movers.filter((mover) => Math.sign(placesOf(mover)) === Math.sign(places));
  const led = sumOf(alike, ({ lead }) => lead);
  return { movers, places, ownShare: alike.length === 0 ? 0 : 1 - led / alike.length };
}

/** By index of `after`: the index of the same result in `before`, or -1. The target's own results are left out. */
function sameResults(before: ResultsRead, then: number, after: ResultsRead, now: number): readonly number[] {
  const byUrl = new Map<number, number[]>();
  for (const [at, urlId] of before.urlIds.entries()) if (at !== then) getOrInsert(byUrl, urlId, () => []).push(at);
  const found = after.urlIds.map((urlId, at) => (at === now ? -1 : (byUrl.get(urlId)?.shift() ?? -1)));
  const taken = new Set(found);
  const bySite = new Map<number, number[]>();
  for (const [at, siteId] of before.siteIds.entries())
    if (at !== then && siteId !== 0 && !taken.has(at)) getOrInsert(bySite, siteId, () => []).push(at);
  return found.map((earlier, at) => {
    if (earlier >= 0 || at === now) return earlier;
    return bySite.get(after.siteIds[at] ?? 0)?.shift() ?? -1;
  });
}

/**
 * Who moved, of two that changed sides: the results that are on both pages, without the target, are the scale. A result
 * that crossed some of them moved; one that crossed none stood still, and the target moved.
 */
class OwnMoves {
  readonly #moveOf = new Map<number, number>();
  readonly #target: number;

  constructor(beforeOf: readonly number[], then: number, now: number) {
    const common = beforeOf.flatMap((earlier, at) => (earlier < 0 ? [] : [{ earlier, at }]));
    const placeBefore = new Map(common.toSorted((a, b) => a.earlier - b.earlier).map(({ at }, place) => [at, place]));
    for (const [place, { at }] of common.entries())
      this.#moveOf.set(at, Math.abs(place - (placeBefore.get(at) ?? place)));
    const above = (index: (of: (typeof common)[number]) => number, limit: number): number =>
      common.filter((of) => index(of) < limit).length;
    this.#target = Math.abs(above(({ earlier }) => earlier, then) - above(({ at }) => at, now));
  }

  /** Of a result that changed sides, by its index in `after`. */
  lead(at: number): number {
    const moved = this.#moveOf.get(at) ?? 0;
    return moved + this.#target === 0 ? 0.5 : moved / (moved + this.#target);
  }
}
