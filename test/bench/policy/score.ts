// Runs a policy day by day on true ranks: its cost, and which changes it detects within a day.
import { ctr } from '../../../src/tracker/changes/visibility.ts';
import type { Sighting } from '../../../src/tracker/signal/sightings.ts';
import type { TrueSearch } from './truth.ts';

export const curve = 'sistrix-2020';
export const fullDepth = 10;
export const dayMs = 86_400_000;

/** What a policy may use about a search: its number, its volume, and the results of its earlier checks. */
export interface KnownSearch {
  readonly index: number;
  readonly volume: number;
  readonly history: readonly Sighting[];
}

/** Pages to read at most, per search to check today, in order of purchase. */
type Checks = Iterable<readonly [index: number, pages: number]>;
export type Policy = (day: number, searches: readonly KnownSearch[], creditsLeft: number, daysLeft: number) => Checks;

export interface Score {
  readonly credits: number;
  /** Share of the traffic of all changes (volume x change of CTR) that was found within one day. */
  readonly found: number;
  /** The same, each change counting once. */
  readonly foundOfAll: number;
  /** The longest time without a check, in days. */
  readonly longestGap: number;
}

/** Pages of a check: until found, at most `pages`. */
function pagesRead(rank: number | null, pages: number): number {
  return rank === null ? pages : Math.min(pages, Math.ceil(rank / 10));
}

/** Credits of daily checks to full depth. */
export function dailyCredits(truth: readonly TrueSearch[]): number {
  return truth.reduce(
    (sum, { ranks }) => sum + ranks.slice(1).reduce<number>((total, rank) => total + pagesRead(rank, fullDepth), 0),
    0,
  );
}

/**
 * Every policy knows the ranks of day 0 and is scored from day 1 on. A change is found in time if the first check on
 * its day or the next shows another rank than the last seen. `credits`: a hard limit; checks beyond it are not made.
 */
export function live(truth: readonly TrueSearch[], policy: Policy, credits = Number.POSITIVE_INFINITY): Score {
  const days = truth[0]?.ranks.length ?? 0;
  const histories = truth.map(({ ranks }) => [sight(0, ranks[0] ?? null, fullDepth)]);
  const known = truth.map(({ volume }, index) => ({ index, volume, history: histories[index] ?? [] }));
  const lastCheck = truth.map(() => 0);
  const pending = truth.map(() => [] as { readonly day: number; readonly worth: number }[]);
  let [spent, all, found, changes, foundChanges, longestGap] = [0, 0, 0, 0, 0, 0];
  for (let day = 1; day < days; day += 1) {
    for (const [index, { ranks, volume }] of truth.entries()) {
      const [before, now] = [ranks[day - 1] ?? null, ranks[day] ?? null];
      if (before === now) continue;
      const worth = volume * Math.abs(ctr(curve, before) - ctr(curve, now));
      all += worth;
      changes += 1;
      pending[index]?.push({ day, worth });
    }
    for (const [index, pages] of policy(day, known, credits - spent, days - day)) {
      const rank = truth[index]?.ranks[day] ?? null;
      const cost = pagesRead(rank, pages);
      if (spent + cost > credits) continue;
      spent += cost;
      const seen = rank !== null && rank <= pages * 10 ? rank : null;
      const history = histories[index] ?? [];
      if (isNews(history, seen, pages)) {
        const inTime = (pending[index] ?? []).filter((change) => day - change.day <= 1);
        foundChanges += inTime.length;
        found += inTime.reduce((sum, change) => sum + change.worth, 0);
      }
      pending[index] = [];
      history.push(sight(day, seen, pages));
      longestGap = Math.max(longestGap, day - (lastCheck[index] ?? 0));
      lastCheck[index] = day;
    }
  }
  for (const last of lastCheck) longestGap = Math.max(longestGap, days - 1 - last);
  return { credits: spent, found: found / all, foundOfAll: foundChanges / changes, longestGap };
}

/** Whether a check shows another rank than the last one that it compares with. */
function isNews(history: readonly Sighting[], rank: number | null, pages: number): boolean {
  const before = history.findLast((sighting) => sighting.rank !== null || rank === null || rank <= sighting.depth * 10);
  if (before === undefined) return false;
  if (before.rank === null || rank !== null) return before.rank !== rank;
  return before.rank <= pages * 10;
}

function sight(day: number, rank: number | null, depth: number): Sighting {
  return { checkedAt: day * dayMs, rank, depth, resultsRead: null, source: 'bench/truth' };
}
