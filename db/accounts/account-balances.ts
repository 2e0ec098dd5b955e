// Balances, charges and usage, each change with its statement entry. Bench: `service`.

import type {
  Balance,
  BalanceChange,
  BalanceChanged,
  ChargeResult,
  EntryKind,
  NewCharge,
  SpendingCap,
  UsageDay,
} from '../../src/service/index.ts';
import { dayMs } from '../../src/tracker/schedule/time-units.ts';
import type { Connection } from '../connection/client.ts';
import { GrowingSums } from '../connection/growing-sums.ts';

import type { TableRow } from '../schema/rows.ts';

/** An open charge, with what it holds. */
interface Charge extends Balance {
  readonly id: number;
  readonly accountId: number;
}

interface EntryFacts {
  readonly kind: EntryKind;
  readonly change: Balance;
  readonly at: number;
  readonly chargeId?: number;
  readonly note?: string;
}

const nothing: Balance = { serpCredits: 0, microUsd: 0 };
const balanceColumns = 'serp_credits AS serpCredits, micro_usd AS microUsd';
const selectCharge = `SELECT id, account_id AS accountId, held_serp_credits AS serpCredits, held_micro_usd AS microUsd
  FROM account_charges`;

export class AccountBalances {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /** The first credits of an account that has none yet. */
  begin(accountId: number, credits: Balance, at: number): void {
    if (!isNothing(credits)) this.#move(accountId, { kind: 'top-up', change: credits, at });
  }

  change({
    account: name,
    change,
    note,
    at,
  }: BalanceChange): Exclude<ChargeResult, { status: 'charged' | 'capped' }> | BalanceChanged {
    const account = this.#account(name);
    if (account === undefined) return { status: 'unknown-account' };
    if (isNegative(plus(account.balance, change))) return { status: 'insufficient', balance: account.balance };
    const kind = isNegative(change) ? 'withdrawal' : 'top-up';
    return { status: 'changed', balance: this.#move(account.id, { kind, change, note, at }) };
  }

  charge(charge: NewCharge): ChargeResult {
    const { serpCredits, microUsd } = charge.price;
    // One statement checks and takes: most charges of a busy account end here.
    const account = this.#db
      .sql<Balance & { id: number }>(
        `UPDATE accounts SET serp_credits = serp_credits - ?, micro_usd = micro_usd - ?
         WHERE name = ? AND serp_credits >= ? AND micro_usd >= ? RETURNING id, ${balanceColumns}`,
      )
      .get(serpCredits, microUsd, charge.account, serpCredits, microUsd);
    if (account === undefined) return this.#refusal(charge.account);
    const { id: accountId, ...balance } = account;
    const { lastInsertRowid } = this.#db.insert('account_charges', {
      accountId,
      username: charge.username,
      requestId: charge.requestId,
      operation: charge.operation,
      serpCredits,
      microUsd,
      heldSerpCredits: serpCredits,
      heldMicroUsd: microUsd,
      at: charge.at,
      owner: charge.owner,
    });
    const chargeId = Number(lastInsertRowid);
    const change = minus(nothing, charge.price);
    this.#explain(accountId, balance, { kind: 'charge', change, at: charge.at, chargeId });
    return { status: 'charged', chargeId, balance };
  }

  /** Throws where there is no such charge, or where it holds less than `used`. */
  settle(chargeId: number, used: Balance, at: number): Balance {
    const charge = this.#db.sql<Charge>(`${selectCharge} WHERE id = ?`).get(chargeId);
    if (charge === undefined) throw new Error(`there is no charge ${chargeId}`);
    return this.#giveBack(charge, used, at, undefined);
  }

  /** Refunds what this owner has left open from before a moment. Returns how many charges that were. */
  abandon(owner: string, madeBefore: number, note: string, at: number): number {
    const left = this.#db.sql<Charge>(`${selectCharge} WHERE owner = ? AND at < ?`).all(owner, madeBefore);
    for (const charge of left) this.#giveBack(charge, nothing, at, note);
    return left.length;
  }

  #refusal(name: string): ChargeResult {
    const account = this.#account(name);
    if (account === undefined) return { status: 'unknown-account' };
    return { status: 'insufficient', balance: account.balance };
  }

  #account(name: string): { readonly id: number; readonly balance: Balance } | undefined {
    const row = this.#db
      .sql<Balance & { id: number }>(`SELECT id, ${balanceColumns} FROM accounts WHERE name = ?`)
      .get(name);
    if (row === undefined) return undefined;
    const { id, ...balance } = row;
    return { id, balance };
  }

  #giveBack(charge: Charge, used: Balance, at: number, note: string | undefined): Balance {
    const rest = minus(charge, used);
    if (isNegative(rest)) throw new Error(`the charge ${charge.id} holds less than was used`);
    this.#db
      .sql('UPDATE account_charges SET held_serp_credits = ?, held_micro_usd = ?, owner = NULL WHERE id = ?')
      .run(used.serpCredits, used.microUsd, charge.id);
    if (isNothing(rest)) {
      const row = this.#db.sql<Balance>(`SELECT ${balanceColumns} FROM accounts WHERE id = ?`).get(charge.accountId);
      return row ?? nothing;
    }
    const kind = isNothing(used) ? 'refund' : 'settle';
    return this.#move(charge.accountId, { kind, change: rest, at, chargeId: charge.id, note });
  }

  /** Changes the balance and records the reason: for all changes except charges, which check the balance first. */
  #move(accountId: number, facts: EntryFacts): Balance {
    const { serpCredits, microUsd } = facts.change;
    const row = this.#db
      .sql<Balance>(
        `UPDATE accounts SET serp_credits = serp_credits + ?, micro_usd = micro_usd + ? WHERE id = ?
         RETURNING ${balanceColumns}`,
      )
      .get(serpCredits, microUsd, accountId);
    const balance = row ?? nothing;
    this.#explain(accountId, balance, facts);
    return balance;
  }

  /** Appends to the statement what has just changed the balance. */
  #explain(accountId: number, balance: Balance, { kind, change, at, chargeId, note }: EntryFacts): void {
    this.#db.insert('account_entries', {
      accountId,
      kind,
      serpCredits: change.serpCredits,
      microUsd: change.microUsd,
      balanceSerpCredits: balance.serpCredits,
      balanceMicroUsd: balance.microUsd,
      at,
      chargeId,
      note,
    });
  }
}

function plus(a: Balance, b: Balance): Balance {
  return { serpCredits: a.serpCredits + b.serpCredits, microUsd: a.microUsd + b.microUsd };
}

function minus(a: Balance, b: Balance): Balance {
  return { serpCredits: a.serpCredits - b.serpCredits, microUsd: a.microUsd - b.microUsd };
}

function isNegative({ serpCredits, microUsd }: Balance): boolean {
  return serpCredits < 0 || microUsd < 0;
}

function isNothing({ serpCredits, microUsd }: Balance): boolean {
  return serpCredits === 0 && microUsd === 0;
}

type CapRow = TableRow<'api_users', 'dailySerpCredits' | 'dailyMicroUsd'>;

/** By day, newest first, then by user. Charges that were given back in full count for nothing. */
export function readUsage(db: Connection, account: string, since: number): UsageDay[] {
  return db
    .sql<Balance & { day: number; username: string | null; requests: number }>(
      `SELECT c.at / ${dayMs} AS day, c.username, count(*) AS requests, sum(c.held_serp_credits) AS serpCredits, sum(c.held_micro_usd) AS microUsd
       FROM account_charges c WHERE c.account_id = (SELECT id FROM accounts WHERE name = ?) AND c.at >= ?
         AND (c.held_serp_credits > 0 OR c.held_micro_usd > 0)
       GROUP BY 1, 2 ORDER BY 1 DESC, coalesce(c.username, '')`,
    )
    .all(account, since)
    .map(({ day, username, ...sums }) => ({
      date: new Date(day * dayMs).toISOString().slice(0, 10),
      username: username ?? undefined,
      ...sums,
    }));
}

/** Whether the charge would take its user beyond what a day allows. Call inside the transaction of the charge. */
export function isCapped(db: Connection, { username, account, price, at }: NewCharge): boolean {
  if (username === undefined) return false;
  const cap = toSpendingCap(
    db
      .sql<CapRow>(
        'SELECT daily_serp_credits AS dailySerpCredits, daily_micro_usd AS dailyMicroUsd FROM api_users WHERE username = ?',
      )
      .get(username),
  );
  if (cap === undefined) return false;
  const spent = db.one<Balance>(
    `SELECT coalesce(sum(held_serp_credits), 0) AS serpCredits, coalesce(sum(held_micro_usd), 0) AS microUsd FROM account_charges
     WHERE account_id = (SELECT id FROM accounts WHERE name = ?) AND at >= ? AND username = ?`,
    account,
    Math.floor(at / dayMs) * dayMs,
    username,
  );
  const isBeyond = (before: number, more: number, most: number | undefined) =>
    most !== undefined && more > 0 && before + more > most;
  return (
    isBeyond(spent.serpCredits, price.serpCredits, cap.serpCredits) ||
    isBeyond(spent.microUsd, price.microUsd, cap.microUsd)
  );
}

/** Undefined where the row has none. */
export function toSpendingCap(row: CapRow | undefined): SpendingCap | undefined {
  const { dailySerpCredits: serpCredits, dailyMicroUsd: microUsd } = row ?? {};
  if (serpCredits == null && microUsd == null) return undefined;
  return { ...(serpCredits != null && { serpCredits }), ...(microUsd != null && { microUsd }) };
}

/** Charges that are settled; refunded ones count for nothing. */
type ChargeCount = {
  readonly operation: 'serp' | 'keyword-data';
  readonly serpCredits: number;
  readonly microUsd: number;
};

/** What accounts were charged so far, by operation: the counters of /metrics. */
export class ChargeCounts extends GrowingSums<ChargeCount> {
  constructor(db: Connection) {
    super(db, {
      ends: 'SELECT max(id) AS last, (SELECT min(id) FROM account_charges WHERE owner IS NOT NULL) AS open FROM account_charges',
      sums: `SELECT operation, sum(held_serp_credits) AS serpCredits, sum(held_micro_usd) AS microUsd FROM account_charges
             WHERE id > ? AND id <= ? AND owner IS NULL GROUP BY operation`,
    });
  }
}
