// Prices that a provider stated above what was agreed, in words.
import type { DisputeTotals } from '../db/price-disputes.ts';
import type { Store } from '../db/store.ts';
import { amountOf } from './money.ts';

/** The disputes of these runs, one line a service and currency. */
export function disputesOf({ disputes }: Store, runIds: readonly number[]): string[] {
  return runIds.flatMap((runId) => disputes.totals(runId).map(disputeText));
}

/** `service vendor states 13.5 USD for 3 purchases agreed at 0.03 USD` */
export function disputeText({ service, currency, purchases, agreed, stated }: DisputeTotals): string {
  const what = purchases === 1 ? 'a purchase' : `${purchases} purchases`;
  return `service ${service} states ${amountOf(currency, stated)} for ${what} agreed at ${amountOf(currency, agreed)}`;
}
