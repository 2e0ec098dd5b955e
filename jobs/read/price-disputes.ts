// Describes the prices that a provider stated above the agreed ones.
import type { DisputeTotals } from '../../db/ledger/reconciliations.ts';
import type { Store } from '../../db/store.ts';
import { formatAmount } from '../../src/tracker/figures.ts';

/** The disputes of these runs, at one service or all of them: one line a service and currency. */
export function describeDisputes({ disputes }: Store, runIds: readonly number[], service?: string): string[] {
  const totals = runIds.flatMap((runId) => disputes.totals(runId));
  return totals.filter((one) => service === undefined || one.service === service).map(disputeText);
}

/** The same as notes of a command. */
export function disputeNotes(store: Store, runId: number): string[] {
  return describeDisputes(store, [runId]).map((words) => `price in dispute: ${words}. See: rankledger audit`);
}

/** `service vendor states 13.5 USD for 3 purchases agreed at 0.03 USD` */
function disputeText({ service, currency, purchases, agreed, stated }: DisputeTotals): string {
  const what = purchases === 1 ? 'a purchase' : `${purchases} purchases`;
  return `service ${service} states ${formatAmount(currency, stated)} for ${what} agreed at ${formatAmount(currency, agreed)}`;
}
