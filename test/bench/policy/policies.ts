// The compared policies: fixed intervals, tiers, the adaptive plan of the product, and an oracle.
import { ctr } from '../../../src/tracker/changes/visibility.ts';
import { isChecked, planAdaptively } from '../../../src/tracker/signal/adaptive-plan.ts';
import { evidenceOf, type TargetEvidence } from '../../../src/tracker/signal/sightings.ts';
import { curve, dayMs, fullDepth, type KnownSearch, type Policy } from './score.ts';
import type { TrueSearch } from './truth.ts';

/** Each search every so many days to full depth, evenly spread. */
export function everyDays(days: number): Policy {
  return function* (day, searches) {
    for (const { index } of searches) if ((day + index) % days === 0) yield [index, fullDepth];
  };
}

/** The tenth with the most volume x expected CTR change daily, the rest weekly. */
export function tiers(): Policy {
  return function* (day, searches) {
    const worth = ({ volume, history }: KnownSearch): number => {
      const rank = history.findLast(({ rank: seen }) => seen !== null)?.rank ?? null;
      return volume * Math.abs(ctr(curve, rank) - ctr(curve, (rank ?? 100) + 1));
    };
    const order = searches.map((search) => [search.index, worth(search)] as const).toSorted((a, b) => b[1] - a[1]);
    const top = new Set(order.slice(0, Math.ceil(order.length / 10)).map(([index]) => index));
    for (const { index } of searches) if (top.has(index) || (day + index) % 7 === 0) yield [index, fullDepth];
  };
}

/** The plan of the product, with the remaining credits spread over the remaining days. */
export function adaptive(atLeastEveryDays = 7): Policy {
  const condensed = new Map<number, { readonly sightings: number; readonly evidence: TargetEvidence }>();
  const evidence = ({ index, history }: KnownSearch): TargetEvidence => {
    const known = condensed.get(index);
    if (known?.sightings === history.length) return known.evidence;
    const made = evidenceOf(history);
    condensed.set(index, { sightings: history.length, evidence: made });
    return made;
  };
  return function* (day, searches, creditsLeft, daysLeft) {
    const { decisions } = planAdaptively(
      searches.map((search) => ({
        key: String(search.index),
        group: 'bench',
        volume: search.volume,
        priority: 'normal',
        depth: fullDepth,
        targets: [evidence(search)],
      })),
      { now: day * dayMs, slotDays: 1, curve, rateFactor: 1, credits: creditsLeft / daysLeft, atLeastEveryDays },
    );
    for (const decision of decisions)
      if (isChecked(decision)) yield [Number(decision.search.key), decision.option.pages];
  };
}

/** Knows every change, and checks a search on the day of each. */
export function oracle(truth: readonly TrueSearch[]): Policy {
  return function* (day) {
    for (const [index, { ranks }] of truth.entries()) {
      if (ranks[day] !== ranks[day - 1]) yield [index, fullDepth];
    }
  };
}
