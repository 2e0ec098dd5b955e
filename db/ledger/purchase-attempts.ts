// Earlier purchases by request key, so that a page that was or may have been paid is not bought twice.
import type { Market } from '../../src/tracker/project.ts';
import type { Connection } from '../connection/client.ts';
import { marketIn } from '../connection/names.ts';
import { hasKeySql, hasStateSql, storedKey } from '../schema/money-codes.ts';
import type { TableRow } from '../schema/rows.ts';
import type { Currency } from './budget-windows.ts';

/** A purchase of a page without an outcome yet: its process works on it, or died. */
export interface OpenAttempt {
  readonly purchaseId: number;
  /** Null where it was bought for no check. */
  readonly checkId: number | null;
  readonly service: string;
  readonly requestKey: string;
  readonly attempt: number;
  readonly keyword: string;
  readonly market: Market;
  readonly page: number;
  readonly moment: number;
  /** Bought from a source that only simulates. */
  readonly isSimulated: boolean;
}

type OpenRow = TableRow<'purchases', 'id' | 'service' | 'request_key' | 'attempt' | 'moment' | 'simulated'> &
  TableRow<'reservations', 'check_id'> &
  TableRow<'markets', 'country' | 'language' | 'device' | 'location'> & {
    page: number;
    keyword: string;
    market_service: string;
  };

const hasKey = hasKeySql('p', '@key');

export class PurchaseAttempts {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /** Whether the purchase was ever attempted: most never were, which saves further queries. */
  wasTried(requestKey: string): boolean {
    return this.#get(`SELECT 1 AS found FROM purchases p WHERE ${hasKey} LIMIT 1`, requestKey) !== undefined;
  }

  /** The number of attempts of these purchases that were charged, or may have been. */
  chargedAttempts(...requestKeys: readonly string[]): number {
    return this.#count(
      `SELECT count(*) AS n FROM purchases p WHERE ${hasKey} AND p.state IN ('paid', 'unknown') AND p.reconciled IS NOT 'free'`,
      requestKeys,
    );
  }

  /** The number of attempts of these purchases since then that ended with our process, at most `max`. */
  interruptedAttempts(requestKeys: readonly string[], since: number, until: number, max: number): number {
    const attempts = this.#count(
      `SELECT count(*) AS n FROM purchases p WHERE ${hasKey} AND p.state = 'unknown' AND p.reconciled IS NULL
         AND p.error_code = 'INTERRUPTED' AND p.opened_at BETWEEN @since AND @until`,
      requestKeys,
      { since, until },
    );
    return Math.min(attempts, max);
  }

  /** When a paid or possibly paid answer of this purchase arrived; null: none did, so the purchase may be retried. */
  answeredAt(requestKey: string): number | null {
    const row = this.#get<{ at: number | null }>(
      `SELECT max(p.settled_at) AS at FROM purchases p LEFT JOIN bodies b ON b.purchase_id = p.id
       WHERE ${hasKey} AND (p.state = 'paid' OR (p.state <> 'open' AND b.readable = 0))`,
      requestKey,
    );
    return row?.at ?? null;
  }

  /** Whether an attempt of this purchase was certainly charged. */
  isPaid(requestKey: string): boolean {
    const sql = `SELECT 1 AS found FROM purchases p WHERE ${hasKey} AND p.state = 'paid'`;
    return this.#get(sql, requestKey) !== undefined;
  }

  /** Whether the answer of a paid attempt of this purchase was read. */
  isAnswered(requestKey: string): boolean {
    const sql = `SELECT 1 AS found FROM purchases p WHERE ${hasKey} AND p.state = 'paid' AND p.error_code IS NULL`;
    return this.#get(sql, requestKey) !== undefined;
  }

  /**
   * The number of consecutive purchases of this service, from the newest back, without a usable answer; 10 at most.
   * Null: no purchases. Free ones do not count. Reads only the last few hundred purchases of all services; with a
   * currency, those paid in it.
   */
  failuresInARow(service: string, currency: Currency | null = null): number | null {
    const newest = this.#db
      .sql<{ answered: number }>(
        `SELECT p.state = 'paid' AND p.error_code IS NULL AS answered FROM purchases p JOIN reservations r ON r.id = p.reservation_id
         WHERE p.id > (SELECT coalesce(max(id), 0) FROM purchases) - 500 AND p.service = ? AND p.state IN ('paid', 'unknown')
               AND r.currency = coalesce(?, r.currency)
         ORDER BY p.id DESC LIMIT 10`,
      )
      .all(service, currency);
    if (newest.length === 0) return null;
    const answered = newest.findIndex((row) => row.answered === 1);
    return answered === -1 ? newest.length : answered;
  }

  /** The pages of a run whose purchases have no outcome yet. */
  openOf(runId: number): OpenAttempt[] {
    return this.#db
      .sql<OpenRow>(
        `SELECT p.id, r.check_id, p.service, p.request_key, p.attempt, p.page, p.moment, p.simulated, k.text AS keyword, m.service AS market_service, m.country, m.language, m.device, m.location
         FROM purchases p JOIN reservations r ON r.id = p.reservation_id JOIN searches s ON s.id = p.search_id
              JOIN keywords k ON k.id = s.keyword_id JOIN markets m ON m.id = s.market_id
         WHERE ${hasStateSql('p', 'open')} AND r.run_id = ? AND p.page IS NOT NULL ORDER BY p.id`,
      )
      .all(runId)
      .map((row) => ({
        purchaseId: row.id,
        checkId: row.check_id,
        service: row.service,
        requestKey: row.request_key,
        attempt: row.attempt,
        keyword: row.keyword,
        market: marketIn({ ...row, service: row.market_service }),
        page: row.page,
        moment: row.moment,
        isSimulated: row.simulated === 1,
      }));
  }

  /** The recorded owner of another run that is buying the same now; null: no run is. */
  otherBuyer(requestKey: string, runId: number): { owner: string | null; heartbeatAt: number | null } | null {
    const row = this.#get<TableRow<'runs', 'owner' | 'heartbeat_at'>>(
      `SELECT n.owner, n.heartbeat_at FROM purchases p JOIN reservations r ON r.id = p.reservation_id JOIN runs n ON n.id = r.run_id
       WHERE ${hasKey} AND p.state = 'open' AND r.run_id <> @runId LIMIT 1`,
      requestKey,
      { runId },
    );
    if (row === undefined) return null;
    return { owner: row.owner, heartbeatAt: row.heartbeat_at };
  }

  #get<Result>(sql: string, requestKey: string, values: Readonly<Record<string, number>> = {}): Result | undefined {
    return this.#db.sql<Result>(sql).get({ key: storedKey(requestKey), ...values });
  }

  /** Sums `n` over the keys: a page has one per purchase, so they are few. */
  #count(sql: string, requestKeys: readonly string[], values?: Readonly<Record<string, number>>): number {
    return requestKeys.reduce((sum, key) => sum + (this.#get<{ n: number }>(sql, key, values)?.n ?? 0), 0);
  }
}
