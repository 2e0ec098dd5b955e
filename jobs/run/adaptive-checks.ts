// Applies the adaptive plan to a project: which of its searches a run checks, and how deep.

import { sharedTexts } from '../../db/connection/batches.ts';
import type { BudgetWindowRow } from '../../db/ledger/budget-windows.ts';
import type { Store } from '../../db/store.ts';
import type { PageRange } from '../../src/service/terms.ts';
import type { AlertRule } from '../../src/tracker/changes/alerts.ts';
import { ctrCurveNames } from '../../src/tracker/changes/visibility.ts';
import { sumOf } from '../../src/tracker/figures.ts';
import { type GridPlace, gridPlaces } from '../../src/tracker/grid.ts';
import { getOrInsert } from '../../src/tracker/maps.ts';
import { mayStopEarly, pagesAtOnce } from '../../src/tracker/paging.ts';
import {
  type AdaptiveCadence,
  expandSearches,
  type Market,
  marketName,
  type Project,
  type Search,
  type Target,
} from '../../src/tracker/project.ts';
import { addDays, localDate, startOfDay } from '../../src/tracker/schedule/local-time.ts';
import { nextSlot, slotsBetween } from '../../src/tracker/schedule/schedule.ts';
import { dayMs, daysBetween } from '../../src/tracker/schedule/time-units.ts';
import { countSearches } from '../../src/tracker/searches.ts';
import {
  creditsForToday,
  type Decision,
  decisionReason,
  isChecked,
  type PlanSettings,
  planAdaptively,
} from '../../src/tracker/signal/adaptive-plan.ts';
import { alertChances, type SearchOutlook } from '../../src/tracker/signal/check-value.ts';
import { type FirstReads, firstPages } from '../../src/tracker/signal/rates.ts';
import { evidenceOf, historyMs, noEvidence, type TargetEvidence } from '../../src/tracker/signal/sightings.ts';
import { targetKey } from '../../src/tracker/targets/target.ts';
import { clickSensor } from '../clicks/click-sensor.ts';
import { windowKeysAt } from '../purchase/money.ts';
import type { CheckPlan, PlannedCheck } from './fixed-plan.ts';

/** One line of `plan`: what the adaptive plan does with a search, and why. */
export interface AdaptiveDecision {
  readonly project: string;
  readonly plan: CheckPlan;
  readonly isChecked: boolean;
  readonly reason: string;
}

/** What the adaptive plans of a run share. */
interface AdaptiveBudget {
  /** SERP credits that the run, the day and the month leave to adaptive plans; null: no such limit. */
  readonly leftInRun: number | null;
  readonly leftToday: number | null;
  readonly leftThisMonth: number | null;
  /** The month has spent no more than an even pace would have: a slot may spend more than its share on one check. */
  readonly isBehindPace: boolean;
  /** The last milliseconds that the budgets of the day and the month are for, UTC. */
  readonly dayEndsAt: number;
  readonly monthEndsAt: number;
  /** All projects with adaptive cadence, which share the credits, and those of the run, which share its own. */
  readonly projects: readonly Project[];
  readonly inRun: readonly Project[];
}

interface BudgetInput {
  readonly store: Store;
  /** All of the config. */
  readonly projects: readonly Project[];
  readonly moment: number;
  /** Those of the run. */
  readonly inRun: readonly Project[];
  /** The run, for what it has spent; absent: it is not open yet. */
  readonly runId?: number;
  /** Of the budget; schedules have their own. */
  readonly timezone: string;
  /** As in the context of jobs. */
  readonly budgetEndsAt?: number;
  /** SERP credits that a run of a project with a fixed cadence is expected to cost. */
  readonly creditsOfRun: (project: Project) => number;
}

interface DecisionSettings {
  readonly moment: number;
  readonly budget: AdaptiveBudget;
  /** All of the config: others say how many pages first checks read. */
  readonly projects: readonly Project[];
  /** What the project's service sells besides single pages; absent: nothing. */
  readonly range?: PageRange;
  /** Alert rules of the project. */
  readonly rules: readonly AlertRule[];
  /** Default: the usual curve. */
  readonly ctrCurve?: string;
  /** How many times as high as usual the rates are, for the second plan of a run; absent: its first plan. */
  readonly burst?: number;
}

/** Slots of a month, for a schedule that fires each minute. */
const slotsMax = 31 * 24 * 60;

/**
 * What the budget leaves to adaptive plans. Projects with a fixed cadence come first: their slots, the present one
 * included, are expected to cost as much as their next run would now.
 */
export function adaptiveBudget(input: BudgetInput): AdaptiveBudget {
  const {
    store,
    projects,
    inRun,
    moment,
    runId = '',
    timezone,
    budgetEndsAt = Number.POSITIVE_INFINITY,
    creditsOfRun,
  } = input;
  const [adaptive, fixed] = [true, false].map((cadence) =>
    projects.filter((project) => (project.adaptive?.cadence === true) === cadence),
  ) as [Project[], Project[]]; // one array per value
  const today = localDate(moment, timezone);
  const daysLeft = daysLeftInMonth(today);
  const windows = store.ledger.windows(String(runId), windowKeysAt(moment, timezone));
  const endOf = (days: number): number => startOfDay(addDays(today, days), timezone) - 1;
  const [dayEndsAt, monthEndsAt] = [endOf(1), Math.min(endOf(daysLeft), budgetEndsAt)];
  const monthStart = startOfDay(`${today.slice(0, 7)}-01`, timezone);
  const monthShare = (moment - monthStart) / (endOf(daysLeft) - monthStart);
  const costs = new Map<string, number>(); // a large project takes long to plan
  const costOf = (project: Project): number => {
    return getOrInsert(costs, project.id, () => creditsOfRun(project));
  };
  const leftIn = (scope: BudgetWindowRow['scope'], runsOf: (project: Project) => number): number | null => {
    const window = windows.find((row) => row.currency === 'serp_credit' && row.scope === scope);
    if (window === undefined || window.cap === null) return null;
    const needed = fixed.reduce((sum, project) => {
      const runs = runsOf(project);
      return runs === 0 ? sum : sum + runs * costOf(project);
    }, 0);
    return Math.max(0, window.cap - window.spent - window.reserved - needed);
  };
  const isInRun = ({ id }: Project): boolean => inRun.some((other) => other.id === id);
  return {
    leftInRun: leftIn('run', (project) => Number(isInRun(project))),
    leftToday: leftIn('day', (project) => slotsUntil(project, moment, dayEndsAt)),
    leftThisMonth: leftIn('month', (project) => slotsUntil(project, moment, monthEndsAt)),
    isBehindPace: windows.every(
      ({ currency, scope, cap, spent, reserved }) =>
        currency !== 'serp_credit' || scope !== 'month' || cap === null || spent + reserved <= cap * monthShare,
    ),
    dayEndsAt,
    monthEndsAt,
    projects: adaptive,
    inRun: adaptive.filter(isInRun),
  };
}

function slotsUntil({ schedule, timezone }: Project, moment: number, until: number, max = slotsMax): number {
  return schedule === undefined ? 0 : slotsBetween(schedule, timezone, moment - 1, until, max).length;
}

/** Decides for every search of a project whether it is checked at `moment`. Reads only. */
export function decideAdaptively(
  store: Store,
  project: Project,
  checks: readonly PlannedCheck[],
  settings: DecisionSettings,
): AdaptiveDecision[] {
  const { adaptive } = project;
  const { moment, budget, ctrCurve, burst } = settings;
  if (adaptive === undefined)
    return checks.map(({ plan }) => ({ project: project.id, plan, isChecked: true, reason: '' }));
  const slotDays = daysToNextSlot(project, moment);
  const atLeastEveryDays = adaptive.atLeastEveryMs / dayMs;
  const shares = sharesOf(project, budget, moment);
  const { decisions } = planAdaptively(outlooksOf(store, project, checks, settings), {
    now: moment,
    slotDays,
    curve: ctrCurve ?? ctrCurveNames[0] ?? '',
    rateFactor: burst ?? 1,
    credits: creditsOf(project, budget, shares, moment, burst === undefined ? 1 : Math.min(1, burst - 1)),
    creditsAtWorst: leftAtWorst(project, shares),
    ...(burst === undefined && firstChecksOf(project, shares, moment)),
    firstCheckMax: burst === undefined && budget.isBehindPace ? leftAtAll(budget) : 0,
    atLeastEveryDays,
  });
  return decisions.flatMap((decision, index): AdaptiveDecision[] => {
    const plan = checks[index]?.plan;
    if (plan === undefined) return [];
    const reason = adaptive.cadence ? decisionReason(decision, atLeastEveryDays) : depthReason(decision);
    const isTaken = !adaptive.cadence || isChecked(decision);
    return [{ project: project.id, plan: adaptedPlan(plan, decision, adaptive), isChecked: isTaken, reason }];
  });
}

/** A periodic deep check stays deep: it proves where a target is that page 1 does not show. */
function adaptedPlan(planned: CheckPlan, { option, search }: Decision, { paging }: AdaptiveCadence): CheckPlan {
  const isFirst = search.firstPages !== undefined;
  const plan = isFirst ? { ...planned, pagesLikely: Math.min(planned.pagesLikely, option.pagesRead) } : planned;
  if (!paging || plan.deep || option.pages >= plan.depth) return plan;
  return {
    ...plan,
    pagesLikely: Math.min(plan.pagesLikely, option.pages),
    depth: option.pages,
    pagesWorstCase: Math.min(plan.pagesWorstCase, option.pages),
    pagesExpected: Math.min(plan.pagesExpected, option.pages),
    pagesReusable: Math.min(plan.pagesReusable, option.pages),
  };
}

function depthReason({ option }: Decision): string {
  return option.pages === 1 ? 'check: page 1' : 'check: until found';
}

/** The searches as the adaptive plan sees them, in the order of the checks. */
function outlooksOf(
  store: Store,
  project: Project,
  checks: readonly PlannedCheck[],
  { moment, rules, projects, range }: DecisionSettings,
): SearchOutlook[] {
  const alertChance = alertChances(rules);
  const volumes = store.sightings.volumes();
  const sensor = clickSensor(store, project, moment);
  const places = project.grid === undefined ? new Map<string, GridPlace>() : gridPlaces(project.grid);
  const targets = project.targets.map((target) => evidenceBySearch(store, target, moment - historyMs));
  const shared = sharedTexts();
  const firstPagesOf = firstPagesLike(store, project, checks, projects);
  return checks.map(({ plan, priority, tags }, index) => {
    const { country, language, device, location } = plan.search.market;
    const { searchId } = plan;
    const place = location === undefined ? undefined : places.get(location);
    const evidence = targets.map((bySearch) =>
      searchId === null ? noEvidence : (bySearch.get(searchId) ?? noEvidence),
    );
    const lookedAt = evidence.map((target) => target.lookedAt ?? 0);
    const rateFactor = sensor(plan.search, Math.max(0, ...lookedAt) || null);
    const atOnce = plan.pagesReusable > 0 ? null : pagesAtOnce(range, plan.depth);
    return {
      key: String(index),
      group: shared(marketName({ country, language, device, location: place === undefined ? location : 'grid' })),
      spot: place && { map: `${marketName({ country, language, device })}\n${plan.search.keyword}`, ...place },
      volume: searchId === null ? null : (volumes.get(searchId) ?? null),
      priority,
      depth: plan.depth,
      targets: evidence,
      firstPages: evidence.some(({ lookedAt }) => lookedAt === null) ? firstPagesOf(plan) : undefined,
      atOnce: atOnce === null ? undefined : { ...atOnce, expected: plan.pagesExpected },
      rateFactor: rateFactor === 1 ? undefined : rateFactor,
      alertChances: rules.length === 0 ? undefined : evidence.map(({ rank }) => alertChance(rank, plan.depth, tags)),
    };
  });
}

/** So many searches of a project, and of all other projects, say how many pages first checks read. */
const firstsMax = { ofOne: 200, ofAll: 2_000 };

/** The pages that the first check of a planned search is expected to read. */
function firstPagesLike(
  store: Store,
  project: Project,
  checks: readonly PlannedCheck[],
  projects: readonly Project[],
): (plan: CheckPlan) => number {
  const known = new Map<string, number>();
  return ({ search: { market }, depth, paging, pagesWorstCase }) => {
    if (!mayStopEarly(paging)) return pagesWorstCase;
    const key = `${market.country}\n${market.language}\n${market.device}\n${depth}`;
    let pages = known.get(key);
    if (pages === undefined) {
      const own = checks.filter(({ plan }) => isLike(plan.search.market, market)).slice(0, firstsMax.ofOne);
      const ownIds = own.flatMap(({ plan }) => plan.searchId ?? []);
      const searches: Search[] = [];
      for (const other of projects) {
        if (searches.length >= firstsMax.ofAll) break;
        if (other.id !== project.id && other.service === project.service) searches.push(...likeSearches(other, market));
      }
      const otherIds = store.names.knownSearchIds(searches).filter((id) => id !== null);
      const [others, ofOwn] = [otherIds.filter((id) => !ownIds.includes(id)), ownIds].map((ids) =>
        store.checks.firstReads(ids, { depth, paging }),
      ) as [FirstReads, FirstReads]; // one per list
      pages = firstPages(depth, others, ofOwn);
      known.set(key, pages);
    }
    return pages;
  };
}

function likeSearches(project: Project, market: Market): Search[] {
  return project.keywords
    .slice(0, firstsMax.ofOne)
    .flatMap((keyword) => [...expandSearches(project, keyword)])
    .filter((search) => isLike(search.market, market));
}

/** But for its location. */
function isLike(a: Market, b: Market): boolean {
  return a.country === b.country && a.language === b.language && a.device === b.device;
}

function evidenceBySearch(store: Store, target: Target, since: number): Map<number, TargetEvidence> {
  const targetId = store.names.knownTargetId(targetKey(target));
  if (targetId === null) return new Map();
  const bySearch = new Map<number, TargetEvidence>();
  for (const [searchId, sightings] of store.sightings.ofTarget(targetId, since)) {
    const { lost, ...evidence } = evidenceOf(sightings);
    // page 1 alone decides about a place
    bySearch.set(searchId, lost === undefined || target.match === 'place' ? evidence : { ...evidence, lost });
  }
  return bySearch;
}

/** The project's share of what the budget leaves for this slot, without what its second looks may cost. */
function creditsOf(
  project: Project,
  { monthEndsAt }: AdaptiveBudget,
  { ofRun, ofDay, ofMonth }: BudgetShares,
  moment: number,
  paces: number,
): number {
  const daily = Math.ceil(daysBetween(moment, monthEndsAt));
  const slotsLeft = project.schedule === undefined ? daily : slotsUntil(project, moment, monthEndsAt);
  const limits = [ofRun, ofDay].filter((limit) => limit !== null);
  const credits = creditsForToday({
    leftToday: limits.length === 0 ? null : Math.min(...limits),
    leftThisMonth: ofMonth,
    slotsLeft,
    rateFactor: paces,
  });
  return credits === null ? Number.POSITIVE_INFINITY : credits / (1 + (project.confirm?.share ?? 0));
}

/** What the budget leaves to a project; null: no such limit. */
interface BudgetShares {
  readonly ofRun: number | null;
  readonly ofDay: number | null;
  readonly ofMonth: number | null;
}

function sharesOf(
  project: Project,
  { leftInRun, leftToday, leftThisMonth, dayEndsAt, monthEndsAt, projects, inRun }: AdaptiveBudget,
  moment: number,
): BudgetShares {
  // projects that have run took their share of what is gone; without a schedule, one may run on any day
  const until = (endsAt: number): Project[] =>
    projects.filter((other) => other.schedule === undefined || slotsUntil(other, moment, endsAt, 1) > 0);
  const shareOf = (left: number | null, sharing: readonly Project[]): number | null =>
    left === null ? null : left * searchShare(project, sharing);
  return {
    ofRun: shareOf(leftInRun, inRun),
    ofDay: shareOf(leftToday, until(dayEndsAt)),
    ofMonth: shareOf(leftThisMonth, until(monthEndsAt)),
  };
}

/** The most that its checks may cost, so that no other project lacks credits. */
function leftAtWorst(project: Project, { ofRun, ofDay, ofMonth }: BudgetShares): number {
  const limits = [ofRun, ofDay, ofMonth].filter((limit) => limit !== null);
  return Math.min(...limits) / (1 + (project.confirm?.share ?? 0));
}

/** New searches are seen within so many days, where that takes at most this share of the month. */
const firstChecksDays = 5;
const firstChecksShare = 0.5;

function firstChecksOf(project: Project, { ofMonth }: BudgetShares, moment: number): Pick<PlanSettings, 'firstChecks'> {
  if (ofMonth === null) return {};
  const slots =
    project.schedule === undefined
      ? firstChecksDays
      : slotsUntil(project, moment, moment + firstChecksDays * dayMs - 1);
  return { firstChecks: { slots: Math.max(1, slots), creditsMax: firstChecksShare * ofMonth } };
}

/** What the budget leaves to all adaptive projects. */
function leftAtAll({ leftInRun, leftToday, leftThisMonth }: AdaptiveBudget): number {
  return Math.min(...[leftInRun, leftToday, leftThisMonth].filter((left) => left !== null));
}

/** By searches, among these projects and itself. */
function searchShare(project: Project, sharing: readonly Project[]): number {
  const others = sharing.filter(({ id }) => id !== project.id);
  const searches = sumOf([project, ...others], (other) => countSearches(other.keywords));
  return countSearches(project.keywords) / Math.max(1, searches);
}

/** Days of the month from this date on, the date included. */
function daysLeftInMonth(date: string): number {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number);
  return new Date(Date.UTC(year, month, 0)).getUTCDate() - day + 1;
}

/** Days until the next slot; a project without a schedule is planned as if it ran daily. */
function daysToNextSlot({ schedule, timezone }: Project, moment: number): number {
  const next = schedule === undefined ? null : nextSlot(schedule, timezone, moment);
  return next === null ? 1 : Math.max(1 / 24, daysBetween(moment, next.at));
}
