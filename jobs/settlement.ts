// What became of a purchase: written down, and told to the log, so that one credit can be followed from its intent to its end.
import type { Settlement } from '../db/ledger.ts';
import type { JobContext } from './context.ts';
import { sourceTold } from './queue.ts';
import type { Failure } from './retry.ts';

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

/**
 * Settles a purchase. Where its provider keeps keys, a key is sold once however often it was tried: what this try may have cost is all that there is to
 * pay, and earlier tries that were unknown until now were free. Returns what is left of its reservation; null where it cost nothing. Call inside a transaction.
 */
export function settlePurchase(context: JobContext, ref: PurchaseRef, settlement: Settlement): number | null {
  const { store, log } = context;
  const { state, at, errorCode, message } = settlement;
  const left = store.ledger.settle(ref.purchaseId, settlement);
  const facts = {
    ...ref,
    state,
    ...(errorCode !== undefined && { errorCode }),
    ...(message !== undefined && { message }),
  };
  if (state === 'unknown') log.warn(facts, 'purchase without a known outcome: it counts as spent');
  else log.debug(facts, 'purchase settled');
  if (state === 'free' || !keepsKeys(context, ref)) return left;
  const freed = store.reconciliations.freeEarlier(ref.purchaseId, at - keysKeptMs, at);
  if (freed.length > 0) log.debug({ ...ref, freed }, 'earlier tries of the same key were free');
  return left;
}

const stateOf = { no: 'free', yes: 'paid', unknown: 'unknown' } as const;

/** How a purchase is settled whose request failed. */
export function failedSettlement(failure: Failure, at: number): Settlement {
  const { charged, code, message } = failure;
  return { state: stateOf[charged], at, errorCode: code, message, ...sourceTold(failure) };
}
