// Writes reports, agency files and alerts of a run that has ended, and retries those that failed.

import { StoreError } from '../../db/connection/errors.ts';
import type { ReportFailure } from '../../db/history/outbox.ts';
import { backoffMs, errorText } from '../../src/service/terms.ts';
import { hourMs, minuteMs } from '../../src/tracker/schedule/time-units.ts';
import { findAlerts, findRewritten } from '../alerts/find-alerts.ts';
import type { JobContext } from '../context.ts';
import { heartbeatEveryMs } from '../purchase/service-states.ts';
import { RunCosts } from '../read/rows/run-costs.ts';
import { agencyFolder, writeAgencyFiles } from '../report/files/agency-files.ts';
import { type ReportSettings, type RunReport, writeFolders, writeIndex } from '../report/write-report.ts';
import { judgeChanges, keepPlanOutcomes } from './judge-changes.ts';
import type { ExecutedRun, PipelineSettings } from './run-request.ts';

/** Failures that are tried again at a time. */
const retriesMax = 50;

type Part = Pick<ReportFailure, 'part' | 'project'>;

/** Writes the reports of a closed run that died before it had any. */
export function reportOn(context: JobContext, settings: PipelineSettings, runId: number): ExecutedRun {
  const reports = writeRunReports(context, settings, runId);
  const executed = { runId, resumed: true, interrupted: false, problems: [], halts: [], clock: null, reports };
  settings.onRunEnded?.(executed);
  return executed;
}

/**
 * Writes all that a run of ranks is followed by, and marks it as reported. A run of second looks is followed by the
 * reports and alerts of the run whose changes it looked at. Throws StoreError, and nothing else.
 */
export function writeRunReports(context: JobContext, settings: PipelineSettings, closedId: number): RunReport[] {
  settings.onProgress({ phase: 'reporting', runId: closedId, done: 0, total: 1, waits: [] });
  const { store, clock } = context;
  const runId = store.runs.run(closedId)?.confirms ?? closedId;
  const reports = { ...settings.reports, onTable: heartbeatBetweenTables(context, closedId) };
  const attempts = new ReportAttempts(context, runId);
  if (runId === closedId) attempts.try({ part: 'alerts', project: null }, () => judgeChanges(context, settings, runId));
  // a simulation has no reports that show it
  if (settings.skipsReports !== true) keepPlanOutcomes(context, runId);
  const slots = settings.skipsReports === true ? [] : store.runs.slotsOf(runId);
  const costs = new RunCosts(store.runFacts);
  const written = slots.flatMap(
    ({ project }) =>
      attempts.try({ part: 'report', project }, () => writeFolders(context, reports, runId, project, costs)) ?? [],
  );
  if (written.length > 0) attempts.try({ part: 'index', project: null }, () => writeIndex(context, reports));
  const agency =
    slots.length === 0
      ? null
      : attempts.try({ part: 'agency', project: null }, () => writeAgencyFiles(context, settings.reports));
  const alerts = collectAlerts(context, settings, runId, written, attempts);
  // second looks that failed: beside the alerts of the run whose changes they are at
  if (runId !== closedId) alerts.push(...collectAlerts(context, settings, closedId, written, attempts));
  store.transaction(() => {
    store.alertDeliveries.add(alerts, clock.now());
    attempts.record();
    store.runs.markReported(closedId, clock.now());
  });
  return agency === null ? written : [...written, { runId, ...agency }];
}

/** Records the alerts of a run without writing reports. Call inside a transaction. */
export function writeAlerts(context: JobContext, settings: PipelineSettings, runId: number): void {
  const attempts = new ReportAttempts(context, runId);
  const alerts = collectAlerts(context, settings, runId, [], attempts);
  context.store.alertDeliveries.add(alerts, context.clock.now());
  attempts.record();
}

/** Gives up second looks whose day is over, and records the alerts that waited for them, in one step. */
export function releaseAlerts(context: JobContext, settings: PipelineSettings): void {
  const { store, clock } = context;
  store.transaction(() => {
    for (const runId of store.secondLooks.lapse(clock.now())) writeAlerts(context, settings, runId);
  });
}

/** Retries reports that could not be written: all of them, or those whose backoff is over. Throws StoreError only. */
export function retryReports(context: JobContext, settings: PipelineSettings, which: 'all' | 'due'): void {
  const { store, clock } = context;
  const { reportFailures } = store;
  const failures = which === 'all' ? reportFailures.all(retriesMax) : reportFailures.due(clock.now(), retriesMax);
  for (const { runId, part, project } of failures) {
    const attempts = new ReportAttempts(context, runId);
    const alerts = attempts.try({ part, project }, () =>
      writeAgain(context, settings, runId, { part, project }, attempts),
    );
    store.transaction(() => {
      store.alertDeliveries.add(alerts ?? [], clock.now());
      attempts.record();
    });
  }
  const { alerts, reports } = settings;
  if (alerts === undefined) return;
  const left = reportFailures.all(retriesMax);
  const isWritten = (topic: 'report' | 'reports', id: string): boolean =>
    !left.some(({ part, project }) => (topic === 'report' ? part === 'report' && project === id : project === null));
  for (const runId of new Set(failures.flatMap(({ part, runId }) => (part === 'alerts' ? [] : [runId])))) {
    const attempts = new ReportAttempts(context, runId);
    const onFailed = (project: string, error: unknown) => attempts.failed({ part: 'alerts', project }, error);
    store.alertDeliveries.add(findRewritten(context, { reports, alerts }, runId, isWritten, onFailed), clock.now());
  }
}

/** Returns the alerts it found, for the part `alerts`. */
function writeAgain(
  context: JobContext,
  settings: PipelineSettings,
  runId: number,
  { part, project }: Part,
  attempts: ReportAttempts,
): ReturnType<typeof findAlerts> {
  switch (part) {
    case 'report':
      if (project !== null) writeFolders(context, settings.reports, runId, project);
      // the one that was written before did not list it
      attempts.try({ part: 'index', project: null }, () => writeIndex(context, settings.reports));
      return [];
    case 'index':
      writeIndex(context, settings.reports);
      return [];
    case 'agency':
      writeAgencyFiles(context, settings.reports);
      return [];
    case 'alerts':
      return collectAlerts(context, settings, runId, [], attempts).filter((alert) => alert.project === project);
  }
}

function collectAlerts(
  context: JobContext,
  { alerts, reports }: PipelineSettings,
  runId: number,
  written: readonly RunReport[],
  attempts: ReportAttempts,
): ReturnType<typeof findAlerts> {
  if (alerts === undefined) return [];
  const reported = { written, unwritten: attempts.unwritten };
  return findAlerts(context, { reports, alerts }, runId, reported, (project, error) =>
    attempts.failed({ part: 'alerts', project }, error),
  );
}

/** Tries the parts of one run's reports separately: a failed part does not stop the others. */
class ReportAttempts {
  readonly #context: JobContext;
  readonly #runId: number;
  /** Why each part failed; null where it was written. */
  readonly #reasons = new Map<string, Part & { readonly reason: string | null }>();

  constructor(context: JobContext, runId: number) {
    this.#context = context;
    this.#runId = runId;
  }

  /** Null where it fails. Throws StoreError: a failed store, or a lost run, is no failure of the report. */
  try<T>(part: Part, work: () => T): T | null {
    try {
      const value = work();
      if (!this.#reasons.has(partKey(part))) this.#reasons.set(partKey(part), { ...part, reason: null });
      return value;
    } catch (error) {
      if (error instanceof StoreError) throw error;
      this.failed(part, error);
      return null;
    }
  }

  get unwritten(): (Part & { readonly reason: string })[] {
    return [...this.#reasons.values()].flatMap(({ reason, ...part }) => (reason === null ? [] : [{ ...part, reason }]));
  }

  failed(part: Part, error: unknown): void {
    const reason = errorText(error);
    this.#reasons.set(partKey(part), { ...part, reason });
    const facts = { runId: this.#runId, ...part, error: reason };
    this.#context.log.error(facts, 'report failed: it is retried later, and due runs go on');
  }

  /** Records what failed, and forgets failures of what was written. Call inside a transaction. */
  record(): void {
    const { store, clock } = this.#context;
    for (const { part, project, reason } of this.#reasons.values()) {
      const failure = { runId: this.#runId, part, project };
      if (reason === null) store.reportFailures.clear(failure);
      else store.reportFailures.record({ ...failure, reason, at: clock.now() }, retryDelayMs);
    }
  }
}

/** The wait before a part that failed is written again. */
function retryDelayMs(attempt: number): number {
  return backoffMs({ firstMs: minuteMs, maxMs: hourMs }, attempt);
}

function partKey({ part, project }: Part): string {
  return `${part} ${project ?? agencyFolder}`;
}

/** Writing tables blocks the timer of the run's lease: the heartbeat is written between two of them. */
function heartbeatBetweenTables({ store, clock }: JobContext, runId: number): NonNullable<ReportSettings['onTable']> {
  let beatenAt = clock.now();
  return () => {
    if (clock.now() - beatenAt < heartbeatEveryMs) return;
    beatenAt = clock.now();
    store.transaction(() => store.runs.heartbeat(runId, beatenAt));
  };
}
