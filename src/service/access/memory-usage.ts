// Usage per day and user of the account store in memory.
import type { NewCharge, SpendingCap, StatementEntry, UsageDay } from './account-store.ts';
import { nothing, sum } from './memory-amounts.ts';
import { startOfDay } from './usage.ts';

interface Net {
  readonly date: string;
  readonly username: string | undefined;
  serpCredits: number;
  microUsd: number;
}

/** Of the charges made since a moment; newest day first, then by user. */
export function sumUsage(entries: readonly StatementEntry[], account: string, since: number): UsageDay[] {
  const charges = new Map<number, Net>();
  for (const { account: name, kind, chargeId, at, username, serpCredits, microUsd } of entries) {
    if (name !== account || chargeId === undefined) continue;
    if (kind === 'charge' && at >= since) {
      const date = new Date(at).toISOString().slice(0, 10);
      charges.set(chargeId, { date, username, serpCredits: -serpCredits, microUsd: -microUsd });
      continue;
    }
    const charge = charges.get(chargeId);
    if (charge === undefined) continue;
    charge.serpCredits -= serpCredits;
    charge.microUsd -= microUsd;
  }
  const days = new Map<string, UsageDay>();
  for (const { date, username, serpCredits, microUsd } of charges.values()) {
    if (serpCredits === 0 && microUsd === 0) continue;
    const key = JSON.stringify([date, username ?? '']);
    const day = days.get(key) ?? { date, username, requests: 0, serpCredits: 0, microUsd: 0 };
    days.set(key, {
      ...day,
      requests: day.requests + 1,
      serpCredits: day.serpCredits + serpCredits,
      microUsd: day.microUsd + microUsd,
    });
  }
  return [...days.values()].sort(
    (a, b) => b.date.localeCompare(a.date) || ((a.username ?? '') < (b.username ?? '') ? -1 : 1),
  );
}

/** Whether the charge would take its user beyond what a day allows. */
export function isCapped(entries: readonly StatementEntry[], cap: SpendingCap, charge: NewCharge): boolean {
  const { username, account, price, at } = charge;
  const today = sumUsage(entries, account, startOfDay(at)).find((day) => day.username === username) ?? nothing;
  const { serpCredits = Number.POSITIVE_INFINITY, microUsd = Number.POSITIVE_INFINITY } = cap;
  const after = sum(today, price);
  return (
    (price.serpCredits > 0 && after.serpCredits > serpCredits) || (price.microUsd > 0 && after.microUsd > microUsd)
  );
}
