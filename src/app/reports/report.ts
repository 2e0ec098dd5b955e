// Writes reports again from history.

import type { JobContext } from '../../../jobs/context.ts';
import { writeAgencyFiles } from '../../../jobs/report/files/agency-files.ts';
import { answerOf, lastDate } from '../../../jobs/report/report-question.ts';
import { RunCosts } from '../../../jobs/report/rows/run-costs.ts';
import { type ReportSettings, writeFolders, writeIndex } from '../../../jobs/report/write-report.ts';
import type { Mover } from '../../report/tables/movers.ts';
import type { Headline } from '../../rows/sums.ts';
import type { Project } from '../../tracker/project.ts';
import { localDate } from '../../tracker/schedule/local-time.ts';
import type { App } from '../app.ts';
import { projectsNamed } from '../opening/named-projects.ts';
import { servicesAtRest } from '../opening/services-at-rest.ts';
import { UsageError } from '../opening/usage-error.ts';
import { type ReportOverrides, reportSettings } from './report-settings.ts';

export interface ReportOptions extends ReportOverrides {
  /** Default: all. */
  readonly projects?: readonly string[];
}

export interface WrittenReport {
  readonly project: string;
  /** Absolute folder. */
  readonly directory: string;
  readonly files: readonly string[];
  readonly rows: number;
  readonly movers: readonly Mover[];
  /** Of the first own target; null of the files of all projects. */
  readonly headline: Headline | null;
  /** Present where the page is to be printed. */
  readonly wantsPdf?: true;
}

export function report(app: App, options: ReportOptions): WrittenReport[] {
  return [...writtenReports(app, options)];
}

/** One report at a time: between two of them, the caller may stop. */
export function* writtenReports({ config, context }: App, options: ReportOptions): Generator<WrittenReport> {
  const projects = projectsNamed(config, options.projects);
  const settings = reportSettings(config, options);
  refuseFuture(projects, context.clock.now(), lastDate(settings.question ?? {}));
  yield* latestReports({ ...context, services: servicesAtRest(config) }, settings, projects);
}

/** A folder must hold what its name says. */
function refuseFuture(projects: readonly Project[], now: number, date: string | undefined): void {
  const early = date === undefined ? undefined : projects.find(({ timezone }) => localDate(now, timezone) < date);
  if (early !== undefined)
    throw new UsageError(`${date} lies in the future in ${early.timezone}`, 'Name a day that has begun.');
}

/** Writes the latest reports of these projects again, and the files of all projects if the settings include them. */
export function writeLatestReports(
  context: JobContext,
  settings: ReportSettings,
  projects: readonly Project[],
): WrittenReport[] {
  return [...latestReports(context, settings, projects)];
}

function* latestReports(
  context: JobContext,
  settings: ReportSettings,
  projects: readonly Project[],
): Generator<WrittenReport> {
  const costs = new RunCosts(context.store.runFacts);
  let isAnyWritten = false;
  try {
    for (const project of projects) {
      const answer = answerOf(context, settings, project);
      if (answer === null) continue;
      const reports = writeFolders(context, answer.settings, answer.runId, project.id, costs);
      isAnyWritten ||= reports.length > 0;
      yield* reports;
    }
  } finally {
    // also where the caller stops: the index lists what is there
    if (isAnyWritten) writeIndex(context, settings);
  }
  const agency = writeAgencyFiles(context, settings);
  if (agency !== null) yield agency;
}
