// Alerts and scheduled reports that no channel has accepted yet: as `--json` prints them, and as tables.

import type { Delivery, ReportDelivery } from '../../../../db/history/outbox.ts';
import type { JobContext } from '../../../../jobs/context.ts';
import { alertText } from '../../../report/alerts/alert-text.ts';
import type { KeptAlert } from '../../../tracker/changes/alerts.ts';
import type { Printer } from '../../terminal/printer.ts';
import { amount, counted } from '../numbers.ts';
import { type Column, tableLines } from '../table.ts';

const unsentShown = 20;

type UnsentAlerts = ReturnType<typeof unsentAlerts>;

export function unsentAlerts({ store }: JobContext) {
  const { alertDeliveries, reportDeliveries } = store;
  const alerts = alertDeliveries.countByState();
  const reports = reportDeliveries.countUnsent();
  const isAny = ({ pending, failed }: typeof reports): boolean => pending + failed > 0;
  return {
    /** They wait for their first or next attempt. */
    pending: alerts.pending,
    /** Out of attempts: `rankledger alerts retry` sends them again. */
    failed: alerts.failed,
    nextTryAt: iso(alertDeliveries.nextTryAt()),
    /** The newest of them. */
    unsent: isAny(alerts) ? alertDeliveries.unsent(unsentShown).map(toUnsentAlert) : [],
    /** Reports of `reports.deliver`: `rankledger report --deliver` sends those again that were given up. */
    deliveries: {
      pending: reports.pending,
      failed: reports.failed,
      unsent: isAny(reports) ? reportDeliveries.list(unsentShown, ['pending', 'failed']).map(toUnsentReport) : [],
    },
  };
}

function toUnsentAlert({ payload, ...delivery }: Delivery) {
  const { id, project, runId, rule, channel, attempts, createdAt, nextTryAt, error } = delivery;
  const { alert } = JSON.parse(payload) as KeptAlert;
  const text = alertText(alert);
  const state = stateOf(delivery);
  const times = { createdAt: iso(createdAt), nextTryAt: iso(nextTryAt) };
  return { id, project, runId, rule, channel, text, state, attempts, ...times, error };
}

/** Local dates, both inclusive; `recipient` is empty where the channel has one receiver. */
function toUnsentReport(delivery: ReportDelivery) {
  const { id, project, channel, recipient, schedule, fromDate: from, toDate: to } = delivery;
  const { attempts, nextTryAt, error } = delivery;
  const state = stateOf(delivery);
  return { id, project, channel, recipient, schedule, from, to, state, attempts, nextTryAt: iso(nextTryAt), error };
}

function stateOf({ state }: { readonly state: string }): 'pending' | 'failed' {
  return state === 'failed' ? 'failed' : 'pending';
}

function iso(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

type Attempts = Pick<UnsentAlerts['unsent'][number], 'attempts' | 'state' | 'nextTryAt' | 'error'>;

const tries: Column<Attempts> = { title: 'tries', align: 'right', value: ({ attempts }) => `${attempts}` };
const next: Column<Attempts> = {
  title: 'next',
  value: ({ state, nextTryAt }) => (state === 'failed' ? 'given up' : (nextTryAt ?? '-')),
};
const why: Column<Attempts> = { title: 'why', value: ({ error }) => error ?? 'not tried yet', widthMax: 60 };

const columns: readonly Column<UnsentAlerts['unsent'][number]>[] = [
  { title: 'run', align: 'right', value: ({ runId }) => `${runId}` },
  { title: 'project', value: ({ project }) => project, widthMax: 24 },
  { title: 'channel', value: ({ channel }) => channel, widthMax: 24 },
  tries,
  next,
  { title: 'alert', value: ({ text }) => text, widthMax: 60 },
  why,
];

const reportColumns: readonly Column<UnsentAlerts['deliveries']['unsent'][number]>[] = [
  { title: 'project', value: ({ project }) => project, widthMax: 24 },
  { title: 'report', value: ({ schedule, from, to }) => `${schedule}, ${from === to ? from : `${from} to ${to}`}` },
  { title: 'channel', value: ({ channel }) => channel, widthMax: 24 },
  { title: 'recipient', value: ({ recipient }) => recipient || '-', widthMax: 40 },
  tries,
  next,
  why,
];

/** Prints nothing if all alerts were sent. */
export function printUnsent(out: Printer, alerts: UnsentAlerts): void {
  printTable(out, 'alert', columns, alerts, 'rankledger alerts retry');
}

/** Prints nothing if all scheduled reports were sent. */
export function printUnsentReports(out: Printer, { deliveries }: UnsentAlerts): void {
  printTable(out, 'report', reportColumns, deliveries, 'rankledger report --deliver');
}

function printTable<Row>(
  out: Printer,
  what: string,
  shown: readonly Column<Row>[],
  { pending, failed, unsent }: { readonly pending: number; readonly failed: number; readonly unsent: readonly Row[] },
  retry: string,
): void {
  if (pending + failed === 0) return;
  out.line(out.styled('bold', `Unsent ${what}s`));
  for (const line of tableLines(shown, unsent)) out.line(line);
  const left = pending + failed - unsent.length;
  if (left > 0) out.line(`  ... and ${amount(left)} more`);
  if (failed > 0) out.line(`  ${counted(failed, what)} given up; to retry: ${retry}`);
}
