// Composes a scheduled report: writes its files where a mail carries them, and sums its headline numbers.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ReportDelivery } from '../../db/history/outbox.ts';
import type { Digest } from '../../src/report/alerts/digest.ts';
import { startMovers } from '../../src/report/tables/movers.ts';
import { startSummary } from '../../src/report/tables/summary.ts';
import { computeHeadline } from '../../src/rows/sums.ts';
import type { PrintingBrowser } from '../../src/service/index.ts';
import { plainTemplate } from '../../src/tracker/changes/client-reports.ts';
import type { Project } from '../../src/tracker/project.ts';
import type { JobContext } from '../context.ts';
import { writePdf } from '../report/html/pdf-report.ts';
import { answerOf } from '../report/report-question.ts';
import { type ReportScope, reportScope } from '../report/rows/report-scope.ts';
import { trackedRows } from '../report/tables/tracked-tables.ts';
import { folderName, type ReportSettings, writeFolders } from '../report/write-report.ts';

export interface DigestSettings {
  readonly reports: ReportSettings;
  /** Base URL of published reports, ending with `/`; absent: they are not published. */
  readonly reportsUrl?: string;
  /** Throws where there is no browser. The caller of `composeDigest` closes it. */
  readonly openBrowser: () => Promise<PrintingBrowser>;
}

export interface ComposedDigest {
  readonly digest: Digest;
  /** Absolute; null: nothing is attached. */
  readonly attachment: string | null;
}

const moversMax = 5;

/** Null where nothing was recorded on its days. Throws ReportError, and what `openBrowser` throws. */
export async function composeDigest(
  context: JobContext,
  settings: DigestSettings,
  project: Project,
  { schedule, fromDate: from, toDate: to, attach }: ReportDelivery,
): Promise<ComposedDigest | null> {
  const isDaily = schedule === 'daily';
  const question = isDaily ? { asOf: to } : { period: { from, to } };
  const answer = answerOf(context, { ...settings.reports, question }, project);
  const run = answer === null ? null : context.store.runs.run(answer.runId);
  const slot =
    run === null ? undefined : context.store.runs.slotsOf(run.id).find((each) => each.project === project.id);
  if (answer === null || run === null || slot === undefined) return null;
  if (isDaily && slot.localDate !== to) return null;
  const scope = reportScope(context, { ...answer.settings, html: true }, run, slot, project);
  const daily = folderName(context, run, slot);
  const folder = attach === 'none' ? null : await writeFiles(scope, settings, attach, isDaily ? daily : null);
  return {
    digest: {
      ...{ project: project.id, schedule, from, to, warning: scope.warning, ...numbersOf(scope) },
      template: settings.reports.templates?.get(project.id) ?? plainTemplate,
      report: folder === null ? null : { directory: folder, url: urlOf(settings, project.id, folder) },
    },
    attachment: folder === null ? null : join(folder, `report.${attach}`),
  };
}

/** The folder with the file that is attached. `daily`: name of the folder that the run has written; null: a period. */
async function writeFiles(
  { context, settings, run, project }: ReportScope,
  { reports, openBrowser }: DigestSettings,
  attach: 'pdf' | 'html',
  daily: string | null,
): Promise<string | null> {
  const ofRun = daily === null ? null : join(reports.directory, project.id, daily);
  const isThere = ofRun !== null && existsSync(join(ofRun, 'report.html'));
  const folder = isThere ? ofRun : writeFolders(context, settings, run.id, project.id)[0]?.directory;
  if (folder === undefined) return null;
  if (attach === 'pdf') {
    const template = settings.templates?.get(project.id) ?? plainTemplate;
    await writePdf(await openBrowser(), folder, template);
  }
  return folder;
}

function numbersOf(scope: ReportScope): Pick<Digest, 'headline' | 'movers'> {
  const { ctrCurve } = scope.settings;
  const summary = startSummary(ctrCurve);
  const movers = startMovers(moversMax, ctrCurve);
  const first = scope.project.targets[0]?.value;
  for (const row of trackedRows(scope, [])) {
    summary.add(row);
    if (row.target === first) movers.add(row);
  }
  const rows = summary.rows({ runId: scope.run.id, compare: '', notesSince: () => [], warning: null });
  const whole = rows.find(({ scope: of, target }) => of === 'project' && target === first);
  return { headline: whole === undefined ? null : computeHeadline(whole.sums), movers: movers.list() };
}

function urlOf({ reportsUrl, reports }: DigestSettings, project: string, folder: string): string | null {
  if (reportsUrl === undefined) return null;
  const path = [project, folder.slice(join(reports.directory, project).length + 1)].map(encodeURIComponent).join('/');
  return new URL(`${path}/`, reportsUrl).href;
}
