// Judges what a run showed: changes outside their bands, second looks at them, and what an adaptive plan saved.

import type { NewSecondLook } from '../../db/history/checks/second-looks.ts';
import type { ClaimedSlot, RunRow } from '../../db/history/runs/runs.ts';
import type { HistoryRow } from '../../src/read/row.ts';
import type { AlikeCounts } from '../../src/tracker/causes/alike.ts';
import { type AlertRule, appliesTo, isKeywordRule, matchesRule } from '../../src/tracker/changes/alerts.ts';
import { changeWeight } from '../../src/tracker/changes/visibility.ts';
import { expectedPages, followedTargets, secondLookPagesMax } from '../../src/tracker/paging.ts';
import { expandSearches, marketName, type Project } from '../../src/tracker/project.ts';
import { localDate, startOfDay } from '../../src/tracker/schedule/local-time.ts';
import { dayMs } from '../../src/tracker/schedule/time-units.ts';
import { planOutcome, type SearchOutcome, targetOutcome } from '../../src/tracker/signal/plan-outcome.ts';
import { historyMs, noEvidence, pageOfRank } from '../../src/tracker/signal/sightings.ts';
import { targetKey } from '../../src/tracker/targets/target.ts';
import type { JobContext } from '../context.ts';
import { Changes, keepCauses } from '../read/causes/read-causes.ts';
import { reportRows } from '../read/rows/report-rows.ts';
import type { PipelineSettings } from './run-request.ts';

/** Keeps the shares of rows outside their bands in a run, in one transaction: of scopes that the detector watches. */
function keepMoved({ store }: JobContext, project: string, runId: number, counts: AlikeCounts): void {
  const shares = [...counts.all()].flatMap(({ scope, name, compared, outside }) =>
    scope === 'project' || scope === 'market' || scope === 'tag' ? [{ runId, scope, name, compared, outside }] : [],
  );
  if (shares.length > 0) store.transaction(() => store.movedShares.keep(project, shares));
}

/** Results that are asked for again sooner are more likely to come from the same cache of the engine. */
export const secondLookDelayMs = 30 * 60_000;

/** A check with a change outside its band. */
interface Candidate {
  readonly checkId: number;
  /** Pages that hold both ranks. */
  readonly depth: number;
  readonly wouldAlert: boolean;
  /** Of the change, as alerts are ordered. */
  readonly weight: number;
}

/**
 * Counts the changes of a run outside their bands, keeps their causes, and asks for second looks at them: those that
 * would alert first, then by estimated clicks, while the pages of their worst case fit into the project's share of the
 * pages that the run bought. Leaves out projects for which the run is suspect: their alerts are held back anyway.
 * Repeating it changes nothing.
 */
export function judgeChanges(context: JobContext, settings: PipelineSettings, runId: number): void {
  const { store } = context;
  const { notes = [] } = settings.reports;
  const run = store.runs.run(runId);
  if (run === null || run.kind !== 'ranks' || run.origin !== 'schedule') return;
  for (const slot of store.runs.slotsOf(runId)) {
    const project = context.projects.get(slot.project);
    if (project === undefined || slot.suspectReason !== null) continue;
    const rules = settings.alerts?.rulesOf(project.id) ?? [];
    const changes = new Changes();
    const found = candidates(context, settings, { run, slot, project, rules }, changes);
    keepMoved(context, project.id, runId, changes.counts);
    const looks = chooseLooks(context, run, project, found);
    if (looks.length > 0) store.transaction(() => store.secondLooks.ask(looks));
    // last: a stored page that cannot be read costs no second look
    keepCauses({ context, project, notes, suspect: null, date: slot.localDate }, run, changes);
  }
}

function chooseLooks(
  { store, clock }: JobContext,
  run: RunRow,
  project: Project,
  found: readonly Candidate[],
): NewSecondLook[] {
  if (project.confirm === undefined) return [];
  const endedAt = run.closedAt ?? clock.now();
  const notBefore = endedAt + secondLookDelayMs;
  const until = endOfDay(endedAt, project.timezone);
  if (notBefore >= until || clock.now() >= until) return [];
  let pagesLeft = secondLookPagesMax(project, store.secondLooks.pagesBought(run.id, project.id));
  const looks: NewSecondLook[] = [];
  for (const { checkId, depth } of found) {
    if (depth > pagesLeft) continue;
    pagesLeft -= depth;
    looks.push({ checkId, runId: run.id, depth, notBefore, until });
  }
  return looks;
}

interface Source {
  readonly run: RunRow;
  readonly slot: ClaimedSlot;
  readonly project: Project;
  readonly rules: readonly AlertRule[];
}

/** One a check, the most important first. Every row is added to `changes`. */
function candidates(context: JobContext, { reports }: PipelineSettings, source: Source, changes: Changes): Candidate[] {
  const { run, slot, project, rules } = source;
  const { ctrCurve } = reports;
  const comparison = { kind: 'previous' } as const;
  const byCheck = new Map<number, Candidate>();
  for (const row of reportRows({ store: context.store, project, runs: [run], slot, comparison, ctrCurve })) {
    changes.add(row);
    const candidate = toCandidate(row, rules, ctrCurve);
    if (candidate === null) continue;
    const other = byCheck.get(candidate.checkId);
    byCheck.set(candidate.checkId, other === undefined ? candidate : joined(other, candidate));
  }
  return [...byCheck.values()].sort(
    (a, b) => Number(b.wouldAlert) - Number(a.wouldAlert) || b.weight - a.weight || a.checkId - b.checkId,
  );
}

/** Null where the change is noise, or the row shows none. */
function toCandidate(row: HistoryRow, rules: readonly AlertRule[], curve: string): Candidate | null {
  const { check, baseline, outcome } = row.input;
  if (check?.id === undefined || row.significance === null || row.significance === 'noise') return null;
  return {
    checkId: check.id,
    depth: Math.min(check.depth, Math.max(1, baseline?.page ?? 1, outcome.kind === 'ranked' ? outcome.page : 1)),
    wouldAlert: rules.some((rule) => isKeywordRule(rule) && appliesTo(rule, row.tags) && matchesRule(rule, row)),
    weight: changeWeight(row, curve),
  };
}

/** Two targets of one search: one look serves both. */
function joined(a: Candidate, b: Candidate): Candidate {
  return {
    checkId: a.checkId,
    depth: Math.max(a.depth, b.depth),
    wouldAlert: a.wouldAlert || b.wouldAlert,
    weight: Math.max(a.weight, b.weight),
  };
}

/** The first instant of the next local day. */
function endOfDay(at: number, timezone: string): number {
  const today = localDate(at, timezone);
  const tomorrow = new Date(Date.parse(`${today}T00:00:00Z`) + dayMs).toISOString().slice(0, 10);
  return startOfDay(tomorrow, timezone);
}

const unknownTarget = { evidence: noEvidence, isSeen: false } as const;

/** Of each project with an adaptive cadence in a scheduled run. Repeating it changes nothing. */
export function keepPlanOutcomes({ store, projects }: JobContext, runId: number): void {
  const run = store.runs.run(runId);
  if (run === null || run.kind !== 'ranks' || run.origin !== 'schedule') return;
  for (const slot of store.runs.slotsOf(runId)) {
    const project = projects.get(slot.project);
    if (project?.adaptive?.cadence !== true) continue;
    const depths = store.planOutcomes.depths(runId, project.id);
    const before = store.planOutcomes.runBefore(project.id, run.moment);
    const outcome = planOutcome(outcomesOf({ store }, project, run.moment, depths), { now: run.moment, before });
    store.transaction(() => store.planOutcomes.keep(runId, project.id, outcome));
  }
}

function outcomesOf(
  { store }: Pick<JobContext, 'store'>,
  project: Project,
  moment: number,
  depths: ReadonlyMap<number, number>,
): SearchOutcome[] {
  const followed = followedTargets(project);
  const ownCount = followed.filter((target) => project.targets.includes(target)).length;
  const searches = project.keywords.flatMap((keyword) =>
    [...expandSearches(project, keyword)].map((search) => ({
      keyword,
      market: search.market,
      searchId: store.names.knownSearchId(search) ?? -1,
    })),
  );
  const depthOf = new Map(searches.map(({ searchId, keyword }) => [searchId, keyword.depth]));
  const byTarget = followed.map((target) => {
    const targetId = store.names.knownTargetId(targetKey(target));
    const outcomes = new Map<number, ReturnType<typeof targetOutcome>>();
    if (targetId === null) return outcomes;
    for (const [searchId, sightings] of store.sightings.ofTarget(targetId, moment - historyMs)) {
      const depth = depthOf.get(searchId);
      if (depth !== undefined) outcomes.set(searchId, targetOutcome(sightings, moment, depth));
    }
    return outcomes;
  });
  return searches.map(({ keyword, market, searchId }): SearchOutcome => {
    const targets = byTarget.map((outcomes) => outcomes.get(searchId) ?? unknownTarget);
    // a daily check reads on for a target that was lost
    const pages = targets.map(({ evidence: { rank, lost } }) =>
      rank === null || lost !== undefined ? null : pageOfRank(rank),
    );
    return {
      group: marketName(market),
      dailyPages: expectedPages(project.paging, keyword.depth, pages),
      depth: depths.get(searchId) ?? null,
      targets: targets.slice(0, ownCount),
    };
  });
}
