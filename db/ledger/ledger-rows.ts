// Rows that the ledger inserts for the orders it takes.
import { insertInto } from '../connection/insert.ts';
import type { NewTableRow } from '../schema/rows.ts';
import type { PurchaseIntent, ReservationRequest } from './ledger-orders.ts';

const purchaseColumns = [
  'reservation_id',
  'service',
  'request_key',
  'attempt',
  'search_id',
  'moment',
  'page',
  'price',
  'simulated',
  'state',
  'opened_at',
] as const;
export const insertPurchase = insertInto('purchases', purchaseColumns);
export const insertFirstPurchase = insertInto(
  'purchases',
  purchaseColumns,
  'ON CONFLICT (request_key, attempt) DO NOTHING',
);
export const insertReservation = insertInto('reservations', [
  'run_id',
  'check_id',
  'currency',
  'day_key',
  'month_key',
  'reserved',
]);

export function purchaseRow(intent: PurchaseIntent, attempt: number): NewTableRow<'purchases'> {
  return {
    reservation_id: intent.reservationId,
    service: intent.service,
    request_key: intent.requestKey,
    attempt,
    search_id: intent.searchId,
    moment: intent.moment,
    page: intent.page,
    price: intent.price,
    simulated: intent.isSimulated === true ? 1 : 0,
    state: 'open',
    opened_at: intent.at,
  };
}

export function reservationRow({
  runId,
  checkId,
  currency,
  keys,
  amount,
}: ReservationRequest): NewTableRow<'reservations'> {
  return { run_id: runId, check_id: checkId, currency, day_key: keys.day, month_key: keys.month, reserved: amount };
}
