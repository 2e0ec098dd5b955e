// Runs what is due, or the projects that the request names, once.
import type { BrokenEntries } from '../../../config/document/draft.ts';
import type { MissedSlots } from '../../../db/history/runs/slots.ts';
import { duenessReport, type ProjectDueness } from '../../../jobs/query/status.ts';
import type { App } from '../app.ts';
import { planRequest, rejectSlot } from '../opening/named-projects.ts';
import { type UnwrittenReport, unwrittenReports } from '../reports/unwritten.ts';
import { type ExecutionOptions, executeRuns } from './execute-runs.ts';
import type { ClicksFetch } from './fetch-clicks.ts';
import type { RunResult } from './run-result.ts';

export interface RunOptions extends ExecutionOptions {
  /** Ids of projects to run now; unknown ids are a UsageError. */
  readonly projects?: readonly string[];
  /** Every project now. */
  readonly all?: boolean;
  /**
   * UTC milliseconds: runs the named projects, or all, for that slot. Resumes an unfinished run, and does nothing if it
   * is complete.
   */
  readonly slot?: number;
  /**
   * Runs `slot` of a live source although a later slot has passed: its rankings carry the day they are seen on.
   * Otherwise that is a UsageError.
   */
  readonly late?: boolean;
}

export interface RunOutcome {
  /** In order of execution; empty if nothing was due. */
  readonly runs: readonly RunResult[];
  /** If nothing was due: for each project why, and when next. */
  readonly notDue: readonly ProjectDueness[];
  /** Projects that are still overdue although the request was for everything that is due. */
  readonly overdue: readonly ProjectDueness[];
  /** Slots that passed without a run, found by this request: consecutive slots are one entry. */
  readonly missed: readonly MissedSlots[];
  /** Reports and alerts of these and earlier runs that could not be written. Each run retries them. */
  readonly unwritten: readonly UnwrittenReport[];
  /** Measured clicks that were fetched afterwards; absent: no project with access to Search Console ran. */
  readonly clicks?: readonly ClicksFetch[];
  /** Projects that do not run: their config is broken, or their service cannot be opened. */
  readonly broken: BrokenEntries;
}

const missedMax = 100;

export async function run(app: App, options: RunOptions): Promise<RunOutcome> {
  await app.openUsableServices();
  const { config, context } = app;
  const request = planRequest(config, options);
  rejectSlot(context, config, request, options.late ?? false);
  const startedAt = context.clock.now();
  let clicks: readonly ClicksFetch[] = [];
  const onClicks = (fetched: readonly ClicksFetch[]): void => {
    clicks = fetched;
  };
  const runs = await executeRuns(app, request, { ...options, onClicks });
  const dueness = duenessReport(context, [...context.projects.values()]);
  const overdue = request.kind === 'due' ? dueness.filter(({ overdueSince }) => overdueSince !== null) : [];
  return {
    runs,
    notDue: runs.length > 0 ? [] : dueness,
    overdue,
    missed: context.store.runs.missedSlotsSince(startedAt, missedMax),
    unwritten: unwrittenReports(context),
    ...(clicks.length === 0 ? {} : { clicks }),
    broken: config.broken,
  };
}
