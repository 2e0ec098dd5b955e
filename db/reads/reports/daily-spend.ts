// What was spent, by local day, service and currency: in all, or the part of one project. Reads only.
import type { Connection } from '../../connection/client.ts';
import type { TableRow } from '../../schema/rows.ts';

interface DailySpend {
  /** Local date of the budget. */
  readonly date: string;
  readonly service: string;
  readonly currency: TableRow<'reservations'>['currency'];
  readonly spent: number;
  readonly unknown: number;
  /** The part of `spent` and `unknown` that paid for purchases of several projects. */
  readonly shared: number;
  /** Shared ones count for each of their projects. */
  readonly purchases: number;
}

/** Null: no limit. Dates are inclusive. */
interface DailySpendQuery {
  readonly project: string | null;
  readonly from: string | null;
  readonly to: string | null;
}

/** What requests of keyword data and AI answers cost in a run, in micro-USD. */
interface DollarCost {
  readonly reserved: number;
  readonly spent: number;
  readonly unknown: number;
  /** The part of `spent` and `unknown` that bought no usable answer. */
  readonly failures: number;
}

/**
 * Who pays: the projects that wanted a check share its cost evenly, those that wanted keywords of a request in
 * proportion to these. Parts are whole units, and add up to the whole: a project pays from `before` to `before +
 * weight` of `total`, rounded up. The first in line changes from check to check, so that no project bears all
 * remainders (`shareOf` of spend.ts).
 */
const part = (amount: string): string =>
  `iif(@project IS NULL, ${amount}, (${amount} * (before + weight) + total - 1) / total - (${amount} * before + total - 1) / total)`;

const sharesSql = `WITH own AS MATERIALIZED (SELECT id FROM projects WHERE name = @project),
  money AS MATERIALIZED (
    SELECT v.day_key AS date, v.currency, v.check_id, iif(v.check_id IS NULL, v.id, NULL) AS reservation_id,
      max((SELECT p.service FROM purchases p WHERE p.reservation_id = v.id LIMIT 1)) AS service,
      sum(v.reserved) AS reserved, sum(v.spent) AS spent, sum(v.unknown) AS unknown,
      sum((SELECT count(*) FROM purchases p WHERE p.reservation_id = v.id)) AS purchases,
      sum((SELECT coalesce(sum(p.charged), 0) FROM purchases p
           WHERE p.reservation_id = v.id AND (p.state = 'unknown' OR p.error_code IS NOT NULL))) AS failures
    FROM reservations v
    WHERE (@from IS NULL OR v.day_key >= @from) AND (@to IS NULL OR v.day_key <= @to)
      AND (@runId IS NULL OR v.run_id = @runId) AND (@currency IS NULL OR v.currency = @currency)
      AND (@project IS NULL OR EXISTS (SELECT 1 FROM own JOIN check_projects w ON w.project_id = own.id AND w.check_id = v.check_id)
        OR EXISTS (SELECT 1 FROM own JOIN reservation_projects w ON w.project_id = own.id AND w.reservation_id = v.id))
    GROUP BY 1, 2, 3, 4),
  counted AS (
    SELECT m.*, iif(check_id IS NULL,
        (SELECT count(*) FROM reservation_projects w WHERE w.reservation_id = m.reservation_id),
        (SELECT count(*) FROM check_projects w WHERE w.check_id = m.check_id)) AS payers,
      (SELECT sum(w.keywords) FROM reservation_projects w WHERE w.reservation_id = m.reservation_id) AS keywords,
      (SELECT w.keywords FROM own JOIN reservation_projects w ON w.project_id = own.id AND w.reservation_id = m.reservation_id) AS own_keywords,
      (SELECT coalesce(sum(w.keywords), 0) FROM own JOIN reservation_projects w ON w.project_id < own.id AND w.reservation_id = m.reservation_id) AS keywords_before,
      (SELECT count(*) FROM own JOIN check_projects w ON w.project_id < own.id AND w.check_id = m.check_id) AS projects_before
    FROM money m),
  shares AS (
    SELECT *, iif(check_id IS NULL, keywords, payers) AS total, iif(check_id IS NULL, own_keywords, 1) AS weight,
      iif(check_id IS NULL, keywords_before, (projects_before + check_id) % payers) AS before
    FROM counted)`;

export class DailySpendReader {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /** By date. The parts of all projects, and what belongs to none, add up to the whole. */
  days(query: DailySpendQuery): DailySpend[] {
    return this.#db
      .sql<DailySpend & Record<string, unknown>>(
        `${sharesSql}
         SELECT date, service, currency, sum(${part('spent')}) AS spent, sum(${part('unknown')}) AS unknown,
           sum(iif(payers > 1, ${part('spent')} + ${part('unknown')}, 0)) AS shared, sum(purchases) AS purchases
         FROM shares WHERE purchases > 0 GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
      )
      .all({ ...query, runId: null, currency: null });
  }

  /** Of a run in dollars, or the part of one project. */
  dollarsOf(runId: number, project: string | null): DollarCost {
    const row = this.#db
      .sql<DollarCost & { readonly unused: number }>(
        `${sharesSql}
         SELECT coalesce(sum(${part('spent')}), 0) AS spent, coalesce(sum(${part('unknown')}), 0) AS unknown,
           coalesce(sum(${part('failures')}), 0) AS failures, coalesce(sum(${part('(reserved - spent - unknown)')}), 0) AS unused
         FROM shares`,
      )
      .get({ project, from: null, to: null, runId, currency: 'micro_usd' });
    const { spent, unknown, failures, unused } = row ?? { spent: 0, unknown: 0, failures: 0, unused: 0 };
    return { reserved: spent + unknown + unused, spent, unknown, failures };
  }
}
