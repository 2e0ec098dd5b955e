// Alerts on their way: each change once a channel, written down before it is sent. Those of discarded runs wait until their run stands again. What is worth an alert, and sending it, is left to jobs.
import type { Connection, Row } from './client.ts';
import { runStands } from './discarded-runs.ts';
import type { Names } from './names.ts';

/** `failed`: given up. */
export type DeliveryState = 'pending' | 'sent' | 'failed';

export interface NewDelivery {
  readonly runId: number;
  readonly project: string;
  /** Which rule of the config found it. */
  readonly rule: string;
  /** What it is about: a keyword in a market and a target, or the run. */
  readonly subject: string;
  /** Name of the channel in the config. */
  readonly channel: string;
  /** JSON: the alert, without any secret. */
  readonly payload: string;
}

export interface Delivery extends NewDelivery {
  readonly id: number;
  readonly state: DeliveryState;
  /** Tries that were begun. */
  readonly attempts: number;
  /** UTC milliseconds, as all times here; null once it is sent or given up. */
  readonly nextTryAt: number | null;
  readonly createdAt: number;
  readonly sentAt: number | null;
  /** Why the last try failed. */
  readonly error: string | null;
}

const columns = 'd.*, p.name AS project FROM alert_deliveries d JOIN projects p ON p.id = d.project_id';

export class AlertDeliveries {
  readonly #db: Connection;
  readonly #names: Names;

  constructor(db: Connection, names: Names) {
    this.#db = db;
    this.#names = names;
  }

  /** Writes down what is to be sent, in one transaction; what a run has told a channel before is left out. Returns how many are new. */
  add(deliveries: Iterable<NewDelivery>, at: number): number {
    return this.#db.transaction(() => {
      let added = 0;
      for (const { runId, project, rule, subject, channel, payload } of deliveries) {
        added += this.#db
          .sql(
            `INSERT INTO alert_deliveries (run_id, project_id, rule, subject, channel, state, payload, created_at, next_try_at)
             VALUES (?, ?, ?, ?, ?, 'pending', ?, ?, ?) ON CONFLICT (run_id, project_id, rule, subject, channel) DO NOTHING`,
          )
          .run(runId, this.#names.projectId(project), rule, subject, channel, payload, at, at).changes;
      }
      return added;
    });
  }

  /**
   * Takes what is due at `at`, oldest first, for a try that is over at `until` at the latest: before that nobody else is given them, after that
   * they are due again, should this process have died with them. Each is counted as a try.
   */
  take(at: number, until: number, limit: number): Delivery[] {
    return this.#db.transaction(() => {
      const due = this.#db
        .sql(
          `SELECT ${columns} WHERE d.state = 'pending' AND d.next_try_at <= ? AND ${runStands('d.run_id')} ORDER BY d.id LIMIT ?`,
        )
        .all(at, limit)
        .map(deliveryOf);
      const taken = this.#db.sql('UPDATE alert_deliveries SET attempts = attempts + 1, next_try_at = ? WHERE id = ?');
      for (const { id } of due) taken.run(until, id);
      return due.map((delivery) => ({ ...delivery, attempts: delivery.attempts + 1, nextTryAt: until }));
    });
  }

  /** Several may have gone out in one message. */
  markSent(ids: readonly number[], at: number): void {
    this.#db.transaction(() => {
      for (const id of ids) {
        this.#db
          .sql(
            "UPDATE alert_deliveries SET state = 'sent', sent_at = ?, next_try_at = NULL, error = NULL WHERE id = ? AND state = 'pending'",
          )
          .run(at, id);
      }
    });
  }

  /** The try failed; `nextTryAt` null: given up. */
  markFailed(ids: readonly number[], error: string, nextTryAt: number | null): void {
    this.#db.transaction(() => {
      for (const id of ids) {
        this.#db
          .sql("UPDATE alert_deliveries SET state = ?, error = ?, next_try_at = ? WHERE id = ? AND state = 'pending'")
          .run(nextTryAt === null ? 'failed' : 'pending', error, nextTryAt, id);
      }
    });
  }

  /** What was given up is due again at `at`. Returns how many. */
  retryFailed(at: number): number {
    return this.#db.sql("UPDATE alert_deliveries SET state = 'pending', next_try_at = ? WHERE state = 'failed'").run(at)
      .changes;
  }

  /** What is not sent, the newest first: waiting for its first or next try, or given up. */
  unsent(limit: number): Delivery[] {
    return this.#db
      .sql(`SELECT ${columns} WHERE d.state <> 'sent' AND ${runStands('d.run_id')} ORDER BY d.id DESC LIMIT ?`)
      .all(limit)
      .map(deliveryOf);
  }

  /** What a run had to tell, in order. */
  ofRun(runId: number): Delivery[] {
    return this.#db.sql(`SELECT ${columns} WHERE d.run_id = ? ORDER BY d.id`).all(runId).map(deliveryOf);
  }

  countByState(): Readonly<Record<DeliveryState, number>> {
    const counts = { pending: 0, sent: 0, failed: 0 };
    for (const row of this.#db
      .sql(`SELECT state, count(*) AS n FROM alert_deliveries d WHERE ${runStands('d.run_id')} GROUP BY state`)
      .all()) {
      counts[row['state'] as DeliveryState] = Number(row['n']);
    }
    return counts;
  }

  /** When the next try is due; null where nothing waits. */
  nextTryAt(): number | null {
    const row = this.#db
      .sql(`SELECT min(next_try_at) AS at FROM alert_deliveries d WHERE state = 'pending' AND ${runStands('d.run_id')}`)
      .get();
    return (row?.['at'] ?? null) as number | null;
  }
}

function deliveryOf(row: Row): Delivery {
  return {
    id: Number(row['id']),
    runId: Number(row['run_id']),
    project: String(row['project']),
    rule: String(row['rule']),
    subject: String(row['subject']),
    channel: String(row['channel']),
    state: row['state'] as DeliveryState,
    payload: String(row['payload']),
    attempts: Number(row['attempts']),
    createdAt: Number(row['created_at']),
    nextTryAt: row['next_try_at'] as number | null,
    sentAt: row['sent_at'] as number | null,
    error: row['error'] as string | null,
  };
}
