// Unsent alerts and scheduled reports as tables.
import type { UnsentAlerts } from '../../../app/alerts/unsent-alerts.ts';
import type { Printer } from '../../terminal/printer.ts';
import { amount, counted } from '../numbers.ts';
import { type Column, tableLines } from '../table.ts';

type Unsent = UnsentAlerts['unsent'][number];

const columns: readonly Column<Unsent>[] = [
  { title: 'run', align: 'right', value: ({ runId }) => `${runId}` },
  { title: 'project', value: ({ project }) => project, widthMax: 24 },
  { title: 'channel', value: ({ channel }) => channel, widthMax: 24 },
  { title: 'tries', align: 'right', value: ({ attempts }) => `${attempts}` },
  { title: 'next', value: ({ state, nextTryAt }) => (state === 'failed' ? 'given up' : (nextTryAt ?? '-')) },
  { title: 'alert', value: ({ text }) => text, widthMax: 60 },
  { title: 'why', value: ({ error }) => error ?? 'not tried yet', widthMax: 60 },
];

type Delivery = UnsentAlerts['deliveries']['unsent'][number];

const deliveryColumns: readonly Column<Delivery>[] = [
  { title: 'project', value: ({ project }) => project, widthMax: 24 },
  { title: 'report', value: ({ schedule, from, to }) => `${schedule}, ${from === to ? from : `${from} to ${to}`}` },
  { title: 'channel', value: ({ channel }) => channel, widthMax: 24 },
  { title: 'recipient', value: ({ recipient }) => recipient || '-', widthMax: 40 },
  { title: 'tries', align: 'right', value: ({ attempts }) => `${attempts}` },
  { title: 'next', value: ({ state, nextTryAt }) => (state === 'failed' ? 'given up' : (nextTryAt ?? '-')) },
  { title: 'why', value: ({ error }) => error ?? 'not tried yet', widthMax: 60 },
];

/** Prints nothing if all scheduled reports were sent. */
export function printUnsentReports(out: Printer, { deliveries: { pending, failed, unsent } }: UnsentAlerts): void {
  if (pending + failed === 0) return;
  out.line(out.styled('bold', 'Unsent reports'));
  for (const line of tableLines(deliveryColumns, unsent)) out.line(line);
  const left = pending + failed - unsent.length;
  if (left > 0) out.line(`  ... and ${amount(left)} more`);
  if (failed > 0) out.line(`  ${counted(failed, 'report')} given up; to retry: rankledger report --deliver`);
}

/** Prints nothing if all alerts were sent. */
export function printUnsent(out: Printer, { pending, failed, unsent }: UnsentAlerts): void {
  if (pending + failed === 0) return;
  out.line(out.styled('bold', 'Unsent alerts'));
  for (const line of tableLines(columns, unsent)) out.line(line);
  const left = pending + failed - unsent.length;
  if (left > 0) out.line(`  ... and ${amount(left)} more`);
  if (failed > 0) out.line(`  ${counted(failed, 'alert')} given up; to retry: rankledger alerts retry`);
}
