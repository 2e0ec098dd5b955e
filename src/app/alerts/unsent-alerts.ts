// Alerts and scheduled reports that no channel has accepted yet.
import type { Delivery, ReportDelivery } from '../../../db/history/outbox.ts';
import type { JobContext } from '../../../jobs/context.ts';
import { alertText } from '../../report/alerts/alert-text.ts';
import type { KeptAlert } from '../../tracker/changes/alerts.ts';

const unsentShown = 20;

export interface UnsentAlerts {
  /** They wait for their first or next attempt. */
  readonly pending: number;
  /** Out of attempts: `rankledger alerts retry` sends them again. */
  readonly failed: number;
  /** ISO 8601; null if none waits. */
  readonly nextTryAt: string | null;
  /** The newest of them. */
  readonly unsent: readonly {
    readonly id: number;
    readonly project: string;
    readonly runId: number;
    readonly rule: string;
    readonly channel: string;
    readonly text: string;
    readonly state: 'pending' | 'failed';
    readonly attempts: number;
    /** ISO 8601, like `nextTryAt`. */
    readonly createdAt: string;
    readonly nextTryAt: string | null;
    readonly error: string | null;
  }[];
  readonly deliveries: UnsentDeliveries;
}

/** Reports of `reports.deliver` that wait, or were given up: `rankledger report --deliver` sends those again. */
interface UnsentDeliveries {
  readonly pending: number;
  readonly failed: number;
  /** The newest of them. */
  readonly unsent: readonly {
    readonly id: number;
    readonly project: string;
    readonly channel: string;
    /** A mail address; empty where the channel has one receiver. */
    readonly recipient: string;
    readonly schedule: string;
    /** Local dates, both inclusive. */
    readonly from: string;
    readonly to: string;
    readonly state: 'pending' | 'failed';
    readonly attempts: number;
    /** ISO 8601; null: given up. */
    readonly nextTryAt: string | null;
    readonly error: string | null;
  }[];
}

export function unsentAlerts({ store }: JobContext): UnsentAlerts {
  const { alertDeliveries } = store;
  const { pending, failed } = alertDeliveries.countByState();
  const nextTryAt = alertDeliveries.nextTryAt();
  const unsent = pending + failed === 0 ? [] : alertDeliveries.unsent(unsentShown).map(toUnsentAlert);
  return { pending, failed, nextTryAt: iso(nextTryAt), unsent, deliveries: unsentDeliveries(store) };
}

function unsentDeliveries({ reportDeliveries }: JobContext['store']): UnsentDeliveries {
  const { pending, failed } = reportDeliveries.countUnsent();
  const unsent = pending + failed === 0 ? [] : reportDeliveries.list(unsentShown, ['pending', 'failed']);
  return { pending, failed, unsent: unsent.map(toUnsentDelivery) };
}

function toUnsentDelivery(delivery: ReportDelivery): UnsentDeliveries['unsent'][number] {
  const { id, project, channel, recipient, schedule, fromDate, toDate, state, attempts, nextTryAt, error } = delivery;
  return {
    ...{ id, project, channel, recipient, schedule, from: fromDate, to: toDate },
    state: state === 'failed' ? 'failed' : 'pending',
    ...{ attempts, nextTryAt: iso(nextTryAt), error },
  };
}

function toUnsentAlert(delivery: Delivery): UnsentAlerts['unsent'][number] {
  const { id, project, runId, rule, channel, state, attempts, createdAt, nextTryAt, error, payload } = delivery;
  const { alert } = JSON.parse(payload) as KeptAlert;
  return {
    id,
    project,
    runId,
    rule,
    channel,
    text: alertText(alert),
    state: state === 'failed' ? 'failed' : 'pending',
    attempts,
    createdAt: new Date(createdAt).toISOString(),
    nextTryAt: iso(nextTryAt),
    error,
  };
}

function iso(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
