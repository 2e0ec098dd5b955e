// What was spent by local day, service and currency, as purchases have it. Reads only.
import type { Connection } from '../../connection/client.ts';
import type { TableRow } from '../../schema/rows.ts';

export interface DailySpend {
  /** Local date of the budget. */
  readonly date: string;
  readonly service: string;
  readonly currency: TableRow<'reservations'>['currency'];
  readonly spent: number;
  readonly unknown: number;
  readonly purchases: number;
}

/** Null: no limit. Dates are inclusive. */
export interface DailySpendQuery {
  readonly project: string | null;
  readonly from: string | null;
  readonly to: string | null;
}

export class DailySpendReader {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /** By date. A purchase that several projects share counts for each of them. */
  days(query: DailySpendQuery): DailySpend[] {
    return this.#db
      .sql<DailySpend & Record<string, unknown>>(
        `SELECT v.day_key AS date, p.service, v.currency,
           sum(iif(p.state = 'paid' OR p.reconciled IS NOT NULL, p.charged, 0)) AS spent,
           sum(iif(p.state = 'unknown' AND p.reconciled IS NULL, p.charged, 0)) AS unknown,
           count(*) AS purchases
         FROM reservations v JOIN purchases p ON p.reservation_id = v.id
         WHERE (@from IS NULL OR v.day_key >= @from) AND (@to IS NULL OR v.day_key <= @to)
           AND (@project IS NULL OR EXISTS (
             SELECT 1 FROM slots s JOIN projects o ON o.id = s.project_id WHERE s.run_id = v.run_id AND o.name = @project))
         GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
      )
      .all({ ...query });
  }
}
