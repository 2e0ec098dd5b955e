// What a check of a search is worth today, and what it costs: every depth it could have, and the best of them.

import { type AlertRule, appliesTo, isKeywordRule, type KeywordRule, matchesRule } from '../changes/alerts.ts';
import { getOrInsert } from '../maps.ts';
import type { ChangeClass } from '../observation.ts';
import { checkCredits, type PageNeed, type PagesAtOnce } from '../paging.ts';
import type { Priority } from '../project.ts';
import { daysBetween } from '../schedule/time-units.ts';
import {
  changeChance,
  changeRate,
  type GroupPriors,
  type MoveOutlook,
  moveOutlook,
  moveSpread,
  pagesWithoutChange,
  rankBandOf,
  rankBelow,
  ranksAfterChange,
} from './rates.ts';
import type { TargetEvidence } from './sightings.ts';

/** A search at a point of a grid. */
export interface GridSpot {
  /** Searches that differ by their point only: a keyword and device. */
  readonly map: string;
  readonly row: number;
  readonly column: number;
}

/** A search as the planner sees it. */
export interface SearchOutlook {
  /** Unique; decides between equals. */
  readonly key: string;
  /** Searches that share a prior: a project and a market. */
  readonly group: string;
  /** Searches a month; null: unknown, the median of the group counts. */
  readonly volume: number | null;
  readonly priority: Priority;
  /** Pages of a full check. */
  readonly depth: number;
  /** One per followed target, `noEvidence` where it was never looked for. */
  readonly targets: readonly TargetEvidence[];
  /** Of each target: the probability that its next change meets an alert rule; absent: 0. */
  readonly alertChances?: readonly number[];
  /** Pages that its first check is expected to read; absent: all. */
  readonly firstPages?: number;
  /** Its pages, as its service sells them at once, and as many as it is expected to need; absent: single pages only. */
  readonly atOnce?: PagesAtOnce & Pick<PageNeed, 'expected'>;
  /** Its rates are this many times as high, by measured clicks; absent: 1. */
  readonly rateFactor?: number;
  /** Its point, if it is one of a grid. */
  readonly spot?: GridSpot;
}

/** A check that could be made now. */
export interface CheckOption {
  /** Pages to read at most; a check ends where every followed target is found. */
  readonly pages: number;
  /** Pages that it is expected to read. */
  readonly pagesRead: number;
  /** Clicks a month that it is expected to find changed in time. */
  readonly value: number;
  /** Credits that it is expected to cost. */
  readonly credits: number;
  readonly creditsAtMost: number;
  /** Expected changes a day of the search, all followed targets together. */
  readonly rate: number;
}

/** The moment of planning, and what every search has in common. */
export interface ValueSettings {
  /** UTC milliseconds. */
  readonly now: number;
  /** Days between two slots. */
  readonly slotDays: number;
  /** Name of the click-through curve. */
  readonly curve: string;
  /** All rates are this many times as high today: an update is rolling out. 1: an ordinary day. */
  readonly rateFactor: number;
}

/** A change counts as found in time if a check sees it at most this much later. */
const inTimeDays = 1;
/** A change that is found later is worth this share. */
const lateShare = 0.1;
/** Searches a month that a keyword counts with at least: an export prints 0 for a few. */
const volumeMin = 1;
/** An alert is worth this share of the searches of a median keyword, beside the traffic of the change. */
const alertShare = 0.05;
const priorityFactor: Readonly<Record<Priority, number>> = { high: 4, normal: 1, low: 0.25 };

/**
 * A target that left the pages that were read counts as ranked below them, and as followed when it was last seen: it is
 * looked for there, until a check to the full depth says that it is gone.
 */
export function withLostRank(target: TargetEvidence, depth: number): TargetEvidence {
  const { lost } = target;
  if (lost === undefined || lost.pages >= depth) return target;
  return { ...target, rank: rankBelow(lost.pages), followedAt: lost.at };
}

export function withLostTargets(search: SearchOutlook): SearchOutlook {
  if (!search.targets.some(({ lost }) => lost !== undefined)) return search;
  return { ...search, targets: search.targets.map((target) => withLostRank(target, search.depth)) };
}

/** Remembers move outlooks: searches of a group at the same rank share them. */
export type OutlookCache = Map<string, MoveOutlook>;

/** The checks that a search could have now. */
interface CheckOptions {
  /** Page 1. */
  readonly look: CheckOption;
  /**
   * Reads on until every followed target is found, at most to the full depth. Targets that were not found last time are
   * looked for on page 1 only.
   */
  readonly following: CheckOption;
  /** The one of both with the higher value per expected credit. */
  readonly best: CheckOption;
}

/** Computes the checks that a search could have now, and the best of them. */
export function checkOptions(
  search: SearchOutlook,
  priors: GroupPriors,
  settings: ValueSettings,
  cache: OutlookCache,
): CheckOptions {
  const pages = fullCheckPages(search);
  const look = checkOption(search, 1, priors, settings, cache);
  const following = pages === 1 ? look : checkOption(search, pages, priors, settings, cache);
  const best = following.value * look.credits >= look.value * following.credits ? following : look;
  return { look, following, best };
}

function fullCheckPages(search: SearchOutlook): number {
  return search.targets.some(({ rank, lookedAt }) => rank !== null || lookedAt === null) ? search.depth : 1;
}

/** Value and cost of a check of this many pages. */
function checkOption(
  search: SearchOutlook,
  pages: number,
  priors: GroupPriors,
  settings: ValueSettings,
  cache: OutlookCache,
): CheckOption {
  const clicks = Math.max(search.volume ?? priors.volume, volumeMin) * priorityFactor[search.priority];
  let [value, pagesRead, rate] = [0, 1, 0];
  const alertClicks = alertShare * Math.max(priors.volume, volumeMin) * priorityFactor[search.priority];
  for (const [index, target] of search.targets.entries()) {
    const band = rankBandOf(target.rank);
    const changes = changeRate(target, priors.rates[band]) * settings.rateFactor * (search.rateFactor ?? 1);
    const days = target.lookedAt === null ? Number.POSITIVE_INFINITY : daysBetween(target.lookedAt, settings.now);
    const outlook = cachedOutlook(target.rank, search, pages, priors.spreads[band], settings.curve, cache);
    const changed = changeChance(changes, days);
    const isSeen = target.rank === null || target.rank <= pages * 10;
    const alert = isSeen ? alertClicks * (search.alertChances?.[index] ?? 0) : 0;
    value += freshness(changes, days, settings.slotDays) * (clicks * outlook.worth + alert);
    const pagesNow = (1 - changed) * pagesWithoutChange(target.rank, pages) + changed * outlook.pagesRead;
    const pagesFirst = Math.min(pages, search.firstPages ?? pages);
    pagesRead = Math.max(pagesRead, target.lookedAt === null ? pagesFirst : pagesNow);
    rate += changes;
  }
  const { atOnce } = search;
  if (atOnce === undefined || pages === 1)
    return { pages, pagesRead, value, credits: pagesRead, creditsAtMost: pages, rate };
  const need = { depth: pages, expected: atOnce.expected, creditsOf: () => 1 };
  const { expected, atMost } = checkCredits(atOnce, need, pagesRead);
  return { pages, pagesRead, value, credits: expected, creditsAtMost: atMost, rate };
}

/**
 * The probability that a check finds a change in time, in units of a change. A check finds what changed since the slot
 * before it at once, and what changed in the slot before that one day later. So a search that was not checked in the
 * last slot yields P(change in two slots), and what is older counts as late. One that was checked yields only what a
 * check tomorrow would merge into one change: P(change in one slot)^2.
 */
function freshness(rate: number, days: number, slotDays: number): number {
  if (days < slotDays * 1.5) return changeChance(rate, Math.min(days, slotDays)) ** 2;
  const inTime = changeChance(rate, Math.min(days, slotDays + inTimeDays));
  return inTime + lateShare * (changeChance(rate, days) - inTime);
}

function cachedOutlook(
  rank: number | null,
  { group, depth }: SearchOutlook,
  pages: number,
  spread: number,
  curve: string,
  cache: OutlookCache,
): MoveOutlook {
  const key = `${group}\0${rank}\0${depth}\0${pages}`;
  let outlook = cache.get(key);
  if (outlook === undefined) {
    outlook = moveOutlook(rank, { depth, pages, spread, curve });
    cache.set(key, outlook);
  }
  return outlook;
}

/** The probability that the next change from `rank` (null: not found) of a keyword with these tags meets a rule. */
type AlertChance = (rank: number | null, depth: number, tags: readonly string[]) => number;

/**
 * Prepares the alert rules of a project. Rules about ranks count; those about features, pages and competitors do not
 * depend on the rank. A change counts as significant.
 */
export function alertChances(rules: readonly AlertRule[]): AlertChance {
  const aboutKeywords = rules.filter(isKeywordRule);
  const known = new Map<string, number>();
  return (rank, depth, tags) => {
    const applying = aboutKeywords.filter((rule) => appliesTo(rule, tags));
    if (applying.length === 0) return 0;
    const key = `${rank} ${depth} ${aboutKeywords.map((rule) => (applying.includes(rule) ? 1 : 0)).join('')}`;
    return getOrInsert(known, key, () => chanceToMatch(applying, rank, depth));
  };
}

function chanceToMatch(rules: readonly KeywordRule[], rank: number | null, depth: number): number {
  const chances = ranksAfterChange(rank, depth, moveSpread(rankBandOf(rank), 0, 0));
  let sum = 0;
  for (const [index, chance] of chances.entries()) {
    const to = index === depth * 10 ? null : index + 1;
    if (rules.some((rule) => matchesRule(rule, changedRow(rank, to, depth)))) sum += chance;
  }
  return sum;
}

function changedRow(from: number | null, to: number | null, depth: number) {
  return {
    rank: to,
    previousRank: from,
    changeClass: changeClassOf(from, to),
    depth,
    previousDepth: depth,
    urlChanged: null,
    significance: 'certain',
    urlIsPreferred: null,
  } as const;
}

function changeClassOf(from: number | null, to: number | null): ChangeClass {
  if (from === to) return 'unchanged';
  if (from === null) return 'entered';
  if (to === null) return 'dropped';
  return to < from ? 'improved' : 'declined';
}

/** A query over some days. */
interface SensedClicks {
  readonly days: number;
  /** Null: unknown. */
  readonly impressions: number | null;
  /** Null: there are no impressions, or they are unknown. */
  readonly averagePosition: number | null;
}

/** Fewer impressions move by chance. */
const impressionsMin = 30;
/** A position moves where it is this many times as large or small, and a whole place away. */
const positionRatio = 1.3;
/** Impressions a day move where they double or halve, and by more than chance: standard deviations of a count. */
const impressionsRatio = 2;
const deviationsMin = 4;
/** How many times as high the change rate of the search counts. */
const positionFactor = 3;
const impressionsFactor = 2;

/** The factor on the change rate of a search: 1 where nothing moved, or too little was counted. */
export function sensedFactor(before: SensedClicks, now: SensedClicks): number {
  if (before.days === 0 || now.days === 0 || before.impressions === null || now.impressions === null) return 1;
  const expected = (before.impressions / before.days) * now.days;
  if (Math.max(expected, now.impressions) < impressionsMin || before.impressions < impressionsMin) return 1;
  const [was, is] = [before.averagePosition, now.averagePosition];
  const hasPositions = was !== null && is !== null && now.impressions >= impressionsMin;
  if (hasPositions && Math.abs(is - was) >= 1 && Math.max(is / was, was / is) >= positionRatio) return positionFactor;
  const ratio = now.impressions / expected;
  const isFar = Math.abs(now.impressions - expected) > deviationsMin * Math.sqrt(expected);
  return isFar && (ratio >= impressionsRatio || ratio <= 1 / impressionsRatio) ? impressionsFactor : 1;
}
