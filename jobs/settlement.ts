// What became of a purchase: written down, and told to the log, so that one credit can be followed from its intent to its end.
import type { Settled, Settlement } from '../db/ledger.ts';
import type { JobContext } from './context.ts';
import { sourceTold } from './queue.ts';
import type { Failure } from './retry.ts';
import { type ServiceStop, stopForPrice } from './service-lines.ts';

/** A purchase as the log names it. */
export interface PurchaseRef {
  readonly runId: number;
  /** Null where it is of no check. */
  readonly checkId: number | null;
  readonly service: string;
  readonly purchaseId: number;
  readonly requestKey: string;
  /** Null where it is no results page. */
  readonly page: number | null;
}

/** How long a provider that keeps idempotency keys at least keeps them, from when the first try left. */
export const keysKeptMs = 86_400_000;

/** Whether a purchase's provider keeps its key. */
export function keepsKeys(
  { services }: Pick<JobContext, 'services'>,
  { service, page }: { readonly service: string; readonly page: unknown },
): boolean {
  const keeps = services.get(service)?.keepsKeys;
  return keeps === true || (keeps === 'pages' && page !== null);
}

export function tellOpened({ log }: JobContext, ref: PurchaseRef, attempt: number): void {
  log.debug({ ...ref, attempt }, 'purchase opened');
}

/** `left` of the reservation; null where it cost nothing. `stop`: its price exceeds the budget, and nothing more is bought there. */
export interface SettledPurchase {
  readonly left: number | null;
  readonly stop: ServiceStop | null;
}

/**
 * Settles a purchase, at the larger of the agreed and the stated price. Where its provider keeps keys, a key is sold once however often it was tried: what this try may have cost is all that there is to
 * pay, and earlier tries that were unknown until now were free. Call inside a transaction.
 */
export function settlePurchase(context: JobContext, ref: PurchaseRef, settlement: Settlement): SettledPurchase {
  const { store, log } = context;
  const { state, at, errorCode, message } = settlement;
  const { left, dispute } = store.ledger.settle(ref.purchaseId, settlement);
  const facts = {
    ...ref,
    state,
    ...(errorCode !== undefined && { errorCode }),
    ...(message !== undefined && { message }),
  };
  if (state === 'unknown') log.warn(facts, 'purchase without a known outcome: it counts as spent');
  else log.debug(facts, 'purchase settled');
  const settled = { left, stop: disputed(context, ref, dispute) };
  if (state === 'free' || !keepsKeys(context, ref)) return settled;
  const freed = store.reconciliations.freeEarlier(ref.purchaseId, at - keysKeptMs, at);
  if (freed.length > 0) log.debug({ ...ref, freed }, 'earlier tries of the same key were free');
  return settled;
}

function disputed({ log }: JobContext, ref: PurchaseRef, dispute: Settled['dispute']): ServiceStop | null {
  if (dispute === null) return null;
  const { agreed, stated, exceeded, currency } = dispute;
  log.warn({ ...ref, currency, agreed, stated, exceeded }, 'provider states a higher price than agreed: it is booked');
  return exceeded > 0 ? stopForPrice(dispute) : null;
}

const stateOf = { no: 'free', yes: 'paid', unknown: 'unknown' } as const;

/** How a purchase is settled whose request failed. */
export function failedSettlement(failure: Failure, at: number): Settlement {
  const { charged, code, message, stated } = failure;
  const price = stated === undefined ? {} : { stated };
  return { state: stateOf[charged], at, errorCode: code, message, ...price, ...sourceTold(failure) };
}
