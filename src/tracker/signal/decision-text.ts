// Says in one line why the adaptive plan checks a search today, or why not.
import { dayMs } from '../schedule/time-units.ts';
import type { Decision } from './adaptive-plan.ts';

/** One line for `plan`, such as `check: ranked 4 2 days ago, 0.2 changes a day, 31 clicks per credit`. */
export function decisionReason({ rule, option, search, days }: Decision, atLeastEveryDays: number): string {
  const seen = Number.isFinite(days) ? seenText(search, days) : unseenText(search);
  const clicks = option.value / option.credits;
  const { rateFactor = 1 } = search;
  const sensed = rateFactor > 1 ? ' (Search Console shows a move)' : '';
  const guessed = search.volume === null ? ' (volume unknown)' : '';
  const worth = `${decimals(option.rate)} changes a day${sensed}, ${decimals(clicks)} clicks per credit${guessed}`;
  switch (rule) {
    case 'new':
      return `check: ${seen}`;
    case 'value':
      return `check: ${seen}, ${worth}`;
    case 'gap':
      return `check: ${seen}, longest gap ${daysText(atLeastEveryDays)}`;
    case 'waits':
      return `waits: ${seen}, ${worth}`;
    case 'over_budget':
      return Number.isFinite(days)
        ? `no credits left: ${seen}, beyond its longest gap of ${daysText(atLeastEveryDays)}`
        : `no credits left: ${seen}, needs ${creditsText(option.credits)}`;
  }
}

/** The best rank and when it was seen. A later check may have read page 1 only, which does not say where it is now. */
function seenText({ targets }: Decision['search'], days: number): string {
  const [best] = targets.filter(({ rank }) => rank !== null).toSorted((a, b) => (a.rank ?? 0) - (b.rank ?? 0));
  if (best === undefined) return `not found ${daysText(days)} ago`;
  const looks = targets.map(({ lookedAt }) => lookedAt ?? 0);
  const ago = (at: number | null): string => daysText(days + (Math.min(...looks) - (at ?? 0)) / dayMs);
  const ranked = `ranked ${best.rank} ${ago(best.followedAt)} ago`;
  return best.followedAt === best.lookedAt ? ranked : `${ranked}, not on page 1 ${ago(best.lookedAt)} ago`;
}

/** A target that was added lately has no rank yet, unlike those beside it. */
function unseenText({ targets }: Decision['search']): string {
  const isAdded = targets.some(({ lookedAt }) => lookedAt !== null);
  return isAdded ? 'a target was never looked for' : 'never checked before';
}

function creditsText(credits: number): string {
  return credits === 1 ? '1 credit' : `${decimals(credits)} credits`;
}

function daysText(days: number): string {
  const rounded = Math.round(days * 10) / 10;
  return rounded === 1 ? '1 day' : `${rounded} days`;
}

/** Two significant digits, without an exponent. */
function decimals(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 2, useGrouping: false });
}
