// What was bought so far, by service and outcome: the counters of /metrics.
import type { Connection } from '../connection/client.ts';
import { GrowingSums } from '../connection/growing-sums.ts';
import { currencies, hasStateSql, nameSql, purchaseStates } from '../schema/money-codes.ts';
import type { Currency } from './budget-windows.ts';

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
