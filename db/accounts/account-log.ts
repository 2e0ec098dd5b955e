// The audit trail of accounts: admin actions for good, failed logins counted by minute and dropped in time.
import type {
  AccountLogEntry,
  AccountLogRange,
  AdminAction,
  FailureRetention,
  LoginFailures,
} from '../../src/service/index.ts';
import type { Connection } from '../connection/client.ts';
import type { TableRow } from '../schema/rows.ts';

/** Writes only inside a transaction. */
export class AccountLog {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  append({ action, account, username, by, facts, at }: AdminAction): void {
    this.#db
      .sql(
        'INSERT INTO account_log (at, last_at, event, account, username, operator, facts) VALUES (?, ?, ?, ?, ?, ?, ?)',
      )
      .run(at, at, action, account ?? null, username ?? null, by ?? null, JSON.stringify(facts));
  }

  addFailures(failures: readonly LoginFailures[], keep?: FailureRetention): void {
    for (const { minute, lastAt, username, account, address, reason, count } of failures) {
      this.#db
        .sql(
          `INSERT INTO account_log (at, last_at, event, minute, account, username, address, reason, count, facts)
           VALUES (@minute, @lastAt, 'login-failed', @minute, @account, @username, @address, @reason, @count, '{}')
           ON CONFLICT (minute, username, address, reason)
           DO UPDATE SET count = count + excluded.count, last_at = max(last_at, excluded.last_at)`,
        )
        .run({ minute, lastAt, username, account: account ?? null, address, reason, count });
    }
    if (keep === undefined) return;
    this.#db.sql('DELETE FROM account_log WHERE minute < ?').run(keep.since);
    this.#db
      .sql(
        // in the order of an index that holds all it reads: at 100,000 rows the table would take ten times as long
        `DELETE FROM account_log WHERE id IN
           (SELECT id FROM account_log WHERE minute IS NOT NULL
            ORDER BY minute DESC, username DESC, address DESC, reason DESC LIMIT -1 OFFSET ?)`,
      )
      .run(keep.rowsMax);
  }

  /** Newest first. */
  list({ account, limit }: AccountLogRange): AccountLogEntry[] {
    return this.#db
      .sql<TableRow<'account_log'>>(
        `SELECT * FROM account_log WHERE @account IS NULL OR account = @account ORDER BY last_at DESC, id DESC LIMIT @limit`,
      )
      .all({ account: account ?? null, limit })
      .map(entryOf);
  }
}

function entryOf(row: TableRow<'account_log'>): AccountLogEntry {
  return {
    id: row.id,
    at: row.at,
    lastAt: row.last_at,
    event: row.event,
    account: row.account ?? undefined,
    username: row.username ?? undefined,
    address: row.address ?? undefined,
    reason: row.reason ?? undefined,
    count: row.count,
    by: row.operator ?? undefined,
    facts: JSON.parse(row.facts) as AccountLogEntry['facts'],
  };
}
