// The source that answered a purchase behind a service, and the number of requests it took.
import type { RequestCount } from '../../src/service/index.ts';
import type { Connection } from '../connection/client.ts';
import { hasStateSql } from '../schema/money-codes.ts';

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
  db.sql(
    `INSERT INTO purchase_sources (purchase_id, run_id, part, requests_charged, requests_free, requests_unknown)
     SELECT p.id, v.run_id, ?, ?, ?, ? FROM purchases p JOIN reservations v ON v.id = p.reservation_id WHERE p.id = ?`,
  ).run(part ?? null, requests?.charged ?? null, requests?.free ?? null, requests?.unknown ?? null, purchaseId);
}

interface SalesRow {
  readonly scope: string | number;
  readonly service: string;
  readonly label: string | null;
  readonly part: string | null;
  readonly spent: number;
  readonly unknown: number;
  readonly requests_charged: number | null;
  /** Null where `requests_charged` is. */
  readonly requests_free: number | null;
  readonly requests_unknown: number | null;
}

/** What sales are summed by: `v.run_id` reads one run by its index, `v.month_key` all runs. */
type Scope = 'v.run_id' | 'v.month_key';

const isMeant = (scope: Scope, runId: string): string => (scope === 'v.run_id' ? `${runId} = @runId` : 'true');

const namedSalesSql = (scope: Scope): string => `SELECT ${scope} AS scope, p.service, max(c.source) AS label, s.part,
    sum(iif(p.state = 'paid' OR p.reconciled = 'charged', p.charged, 0)) AS spent,
    sum(iif(p.state = 'unknown' AND p.reconciled IS NULL, p.charged, 0)) AS unknown,
    sum(s.requests_charged + iif(p.reconciled = 'charged', s.requests_unknown, 0)) AS requests_charged,
    sum(s.requests_free + iif(p.reconciled = 'free', s.requests_unknown, 0)) AS requests_free,
    sum(iif(p.reconciled IS NULL, s.requests_unknown, 0)) AS requests_unknown
  FROM purchase_sources s JOIN purchases p ON p.id = s.purchase_id JOIN reservations v ON v.id = p.reservation_id
  LEFT JOIN checks c ON c.id = v.check_id
  WHERE ${isMeant(scope, 's.run_id')} GROUP BY ${scope}, p.service, s.part`;

/** For the services that reported a source: the number of purchases without one. */
const unnamedSalesSql = (
  scope: Scope,
): string => `SELECT ${scope} AS scope, p.service, max(c.source) AS label, NULL AS part, 0 AS spent,
    sum(p.charged) AS unknown, iif(t.counts, 0, NULL) AS requests_charged, 0 AS requests_free, count(*) AS requests_unknown
  FROM (
    SELECT q.service, max(s.requests_charged IS NOT NULL) AS counts FROM purchase_sources s JOIN purchases q ON q.id = s.purchase_id
    WHERE ${isMeant(scope, 's.run_id')} GROUP BY q.service) t
  CROSS JOIN reservations v ON ${isMeant(scope, 'v.run_id')} AND v.currency = 'serp_credit' AND v.unknown > 0
  JOIN purchases p ON p.reservation_id = v.id AND p.service = t.service AND ${hasStateSql('p', 'unknown')} AND p.reconciled IS NULL
  LEFT JOIN checks c ON c.id = v.check_id
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
  const charged = row.requests_charged;
  return {
    service: row.service,
    label: row.label,
    part: row.part,
    spent: row.spent,
    unknown: row.unknown,
    requests: charged === null ? null : { charged, free: row.requests_free ?? 0, unknown: row.requests_unknown ?? 0 },
  };
}
