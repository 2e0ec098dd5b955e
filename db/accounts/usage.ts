// Sums of charges since a moment, per account and API user. Hot path: prepared SQL.
import type { NewCharge, SpendingCap, UsageDay } from '../../src/service/index.ts';
import { dayMs } from '../../src/tracker/schedule/time-units.ts';
import type { Connection } from '../connection/client.ts';
import type { TableRow } from '../schema/rows.ts';

type CapRow = TableRow<'api_users', 'daily_serp_credits' | 'daily_micro_usd'>;

/** By day, newest first, then by user. Charges that were given back in full count for nothing. */
export function readUsage(db: Connection, account: string, since: number): UsageDay[] {
  return db
    .sql<
      TableRow<'account_charges', 'username'> & {
        day: number;
        requests: number;
        serp_credits: number;
        micro_usd: number;
      }
    >(
      `SELECT c.at / ${dayMs} AS day, c.username, count(*) AS requests, sum(c.held_serp_credits) AS serp_credits, sum(c.held_micro_usd) AS micro_usd
       FROM account_charges c WHERE c.account_id = (SELECT id FROM accounts WHERE name = ?) AND c.at >= ?
         AND (c.held_serp_credits > 0 OR c.held_micro_usd > 0)
       GROUP BY 1, 2 ORDER BY 1 DESC, coalesce(c.username, '')`,
    )
    .all(account, since)
    .map((row) => ({
      date: new Date(row.day * dayMs).toISOString().slice(0, 10),
      username: row.username ?? undefined,
      requests: row.requests,
      serpCredits: row.serp_credits,
      microUsd: row.micro_usd,
    }));
}

/** Whether the charge would take its user beyond what a day allows. Call inside the transaction of the charge. */
export function isCapped(db: Connection, { username, account, price, at }: NewCharge): boolean {
  if (username === undefined) return false;
  const cap = toSpendingCap(
    db.sql<CapRow>('SELECT daily_serp_credits, daily_micro_usd FROM api_users WHERE username = ?').get(username),
  );
  if (cap === undefined) return false;
  const spent = db
    .sql<{ serp_credits: number; micro_usd: number }>(
      `SELECT coalesce(sum(held_serp_credits), 0) AS serp_credits, coalesce(sum(held_micro_usd), 0) AS micro_usd FROM account_charges
       WHERE account_id = (SELECT id FROM accounts WHERE name = ?) AND at >= ? AND username = ?`,
    )
    .get(account, Math.floor(at / dayMs) * dayMs, username);
  const isBeyond = (before: number, more: number, most: number | undefined) =>
    most !== undefined && more > 0 && before + more > most;
  return (
    isBeyond(spent?.serp_credits ?? 0, price.serpCredits, cap.serpCredits) ||
    isBeyond(spent?.micro_usd ?? 0, price.microUsd, cap.microUsd)
  );
}

/** Undefined where the row has none. */
export function toSpendingCap(row: CapRow | undefined): SpendingCap | undefined {
  const [serpCredits, microUsd] = [row?.daily_serp_credits ?? null, row?.daily_micro_usd ?? null];
  if (serpCredits === null && microUsd === null) return undefined;
  return {
    ...(serpCredits !== null && { serpCredits }),
    ...(microUsd !== null && { microUsd }),
  };
}
