// Looks at plans, runs and dueness for people: what would be done, what was done, what went wrong. Changes nothing.
import type { BudgetWindowRow } from '../db/ledger.ts';
import type { RunRow } from '../db/runs.ts';
import { keywordDataCostMicroUsd } from '../src/service/index.ts';
import { localDateTimeKey, monthWindowKey } from '../src/tracker/local-time.ts';
import type { Market, Project } from '../src/tracker/project.ts';
import { underWay } from './agenda.ts';
import type { JobContext } from './context.ts';
import { type Dueness, duenessOf, namedSlot, type Pause, pausesAt, presentSlot, slotClaim } from './due.ts';
import { shortBudget, windowKeysAt } from './money.ts';
import { isAlive } from './ownership.ts';
import { checkPlans } from './plan-run.ts';
import { missingVolumes, type VolumeNeed } from './refresh-volumes.ts';

export interface PlannedProject {
  readonly project: string;
  readonly slot: string;
  readonly due: boolean;
  readonly reason: string;
  readonly keywords: number;
  readonly searches: number;
}

export interface DeferredSample {
  readonly keyword: string;
  readonly market: Market;
  readonly reason: string;
}

/** What checks and keyword data requests would cost, held against the budget. */
export interface PlanPrice {
  /** Unique searches over all projects of the plan. */
  readonly searches: number;
  /** Searches wanted by more than one project, each bought once. */
  readonly sharedSearches: number;
  readonly deepChecks: number;
  /** Pages to read where every check goes to its depth, and where every target is where it was. */
  readonly pagesWorstCase: number;
  readonly pagesExpected: number;
  /** Of them at hand, and fresh enough. */
  readonly pagesFresh: number;
  readonly creditsWorstCase: number;
  readonly creditsExpected: number;
  /** Keywords without metrics this month, and what asking for each would cost at most. */
  readonly keywordRequests: number;
  readonly microUsdWorstCase: number;
  readonly budget: readonly BudgetWindowRow[];
  /** What the budget would defer if every check cost its worst case; the first of them as a sample. */
  readonly deferred: {
    readonly checks: number;
    readonly reason: string | null;
    readonly sample: readonly DeferredSample[];
  };
}

export interface PlanReport extends PlanPrice {
  readonly projects: readonly PlannedProject[];
}

export type PlanRequest =
  | { readonly kind: 'due' }
  | { readonly kind: 'now'; readonly projects: readonly Project[] }
  | { readonly kind: 'slot'; readonly projects: readonly Project[]; readonly at: number };

const sampleMax = 10;

/** What a run would do now: the very checks it would plan, priced and held against the budget. */
export function planReport(context: JobContext, request: PlanRequest): PlanReport {
  const { clock, timezone } = context;
  const now = request.kind === 'slot' ? request.at : clock.now();
  const projects = plannedProjects(context, request, now);
  const taking = projects.filter((entry) => entry.due).flatMap((entry) => context.projects.get(entry.project) ?? []);
  const needs = missingVolumes(context, taking, () => monthWindowKey(now, timezone));
  return { projects, ...priceOf(context, taking, needs, now) };
}

/** What it would cost at `now` to check every keyword of these projects, and to ask for these metrics. */
export function priceOf(
  context: JobContext,
  projects: readonly Project[],
  needs: readonly VolumeNeed[],
  now: number,
): PlanPrice {
  const { store, clock, timezone } = context;
  const budget = store.ledger.windows('', windowKeysAt(clock.now(), timezone));
  const totals = {
    searches: 0,
    sharedSearches: 0,
    deepChecks: 0,
    creditsWorstCase: 0,
    creditsExpected: 0,
    pagesFresh: 0,
  };
  const order: { sequence: number; pages: number; plan: DeferredSample }[] = [];
  const capped = budget.some((window) => window.currency === 'serp_credit' && window.cap !== null);
  for (const plan of checkPlans(store, projects, now)) {
    totals.searches += 1;
    totals.sharedSearches += plan.projects.length > 1 ? 1 : 0;
    totals.deepChecks += plan.deep ? 1 : 0;
    totals.creditsWorstCase += plan.pagesWorstCase;
    totals.creditsExpected += plan.pagesExpected;
    totals.pagesFresh += Math.min(plan.depth, plan.pagesReusable);
    if (capped)
      order.push({ sequence: plan.sequence, pages: plan.pagesWorstCase, plan: { ...plan.search, reason: '' } });
  }
  return {
    ...totals,
    pagesWorstCase: totals.creditsWorstCase + totals.pagesFresh,
    pagesExpected: totals.creditsExpected + totals.pagesFresh,
    keywordRequests: needs.reduce((sum, need) => sum + need.keywords.length, 0),
    microUsdWorstCase: needs.reduce((sum, need) => sum + need.keywords.length * keywordDataCostMicroUsd(need.limit), 0),
    budget,
    deferred: deferredOf(order, budget),
  };
}

function plannedProjects(context: JobContext, request: PlanRequest, now: number): PlannedProject[] {
  const asked = request.kind === 'due' ? [...context.projects.values()] : request.projects;
  return duenessOf(context, asked, now)
    .filter((entry) => entry.kind === 'ranks')
    .map(({ project, question }) => {
      const dueSlot = question.due.at(-1);
      const claim =
        request.kind === 'slot'
          ? namedSlot(project, request.at)
          : dueSlot === undefined
            ? presentSlot(project, now)
            : slotClaim(project, dueSlot);
      const done =
        request.kind === 'slot' && context.store.runs.slot(project.id, 'ranks', claim.slot)?.state === 'claimed';
      return {
        project: project.id,
        slot: claim.slot,
        due: request.kind === 'due' ? question.due.length > 0 : !done,
        reason: request.kind === 'due' ? question.reason : done ? 'this slot has run' : 'asked for',
        keywords: project.keywords.length,
        searches: project.keywords.reduce((sum, keyword) => sum + keyword.devices.length, 0),
      };
    });
}

/** Takes checks in order of work until a window is full, as the worker does in its worst case. */
function deferredOf(
  order: { sequence: number; pages: number; plan: DeferredSample }[],
  budget: readonly BudgetWindowRow[],
): PlanReport['deferred'] {
  const windows = budget.filter((window) => window.currency === 'serp_credit' && window.cap !== null);
  const sample: DeferredSample[] = [];
  let checks = 0;
  let taken = 0;
  for (const { pages, plan } of order.sort((a, b) => a.sequence - b.sequence)) {
    const short = windows.find((window) => window.reserved + window.spent + taken + pages > (window.cap ?? 0));
    if (short === undefined) {
      taken += pages;
      continue;
    }
    checks += 1;
    if (sample.length < sampleMax)
      sample.push({ ...plan, reason: shortBudget({ ...short, spent: short.spent + taken }, pages) });
  }
  return { checks, reason: sample[0]?.reason ?? null, sample };
}

export interface ProjectDueness {
  readonly project: string;
  readonly kind: 'ranks' | 'volumes';
  readonly due: boolean;
  /** Why it is, or is not, due; what it waits for. */
  readonly reason: string;
  /** Local date-time with the zone's name; null where nothing follows. */
  readonly nextSlot: string | null;
  /** When the scheduler starts a slot that has passed, ISO 8601: later than the slot for its jitter. Null where none waits. */
  readonly startsAt: string | null;
  /** The run of the project that is under way; null where none is. */
  readonly runUnderWay: number | null;
  /** The oldest slot that has waited for more than an hour, and for which no run is under way; null where none has. */
  readonly overdueSince: string | null;
}

/** For each schedule why it is, or is not, due. `scheduler`: as the long-running scheduler sees it, with jitter and pauses. */
export function duenessReport(
  context: JobContext,
  projects: readonly Project[],
  { scheduler = false } = {},
): ProjectDueness[] {
  const { store, clock } = context;
  const now = clock.now();
  const busy = underWay(context);
  const pauses = scheduler ? pausesAt(store, projects, now) : new Map<string, Pause>();
  return duenessOf(context, projects, now, { jitter: scheduler }).map((entry) => {
    const { project, kind, question } = entry;
    const rivals = busy.get(project.id) ?? [];
    return {
      project: project.id,
      kind,
      due: question.due.length > 0,
      reason: reasonOf(entry, rivals, pauses.get(project.service)),
      nextSlot: question.next === null ? null : `${question.next.key} ${project.timezone}`,
      startsAt: question.waiting === null ? null : new Date(question.waiting.startsAt).toISOString(),
      runUnderWay: rivals[0]?.id ?? null,
      overdueSince: rivals.length > 0 || entry.overdue === null ? null : `${entry.overdue.key} ${project.timezone}`,
    };
  });
}

function reasonOf({ project, kind, question }: Dueness, rivals: readonly RunRow[], pause: Pause | undefined): string {
  const [rival] = rivals;
  const isSkipped = project.overlap === 'skip' && rivals.some((run) => run.kind === kind && run.origin === 'schedule');
  if (rival !== undefined && question.due.length > 0)
    return `${question.reason}; ${isSkipped ? 'given up for' : 'waits for'} run ${rival.id}, which is under way`;
  if (rival !== undefined) return `run ${rival.id} is under way; ${question.reason}`;
  if (pause === undefined || question.due.length === 0) return question.reason;
  const until = localDateTimeKey(pause.until, project.timezone);
  return `${question.reason}; paused until ${until}: run ${pause.runId} was halted (${pause.reason})`;
}

export interface RunUnderWay {
  readonly runId: number;
  readonly kind: RunRow['kind'];
  readonly projects: readonly string[];
  /** Checks that have ended, and all of them; none of either before the run is planned, or where it buys metrics. */
  readonly done: number;
  readonly total: number;
  readonly openedAt: number;
  readonly heartbeatAt: number | null;
  /** False where its process is gone: the next look resumes it. */
  readonly isAlive: boolean;
}

export function runsUnderWay({ store, clock }: JobContext): RunUnderWay[] {
  return store.runs.openRuns().map((run) => {
    const { planned, running, ...ended } = store.checks.counts(run.id);
    const done = Object.values(ended).reduce((sum, count) => sum + count, 0);
    return {
      runId: run.id,
      kind: run.kind,
      projects: store.runs.slotsOf(run.id).map(({ project }) => project),
      done,
      total: done + planned + running,
      openedAt: run.openedAt,
      heartbeatAt: run.heartbeatAt,
      isAlive: isAlive(run.owner, run.heartbeatAt, clock.now()),
    };
  });
}

export interface RunLine {
  readonly runId: number;
  readonly kind: RunRow['kind'];
  readonly state: RunRow['state'];
  readonly openedAt: number;
  readonly closedAt: number | null;
  readonly projects: readonly string[];
  readonly slots: readonly { readonly project: string; readonly slot: string }[];
  readonly checks: Readonly<Record<string, number>>;
  readonly reason: string | null;
  readonly suspectReason: string | null;
  readonly remark: string | null;
  /** When an operator discarded it; null where it stands. */
  readonly discardedAt: number | null;
  readonly discardReason: string | null;
}

export function runLine(context: JobContext, run: RunRow): RunLine {
  const slots = context.store.runs.slotsOf(run.id).map(({ project, slot }) => ({ project, slot }));
  return {
    runId: run.id,
    kind: run.kind,
    state: run.state,
    openedAt: run.openedAt,
    closedAt: run.closedAt,
    projects: slots.map((slot) => slot.project),
    slots,
    checks: context.store.checks.counts(run.id),
    reason: run.reason,
    suspectReason: run.suspectReason,
    remark: run.remark,
    discardedAt: run.discardedAt,
    discardReason: run.discardReason,
  };
}
