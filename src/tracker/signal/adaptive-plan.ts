// The adaptive plan: which searches to check today, how deep, and why, within the credits of the day. Deterministic.
import { dayMs } from '../schedule/time-units.ts';
import {
  type CheckOption,
  checkOptions,
  type GroupPriors,
  type OutlookCache,
  type SearchOutlook,
  type ValueSettings,
} from './check-value.ts';
import { spreadShares } from './grid-spread.ts';
import { priorsOf, unknownPriors } from './group-priors.ts';
import { type GapSearch, gapChecks, gapCredits, isGapEnding } from './longest-gaps.ts';

export interface PlanSettings extends ValueSettings {
  /** Credits that the checks of today may be expected to cost. */
  readonly credits: number;
  /** Credits that the first check may cost where `credits` do not suffice for it; absent: no more than these. */
  readonly firstCheckMax?: number;
  /**
   * The longest gap between two checks of a search, in days. A check reads page 1; every second one at least follows
   * the targets to where they ranked.
   */
  readonly atLeastEveryDays: number;
}

/**
 * Why a search is or is not checked today. `new`: never checked. `gap`: to keep its longest gap. `value`: a change is
 * worth the credits. `waits`: other checks find more. `over_budget`: its longest gap ends, but no credits are left.
 */
export type DecisionRule = 'new' | 'gap' | 'value' | 'waits' | 'over_budget';

export interface Decision {
  readonly search: SearchOutlook;
  readonly rule: DecisionRule;
  /** The check that was chosen, or that waits. */
  readonly option: CheckOption;
  /** Days since the last check; Infinity: never. */
  readonly days: number;
}

export interface AdaptivePlan {
  /** In the order of the searches. */
  readonly decisions: readonly Decision[];
  /** Expected credits of the checks. */
  readonly credits: number;
  /** Value per credit of the last check that was worth it; the price of a click. */
  readonly cut: number;
}

interface Candidate extends GapSearch {
  readonly index: number;
  readonly search: SearchOutlook;
  readonly days: number;
  /** The best check by value per credit. */
  readonly best: CheckOption;
  /** Its value per credit, or what it will be in the next slot, if that is more. */
  readonly ripeValue: number;
}

/** Page 1 is read within one longest gap, the pages down to the last rank within two. */
const followGaps = 2;
/** A slot may start so much earlier than the one before did, in slots. */
const slackSlots = 0.1;

/** Whether a decision is to check. */
export function isChecked({ rule }: Decision): boolean {
  return rule === 'new' || rule === 'gap' || rule === 'value';
}

/**
 * Plans a day. Searches that were never checked come first. Then the longest gaps: each slot takes so many of the
 * oldest that no later slot has to take more. What is left buys the checks with the highest value per expected credit.
 * Before a project has history, the usual rates of rank bands decide: top searches by volume x expected CTR change as
 * often as the budget allows, the others at the longest gap (tiers).
 */
export function planAdaptively(searches: readonly SearchOutlook[], settings: PlanSettings): AdaptivePlan {
  const priors = priorsOf(searches);
  const cache: OutlookCache = new Map();
  const candidates = spread(searches.map((search, index) => candidate(search, index, priors, settings, cache)));
  const purse = new Purse(candidates, settings);
  const unseen = candidates.filter(({ days }) => days === Number.POSITIVE_INFINITY);
  for (const each of unseen.toSorted(byValue)) {
    if (!purse.buy(each, 'new', each.following)) purse.decide(each, 'over_budget', each.following);
  }
  const seen = candidates.filter(({ days }) => days !== Number.POSITIVE_INFINITY);
  const offers = seen.flatMap(offersOf).toSorted(byRatio);
  // searches that are checked for their value keep their gap anyway, and need no credits for it
  const cut = cutOf(offers, purse.left - gapCredits(seen, purse.left));
  const rest = seen.filter((each) => isGapEnding(each) || each.ripeValue < cut);
  const unkept = gapChecks(rest, purse.left, byValue)
    .filter(({ search, options }) => !options.some((option) => purse.buy(search, 'gap', option)))
    .flatMap(({ search }) => (isGapEnding(search) ? search : []));
  for (const { candidate: each, option } of offers) purse.buy(each, 'value', option);
  for (const each of unkept) {
    const option = each.followSlotsLeft <= 0 ? each.following : each.look;
    if (!purse.has(each) && !purse.buy(each, 'gap', option)) purse.decide(each, 'over_budget', option);
  }
  return { decisions: purse.decisions(), credits: settings.credits - purse.left, cut };
}

/** The credits of a day, and what they bought. */
class Purse {
  left: number;
  /** The most that the next check may cost. */
  #checkMax: number;
  readonly #candidates: readonly Candidate[];
  readonly #rules: DecisionRule[];
  readonly #options: CheckOption[];

  constructor(candidates: readonly Candidate[], { credits, firstCheckMax = 0 }: PlanSettings) {
    this.left = credits;
    this.#checkMax = Math.max(credits, firstCheckMax);
    this.#candidates = candidates;
    this.#rules = candidates.map(() => 'waits');
    this.#options = candidates.map(({ best }) => best);
  }

  decide({ index }: Candidate, rule: DecisionRule, option: CheckOption): void {
    this.#rules[index] = rule;
    this.#options[index] = option;
  }

  /** Whether a check of it was bought. */
  has({ index }: Candidate): boolean {
    return this.#rules[index] !== 'waits';
  }

  /** Buys a check, or makes one that was bought for its value read on; false where the credits do not suffice. */
  buy(each: Candidate, rule: 'new' | 'gap' | 'value', option: CheckOption): boolean {
    const had = this.#rules[each.index];
    const isBought = had !== 'waits';
    const pages = this.#options[each.index]?.pages ?? 0;
    if (isBought && (rule !== 'value' || option.pages <= pages)) return false;
    // to read on is worth its credits only on top of the pages before
    if (!isBought && rule === 'value' && option !== each.best) return false;
    const credits = option.credits - (isBought ? (this.#options[each.index]?.credits ?? 0) : 0);
    if (credits > this.#checkMax || had === 'over_budget') return false;
    this.left -= credits;
    this.#checkMax = this.left;
    this.decide(each, rule, option);
    return true;
  }

  decisions(): Decision[] {
    return this.#candidates.map(({ search, index, days, best }) => ({
      search,
      rule: this.#rules[index] ?? 'waits',
      option: this.#options[index] ?? best,
      days,
    }));
  }
}

/** A check that credits may buy, or the further pages of one. */
interface Offer {
  readonly candidate: Candidate;
  readonly option: CheckOption;
  readonly credits: number;
  /** Value per credit. */
  readonly ratio: number;
}

/** The best check, and what it gains by reading on. The first has the higher ratio, so that it is bought first. */
function offersOf(each: Candidate): Offer[] {
  const { best, following } = each;
  const first = { candidate: each, option: best, credits: best.credits, ratio: best.value / best.credits };
  const credits = following.credits - best.credits;
  if (following.pages <= best.pages || credits <= 0 || following.value <= best.value) return [first];
  return [first, { candidate: each, option: following, credits, ratio: (following.value - best.value) / credits }];
}

function byRatio(a: Offer, b: Offer): number {
  return b.ratio - a.ratio || a.candidate.index - b.candidate.index || a.option.pages - b.option.pages;
}

function candidate(
  search: SearchOutlook,
  index: number,
  priors: ReadonlyMap<string, GroupPriors>,
  settings: PlanSettings,
  cache: OutlookCache,
): Candidate {
  const shared = priors.get(search.group) ?? unknownPriors;
  const days = daysSince(
    search.targets.map(({ lookedAt }) => lookedAt),
    settings.now,
  );
  const followedDays = daysSince(
    search.targets.map(({ followedAt }) => followedAt),
    settings.now,
  );
  const slotsUntil = (limitDays: number, gap: number): number =>
    gap === Number.POSITIVE_INFINITY ? 0 : Math.floor((limitDays - gap) / settings.slotDays + slackSlots);
  const every = settings.atLeastEveryDays;
  const lookSlotsLeft = slotsUntil(every, days);
  const followSlotsLeft = slotsUntil(followGaps * every, followedDays);
  const options = checkOptions(search, shared, settings, cache);
  // right after a check the next one is worth little, which says nothing about how it is until its gap ends
  const next = settings.now + settings.slotDays * dayMs;
  const ripe = checkOptions(search, shared, { ...settings, now: next }, cache);
  const ripeValue = Math.max(...[options, ripe].map(({ best }) => best.value / best.credits));
  return { index, search, days, ...options, ripeValue, lookSlotsLeft, followSlotsLeft };
}

/** Points of a grid are worth what their neighbours do not show. */
function spread(candidates: readonly Candidate[]): Candidate[] {
  const maps = Map.groupBy(candidates, ({ search }) => search.spot?.map);
  const shares = new Map<Candidate, number>();
  for (const [map, members] of maps) {
    if (map === undefined) continue;
    const points = members.map((each) => ({ row: 0, column: 0, ...each.search.spot, value: valuePerCredit(each) }));
    spreadShares(points).forEach((share, index) => {
      const member = members[index];
      if (member !== undefined) shares.set(member, share);
    });
  }
  return candidates.map((each) => scaled(each, shares.get(each) ?? 1));
}

function scaled(each: Candidate, share: number): Candidate {
  if (share === 1) return each;
  const look = { ...each.look, value: each.look.value * share };
  const following = each.following === each.look ? look : { ...each.following, value: each.following.value * share };
  const chosen = (option: CheckOption): CheckOption => (option === each.look ? look : following);
  return { ...each, look, following, best: chosen(each.best), ripeValue: each.ripeValue * share };
}

/** Days since the oldest of these moments; Infinity where one is missing, or there is none. */
function daysSince(moments: readonly (number | null)[], now: number): number {
  let oldest = now;
  for (const at of moments) {
    if (at === null) return Number.POSITIVE_INFINITY;
    oldest = Math.min(oldest, at);
  }
  return moments.length === 0 ? Number.POSITIVE_INFINITY : (now - oldest) / dayMs;
}

const valuePerCredit = ({ best }: Candidate): number => best.value / best.credits;

function byValue(a: Candidate, b: Candidate): number {
  return valuePerCredit(b) - valuePerCredit(a) || a.index - b.index;
}

/** Value per credit at which the credits are spent. */
function cutOf(offers: readonly Offer[], credits: number): number {
  let left = credits;
  for (const offer of offers) {
    left -= offer.credits;
    if (left < 0) return offer.ratio;
  }
  return 0;
}
