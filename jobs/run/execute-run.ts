// Executes one run of this process until it is closed and reported, or interrupted.

import type { PlannedCheck } from '../../db/history/checks/checks.ts';
import { haltedWords, type RunRow } from '../../db/history/runs/runs.ts';
import type { OpenAttempt } from '../../db/ledger/purchases.ts';
import { sumOf } from '../../src/tracker/figures.ts';
import { getOrInsert } from '../../src/tracker/maps.ts';
import { expandSearches, marketName, type Project } from '../../src/tracker/project.ts';
import { searchKey } from '../../src/tracker/searches.ts';
import { targetKey } from '../../src/tracker/targets/target.ts';
import { assessRun } from '../../src/tracker/trust/suspect.ts';
import { missingAnswers, refreshAnswers } from '../answers/refresh-answers.ts';
import { deferredEnd } from '../check/reduce-check.ts';
import { runChecks } from '../check/run-checks.ts';
import type { JobContext } from '../context.ts';
import { boughtMarket, rangeOfKey } from '../purchase/money.ts';
import { brokenServices, filterHalts, type ServiceStop, type ServiceWait } from '../purchase/service-states.ts';
import { failedSettlement, type PurchaseRef, receivedSettlement, settlePurchase } from '../purchase/settlement.ts';
import type { FetchQueue, PageOutcome, Recalled } from '../queue/queue.ts';
import { describeDisputes } from '../read/price-disputes.ts';
import type { VolumeNeed } from '../volumes/metrics-request.ts';
import { refreshVolumes, volumeNeeds } from '../volumes/refresh-volumes.ts';
import { clockRemark } from './clock-doubt.ts';
import { planRun, replanBurst } from './plan-run.ts';
import { holdRun } from './run-lease.ts';
import { writeAlerts, writeRunReports } from './run-reports.ts';
import type { ExecutedRun, PipelineProgress, PipelineSettings, WorkOutcome } from './run-request.ts';

/** A run that this process owns. */
export interface OwnedRun {
  readonly run: RunRow;
  /** Another process had begun it. */
  readonly resumed: boolean;
  /** The keyword metrics that a backfill buys. Default: those that the month lacks. */
  readonly needs?: readonly VolumeNeed[];
}

/**
 * Works on a run to its end. Rejects where store or queue cannot be used, or the run was taken over (RUN_TAKEN_OVER);
 * another process then resumes it.
 */
export async function executeRun(
  context: JobContext,
  settings: PipelineSettings,
  owned: OwnedRun,
): Promise<ExecutedRun> {
  const { run } = owned;
  const { activeRuns } = context.store.runs;
  activeRuns.add(run.id);
  const lease = holdRun(context, run.id);
  const signals = {
    stop: AbortSignal.any([settings.signals.stop, lease.lost]),
    giveUp: AbortSignal.any([settings.signals.giveUp, lease.lost]),
  };
  try {
    if (run.kind === 'ranks') await settings.queue.prepare();
    const onProgress = (progress: PipelineProgress): void => {
      lease.noteWaits(progress.waits);
      settings.onProgress(progress);
    };
    const executed = await workOn(context, { ...settings, signals, onProgress }, owned);
    if (executed.interrupted) {
      lease.lost.throwIfAborted();
      context.store.transaction(() => context.store.runs.abandon(run.id));
    } else {
      settings.onRunEnded?.(executed);
    }
    return executed;
  } finally {
    lease.end();
    activeRuns.delete(run.id);
    if (activeRuns.size === 0) context.store.diskReserve.make();
  }
}

/** Settles an ad-hoc request of a dead process and closes its run. */
export async function closeAdhoc(context: JobContext, settings: PipelineSettings, runId: number): Promise<void> {
  await recoverRun(context, settings.queue, runId, settings.signals.stop);
  closeRun(context, runId, [], ['the process ended before the answer was recorded']);
}

async function workOn(
  context: JobContext,
  settings: PipelineSettings,
  { run, resumed, needs }: OwnedRun,
): Promise<ExecutedRun> {
  const { store } = context;
  const projects = store.runs.slotsOf(run.id).flatMap(({ project }) => context.projects.get(project) ?? []);
  if (resumed) await recoverRun(context, settings.queue, run.id, settings.signals.stop);
  context.log.info(
    { runId: run.id, kind: run.kind, projects: projects.map((project) => project.id), resumed },
    'run opened',
  );
  const outcome =
    run.kind === 'volumes'
      ? await workOnVolumes(context, settings, run, projects, needs, () =>
          // a run of volumes has no reports that could bring its alerts later: they are recorded with its end
          writeAlerts(context, settings, run.id),
        )
      : await workOnRanks(context, settings, { run, resumed }, projects);
  if (outcome.interrupted) return { runId: run.id, resumed, ...outcome, reports: [] };
  const reports = run.kind === 'ranks' ? writeRunReports(context, settings, run.id) : [];
  context.log.info({ runId: run.id, state: store.runs.run(run.id)?.state }, 'run closed');
  return { runId: run.id, resumed, ...outcome, reports };
}

const interruptedWork: WorkOutcome = { interrupted: true, problems: [], halts: [], clock: null };

async function workOnRanks(
  context: JobContext,
  settings: PipelineSettings,
  { run, resumed }: OwnedRun,
  projects: readonly Project[],
): Promise<WorkOutcome> {
  const { store } = context;
  let waits: readonly ServiceWait[] = [];
  const report = (phase: PipelineProgress['phase'], done: number, total: number): void =>
    settings.onProgress({ phase, runId: run.id, done, total, waits });
  if (!run.planned) planRun(context, run.id, projects, (count) => report('planning', count, count));
  if (resumed) deferRemoved(context, run.id);
  if (run.origin === 'confirm') store.transaction(() => store.secondLooks.deferLate(run.id, context.clock.now()));
  const counts = store.checks.counts(run.id);
  let total = sumOf(Object.values(counts));
  let done = total - counts.planned;
  report('checking', done, total);
  const listener = {
    onEnded(): void {
      done += 1;
      report('checking', done, total);
    },
    onWaits(now: readonly ServiceWait[]): void {
      waits = now;
      report('checking', done, total);
    },
  };
  const check = () => runChecks(context, settings.queue, run.id, settings.signals, listener);
  let checked = await check();
  if (checked.kind === 'done' && checked.stops.length === 0) {
    const added = replanBurst(context, run.id, settings.reports.ctrCurve);
    total += added;
    if (added > 0) checked = await check();
  }
  if (checked.kind === 'interrupted') return interruptedWork;
  const { stops } = checked;
  if (context.best !== undefined) store.transaction(() => store.jointLooks.dropPlanned(run.id));
  // after the checks: an assistant that is slow or fails keeps no ranks waiting
  const needs = run.origin === 'schedule' ? missingAnswers(context, projects, run.moment) : [];
  const answered = await refreshAnswers(context, run.id, needs, settings.signals, (done, total, waits) =>
    settings.onProgress({ phase: 'answers', runId: run.id, done, total, waits }),
  );
  if (answered.interrupted) return interruptedWork;
  const { doubt: clock, remark } = clockRemark(context, run);
  const remarks = [...(remark === null ? [] : [remark]), ...checked.remarks];
  const end = { remark: remarks[0] };
  await store.whenUnlocked(() => closeRun(context, run.id, stops, answered.problems, end), settings.signals.stop);
  const problems = [...brokenServices(stops), ...answered.problems, ...remarks];
  return { interrupted: false, problems, halts: filterHalts(stops), clock };
}

const cutShort = 'the backfill was interrupted; `rankledger backfill volumes` buys the missing metrics';

/**
 * Buys what the run needs, and closes it. The needs of a backfill are not stored: one that was interrupted is closed as
 * it is, so that no more is bought than was requested. `onClosed` is called in the transaction that closes it.
 */
async function workOnVolumes(
  context: JobContext,
  settings: Pick<PipelineSettings, 'signals' | 'onProgress'>,
  run: RunRow,
  projects: readonly Project[],
  asked: readonly VolumeNeed[] | undefined,
  onClosed: () => void,
): Promise<WorkOutcome> {
  const isBackfill = run.origin === 'backfill';
  const needs = asked ?? (isBackfill ? [] : volumeNeeds(context, projects, run.moment));
  const { interrupted, stops, notes, ...refreshed } = await refreshVolumes(
    context,
    run.id,
    needs,
    settings.signals,
    (done, total, waits) => settings.onProgress({ phase: 'volumes', runId: run.id, done, total, waits }),
  );
  if (interrupted && !isBackfill) return interruptedWork;
  const isCutShort = interrupted || (isBackfill && asked === undefined);
  const problems = [...refreshed.problems, ...(isCutShort ? [cutShort] : [])];
  const { doubt: clock, remark } = clockRemark(context, run);
  const remarks = [...(remark === null ? [] : [remark]), ...notes];
  closeRun(context, run.id, stops, problems, { remark: remarks[0], onClosed });
  return {
    interrupted: false,
    problems: [...problems, ...brokenServices(stops), ...remarks],
    halts: filterHalts(stops),
    clock,
  };
}

/**
 * Closes a run. Its unfinished checks, those of the services in `stops`, are deferred and go first next time. One
 * halted service makes a halted run. `problems`: failures beside checks. `remark`: a note for the operator. `onClosed`
 * is called in the transaction that closes the run.
 */
function closeRun(
  context: JobContext,
  runId: number,
  stops: readonly ServiceStop[],
  problems: readonly string[],
  { remark, onClosed }: { readonly remark?: string | undefined; readonly onClosed?: () => void } = {},
): void {
  const { store, clock } = context;
  store.transaction(() => {
    const run = store.runs.run(runId);
    if (run === null) return;
    const at = clock.now();
    for (const { service, kind, reason, remedy } of stops) {
      const why = kind === 'halted' ? `${haltedWords}${reason}` : reason;
      store.checks.deferRest(runId, service, why, remedy, at);
    }
    const halt = stops.find(({ kind }) => kind === 'halted');
    const counts = store.checks.counts(runId);
    const disputes = describeDisputes(store, [runId]).map((words) => `price in dispute: ${words}`);
    const troubles = problems.length + stops.length + disputes.length;
    const troubled = counts.incomplete + counts.failed + counts.deferred + counts.unknown_paid + troubles;
    store.runs.close(runId, {
      state: halt !== undefined ? 'halted' : troubled > 0 ? 'partial' : 'complete',
      reason: (halt ?? stops[0])?.reason ?? problems[0] ?? disputes[0] ?? null,
      remark: remark ?? null,
      at,
    });
    if (run.origin !== 'confirm') judgeProjects(context, run);
    if (run.kind === 'ranks' && run.origin !== 'confirm') store.checkColumns.write(runId);
    onClosed?.();
  });
}

/** Runs that a project's own rates are counted over. */
const pastRunsMax = 30;

/**
 * Keeps what the run saw of each project, and whether its losses are more than chance. A service at which every project
 * lost that much has failed itself, and the reason says so. Reasons name no other project: reports show them. The slot
 * that a backfill completes is judged again by what it has now.
 */
function judgeProjects(context: JobContext, run: RunRow): void {
  const { store } = context;
  const names = [...new Set(store.runs.slotsOf(run.id).map(({ project }) => project))];
  judgeRun(context, [run], names);
  if (run.origin !== 'backfill' || run.kind !== 'ranks') return;
  for (const project of names) {
    const [slot, ...backfills] = store.reportRuns.latestWithBackfills(project, run.moment);
    if (slot !== undefined && slot.origin === 'schedule') judgeRun(context, [slot, ...backfills], [project]);
  }
}

/** The first of these runs, by what the others have completed since. */
function judgeRun(
  { store, projects }: JobContext,
  runs: readonly [RunRow, ...RunRow[]],
  names: readonly string[],
): void {
  const [run] = runs;
  const judged = names.map((project) => {
    const { targets = [], service = '' } = projects.get(project) ?? {};
    const ids = new Set(targets.flatMap((target) => store.names.knownTargetId(targetKey(target)) ?? []));
    const { complete, incomplete, failed } = store.runCounts.outcome(
      runs.map(({ id }) => id),
      project,
    );
    const losses = runs.map(({ id, moment }) => store.rankings.losses(id, moment, project, [...ids]));
    const counts = {
      checks: complete + incomplete + failed,
      failedChecks: failed,
      rankedBefore: sumOf(losses, ({ rankedBefore }) => rankedBefore),
      lost: sumOf(losses, ({ lost }) => lost),
    };
    const { reason } = assessRun(counts, store.runCounts.past(run.id, project, pastRunsMax));
    return { project, service, counts, reason };
  });
  for (const { project, service, counts, reason } of judged) {
    const others = judged.filter((one) => one.service === service && one.project !== project);
    const isOfAll = others.length > 0 && others.every((one) => one.reason !== null);
    const why =
      reason !== null && isOfAll ? `${reason}; so did every project of the run at service ${service}` : reason;
    store.runCounts.keep(run.id, project, counts, why);
  }
}

/**
 * Prepares a run that this process has taken over. An answer that arrived after the former owner died is kept with its
 * purchase, and its check reads it. A purchase without a known outcome becomes `unknown`. Rejects only where the store
 * fails.
 */
export async function recoverRun(
  context: JobContext,
  queue: FetchQueue,
  runId: number,
  signal: AbortSignal,
): Promise<void> {
  const { store, clock, log } = context;
  // as recorded when they were sent: the config may name another source by now, or none
  const openAttempts = store.purchaseAttempts.openOf(runId).filter(({ isSimulated }) => !isSimulated);
  await Promise.all(
    openAttempts.map(async (open) => {
      const job = pageJob(context, open);
      const recalled = await queue.recall(job, signal);
      if (recalled.kind === 'lost') return;
      const atOnce = job.request.through === undefined ? undefined : open.price;
      await store.grouped(() => settle(context, runId, open, atOnce, recalled));
    }),
  );
  store.transaction(() => {
    for (const { isSimulated, ...open } of store.purchaseAttempts.openOf(runId)) {
      if (isSimulated) continue;
      const facts = { ...purchaseRef(runId, open), state: 'unknown', errorCode: 'INTERRUPTED' };
      log.warn(facts, 'purchase outcome unknown: it counts as spent');
    }
    const unknown = store.ledger.recover(runId, clock.now());
    store.checks.putBackAll(runId);
    if (unknown > 0) log.warn({ runId, unknown }, 'purchases without a recorded answer count as spent');
  });
}

/** As `PageBuyer` sent it. */
function pageJob({ store }: JobContext, { service, requestKey, attempt, keyword, market, page, moment }: OpenAttempt) {
  const { country, language, device, location } = market;
  const bought = [store.names.boughtKeyword(keyword), boughtMarket(market, service)] as const;
  const through = page === 1 ? rangeOfKey(requestKey, ...bought, moment) : undefined;
  const request = { keyword, country, language, mobile: device === 'mobile', page, location, through };
  return { service, request, at: moment, requestKey, attempt, order: 0 };
}

function purchaseRef(
  runId: number,
  { checkId, service, purchaseId, requestKey, page }: Omit<OpenAttempt, 'isSimulated' | 'price'>,
): PurchaseRef {
  return { runId, checkId, service, purchaseId, requestKey, page };
}

/** `atOnce`: the price of several pages at once. */
function settle(
  context: JobContext,
  runId: number,
  open: OpenAttempt,
  atOnce: number | undefined,
  recalled: Exclude<Recalled, { kind: 'lost' }>,
): void {
  if (recalled.kind === 'outcome') {
    settleOutcome(context, runId, open, atOnce, recalled.outcome);
    return;
  }
  context.store.ledger.settle(open.purchaseId, {
    state: 'free',
    at: context.clock.now(),
    errorCode: 'NEVER_SENT',
    message: 'no worker had begun the request',
  });
}

function settleOutcome(
  context: JobContext,
  runId: number,
  open: OpenAttempt,
  atOnce: number | undefined,
  outcome: PageOutcome,
): void {
  const { store, clock } = context;
  const { purchaseId } = open;
  const ref = purchaseRef(runId, open);
  const at = clock.now();
  if (outcome.ok) {
    settlePurchase(
      context,
      ref,
      receivedSettlement(outcome.isShared === true, at, outcome.answer, outcome.stated ?? atOnce),
    );
    store.pages.keepBody(purchaseId, outcome.answer.body, false);
    return;
  }
  const { charged, body } = outcome.failure;
  settlePurchase(context, ref, failedSettlement(outcome.failure, at, atOnce ?? 1));
  if (charged !== 'no' && body !== null) store.pages.keepBody(purchaseId, body, false);
}

const checksPerTransaction = 2000;
const remedy = 'It is checked when the config has it again.';

/** A check stays planned if any of its projects still tracks its search. */
function deferRemoved(context: JobContext, runId: number): void {
  const { store, clock } = context;
  const tracked = new TrackedSearches(context);
  let last: PlannedCheck | null = null;
  for (;;) {
    const checks: PlannedCheck[] = store.checks.plannedAfter(runId, last, checksPerTransaction);
    last = checks.at(-1) ?? null;
    if (last === null) return;
    store.transaction(() => {
      store.runs.heartbeat(runId, clock.now());
      for (const check of checks) {
        const absence = tracked.absence(check);
        if (absence !== null) store.checks.end(check.id, deferredEnd(absence, clock.now(), remedy));
      }
    });
  }
}

class TrackedSearches {
  readonly #context: JobContext;
  readonly #byProject = new Map<string, ReadonlySet<string>>();

  constructor(context: JobContext) {
    this.#context = context;
  }

  /** What the config no longer has of a planned check; null where it has all. */
  absence({ keyword, market, projects: ids }: PlannedCheck): string | null {
    const { services, projects } = this.#context;
    if (!services.has(market.service)) return `the config has no service "${market.service}" any more`;
    const present = ids.filter((id) => projects.has(id));
    const names = (some: readonly string[]) => some.map((id) => `"${id}"`).join(' or ');
    if (present.length === 0 && ids.length > 0) return `the config has no project ${names(ids)} any more`;
    if (ids.length === 0 || present.some((id) => this.#of(id).has(searchKey({ keyword, market })))) return null;
    return `project ${names(present)} does not track this keyword in ${marketName(market)} any more`;
  }

  #of(id: string): ReadonlySet<string> {
    return getOrInsert(this.#byProject, id, () => {
      const project = this.#context.projects.get(id);
      const searches = project?.keywords.flatMap((keyword) => [...expandSearches(project, keyword)]) ?? [];
      return new Set(searches.map(searchKey));
    });
  }
}
