// Types of an account's statement: its entries, and their sums by day.
import type { OperationName, Price } from '../model/ports.ts';

/**
 * Why a balance changed: bought or taken back by the operator; taken before work; unused part given back; given back in
 * full.
 */
export type EntryKind = 'top-up' | 'withdrawal' | 'charge' | 'settle' | 'refund';

/** One line of an account's statement. Append-only; `id` grows. */
export interface StatementEntry {
  readonly id: number;
  readonly account: string;
  readonly kind: EntryKind;
  /** What was added to the balance: negative for a charge and a withdrawal. */
  readonly serpCredits: number;
  readonly microUsd: number;
  /** The balance after it. */
  readonly balance: Price;
  readonly at: number;
  /** The charge that a `charge`, `settle` or `refund` belongs to, with the facts of its request. */
  readonly chargeId: number | undefined;
  readonly requestId: string | undefined;
  readonly operation: OperationName | undefined;
  readonly username: string | undefined;
  /** The operator's own words on a top-up or withdrawal; why a charge was given back at a start. */
  readonly note: string | undefined;
}

/** What one user of an account has used on one UTC day. */
export interface UsageDay {
  /** `2026-01-15`. */
  readonly date: string;
  /** Absent for a trusted caller in the host's process. */
  readonly username: string | undefined;
  /** Charges that were not given back in full. */
  readonly requests: number;
  readonly serpCredits: number;
  readonly microUsd: number;
}
