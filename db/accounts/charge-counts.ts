// What accounts were charged so far, by operation: the counters of /metrics.
import type { Connection } from '../connection/client.ts';
import { GrowingSums } from '../connection/growing-sums.ts';

/** Charges that are settled; refunded ones count for nothing. */
type ChargeCount = {
  readonly operation: 'serp' | 'keyword-data';
  readonly serpCredits: number;
  readonly microUsd: number;
};

export class ChargeCounts extends GrowingSums<ChargeCount> {
  constructor(db: Connection) {
    super(db, {
      ends: 'SELECT max(id) AS last, (SELECT min(id) FROM account_charges WHERE owner IS NOT NULL) AS open FROM account_charges',
      sums: `SELECT operation, sum(held_serp_credits) AS serpCredits, sum(held_micro_usd) AS microUsd FROM account_charges
             WHERE id > ? AND id <= ? AND owner IS NULL GROUP BY operation`,
    });
  }
}
