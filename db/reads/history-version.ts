// Names the state of the history, so that readers know when to read it again. Reads only.
import type { Connection } from '../connection/client.ts';

export class HistoryVersion {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /**
   * Changes when a run opens, ends or is discarded, and with each note, alert, report and day of clicks. Costs a pass
   * over runs.
   */
  read(): string {
    const row = this.#db
      .sql<Record<string, number | null>>(
        `SELECT (SELECT max(id) FROM runs) AS runs, (SELECT max(closed_at) FROM runs) AS closed,
           (SELECT count(*) FROM runs WHERE discarded_at IS NOT NULL) AS discarded,
           (SELECT max(id) FROM notes) AS notes, (SELECT count(*) FROM notes) AS note_count,
           (SELECT max(id) FROM alert_deliveries) AS alerts,
           (SELECT max(fetched_at) FROM click_days) AS clicks, (SELECT count(*) FROM click_days) AS click_count`,
      )
      .get();
    return Object.values(row ?? {}).join(' ');
  }
}
