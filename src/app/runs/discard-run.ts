// Excludes a run from reports, baselines, dueness and alerts, or includes it again.

import { existsSync } from 'node:fs';
import type { JobContext } from '../../../jobs/context.ts';
import { type ReportSettings, writeIndex } from '../../../jobs/report/write-report.ts';
import { discardRun as markDiscarded, nameFolders, restoreRun } from '../../../jobs/run/discard-run.ts';
import { noteComplaint } from '../../tracker/changes/note.ts';
import { normalText } from '../../tracker/searches.ts';
import type { App } from '../app.ts';
import { UsageError } from '../opening/failures.ts';
import { atRest } from '../opening/services.ts';
import { reportSettings, type WrittenReport, writeLatestReports } from '../reports/report.ts';

interface DiscardOptions {
  readonly runId: number;
  /** Default: none. */
  readonly reason?: string;
  /** Makes a discarded run count again. */
  readonly undo?: boolean;
}

interface DiscardReport {
  readonly runId: number;
  /** ISO 8601; null if it counts. */
  readonly discardedAt: string | null;
  readonly discardReason: string | null;
  readonly slots: readonly { readonly project: string; readonly slot: string }[];
  /** The latest reports of its projects, written again. */
  readonly reports: readonly WrittenReport[];
}

/** Throws UsageError if the run cannot be discarded or restored. */
export function discardRun({ config, context }: App, options: DiscardOptions): DiscardReport {
  return discardAndReport(atRest(config, context), reportSettings(config), options);
}

/**
 * Writes the latest reports of the run's projects again. Calling it again repairs an update that a crash interrupted.
 */
export function discardAndReport(
  context: JobContext,
  settings: ReportSettings,
  { runId, reason, undo = false }: DiscardOptions,
): DiscardReport {
  const complaint = reason === undefined ? undefined : noteComplaint(reason);
  if (complaint !== undefined) throw new UsageError(complaint);
  const { runs } = context.store;
  const refusal = undo
    ? restoreRun(context, runId)
    : markDiscarded(context, runId, reason === undefined ? null : normalText(reason));
  if (refusal !== null) throw new UsageError(refusal.message, refusal.hint);
  const slots = runs.slotsOf(runId).map(({ project, slot }) => ({ project, slot }));
  const projects = new Set(slots.flatMap(({ project }) => context.projects.get(project) ?? []));
  // `latest` must leave the folder of a discarded run before its rename, and finds a restored run under its own name
  if (undo) nameFolders(context, settings.directory, runId);
  const reports = writeLatestReports(context, settings, [...projects]);
  if (!undo) nameFolders(context, settings.directory, runId);
  if (existsSync(settings.directory)) writeIndex(context, settings);
  const run = runs.run(runId);
  return {
    runId,
    discardedAt: run?.discardedAt == null ? null : new Date(run.discardedAt).toISOString(),
    discardReason: run?.discardReason ?? null,
    slots,
    reports,
  };
}
