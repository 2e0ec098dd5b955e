// Purchases by request key, so that none is made twice, and by the source that answered them. Bench: `throughput`.

import type { RequestCount } from '../../src/service/index.ts';
import { sumOf } from '../../src/tracker/figures.ts';
import type { Market } from '../../src/tracker/project.ts';
import type { Connection } from '../connection/client.ts';
import { GrowingSums } from '../connection/growing-sums.ts';
import { marketIn } from '../connection/names.ts';
import { currencies, hasKeySql, hasStateSql, nameSql, purchaseStates, storedKey } from '../schema/money-codes.ts';
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
  /** The most that it costs. */
  readonly price: number;
  /** Bought from a source that only simulates. */
  readonly isSimulated: boolean;
}

type OpenRow = TableRow<'purchases', 'id' | 'service' | 'requestKey' | 'attempt' | 'moment' | 'price' | 'simulated'> &
  TableRow<'reservations', 'checkId'> &
  TableRow<'markets', 'country' | 'language' | 'device' | 'location'> & {
    page: number;
    keyword: string;
    marketService: string;
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
  failuresInARow(service: string, currency: Currency | null): number | null {
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
        `SELECT p.id, r.check_id AS checkId, p.service, p.request_key AS requestKey, p.attempt, p.page, p.moment, p.price, p.simulated, k.text AS keyword, m.service AS marketService, m.country, m.language, m.device, m.location
         FROM purchases p JOIN reservations r ON r.id = p.reservation_id JOIN searches s ON s.id = p.search_id
              JOIN keywords k ON k.id = s.keyword_id JOIN markets m ON m.id = s.market_id
         WHERE ${hasStateSql('p', 'open')} AND r.run_id = ? AND p.page IS NOT NULL ORDER BY p.id`,
      )
      .all(runId)
      .map((row) => ({
        purchaseId: row.id,
        checkId: row.checkId,
        service: row.service,
        requestKey: row.requestKey,
        attempt: row.attempt,
        keyword: row.keyword,
        market: marketIn({ ...row, service: row.marketService }),
        page: row.page,
        moment: row.moment,
        price: row.price,
        isSimulated: row.simulated === 1,
      }));
  }

  /** The recorded owner of another run, or of this one for another search, that is buying the same now; null: none. */
  otherBuyer(
    requestKey: string,
    runId: number,
    searchId: number,
  ): { owner: string | null; heartbeatAt: number | null } | null {
    const row = this.#get<TableRow<'runs', 'owner' | 'heartbeatAt'>>(
      `SELECT n.owner, n.heartbeat_at AS heartbeatAt FROM purchases p JOIN reservations r ON r.id = p.reservation_id JOIN runs n ON n.id = r.run_id
       WHERE ${hasKey} AND p.state = 'open' AND (r.run_id <> @runId OR p.search_id <> @searchId) LIMIT 1`,
      requestKey,
      { runId, searchId },
    );
    return row ?? null;
  }

  #get<Result>(sql: string, requestKey: string, values: Readonly<Record<string, number>> = {}): Result | undefined {
    return this.#db.sql<Result>(sql).get({ key: storedKey(requestKey), ...values });
  }

  /** Sums `n` over the keys: a page has one per purchase, so they are few. */
  #count(sql: string, requestKeys: readonly string[], values?: Readonly<Record<string, number>>): number {
    return sumOf(requestKeys, (key) => this.#get<{ n: number }>(sql, key, values)?.n ?? 0);
  }
}

/** What a service reports about a purchase besides its price. */
export interface PurchaseSource {
  /** Which of the sources behind the service; absent where it has one. */
  readonly part?: string;
  /** Absent where the source counts none. */
  readonly requests?: RequestCount;
}

/** What a source sold in a run, according to the ledger so far. */
export interface SourceSales {
  readonly service: string;
  /** As the checks of the run are labelled; null where none says it. */
  readonly label: string | null;
  readonly part: string | null;
  /** Credits. */
  readonly spent: number;
  readonly unknown: number;
  /** Null: its requests are not counted. A purchase lost with its process or worker counts as one unknown request. */
  readonly requests: RequestCount | null;
}

/** Call inside the transaction that settles the purchase. */
export function keepPurchaseSource(db: Connection, purchaseId: number, { part, requests }: PurchaseSource): void {
  const { charged = null, free = null, unknown = null } = requests ?? {};
  db.sql(
    `INSERT INTO purchase_sources (purchase_id, run_id, part, requests_charged, requests_free, requests_unknown)
     SELECT p.id, v.run_id, ?, ?, ?, ? FROM purchases p JOIN reservations v ON v.id = p.reservation_id WHERE p.id = ?`,
  ).run(part ?? null, charged, free, unknown, purchaseId);
}

interface SalesRow extends Omit<SourceSales, 'requests'> {
  readonly scope: string | number;
  readonly requestsCharged: number | null;
  /** Null where `requests_charged` is. */
  readonly requestsFree: number | null;
  readonly requestsUnknown: number | null;
}

/** What sales are summed by: `v.run_id` reads one run by its index, `v.month_key` all runs. */
type Scope = 'v.run_id' | 'v.month_key';

const isMeant = (scope: Scope, runId: string): string => (scope === 'v.run_id' ? `${runId} = @runId` : 'true');

const namedSalesSql = (scope: Scope): string => `SELECT ${scope} AS scope, p.service, max(c.source) AS label, s.part,
    sum(iif(p.state = 'paid' OR p.reconciled = 'charged', p.charged, 0)) AS spent,
    sum(iif(p.state = 'unknown' AND p.reconciled IS NULL, p.charged, 0)) AS unknown,
    sum(s.requests_charged + iif(p.reconciled = 'charged', s.requests_unknown, 0)) AS requestsCharged,
    sum(s.requests_free + iif(p.reconciled = 'free', s.requests_unknown, 0)) AS requestsFree,
    sum(iif(p.reconciled IS NULL, s.requests_unknown, 0)) AS requestsUnknown
  FROM purchase_sources s JOIN purchases p ON p.id = s.purchase_id JOIN reservations v ON v.id = p.reservation_id
  LEFT JOIN checks c ON c.id = v.check_id AND c.search_id = p.search_id
  WHERE ${isMeant(scope, 's.run_id')} GROUP BY ${scope}, p.service, s.part`;

/** For the services that reported a source: the number of purchases without one. */
const unnamedSalesSql = (
  scope: Scope,
): string => `SELECT ${scope} AS scope, p.service, max(c.source) AS label, NULL AS part, 0 AS spent,
    sum(p.charged) AS unknown, iif(t.counts, 0, NULL) AS requestsCharged, 0 AS requestsFree, count(*) AS requestsUnknown
  FROM (
    SELECT q.service, max(s.requests_charged IS NOT NULL) AS counts FROM purchase_sources s JOIN purchases q ON q.id = s.purchase_id
    WHERE ${isMeant(scope, 's.run_id')} GROUP BY q.service) t
  CROSS JOIN reservations v ON ${isMeant(scope, 'v.run_id')} AND v.currency = 'serp_credit' AND v.unknown > 0
  JOIN purchases p ON p.reservation_id = v.id AND p.service = t.service AND ${hasStateSql('p', 'unknown')} AND p.reconciled IS NULL
  LEFT JOIN checks c ON c.id = v.check_id AND c.search_id = p.search_id
  WHERE NOT EXISTS (SELECT 1 FROM purchase_sources s WHERE s.purchase_id = p.id)
  GROUP BY ${scope}, p.service`;

/** What each source sold in a run, by service and part. Leaves out services that report neither parts nor requests. */
export function readSales(db: Connection, runId: number): SourceSales[] {
  return salesBy(db, 'v.run_id', runId).map(({ sales }) => sales);
}

/** The same for all purchases, by budget month, newest first. */
export function salesByMonth(db: Connection): (SourceSales & { readonly month: string })[] {
  return salesBy(db, 'v.month_key', null)
    .map(({ scope, sales }) => ({ month: scope, ...sales }))
    .sort((one, other) => order(other.month, one.month));
}

function salesBy(
  db: Connection,
  by: Scope,
  runId: number | null,
): { readonly scope: string; readonly sales: SourceSales }[] {
  const named = db.sql<SalesRow>(namedSalesSql(by)).all({ runId });
  if (named.length === 0) return [];
  const sums = new Map<string, { readonly scope: string; readonly sales: SourceSales }>();
  for (const row of [...named, ...db.sql<SalesRow>(unnamedSalesSql(by)).all({ runId })]) {
    const [scope, sales] = [String(row.scope), salesIn(row)];
    const key = JSON.stringify([scope, sales.service, sales.part]);
    const known = sums.get(key);
    sums.set(key, { scope, sales: known === undefined ? sales : together(known.sales, sales) });
  }
  return [...sums.values()].sort(
    ({ sales: one }, { sales: other }) => order(one.service, other.service) || order(one.part ?? '', other.part ?? ''),
  );
}

function together(one: SourceSales, other: SourceSales): SourceSales {
  return {
    ...one,
    label: one.label ?? other.label,
    spent: one.spent + other.spent,
    unknown: one.unknown + other.unknown,
    requests: one.requests !== null && other.requests !== null ? added(one.requests, other.requests) : one.requests,
  };
}

function added(one: RequestCount, other: RequestCount): RequestCount {
  return {
    charged: one.charged + other.charged,
    free: one.free + other.free,
    unknown: one.unknown + other.unknown,
  };
}

function order(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

function salesIn(row: SalesRow): SourceSales {
  const charged = row.requestsCharged;
  return {
    service: row.service,
    label: row.label,
    part: row.part,
    spent: row.spent,
    unknown: row.unknown,
    requests: charged === null ? null : { charged, free: row.requestsFree ?? 0, unknown: row.requestsUnknown ?? 0 },
  };
}

/** Purchases that were settled alike. */
type PurchaseCount = {
  readonly service: string;
  readonly currency: Currency;
  readonly outcome: 'paid' | 'free' | 'unknown';
  /** Empty where the answer could be used. */
  readonly code: string;
  readonly simulated: 'yes' | 'no';
  readonly purchases: number;
  /** As they were settled: of `unknown` ones the most that they may have cost. */
  readonly charged: number;
};

/** What was bought so far, by service and outcome: the counters of /metrics. */
export class PurchaseCounts extends GrowingSums<PurchaseCount> {
  constructor(db: Connection) {
    super(db, {
      ends: `SELECT max(id) AS last, (SELECT min(p.id) FROM purchases p WHERE ${hasStateSql('p', 'open')}) AS open FROM purchases`,
      sums: `SELECT p.service, ${nameSql('r.currency_code', currencies)} AS currency, ${nameSql('p.state_code', purchaseStates)} AS outcome,
               coalesce(p.error_code, '') AS code, iif(p.simulated = 1, 'yes', 'no') AS simulated, count(*) AS purchases, sum(p.charged) AS charged
             FROM purchases p JOIN reservations r ON r.id = p.reservation_id
             WHERE p.id > ? AND p.id <= ? AND NOT ${hasStateSql('p', 'open')}
             GROUP BY p.service, r.currency_code, p.state_code, p.error_code, p.simulated`,
    });
  }
}
