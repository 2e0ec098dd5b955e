// Rows that the ledger inserts for the orders it takes.
import { insertInto } from '../connection/insert.ts';
import { currencies, purchaseStates, storedKey } from '../schema/money-codes.ts';
import type { NewTableRow } from '../schema/rows.ts';
import type { PurchaseIntent, ReservationRequest } from './ledger-orders.ts';

/** While a purchase is open; see the schema. */
const twoBytes = 32_767;

export const insertPurchase = insertInto('purchases', [
  'reservation_id',
  'service',
  'key',
  'attempt',
  'search_id',
  'moment',
  'page',
  'price',
  'simulated',
  'state_code',
  'opened_at',
  'open_ms',
]);
export const insertReservation = insertInto('reservations', [
  'run_id',
  'check_id',
  'currency_code',
  'day_key',
  'reserved',
]);

export function purchaseRow(intent: PurchaseIntent, attempt: number): NewTableRow<'purchases'> {
  return {
    reservation_id: intent.reservationId,
    service: intent.service,
    key: storedKey(intent.requestKey),
    attempt,
    search_id: intent.searchId,
    moment: intent.moment,
    page: intent.page,
    price: intent.price,
    simulated: intent.isSimulated === true ? 1 : 0,
    state_code: purchaseStates.indexOf('open'),
    opened_at: intent.at,
    open_ms: twoBytes,
  };
}

export function reservationRow({
  runId,
  checkId,
  currency,
  keys,
  amount,
}: ReservationRequest): NewTableRow<'reservations'> {
  return {
    run_id: runId,
    check_id: checkId,
    currency_code: currencies.indexOf(currency),
    day_key: keys.day,
    reserved: amount,
  };
}
