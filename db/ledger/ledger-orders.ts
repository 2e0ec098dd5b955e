// The ledger's orders and their results: reservations, purchases, settlements.
import type { BudgetWindowRow, Currency, WindowKeys } from './budget-windows.ts';
import type { PriceDispute } from './price-disputes.ts';
import type { PurchaseSource } from './purchase-sources.ts';

export interface ReservationRequest {
  readonly runId: number;
  readonly checkId: number | null;
  /** Without a check: how many keywords of the request each project wants (`reservation_projects`). */
  readonly wantedBy?: ReadonlyMap<string, number>;
  readonly currency: Currency;
  readonly amount: number;
  readonly at: number;
  readonly keys: WindowKeys;
}

/** What was reserved, or the window that is too small for it. */
export type ReservationResult =
  | { readonly ok: true; readonly id: number }
  | { readonly ok: false; readonly short: BudgetWindowRow };

export interface PurchaseIntent {
  readonly reservationId: number;
  readonly service: string;
  readonly requestKey: string;
  readonly searchId: number | null;
  readonly moment: number;
  readonly page: number | null;
  readonly price: number;
  /** Bought from a source that only simulates. Default: false. */
  readonly isSimulated?: boolean;
  readonly at: number;
}

/** A recorded purchase; `attempt` counts the attempts of its request key from 1. */
export interface OpenPurchase {
  readonly id: number;
  readonly attempt: number;
}

/** What became of a purchase. `free`: proven not charged. `unknown` counts as spent until it is reconciled. */
export interface PurchaseSettlement {
  readonly state: 'paid' | 'free' | 'unknown';
  /** Only with `paid`; at most the price. */
  readonly charged?: number;
  /** The cost that the provider stated, if any. The larger of both is booked. Free purchases have none. */
  readonly stated?: number;
  readonly at: number;
  readonly errorCode?: string;
  readonly message?: string;
  readonly source?: PurchaseSource;
}

/** `left` of its reservation; null where it cost nothing. */
export interface SettlementResult {
  readonly left: number | null;
  readonly dispute: PriceDispute | null;
}
