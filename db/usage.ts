// What accounts and their users have used since a moment: sums over charges, along an index by account and moment.
import type { NewCharge, SpendingCap, UsageDay } from '../src/service/index.ts';
import type { Connection } from './client.ts';

const dayMs = 86_400_000;

/** By day, newest first, then by user. Charges that were given back in full count for nothing. */
export function usageOf(db: Connection, account: string, since: number): UsageDay[] {
  return db
    .sql(
      `SELECT c.at / ${dayMs} AS day, c.username, count(*) AS requests, sum(c.held_serp_credits) AS serp_credits, sum(c.held_micro_usd) AS micro_usd
       FROM account_charges c WHERE c.account_id = (SELECT id FROM accounts WHERE name = ?) AND c.at >= ?
         AND (c.held_serp_credits > 0 OR c.held_micro_usd > 0)
       GROUP BY 1, 2 ORDER BY 1 DESC, coalesce(c.username, '')`,
    )
    .all(account, since)
    .map((row) => ({
      date: new Date(Number(row['day']) * dayMs).toISOString().slice(0, 10),
      username: (row['username'] as string | null) ?? undefined,
      requests: Number(row['requests']),
      serpCredits: Number(row['serp_credits']),
      microUsd: Number(row['micro_usd']),
    }));
}

/** Whether the charge would take its user beyond what a day allows. Call inside the transaction of the charge. */
export function isCapped(db: Connection, { username, account, price, at }: NewCharge): boolean {
  if (username === undefined) return false;
  const cap = capOf(
    db.sql('SELECT daily_serp_credits, daily_micro_usd FROM api_users WHERE username = ?').get(username),
  );
  if (cap === undefined) return false;
  const spent = db
    .sql(
      `SELECT coalesce(sum(held_serp_credits), 0) AS serp_credits, coalesce(sum(held_micro_usd), 0) AS micro_usd FROM account_charges
       WHERE account_id = (SELECT id FROM accounts WHERE name = ?) AND at >= ? AND username = ?`,
    )
    .get(account, Math.floor(at / dayMs) * dayMs, username);
  const isBeyond = (spentOf: unknown, more: number, most: number | undefined) =>
    most !== undefined && more > 0 && Number(spentOf) + more > most;
  return (
    isBeyond(spent?.['serp_credits'], price.serpCredits, cap.serpCredits) ||
    isBeyond(spent?.['micro_usd'], price.microUsd, cap.microUsd)
  );
}

/** Undefined where the row has none. */
export function capOf(row: Readonly<Record<string, unknown>> | undefined): SpendingCap | undefined {
  const [serpCredits, microUsd] = [row?.['daily_serp_credits'] ?? null, row?.['daily_micro_usd'] ?? null];
  if (serpCredits === null && microUsd === null) return undefined;
  return {
    ...(serpCredits !== null && { serpCredits: Number(serpCredits) }),
    ...(microUsd !== null && { microUsd: Number(microUsd) }),
  };
}
