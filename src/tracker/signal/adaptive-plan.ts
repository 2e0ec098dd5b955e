// The adaptive plan: which searches to check today, how deep, and why, within the credits of the day. Deterministic.

import { rounded, sumOf } from '../figures.ts';
import { likeness } from '../grid.ts';
import { dayMs, daysBetween } from '../schedule/time-units.ts';
import {
  type CheckOption,
  checkOptions,
  type GridSpot,
  type OutlookCache,
  type SearchOutlook,
  type ValueSettings,
  withLostTargets,
} from './check-value.ts';
import { type GroupPriors, priorsOf, unknownPriors } from './rates.ts';

export interface PlanSettings extends ValueSettings {
  /** Credits that the checks of today may be expected to cost. */
  readonly credits: number;
  /** Credits that the first check may cost where `credits` do not suffice for it; absent: no more than these. */
  readonly firstCheckMax?: number;
  /** The most that first checks may cost at worst; absent: no limit. */
  readonly creditsAtWorst?: number;
  /**
   * Where the first checks of all searches that were never checked are expected to cost no more than `creditsMax`, they
   * are spread over `slots`, also if that exceeds the credits of today. Absent: they take no more than these.
   */
  readonly firstChecks?: { readonly slots: number; readonly creditsMax: number };
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

interface AdaptivePlan {
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
export function planAdaptively(planned: readonly SearchOutlook[], settings: PlanSettings): AdaptivePlan {
  const searches = planned.map(withLostTargets);
  const priors = priorsOf(searches);
  const cache: OutlookCache = new Map();
  const candidates = spread(searches.map((search, index) => candidate(search, index, priors, settings, cache)));
  const unseen = candidates.filter(({ days }) => days === Number.POSITIVE_INFINITY).toSorted(byValue);
  const credits = Math.max(settings.credits, firstCheckCredits(unseen, candidates.length, settings));
  const purse = new Purse(candidates, { ...settings, credits });
  for (const each of unseen) {
    if (!purse.buy(each, 'new', each.following)) purse.decide(each, 'over_budget', each.following);
  }
  purse.endFirstChecks(settings.credits);
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
  return { decisions: purse.decisions(), credits: purse.spent, cut };
}

/** Credits that first checks need today, so that all searches are seen in time; 0 where that costs too much. */
function firstCheckCredits(unseen: readonly Candidate[], searches: number, { firstChecks }: PlanSettings): number {
  if (firstChecks === undefined) return 0;
  const creditsOf = (some: readonly Candidate[]): number => sumOf(some, ({ following }) => following.credits);
  if (creditsOf(unseen) > firstChecks.creditsMax) return 0;
  // a share of all searches, so that the last ones do not wait longer; a sum of fractions must not lose one to rounding
  return creditsOf(unseen.slice(0, Math.ceil(searches / firstChecks.slots))) * (1 + 1e-9);
}

/** The credits of a day, and what they bought. */
class Purse {
  left: number;
  spent = 0;
  /** The most that the next check may cost, and the first one. */
  #checkMax: number;
  readonly #firstCheckMax: number;
  /** What first checks may still cost at worst, and the most that the next one may. */
  #worstLeft: number;
  #worstMax: number;
  readonly #candidates: readonly Candidate[];
  readonly #rules: DecisionRule[];
  readonly #options: CheckOption[];

  constructor(
    candidates: readonly Candidate[],
    { credits, firstCheckMax = 0, creditsAtWorst = Number.POSITIVE_INFINITY }: PlanSettings,
  ) {
    this.left = credits;
    this.#firstCheckMax = firstCheckMax;
    this.#checkMax = Math.max(credits, firstCheckMax);
    this.#worstLeft = creditsAtWorst;
    this.#worstMax = Math.max(creditsAtWorst, firstCheckMax);
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
    if (rule === 'new') {
      if (option.creditsAtMost > this.#worstMax) return false;
      this.#worstLeft -= option.creditsAtMost;
      this.#worstMax = this.#worstLeft;
    }
    this.left -= credits;
    this.spent += credits;
    this.#checkMax = this.left;
    this.decide(each, rule, option);
    return true;
  }

  /** Ends the first checks: others get what these leave of `credits`, without what these may cost at worst. */
  endFirstChecks(credits: number): void {
    this.left = Math.min(credits - this.spent, this.#worstLeft);
    this.#checkMax = this.spent > 0 ? this.left : Math.max(this.left, this.#firstCheckMax);
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
  const days = daysSince(search, 'lookedAt', settings.now);
  const followedDays = daysSince(search, 'followedAt', settings.now);
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

/** Days since the oldest of these moments of its targets; Infinity where one is missing, or there is none. */
function daysSince({ targets }: SearchOutlook, moment: 'lookedAt' | 'followedAt', now: number): number {
  if (targets.length === 0) return Number.POSITIVE_INFINITY;
  return Math.max(...targets.map((target) => daysBetween(target[moment] ?? Number.NEGATIVE_INFINITY, now)), 0);
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

/** In spacings: how far changes of rank are alike, before history says so. */
const likenessLength = 2;
/** Share of a point's changes that no other point shows. */
const ownShare = 0.1;

/**
 * For each point, the share of its uncertainty that is left when the points before it are bought. Points are taken one
 * after another, each time the one whose value x share is highest: a greedy choice of a Gaussian process (Krause,
 * Singh and Guestrin 2008, Near-optimal sensor placements). The first has 1.
 */
export function spreadShares(points: readonly (Omit<GridSpot, 'map'> & { readonly value: number })[]): number[] {
  const variances = points.map(() => 1);
  const factors: number[][] = points.map(() => []);
  const shares = points.map(() => 0);
  const left = new Set(points.keys());
  while (left.size > 0) {
    const shareOf = (index: number): number => ownShare + (1 - ownShare) * (variances[index] ?? 0);
    let chosen = -1;
    let most = Number.NEGATIVE_INFINITY;
    for (const index of left) {
      const worth = (points[index]?.value ?? 0) * shareOf(index);
      if (worth > most) [chosen, most] = [index, worth];
    }
    left.delete(chosen);
    shares[chosen] = shareOf(chosen);
    condition(points, factors, variances, chosen, left);
  }
  return shares;
}

/** One step of an incremental Cholesky factorization: the variances of the others, given this point. */
function condition(
  points: readonly Omit<GridSpot, 'map'>[],
  factors: readonly number[][],
  variances: number[],
  chosen: number,
  left: ReadonlySet<number>,
): void {
  const [point, ofChosen = []] = [points[chosen], factors[chosen]];
  if (point === undefined) return;
  const scale = Math.sqrt((variances[chosen] ?? 0) + ownShare);
  const steps = ofChosen.length;
  for (const index of left) {
    const [other, ofOther] = [points[index], factors[index]];
    if (other === undefined || ofOther === undefined) continue;
    let covariance = likeness(point, other, likenessLength);
    for (let step = 0; step < steps; step += 1) covariance -= (ofChosen[step] ?? 0) * (ofOther[step] ?? 0);
    const factor = covariance / scale;
    ofOther.push(factor);
    variances[index] = Math.max(0, (variances[index] ?? 0) - factor * factor);
  }
}

/** A search whose gaps are kept. */
interface GapSearch {
  /** Page 1. */
  readonly look: CheckOption;
  /** Reads on until every target is found that was found before. */
  readonly following: CheckOption;
  /** Whole slots that page 1, and the pages down to the last rank, may still wait; 0: today, below 0: overdue. */
  readonly lookSlotsLeft: number;
  readonly followSlotsLeft: number;
}

/** A check of today, and the options for it, the first that the credits allow. */
interface GapCheck<T> {
  readonly search: T;
  readonly options: readonly CheckOption[];
}

/** Of the credits that page 1 leaves, longest gaps may spend this share on further pages: the rest finds more. */
const furtherShareMax = 0.25;

/** Whether a gap of a search ends today, or is overdue. */
function isGapEnding({ lookSlotsLeft, followSlotsLeft }: GapSearch): boolean {
  return Math.min(lookSlotsLeft, followSlotsLeft) <= 0;
}

/** Credits that the gaps of these searches need today, of `left`. */
function gapCredits(searches: readonly GapSearch[], left: number): number {
  return looksDue(searches) + Math.min(furtherDue(searches), furtherMax(searches, left));
}

/**
 * The checks that the gaps of these searches need today, of `left` credits. Page 1 and the further pages are each
 * spread over the slots until they are due. Where page 1 is read anyway, those read on that were not followed for the
 * longest time. `byValue` decides between equals.
 */
function gapChecks<T extends GapSearch>(
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

interface CreditPace {
  /** Credits left today and this month, less what is reserved; null: no such limit. */
  readonly leftToday: number | null;
  readonly leftThisMonth: number | null;
  /** Slots left in the month, today's included. */
  readonly slotsLeft: number;
  /** As in ValueSettings: an update may spend up to twice the pace. */
  readonly rateFactor: number;
}

const burstMax = 2;

/** Credits for today: an even share of the rest of the month, within the day. Null: no budget limits it. */
export function creditsForToday({ leftToday, leftThisMonth, slotsLeft, rateFactor }: CreditPace): number | null {
  const share =
    leftThisMonth === null ? null : (leftThisMonth / Math.max(1, slotsLeft)) * Math.min(burstMax, rateFactor);
  const limits = [share, leftToday, leftThisMonth].filter((limit) => limit !== null);
  return limits.length === 0 ? null : Math.max(0, Math.min(...limits));
}

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
  const ago = (at: number | null): string => daysText(days + daysBetween(at ?? 0, Math.min(...looks)));
  const { lost, rank, followedAt, lookedAt } = best;
  const ranked = `ranked ${lost?.rank ?? rank} ${ago(followedAt)} ago`;
  return followedAt === lookedAt ? ranked : `${ranked}, not on ${pagesText(lost?.pages ?? 1)} ${ago(lookedAt)} ago`;
}

function pagesText(pages: number): string {
  return pages === 1 ? 'page 1' : `pages 1 to ${pages}`;
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
  const shown = rounded(days, 1);
  return shown === 1 ? '1 day' : `${shown} days`;
}

/** Two significant digits, without an exponent. */
function decimals(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 2, useGrouping: false });
}
