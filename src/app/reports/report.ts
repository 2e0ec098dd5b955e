// Writes reports again from history.

import type { ResolvedConfig } from '../../../config/resolve.ts';
import type { JobContext } from '../../../jobs/context.ts';
import { RunCosts } from '../../../jobs/read/rows/run-costs.ts';
import { agencyFolder, writeAgencyFiles } from '../../../jobs/report/files/agency-files.ts';
import { answerOf, lastDate } from '../../../jobs/report/report-question.ts';
import { type ReportSettings, type RunReport, writeFolders, writeIndex } from '../../../jobs/report/write-report.ts';
import { launchPrintingBrowser, type PrintingBrowser } from '../../service/index.ts';
import { comparisonHint, comparisonName, parseComparison } from '../../tracker/changes/change.ts';
import type { Project } from '../../tracker/project.ts';
import { localDate } from '../../tracker/schedule/local-time.ts';
import type { App } from '../app.ts';
import { UsageError } from '../opening/failures.ts';
import { projectsNamed } from '../opening/named-projects.ts';
import { atRest } from '../opening/services.ts';

export interface ReportOptions extends ReportOverrides {
  /** Default: all. */
  readonly projects?: readonly string[];
}

/** Of the files of all projects the headline is null. */
export type WrittenReport = Omit<RunReport, 'runId'>;

export function report(app: App, options: ReportOptions): WrittenReport[] {
  return [...writtenReports(app, options)];
}

/** One report at a time: between two of them, the caller may stop. */
export function* writtenReports({ config, context }: App, options: ReportOptions): Generator<WrittenReport> {
  const projects = projectsNamed(config, options.projects);
  const settings = reportSettings(config, options);
  refuseFuture(projects, context.clock.now(), lastDate(settings.question ?? {}));
  yield* latestReports(atRest(config, context), settings, projects);
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

/** Overrides of the config. */
interface ReportOverrides {
  /** Instead of `reports.compare`. */
  readonly compare?: string;
  /** Files for all projects together. */
  readonly agency?: boolean;
  /** The tables as a workbook, too. */
  readonly xlsx?: boolean;
  /** The page as a PDF, too. */
  readonly pdf?: boolean;
  /** Local date: the state at its end instead of today's. */
  readonly asOf?: string;
  /** Local dates: a period instead of a day. It is compared with its own beginning. */
  readonly period?: { readonly from: string; readonly to: string };
  /** Absolute folder instead of `reports.dir`. */
  readonly out?: string;
}

/** Throws UsageError for an invalid comparison, and if a project has the name of the folder for all projects. */
export function reportSettings(
  { reports, notes, projects, views }: ResolvedConfig,
  overrides: ReportOverrides = {},
): ReportSettings {
  const comparison = overrides.compare === undefined ? reports.compare : parseComparison(overrides.compare);
  if (comparison === null) throw new UsageError(`--compare takes ${comparisonHint}, not "${overrides.compare}"`);
  const hasOtherBaseline = comparisonName(comparison) !== comparisonName(reports.compare);
  // the files of all projects compare with no baseline: another one would only write them again
  const isAgency = overrides.agency ?? (reports.agency && !hasOtherBaseline);
  if (isAgency && projects.some(({ id }) => id.toLowerCase() === agencyFolder))
    throw new UsageError(`the folder of the files of all projects is that of the project "${agencyFolder}"`);
  const { csv, html, tables, ctrCurve, toleranceMs, agencyDays, template, templates } = reports;
  const { asOf, period, out } = overrides;
  return {
    directory: out ?? reports.directory,
    isApart: out !== undefined,
    question: {
      hasOtherBaseline,
      asOf,
      period,
    },
    csv,
    html,
    tables,
    xlsx: overrides.xlsx ?? reports.xlsx,
    pdf: overrides.pdf ?? false,
    ctrCurve,
    comparison,
    notes,
    template,
    templates,
    views,
    toleranceMs,
    ...(isAgency ? { agencyDays } : {}),
  };
}

/** The browser of `reports.browser`, of a source that fetches through one, or the Chrome that is installed. */
export async function openPdfBrowser({ reports, services }: ResolvedConfig): Promise<PrintingBrowser> {
  const ofSource = [...services.values()]
    .map((service) => (service.mode === 'embedded' ? service.options['executablePath'] : undefined))
    .find((path) => typeof path === 'string');
  const executablePath = reports.browser ?? ofSource;
  return await launchPrintingBrowser({ use: 'A PDF', executablePath, option: 'reports.browser' });
}
