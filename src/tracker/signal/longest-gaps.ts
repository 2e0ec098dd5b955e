// The longest gaps of an adaptive plan: what has to be read today so that none ends later without the credits for it.
import type { CheckOption } from './check-value.ts';

/** A search whose gaps are kept. */
export interface GapSearch {
  /** Page 1. */
  readonly look: CheckOption;
  /** Reads on until every target is found that was found before. */
  readonly following: CheckOption;
  /** Whole slots that page 1, and the pages down to the last rank, may still wait; 0: today, below 0: overdue. */
  readonly lookSlotsLeft: number;
  readonly followSlotsLeft: number;
}

/** A check of today, and the options for it, the first that the credits allow. */
export interface GapCheck<T> {
  readonly search: T;
  readonly options: readonly CheckOption[];
}

/** Of the credits that page 1 leaves, longest gaps may spend this share on further pages: the rest finds more. */
const furtherShareMax = 0.25;

/** Whether a gap of a search ends today, or is overdue. */
export function isGapEnding({ lookSlotsLeft, followSlotsLeft }: GapSearch): boolean {
  return Math.min(lookSlotsLeft, followSlotsLeft) <= 0;
}

/** Credits that the gaps of these searches need today, of `left`. */
export function gapCredits(searches: readonly GapSearch[], left: number): number {
  return looksDue(searches) + Math.min(furtherDue(searches), furtherMax(searches, left));
}

/**
 * The checks that the gaps of these searches need today, of `left` credits. Page 1 and the further pages are each
 * spread over the slots until they are due. Where page 1 is read anyway, those read on that were not followed for the
 * longest time. `byValue` decides between equals.
 */
export function gapChecks<T extends GapSearch>(
  searches: readonly T[],
  left: number,
  byValue: (a: T, b: T) => number,
): GapCheck<T>[] {
  let looks = looksDue(searches);
  const today = searches
    .toSorted((a, b) => Math.max(0, a.lookSlotsLeft) - Math.max(0, b.lookSlotsLeft) || byValue(a, b))
    .filter((each) => {
      const isLook = looks > 0 || each.lookSlotsLeft <= 0;
      if (isLook) looks -= each.look.credits;
      return isLook || each.followSlotsLeft <= 0;
    });
  let further = furtherDue(searches);
  let furtherLeft = furtherMax(searches, left);
  const followed = new Set<T>();
  for (const each of today.toSorted((a, b) => a.followSlotsLeft - b.followSlotsLeft || byValue(a, b))) {
    const credits = furtherCredits(each);
    if (credits <= 0 || further <= 0 || credits > furtherLeft) continue;
    further -= credits;
    furtherLeft -= credits;
    followed.add(each);
  }
  return today.map((search) => {
    const { look, following, lookSlotsLeft, followSlotsLeft } = search;
    // where only the further pages are due, page 1 alone keeps no gap
    const options = lookSlotsLeft <= 0 || followSlotsLeft > 0 ? [look] : [];
    return { search, options: followed.has(search) ? [following, ...options] : options };
  });
}

function looksDue(searches: readonly GapSearch[]): number {
  return dueToday(searches.map(({ lookSlotsLeft, look }) => [lookSlotsLeft, look.credits]));
}

function furtherDue(searches: readonly GapSearch[]): number {
  return dueToday(searches.map((each) => [each.followSlotsLeft, furtherCredits(each)]));
}

function furtherMax(searches: readonly GapSearch[], left: number): number {
  return furtherShareMax * Math.max(0, left - looksDue(searches));
}

function furtherCredits({ look, following }: GapSearch): number {
  return following.credits - look.credits;
}

/** Credits that today has to spend, so that no slot until these deadlines has to spend more. */
function dueToday(deadlines: readonly (readonly [slotsLeft: number, credits: number])[]): number {
  const until: number[] = [];
  for (const [slotsLeft, credits] of deadlines) {
    const slot = Math.max(0, slotsLeft);
    until[slot] = (until[slot] ?? 0) + credits;
  }
  let [sum, most] = [0, 0];
  for (let slot = 0; slot < until.length; slot += 1) {
    sum += until[slot] ?? 0;
    most = Math.max(most, sum / (slot + 1));
  }
  return most;
}
