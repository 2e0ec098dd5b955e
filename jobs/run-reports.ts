// What follows from a run that has ended: reports, files of all projects, alerts. What cannot be written is kept and tried again, and stops nothing else.
import { StoreError } from '../db/errors.ts';
import type { ReportFailure } from '../db/report-failures.ts';
import { agencyFolder, writeAgencyFiles } from './agency-files.ts';
import type { JobContext } from './context.ts';
import { findAlerts } from './find-alerts.ts';
import type { ExecutedRun, PipelineSettings } from './run-work.ts';
import { heartbeatEveryMs } from './service-lines.ts';
import { type ReportSettings, type RunReport, writeFolders, writeIndex } from './write-report.ts';

/** Failures that are tried again at a time. */
const retriesMax = 50;

type Part = Pick<ReportFailure, 'part' | 'project'>;

/** Writes the reports of a closed run that died before it had any. */
export function reportOn(context: JobContext, settings: PipelineSettings, runId: number): ExecutedRun {
  const reports = writeRunReports(context, settings, runId);
  const executed = { runId, resumed: true, interrupted: false, problems: [], halts: [], reports };
  settings.onRunEnded?.(executed);
  return executed;
}

/** Writes all that a run of ranks is followed by, and marks it as reported. Throws StoreError, and nothing else. */
export function writeRunReports(context: JobContext, settings: PipelineSettings, runId: number): RunReport[] {
  settings.onProgress({ phase: 'reporting', runId, done: 0, total: 1, waits: [] });
  const { store, clock } = context;
  const reports = { ...settings.reports, onTable: beating(context, runId) };
  const attempts = new Attempts(context, runId);
  const written = store.runs
    .slotsOf(runId)
    .flatMap(
      ({ project }) =>
        attempts.try({ part: 'report', project }, () => writeFolders(context, reports, runId, project)) ?? [],
    );
  if (written.length > 0) attempts.try({ part: 'index', project: null }, () => writeIndex(context, reports));
  const alerts = alertsOf(context, settings, runId, written, attempts);
  const agency = attempts.try({ part: 'agency', project: null }, () => writeAgencyFiles(context, settings.reports));
  store.transaction(() => {
    store.alertDeliveries.add(alerts, clock.now());
    attempts.record();
    store.runs.markReported(runId, clock.now());
  });
  return agency === null ? written : [...written, { runId, ...agency }];
}

/** Writes down what is to be told of a run that has no reports. Call inside a transaction. */
export function writeAlerts(context: JobContext, settings: PipelineSettings, runId: number): void {
  const attempts = new Attempts(context, runId);
  const alerts = alertsOf(context, settings, runId, [], attempts);
  context.store.alertDeliveries.add(alerts, context.clock.now());
  attempts.record();
}

/** Tries again what could not be written before: `isPatient` waits longer from one try to the next. Throws StoreError, and nothing else. */
export function retryReports(context: JobContext, settings: PipelineSettings, isPatient: boolean): void {
  const { store, clock } = context;
  const now = clock.now();
  const failures = isPatient ? store.reportFailures.due(now, retriesMax) : store.reportFailures.all(retriesMax);
  for (const { runId, part, project } of failures) {
    const attempts = new Attempts(context, runId);
    const alerts = attempts.try({ part, project }, () =>
      writeAgain(context, settings, runId, { part, project }, attempts),
    );
    store.transaction(() => {
      store.alertDeliveries.add(alerts ?? [], clock.now());
      attempts.record();
    });
  }
}

/** Returns the alerts that were found, where it is about them. */
function writeAgain(
  context: JobContext,
  settings: PipelineSettings,
  runId: number,
  { part, project }: Part,
  attempts: Attempts,
): ReturnType<typeof findAlerts> {
  switch (part) {
    case 'report':
      if (project !== null) writeFolders(context, settings.reports, runId, project);
      return [];
    case 'index':
      writeIndex(context, settings.reports);
      return [];
    case 'agency':
      writeAgencyFiles(context, settings.reports);
      return [];
    case 'alerts':
      return alertsOf(context, settings, runId, [], attempts).filter((alert) => alert.project === project);
  }
}

function alertsOf(
  context: JobContext,
  { alerts, reports }: PipelineSettings,
  runId: number,
  written: readonly RunReport[],
  attempts: Attempts,
): ReturnType<typeof findAlerts> {
  if (alerts === undefined) return [];
  return findAlerts(context, { reports, alerts }, runId, written, (project, error) =>
    attempts.failed({ part: 'alerts', project }, error),
  );
}

/** What is tried of one run, each part by itself. */
class Attempts {
  readonly #context: JobContext;
  readonly #runId: number;
  /** Why each part failed; null where it was written. */
  readonly #reasons = new Map<string, Part & { readonly reason: string | null }>();

  constructor(context: JobContext, runId: number) {
    this.#context = context;
    this.#runId = runId;
  }

  /** Null where it fails. A store that fails, or a run that was taken over, is none of the report's failures: that is thrown. */
  try<T>(part: Part, work: () => T): T | null {
    try {
      const value = work();
      if (!this.#reasons.has(keyOf(part))) this.#reasons.set(keyOf(part), { ...part, reason: null });
      return value;
    } catch (error) {
      if (error instanceof StoreError) throw error;
      this.failed(part, error);
      return null;
    }
  }

  failed(part: Part, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    this.#reasons.set(keyOf(part), { ...part, reason });
    const facts = { runId: this.#runId, ...part, error: reason };
    this.#context.log.error(facts, 'report failed: it is tried again, and what is due is bought all the same');
  }

  /** Writes down what failed, and forgets failures of what was written. Call inside a transaction. */
  record(): void {
    const { store, clock } = this.#context;
    for (const { part, project, reason } of this.#reasons.values()) {
      const failure = { runId: this.#runId, part, project };
      if (reason === null) store.reportFailures.clear(failure);
      else store.reportFailures.record({ ...failure, reason, at: clock.now() });
    }
  }
}

function keyOf({ part, project }: Part): string {
  return `${part} ${project ?? agencyFolder}`;
}

/** Writing tables blocks the timer of the run's lease: the heartbeat is written between two of them. */
function beating({ store, clock }: JobContext, runId: number): NonNullable<ReportSettings['onTable']> {
  let beatenAt = clock.now();
  return () => {
    if (clock.now() - beatenAt < heartbeatEveryMs) return;
    beatenAt = clock.now();
    store.transaction(() => store.runs.heartbeat(runId, beatenAt));
  };
}
