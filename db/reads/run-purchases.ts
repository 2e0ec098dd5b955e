// The purchases of a run in the order of its reservations, with their checks: for traces. Reads only.
import type { Connection } from '../connection/client.ts';
import type { TableRow } from '../schema/rows.ts';

/** A purchase that has an outcome. */
export interface RunPurchase
  extends TableRow<
      'purchases',
      'service' | 'page' | 'attempt' | 'openedAt' | 'state' | 'errorCode' | 'charged' | 'simulated'
    >,
    TableRow<'reservations', 'checkId' | 'currency'> {
  readonly reservationId: number;
  readonly settledAt: number;
  /** Null where it was bought for no check. */
  readonly check:
    | (TableRow<'checks', 'state' | 'finishedAt' | 'depth'> &
        TableRow<'markets', 'country' | 'language' | 'device'> & { readonly keyword: string })
    | null;
}

const reservationsAtOnce = 500;

export class RunPurchases {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /** In pieces of whole reservations. */
  *ofRun(runId: number): Generator<readonly RunPurchase[]> {
    for (let after = 0; ; ) {
      const rows = this.#after(runId, after);
      const last = rows.at(-1);
      if (last === undefined) return;
      yield rows.map(({ check, ...row }) => {
        return { ...row, check: check === null ? null : (JSON.parse(check) as RunPurchase['check']) }; // of the query
      });
      after = last.reservationId;
    }
  }

  #after(runId: number, after: number) {
    return this.#db
      .sql<Omit<RunPurchase, 'check'> & { readonly check: string | null }>(
        `SELECT r.id AS reservationId, r.check_id AS checkId, r.currency, p.service, p.page, p.attempt, p.opened_at AS openedAt,
           p.settled_at AS settledAt, p.state, p.error_code AS errorCode, p.charged, p.simulated,
           iif(c.id IS NULL, NULL, json_object('state', c.state, 'finishedAt', c.finished_at, 'depth', c.depth, 'keyword', k.text,
             'country', m.country, 'language', m.language, 'device', m.device)) AS "check"
         FROM (SELECT * FROM reservations WHERE run_id = ? AND id > ? AND EXISTS (
                 SELECT 1 FROM purchases q WHERE q.reservation_id = reservations.id AND q.settled_at IS NOT NULL)
               ORDER BY id LIMIT ${reservationsAtOnce}) r
           JOIN purchases p ON p.reservation_id = r.id AND p.settled_at IS NOT NULL
           LEFT JOIN checks c ON c.id = r.check_id LEFT JOIN searches s ON s.id = c.search_id
           LEFT JOIN keywords k ON k.id = s.keyword_id LEFT JOIN markets m ON m.id = s.market_id
         ORDER BY r.id, p.id`,
      )
      .all(runId, after);
  }
}
