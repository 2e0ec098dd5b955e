// Alerts that no channel has accepted yet.
import type { Delivery } from '../../../db/history/alert-deliveries.ts';
import type { JobContext } from '../../../jobs/context.ts';
import { alertText } from '../../report/alerts/alert-text.ts';
import type { KeptAlert } from '../../tracker/changes/alert.ts';

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
}

export function unsentAlerts({ store }: JobContext): UnsentAlerts {
  const { alertDeliveries } = store;
  const { pending, failed } = alertDeliveries.countByState();
  const nextTryAt = alertDeliveries.nextTryAt();
  const unsent = pending + failed === 0 ? [] : alertDeliveries.unsent(unsentShown).map(toUnsentAlert);
  return { pending, failed, nextTryAt: iso(nextTryAt), unsent };
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
