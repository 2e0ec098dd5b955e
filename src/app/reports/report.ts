// Writes reports again from history.
import type { JobContext } from '../../../jobs/context.ts';
import { writeAgencyFiles } from '../../../jobs/report/agency-files.ts';
import { type ReportSettings, writeReports } from '../../../jobs/report/write-report.ts';
import type { Mover } from '../../report/tables/movers.ts';
import type { Project } from '../../tracker/project.ts';
import type { App } from '../app.ts';
import { projectsNamed } from '../opening/named-projects.ts';
import { servicesAtRest } from '../opening/services-at-rest.ts';
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
}

export function report({ config, context }: App, options: ReportOptions): WrittenReport[] {
  const projects = projectsNamed(config, options.projects);
  const settings = reportSettings(config, options);
  return writeLatestReports({ ...context, services: servicesAtRest(config) }, settings, projects);
}

/** Writes the latest reports of these projects again, and the files of all projects if the settings include them. */
export function writeLatestReports(
  context: JobContext,
  settings: ReportSettings,
  projects: readonly Project[],
): WrittenReport[] {
  const reports: WrittenReport[] = projects.flatMap((project) => {
    const run = context.store.reportRuns.latestReported(project.id, context.clock.now());
    return run === null ? [] : writeReports(context, settings, run.id, project.id);
  });
  const agency = writeAgencyFiles(context, settings);
  return agency === null ? reports : [...reports, agency];
}
