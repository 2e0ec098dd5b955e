// What the dashboard reads of an account: usage by operation, and the newest entries of its statement.
import type { EntryKind, OperationUsage, StatementEntry } from '../../src/service/index.ts';
import { dayMs } from '../../src/tracker/schedule/time-units.ts';
import type { Connection } from '../connection/client.ts';
import { toEntry } from './account-directory.ts';

/** How many entries back those of one kind are searched: no index holds the kind. */
const entriesReadMax = 10_000;

/** By day, newest first, then by user and operation. Charges that were given back in full count for nothing. */
export function usageByOperation(db: Connection, account: string, since: number): OperationUsage[] {
  const { builder, tables, operators } = db.drizzle;
  const { and, asc, desc, eq, gt, gte, or, sql } = operators;
  const { accounts, accountCharges: charges } = tables;
  const day = sql<number>`${charges.at} / ${sql.raw(String(dayMs))}`;
  const user = sql<string>`coalesce(${charges.username}, '')`;
  return builder
    .select({
      day,
      username: charges.username,
      operation: charges.operation,
      requests: sql<number>`count(*)`,
      serpCredits: sql<number>`sum(${charges.heldSerpCredits})`,
      microUsd: sql<number>`sum(${charges.heldMicroUsd})`,
    })
    .from(charges)
    .innerJoin(accounts, eq(accounts.id, charges.accountId))
    .where(
      and(
        eq(accounts.name, account),
        gte(charges.at, since),
        or(gt(charges.heldSerpCredits, 0), gt(charges.heldMicroUsd, 0)),
      ),
    )
    .groupBy(day, charges.username, charges.operation)
    .orderBy(desc(day), asc(user), asc(charges.operation))
    .all()
    .map(({ day, username, ...rest }) => ({
      date: new Date(day * dayMs).toISOString().slice(0, 10),
      username: username ?? undefined,
      ...rest,
    }));
}

/** Newest first. */
export function newestEntries(
  db: Connection,
  account: string,
  limit: number,
  kind: EntryKind | undefined,
): StatementEntry[] {
  const { builder, tables, operators } = db.drizzle;
  const { desc, eq, getTableColumns, inArray } = operators;
  const { accounts, accountCharges: charges, accountEntries: entries } = tables;
  const newest = builder
    .select({ id: entries.id, kind: entries.kind })
    .from(entries)
    .innerJoin(accounts, eq(accounts.id, entries.accountId))
    .where(eq(accounts.name, account))
    .orderBy(desc(entries.id))
    .limit(kind === undefined ? limit : entriesReadMax)
    .all()
    .filter((entry) => kind === undefined || entry.kind === kind)
    .slice(0, limit);
  const ids = newest.map(({ id }) => id);
  return builder
    .select({
      ...getTableColumns(entries),
      account: accounts.name,
      requestId: charges.requestId,
      operation: charges.operation,
      username: charges.username,
    })
    .from(entries)
    .innerJoin(accounts, eq(accounts.id, entries.accountId))
    .leftJoin(charges, eq(charges.id, entries.chargeId))
    .where(inArray(entries.id, ids))
    .orderBy(desc(entries.id))
    .all()
    .map(toEntry);
}
