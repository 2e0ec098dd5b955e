// An alert as the read API gives it.
import type { AlertDeliveries } from '../../db/history/outbox.ts';
import { alertText } from '../../src/report/alerts/alert-text.ts';
import type { KeptAlert } from '../../src/tracker/changes/alerts.ts';
import type { AlertRecord } from '../../src/workspace/records.ts';

export function alertRecord(delivery: ReturnType<AlertDeliveries['created']>[number]): AlertRecord {
  return {
    project: delivery.project,
    rule: delivery.rule,
    subject: delivery.subject,
    text: alertText((JSON.parse(delivery.payload) as KeptAlert).alert),
    channel: delivery.channel,
    state: delivery.state,
    runId: delivery.runId,
    createdAt: new Date(delivery.createdAt).toISOString(),
  };
}
