// Purchases of a check, with pages that went the same way on one line.
import type { CheckRecord } from '../../read/records.ts';

type Purchase = CheckRecord['purchases'][number];

export interface PurchaseGroup {
  /** Pages; null: the purchase names none. */
  readonly first: number | null;
  readonly last: number | null;
  readonly attempt: number;
  readonly state: string;
  /** Credits of all. */
  readonly charged: number;
  readonly error: string | null;
}

/** In their order. */
export function groupPurchases(purchases: readonly Purchase[]): PurchaseGroup[] {
  const groups: PurchaseGroup[] = [];
  for (const { page, attempt, state, charged, errorCode, message } of purchases) {
    const error = errorCode === null ? null : message === null ? errorCode : `${errorCode}: ${message}`;
    const group = groups.at(-1);
    const isNext = group !== undefined && page !== null && group.last === page - 1;
    if (isNext && group.state === state && group.attempt === attempt && group.error === error)
      groups[groups.length - 1] = { ...group, last: page, charged: group.charged + charged };
    else groups.push({ first: page, last: page, attempt, state, charged, error });
  }
  return groups;
}
