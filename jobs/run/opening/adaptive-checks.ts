// Applies the adaptive plan to a project: which of its searches a run checks, and how deep.
import type { BudgetWindowRow } from '../../../db/ledger/ledger.ts';
import type { Store } from '../../../db/store.ts';
import { ctrCurveNames } from '../../../src/tracker/changes/visibility.ts';
import type { AdaptiveCadence, Project } from '../../../src/tracker/project.ts';
import { localDate } from '../../../src/tracker/schedule/local-time.ts';
import { nextSlot } from '../../../src/tracker/schedule/schedule.ts';
import { type Decision, isChecked, planAdaptively } from '../../../src/tracker/signal/adaptive-plan.ts';
import type { SearchOutlook } from '../../../src/tracker/signal/check-value.ts';
import { creditsForToday } from '../../../src/tracker/signal/credit-pace.ts';
import { decisionReason } from '../../../src/tracker/signal/decision-text.ts';
import { evidenceOf, noEvidence, type TargetEvidence } from '../../../src/tracker/signal/evidence.ts';
import { targetKey } from '../../../src/tracker/targets/target.ts';
import { windowKeysAt } from '../../purchase/money.ts';
import type { CheckPlan, PlannedCheck } from './check-plan.ts';

/** One line of `plan`: what the adaptive plan does with a search, and why. */
export interface AdaptiveDecision {
  readonly project: string;
  readonly plan: CheckPlan;
  readonly isChecked: boolean;
  readonly reason: string;
}

/** What the adaptive plans of a run share. */
export interface AdaptiveBudget {
  /** Of the budget; schedules have their own. */
  readonly timezone: string;
  readonly windows: readonly BudgetWindowRow[];
  /** Searches of all projects with adaptive cadence, which share the credits. */
  readonly searches: number;
}

const dayMs = 86_400_000;
/** Older rankings say little about how often a rank changes now. */
const historyMs = 120 * dayMs;

/** The budget windows of a moment, and the projects that share what is left in them. */
export function adaptiveBudget(
  store: Store,
  projects: Iterable<Project>,
  moment: number,
  timezone: string,
): AdaptiveBudget {
  const adaptive = [...projects].filter((project) => project.adaptive?.cadence === true);
  const searches = adaptive.reduce((sum, project) => sum + searchCount(project), 0);
  return { timezone, windows: store.ledger.windows('', windowKeysAt(moment, timezone)), searches };
}

/** Decides for every search of a project whether it is checked at `moment`. Reads only. */
export function decideAdaptively(
  store: Store,
  project: Project,
  checks: readonly PlannedCheck[],
  moment: number,
  budget: AdaptiveBudget,
): AdaptiveDecision[] {
  const { adaptive } = project;
  if (adaptive === undefined)
    return checks.map(({ plan }) => ({ project: project.id, plan, isChecked: true, reason: '' }));
  const slotDays = daysToNextSlot(project, moment);
  const atLeastEveryDays = adaptive.atLeastEveryMs / dayMs;
  const { decisions } = planAdaptively(outlooksOf(store, project, checks, moment), {
    now: moment,
    slotDays,
    curve: ctrCurveNames[0] ?? '',
    rateFactor: 1,
    credits: creditsOf(project, budget, moment, slotDays),
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
function adaptedPlan(plan: CheckPlan, { option }: Decision, { paging }: AdaptiveCadence): CheckPlan {
  if (!paging || plan.deep || option.pages >= plan.depth) return plan;
  return {
    ...plan,
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
function outlooksOf(store: Store, project: Project, checks: readonly PlannedCheck[], moment: number): SearchOutlook[] {
  const volumes = store.sightings.volumes();
  const targets = project.targets.map((target) => evidenceBySearch(store, targetKey(target), moment - historyMs));
  return checks.map(({ plan, priority }, index) => {
    const { country, language, device } = plan.search.market;
    const { searchId } = plan;
    return {
      key: String(index),
      group: `${country} ${language} ${device}`,
      volume: searchId === null ? null : (volumes.get(searchId) ?? null),
      priority,
      depth: plan.depth,
      targets: targets.map((bySearch) => (searchId === null ? noEvidence : (bySearch.get(searchId) ?? noEvidence))),
    };
  });
}

function evidenceBySearch(store: Store, target: string, since: number): Map<number, TargetEvidence> {
  const targetId = store.names.knownTargetId(target);
  if (targetId === null) return new Map();
  const bySearch = new Map<number, TargetEvidence>();
  for (const [searchId, sightings] of store.sightings.ofTarget(targetId, since)) {
    bySearch.set(searchId, evidenceOf(sightings));
  }
  return bySearch;
}

/** The project's share of what the budget leaves for this slot, by its number of searches. */
function creditsOf(project: Project, budget: AdaptiveBudget, moment: number, slotDays: number): number {
  const left = (scope: BudgetWindowRow['scope']): number | null => {
    const window = budget.windows.find((row) => row.currency === 'serp_credit' && row.scope === scope);
    return window === undefined || window.cap === null ? null : window.cap - window.spent - window.reserved;
  };
  const slotsLeft = Math.ceil(daysLeftInMonth(localDate(moment, budget.timezone)) / slotDays);
  const credits = creditsForToday({ leftToday: left('day'), leftThisMonth: left('month'), slotsLeft, rateFactor: 1 });
  if (credits === null) return Number.POSITIVE_INFINITY;
  return (credits * searchCount(project)) / Math.max(1, budget.searches, searchCount(project));
}

function searchCount(project: Project): number {
  return project.keywords.reduce((sum, { devices }) => sum + devices.length, 0);
}

/** Days of the month from this date on, the date included. */
function daysLeftInMonth(date: string): number {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number);
  return new Date(Date.UTC(year, month, 0)).getUTCDate() - day + 1;
}

/** Days until the next slot; a project without a schedule is planned as if it ran daily. */
function daysToNextSlot({ schedule, timezone }: Project, moment: number): number {
  const next = schedule === undefined ? null : nextSlot(schedule, timezone, moment);
  return next === null ? 1 : Math.max(1 / 24, (next.at - moment) / dayMs);
}
