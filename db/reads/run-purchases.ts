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

type Columns = Omit<RunPurchase, 'check'> & {
  readonly [Name in keyof NonNullable<RunPurchase['check']> as `check_${Name}`]: NonNullable<
    RunPurchase['check']
  >[Name];
};

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
      yield rows.map(toPurchase);
      after = last.reservationId;
    }
  }

  #after(runId: number, after: number): Columns[] {
    return this.#db
      .sql<Columns>(
        `SELECT r.id AS reservationId, r.check_id AS checkId, r.currency, p.service, p.page, p.attempt, p.opened_at AS openedAt,
           p.settled_at AS settledAt, p.state, p.error_code AS errorCode, p.charged, p.simulated, c.state AS check_state,
           c.finished_at AS check_finishedAt, c.depth AS check_depth, k.text AS check_keyword, m.country AS check_country,
           m.language AS check_language, m.device AS check_device
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

function toPurchase(row: Columns): RunPurchase {
  const {
    check_state,
    check_finishedAt,
    check_depth,
    check_keyword,
    check_country,
    check_language,
    check_device,
    ...own
  } = row;
  const check = {
    state: check_state,
    finishedAt: check_finishedAt,
    depth: check_depth,
    keyword: check_keyword,
    country: check_country,
    language: check_language,
    device: check_device,
  };
  return { ...own, check: own.checkId === null ? null : check };
}
