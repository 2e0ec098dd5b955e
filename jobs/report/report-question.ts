// A question beside the daily report: another day, period or baseline. Its answer gets a separate folder.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClaimedSlot, RunRow } from '../../db/history/runs/runs.ts';
import { lateDaysMax, type SeriesDate } from '../../db/reads/reports/report-series.ts';
import type { Manifest } from '../../src/report/tables/manifest.ts';
import { comparisonName } from '../../src/tracker/changes/change.ts';
import type { Project } from '../../src/tracker/project.ts';
import { addDays, startOfDay } from '../../src/tracker/schedule/local-time.ts';
import { daysBetween } from '../../src/tracker/schedule/time-units.ts';
import type { JobContext } from '../context.ts';
import type { Period, ReportQuestion, ReportSettings } from '../read/rows/report-scope.ts';

/** Days of a period; of no period `otherwise`. */
export function daysWithin(period: Period | undefined, otherwise: number): number {
  if (period === undefined) return otherwise;
  return 1 + Math.round(daysBetween(period.from, period.to));
}

/** The last date of the question; undefined: today. */
export function lastDate({ asOf, period }: ReportQuestion): string | undefined {
  return period?.to ?? asOf;
}

/** The newest reported run of which nothing was seen after the last date of the question; null: none. */
function runAsked({ store, clock }: JobContext, project: Project, question: ReportQuestion): RunRow | null {
  const last = lastDate(question);
  if (last === undefined) return store.reportRuns.latestReported(project.id, clock.now());
  let until = Math.min(clock.now(), startOfDay(addDays(last, 1), project.timezone) - 1);
  for (;;) {
    const run = store.reportRuns.latestReported(project.id, until);
    if (run === null) return null;
    const slots = store.runs.slotsOf(run.id).filter((slot) => slot.project === project.id);
    const isWithin = slots.every((slot) => store.reportSeries.datesSeen(slot).every((date) => date <= last));
    if (isWithin) return run;
    until = run.moment - 1;
  }
}

/** Stands before the baseline in the name of a folder. */
export const baselineSuffix = '-compare-';

/** The newest dates of a report, at most `datesMax`, oldest first: those of the question on which pages were seen. */
export function datesAsked(
  { store }: JobContext,
  { question = {} }: ReportSettings,
  run: Pick<RunRow, 'moment'>,
  project: Project,
  datesMax: number,
): SeriesDate[] {
  const last = lastDate(question);
  if (last === undefined) return store.reportSeries.dates(project.id, run.moment, datesMax);
  const first = question.period?.from ?? '';
  return store.reportSeries
    .dates(project.id, run.moment, datesMax + lateDaysMax)
    .filter(({ date }) => date >= first && date <= last)
    .slice(-datesMax);
}

/**
 * The run of the question, and the settings of its report; null: nothing was seen on the days of the question. A period
 * is compared with its first date on which pages were seen.
 */
export function answerOf(
  context: JobContext,
  settings: ReportSettings,
  project: Project,
): { readonly runId: number; readonly settings: ReportSettings } | null {
  const { period } = settings.question ?? {};
  const run = runAsked(context, project, settings.question ?? {});
  if (run === null) return null;
  if (period === undefined) return { runId: run.id, settings };
  const [first] = datesAsked(context, settings, run, project, daysWithin(period, 0));
  if (first === undefined) return null;
  const [from, began] = [period.from, first.date].map((date) => startOfDay(date, project.timezone));
  const toleranceMs = (began ?? 0) - (from ?? 0);
  return { runId: run.id, settings: { ...settings, comparison: { kind: 'date', date: first.date }, toleranceMs } };
}

/** Name of the folder below the project's. `daily`: that of the run's own report. */
export function questionFolder(
  { question = {}, comparison, directory }: ReportSettings,
  { project }: Pick<ClaimedSlot, 'project'>,
  daily: string,
): string {
  const { period, asOf, hasOtherBaseline = false } = question;
  if (period !== undefined) return `${period.from}--${period.to}`;
  const baseline = comparisonName(comparison);
  const name = asOf === undefined ? daily : `as-of-${asOf}`;
  // the config may have named another baseline since
  const delivered = manifestIn(join(directory, project, name))?.compare ?? baseline;
  const isOther = hasOtherBaseline || delivered !== baseline;
  return isOther ? `${name}${baselineSuffix}${baseline}` : name;
}

/** Files that the question's folder already holds are written again: a workbook requested once stays. */
export function withDelivered(settings: ReportSettings, folder: string): ReportSettings {
  const names = new Set(manifestIn(folder)?.files?.map(({ name }) => name));
  const { html = false, xlsx = false, pdf: isAsked = false } = settings;
  const pdf = isAsked || names.has('report.pdf');
  return { ...settings, html: html || pdf || names.has('report.html'), xlsx: xlsx || names.has('report.xlsx'), pdf };
}

/** Null without a report. */
function manifestIn(folder: string): Partial<Manifest> | null {
  try {
    return JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Partial<Manifest>;
  } catch {
    return null;
  }
}
