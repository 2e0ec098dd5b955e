// Usage per day, user and operation of the account store in memory.
import type { Price } from '../../model/ports.ts';
import type { NewCharge, SpendingCap } from '../account-store.ts';
import type { OperationUsage } from '../dashboard-store.ts';
import type { StatementEntry, UsageDay } from '../statement.ts';
import { startOfDay } from '../usage.ts';
import { nothing, sum } from './memory-amounts.ts';

interface Net {
  readonly date: string;
  readonly username: string | undefined;
  readonly operation: OperationUsage['operation'];
  serpCredits: number;
  microUsd: number;
}

/** Of the charges made since a moment; newest day first, then by user. */
export function sumUsage(entries: readonly StatementEntry[], account: string, since: number): UsageDay[] {
  const days = new Map<string, UsageDay>();
  for (const { date, username, serpCredits, microUsd } of netCharges(entries, account, since)) {
    const key = JSON.stringify([date, username ?? '']);
    const day = days.get(key) ?? { date, username, requests: 0, serpCredits: 0, microUsd: 0 };
    days.set(key, plus(day, { serpCredits, microUsd }));
  }
  return [...days.values()].sort(byDayAndUser);
}

/** The same by operation, too. */
export function sumOperationUsage(
  entries: readonly StatementEntry[],
  account: string,
  since: number,
): OperationUsage[] {
  const days = new Map<string, OperationUsage>();
  for (const { date, username, operation, serpCredits, microUsd } of netCharges(entries, account, since)) {
    const key = JSON.stringify([date, username ?? '', operation]);
    const day = days.get(key) ?? { date, username, operation, requests: 0, serpCredits: 0, microUsd: 0 };
    days.set(key, plus(day, { serpCredits, microUsd }));
  }
  return [...days.values()].sort((a, b) => byDayAndUser(a, b) || (a.operation < b.operation ? -1 : 1));
}

/** Charges of the account since a moment with what they cost in the end; those given back in full are left out. */
function netCharges(entries: readonly StatementEntry[], account: string, since: number): Net[] {
  const charges = new Map<number, Net>();
  for (const { account: name, kind, chargeId, at, username, operation, serpCredits, microUsd } of entries) {
    if (name !== account || chargeId === undefined || operation === undefined) continue;
    if (kind === 'charge' && at >= since) {
      const date = new Date(at).toISOString().slice(0, 10);
      charges.set(chargeId, { date, username, operation, serpCredits: -serpCredits, microUsd: -microUsd });
      continue;
    }
    const charge = charges.get(chargeId);
    if (charge === undefined) continue;
    charge.serpCredits -= serpCredits;
    charge.microUsd -= microUsd;
  }
  return [...charges.values()].filter(({ serpCredits, microUsd }) => serpCredits !== 0 || microUsd !== 0);
}

function plus<Day extends UsageDay>(day: Day, { serpCredits, microUsd }: Price): Day {
  return {
    ...day,
    requests: day.requests + 1,
    serpCredits: day.serpCredits + serpCredits,
    microUsd: day.microUsd + microUsd,
  };
}

function byDayAndUser(a: UsageDay, b: UsageDay): number {
  const [userOfA, userOfB] = [a.username ?? '', b.username ?? ''];
  if (a.date !== b.date) return a.date > b.date ? -1 : 1;
  if (userOfA === userOfB) return 0;
  return userOfA < userOfB ? -1 : 1;
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
