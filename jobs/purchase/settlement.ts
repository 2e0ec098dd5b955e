// Settles purchases and logs them, so that one credit can be followed from its intent to its end.

import type { PurchaseSettlement } from '../../db/ledger/ledger.ts';
import type { PriceDispute } from '../../db/ledger/reconciliations.ts';
import { type AnsweredPage, sumOfRequests } from '../../src/service/terms.ts';
import { dayMs } from '../../src/tracker/schedule/time-units.ts';
import type { JobContext } from '../context.ts';
import type { AnsweringSource, RequestFailure } from '../retry.ts';
import { type ServiceStop, stopForPrice } from './service-states.ts';

/** Identifies a purchase in the log. */
export interface PurchaseRef {
  readonly runId: number;
  /** Null outside a check. */
  readonly checkId: number | null;
  readonly service: string;
  readonly purchaseId: number;
  readonly requestKey: string;
  /** Null for keyword data. */
  readonly page: number | null;
}

/** How long a provider that keeps idempotency keys at least keeps them, from when the first try left. */
export const keysKeptMs = dayMs;

/** Whether a purchase's provider keeps its key. */
export function keepsKeys(
  { services }: Pick<JobContext, 'services'>,
  { service, page }: { readonly service: string; readonly page: unknown },
): boolean {
  const keeps = services.get(service)?.keepsKeys;
  return keeps === true || (keeps === 'pages' && page !== null);
}

export function logOpened({ log }: JobContext, ref: PurchaseRef, attempt: number): void {
  log.debug({ ...ref, attempt }, 'purchase opened');
}

/**
 * `left` of the reservation; null where it cost nothing. `stop`: its price exceeds the budget, and nothing more is
 * bought there.
 */
export interface SettledPurchase {
  readonly left: number | null;
  readonly stop: ServiceStop | null;
}

/**
 * Settles a purchase at the larger of the agreed and the stated price. A provider that keeps keys sells a key once,
 * however many attempts there were: earlier attempts that were unknown until now were free. Call inside a transaction.
 */
export function settlePurchase(context: JobContext, ref: PurchaseRef, settlement: PurchaseSettlement): SettledPurchase {
  const { store, log } = context;
  const { state, at, errorCode, message } = settlement;
  const { left, dispute } = store.ledger.settle(ref.purchaseId, settlement);
  const facts = { ...ref, state, errorCode, message };
  if (state === 'unknown') log.warn(facts, 'purchase without a known outcome: it counts as spent');
  else log.debug(facts, 'purchase settled');
  const settled = { left, stop: dispute === null ? null : disputed(context, ref, dispute) };
  if (state === 'free' || !keepsKeys(context, ref)) return settled;
  const freed = store.reconciliations.freeEarlier(ref.purchaseId, at - keysKeptMs, at);
  if (freed.length > 0) log.debug({ ...ref, freed }, 'earlier attempts under the same key were free');
  return settled;
}

/** Warns of a price that was booked; says to stop the service where it exceeds the budget. */
export function disputed(
  { log }: Pick<JobContext, 'log'>,
  facts: { readonly service: string; readonly purchaseId: number; readonly requestKey: string },
  dispute: PriceDispute,
): ServiceStop | null {
  const { agreed, stated, exceeded, currency } = dispute;
  log.warn(
    { ...facts, currency, agreed, stated, exceeded },
    'provider states a higher price than agreed: the higher price is booked',
  );
  return exceeded > 0 ? stopForPrice(dispute) : null;
}

const stateOf = { no: 'free', yes: 'paid', unknown: 'unknown' } as const;

/** How a purchase is settled whose request failed. `usual`: what it costs if it is paid; absent: the price. */
export function failedSettlement(failure: RequestFailure, at: number, usual?: number): PurchaseSettlement {
  const { charged, code, message, stated } = failure;
  const price = stated !== undefined ? { stated } : charged === 'yes' && usual !== undefined ? { charged: usual } : {};
  return { state: stateOf[charged], at, errorCode: code, message, ...price, ...settledSource(failure) };
}

/**
 * The settlement of a purchase with a page: a shared page was paid in another ledger, and is free in ours. A page is
 * one credit. If its source needed more than one request, the settlement says so.
 */
export function receivedSettlement(
  isShared: boolean,
  at: number,
  answer: Pick<AnsweredPage, 'source' | 'requests'>,
  stated?: number,
): PurchaseSettlement {
  if (isShared) {
    const message = 'another coordinator of the same queue had bought the page';
    return { state: 'free', at, errorCode: 'SHARED', message };
  }
  const count = answer.requests === undefined ? 1 : sumOfRequests(answer.requests);
  const price = stated === undefined ? { charged: 1 } : { stated };
  return {
    state: 'paid',
    at,
    ...price,
    message: count === 1 ? undefined : `it took ${count} requests`,
    ...settledSource(answer),
  };
}

/** The answering source as reported by a service, for the settlement. */
export function settledSource({ source, requests }: AnsweringSource): Pick<PurchaseSettlement, 'source'> {
  if (source === undefined && requests === undefined) return {};
  return { source: { part: source, requests } };
}
