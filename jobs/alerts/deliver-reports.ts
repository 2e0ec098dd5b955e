// Delivers reports on a schedule: queues what is due, once per period and recipient, and sends it with retries.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { StoreError } from '../../db/connection/errors.ts';
import type { ReportDelivery } from '../../db/history/outbox.ts';
import { computeHeadline } from '../../src/read/row-sums.ts';
import type { Digest } from '../../src/report/alerts/digest.ts';
import { startMovers } from '../../src/report/tables/movers.ts';
import { startSummary } from '../../src/report/tables/summary.ts';
import type { PrintingBrowser } from '../../src/service/index.ts';
import { type DeliveryRule, dueDelivery, plainTemplate } from '../../src/tracker/changes/client-reports.ts';
import type { Project } from '../../src/tracker/project.ts';
import { hourMs, minuteMs } from '../../src/tracker/schedule/time-units.ts';
import type { JobContext } from '../context.ts';
import { Changes, reportCauses } from '../read/causes/read-causes.ts';
import { type ReportScope, reportScope } from '../read/rows/report-scope.ts';
import { writePdf } from '../report/html/pdf-report.ts';
import { answerOf } from '../report/report-question.ts';
import { trackedRows } from '../report/tables/tracked-tables.ts';
import { folderName, type ReportSettings, writeFolders } from '../report/write-report.ts';
import { DeliveryError, type DigestChannel, nextAttempt, toDeliveryError } from './alert-channel.ts';
import type { SendResult } from './send-alerts.ts';

export interface DeliverSettings extends DigestSettings {
  readonly rules: readonly DeliveryRule[];
  readonly channels: ReadonlyMap<string, DigestChannel>;
  /** The receivers of a channel: mail addresses, or one empty text. */
  readonly recipientsOf: (channel: string) => readonly string[];
}

/** Writing and printing a large report takes minutes. After it another process takes the delivery. */
const leaseMs = 30 * minuteMs;
const deliveriesPerTake = 100;
/** A daily report waits so long for the run of its day. */
const dayWaitMs = 20 * hourMs;
const dayPauseMs = 10 * minuteMs;

/** Queues the deliveries that are due. Returns the number of new ones. Throws StoreError. */
export function queueDeliveries(
  { store, projects, clock }: JobContext,
  { rules, recipientsOf }: Pick<DeliverSettings, 'rules' | 'recipientsOf'>,
): number {
  const now = clock.now();
  const due = [...projects.values()].flatMap((project) =>
    rules
      .filter((rule) => rule.projects === null || rule.projects.includes(project.id))
      .flatMap((rule) => {
        const found = dueDelivery(rule, project.timezone, now);
        if (found === null) return [];
        const { from: fromDate, to: toDate, dueAt } = found;
        const facts = { project: project.id, schedule: rule.every, fromDate, toDate, dueAt };
        return rule.channels.flatMap((channel) =>
          recipientsOf(channel).map((recipient) => ({
            ...facts,
            channel,
            recipient,
            attach: recipient === '' ? ('none' as const) : rule.attach,
          })),
        );
      }),
  );
  return due.length === 0 ? 0 : store.reportDeliveries.add(due, now, 'it was due before the delivery was set up');
}

/** Sends all deliveries that are due. Rejects with StoreError only. */
export async function deliverReports(
  context: JobContext,
  settings: DeliverSettings,
  signal: AbortSignal,
): Promise<SendResult> {
  const { store, clock } = context;
  const now = clock.now();
  const taken = store.reportDeliveries.take(now, now + leaseMs, deliveriesPerTake);
  const total = { sent: 0, failed: 0 };
  let browser: Promise<PrintingBrowser> | null = null;
  const openBrowser = (): Promise<PrintingBrowser> => {
    browser ??= settings.openBrowser();
    return browser;
  };
  try {
    const groups = Map.groupBy(taken, (each) => [each.project, each.schedule, each.toDate, each.attach].join('\n'));
    for (const group of groups.values()) {
      if (signal.aborted) break;
      const composed = await compose(context, { ...settings, openBrowser }, group);
      if (composed === null) continue;
      for (const delivery of group) {
        if (signal.aborted) break;
        const failure = await send(settings, delivery, composed, signal);
        if (signal.aborted) break;
        if (failure === null) store.reportDeliveries.markSent([delivery.id], clock.now());
        else fail(context, delivery, failure);
        total[failure === null ? 'sent' : 'failed'] += 1;
      }
    }
  } finally {
    await (browser as Promise<PrintingBrowser> | null)?.then(
      (open) => open.close(),
      () => {},
    );
  }
  return total;
}

/** Null where there is nothing to send; an error where it cannot be written. */
async function compose(
  context: JobContext,
  settings: DeliverSettings,
  group: readonly ReportDelivery[],
): Promise<ComposedDigest | DeliveryError | null> {
  const { store, projects, clock } = context;
  const [first] = group;
  if (first === undefined) return null;
  const project = projects.get(first.project);
  if (project === undefined) return new DeliveryError('the config does not track the project');
  try {
    const composed = await composeDigest(context, settings, project, first);
    if (composed !== null) return composed;
  } catch (error) {
    if (error instanceof StoreError) throw error;
    return toDeliveryError(error);
  }
  for (const { id, dueAt, schedule } of group) {
    const waits = schedule === 'daily' && clock.now() < dueAt + dayWaitMs;
    const reason = 'nothing was recorded on its days';
    if (waits) store.reportDeliveries.postpone(id, reason, clock.now() + dayPauseMs);
    else store.reportDeliveries.markSkipped(id, reason);
  }
  return null;
}

/** Null: sent. */
async function send(
  { channels }: DeliverSettings,
  { id, project, schedule, fromDate, toDate, channel: name, recipient }: ReportDelivery,
  composed: ComposedDigest | DeliveryError,
  signal: AbortSignal,
): Promise<DeliveryError | null> {
  if (composed instanceof DeliveryError) return composed;
  const channel = channels.get(name);
  if (channel === undefined) return new DeliveryError(`the config has no channel "${name}"`);
  const message = { id: `report-${id}-${project}-${schedule}-${fromDate}-${toDate}`, recipient, ...composed };
  try {
    await channel.sendDigest(message, signal);
    return null;
  } catch (error) {
    return toDeliveryError(error);
  }
}

function fail(context: JobContext, delivery: ReportDelivery, failure: DeliveryError): void {
  const { id, attempts, channel, project } = delivery;
  context.store.reportDeliveries.markFailed([id], failure.message, nextAttempt(context, attempts, failure));
  context.log.warn({ channel, project, error: failure.message }, 'report could not be delivered');
}

// Composes a scheduled report: writes its files where a mail carries them, and sums its headline numbers.

interface DigestSettings {
  readonly reports: ReportSettings;
  /** Base URL of published reports, ending with `/`; absent: they are not published. */
  readonly reportsUrl?: string;
  /** Throws where there is no browser. The caller of `composeDigest` closes it. */
  readonly openBrowser: () => Promise<PrintingBrowser>;
}

interface ComposedDigest {
  readonly digest: Digest;
  /** Absolute; null: nothing is attached. */
  readonly attachment: string | null;
}

const moversMax = 5;

/** Null where nothing was recorded on its days. Throws ReportError, and what `openBrowser` throws. */
async function composeDigest(
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
      project: project.id,
      schedule,
      from,
      to,
      warning: scope.warning,
      ...numbersOf(scope),
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
  const changes = new Changes();
  const first = scope.project.targets[0]?.value;
  for (const row of trackedRows(scope, [])) {
    summary.add(row);
    changes.add(row);
    if (row.target === first) movers.add(row);
  }
  const rows = summary.rows({ runId: scope.run.id, compare: '', notesSince: () => [], warning: null });
  const whole = rows.find(({ scope: of, target }) => of === 'project' && target === first);
  const causes = reportCauses(scope, () => changes);
  return {
    headline: whole === undefined ? null : computeHeadline(whole.sums),
    movers: movers.list((row) => causes.first(row)),
  };
}

function urlOf({ reportsUrl, reports }: DigestSettings, project: string, folder: string): string | null {
  if (reportsUrl === undefined) return null;
  const path = [project, folder.slice(join(reports.directory, project).length + 1)].map(encodeURIComponent).join('/');
  return new URL(`${path}/`, reportsUrl).href;
}
