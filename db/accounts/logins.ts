// API users at login, the keys that hash their passwords, and failed logins. Hot path: prepared SQL.
import type { FailureRetention, Login, LoginFailures, LoginKey } from '../../src/service/index.ts';
import type { Connection } from '../connection/client.ts';

import type { TableRow } from '../schema/rows.ts';
import { toSpendingCap } from './account-balances.ts';

/** Beyond this many, all are read anew. */
const rememberedMax = 10_000;

interface Question {
  readonly username: string;
  readonly resolve: (login: Login | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Calls of one turn of the event loop are answered together after the last one, so that no earlier change is missed.
 * The cache is valid only while no other connection has committed (`data_version`), and this one has changed no login.
 */
export class Logins {
  readonly #db: Connection;
  readonly #known = new Map<string, Login>();
  #version: unknown;
  #waiting: Question[] = [];

  constructor(db: Connection) {
    this.#db = db;
  }

  /** Undefined where there is no such user. */
  find(username: string): Promise<Login | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ username, resolve, reject });
      if (this.#waiting.length === 1) setImmediate(() => this.#answer());
    });
  }

  /** To be called inside the transaction of every change to a user or an account's whitelist. */
  forget(): void {
    this.#known.clear();
  }

  /** Stores a new hash of the same password, as it is verified; false if the stored hash is no longer `from`. */
  replaceHash(username: string, from: string, to: string): boolean {
    const { changes } = this.#db
      .sql('UPDATE api_users SET password_hash = ? WHERE username = ? AND password_hash = ?')
      .run(to, username, from);
    return changes > 0;
  }

  #answer(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    try {
      this.#forgetStale();
    } catch (error) {
      for (const { reject } of waiting) reject(error);
      return;
    }
    for (const { username, resolve, reject } of waiting) {
      try {
        resolve(this.#known.get(username) ?? this.#read(username));
      } catch (error) {
        reject(error);
      }
    }
  }

  #forgetStale(): void {
    const version = this.#db.sql<{ data_version: number }>('PRAGMA data_version').get()?.data_version;
    if (version === this.#version && this.#known.size < rememberedMax) return;
    this.#known.clear();
    this.#version = version;
  }

  /** Unknown names are not remembered: anybody can make them up. */
  #read(username: string): Login | undefined {
    const row = this.#db
      .sql<Omit<TableRow<'api_users'>, 'id' | 'accountId'> & { account: string; whitelist: string }>(
        `SELECT u.username, a.name AS account, u.password_hash AS passwordHash, u.created_at AS createdAt,
           u.expires_at AS expiresAt, u.revoked_at AS revokedAt, u.version,
           u.daily_serp_credits AS dailySerpCredits, u.daily_micro_usd AS dailyMicroUsd, a.whitelist
         FROM api_users u JOIN accounts a ON a.id = u.account_id WHERE u.username = ?`,
      )
      .get(username);
    if (row === undefined) return undefined;
    const { expiresAt, revokedAt, dailySerpCredits, dailyMicroUsd, whitelist, ...facts } = row;
    const dailyCap = toSpendingCap({ dailySerpCredits, dailyMicroUsd });
    const user = { ...facts, expiresAt: expiresAt ?? undefined, revokedAt: revokedAt ?? undefined, dailyCap };
    const login = { user, whitelist: JSON.parse(whitelist) as string[] };
    this.#known.set(username, login);
    return login;
  }
}

/** Every key, newest first; where there is none, `first` is kept. Call inside a transaction. */
export function readLoginKeys(db: Connection, first: LoginKey): LoginKey[] {
  db.sql(
    'INSERT INTO login_keys (key_id, secret, created_at) SELECT ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM login_keys)',
  ).run(first.id, Buffer.from(first.secret), first.createdAt);
  return db
    .sql<LoginKey>('SELECT key_id AS id, secret, created_at AS createdAt FROM login_keys ORDER BY login_keys.id DESC')
    .all();
}

/** Call inside a transaction. */
export function addLoginFailures(db: Connection, failures: readonly LoginFailures[], keep?: FailureRetention): void {
  for (const { minute, lastAt, username, account, address, reason, count } of failures) {
    db.insert(
      'account_log',
      {
        at: minute,
        lastAt,
        event: 'login-failed',
        minute,
        account,
        username,
        address,
        reason,
        count,
        facts: '{}',
      },
      `ON CONFLICT (minute, username, address, reason)
   DO UPDATE SET count = count + excluded.count, last_at = max(last_at, excluded.last_at)`,
    );
  }
  if (keep === undefined) return;
  db.sql('DELETE FROM account_log WHERE minute < ?').run(keep.since);
  db.sql(
    // in the order of an index that holds all it reads: at 100,000 rows the table would take ten times as long
    `DELETE FROM account_log WHERE id IN
         (SELECT id FROM account_log WHERE minute IS NOT NULL
          ORDER BY minute DESC, username DESC, address DESC, reason DESC LIMIT -1 OFFSET ?)`,
  ).run(keep.rowsMax);
}
