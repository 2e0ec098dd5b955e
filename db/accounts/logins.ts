// API users at login, cached until any process changes the database. Hot path: prepared SQL.
import type { ApiUser, Login } from '../../src/service/index.ts';
import type { Connection } from '../connection/client.ts';
import type { TableRow } from '../schema/rows.ts';
import { toSpendingCap } from './usage.ts';

/** Beyond this many, all are read anew. */
const rememberedMax = 10_000;

/** With its account's name as `account`. */
type UserRow = TableRow<'api_users'> & { account: string };

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
      .sql<UserRow & TableRow<'accounts', 'whitelist'>>(
        `SELECT u.*, a.name AS account, a.whitelist
         FROM api_users u JOIN accounts a ON a.id = u.account_id WHERE u.username = ?`,
      )
      .get(username);
    if (row === undefined) return undefined;
    const user = toApiUser(row);
    const login = { user, whitelist: JSON.parse(row.whitelist) as string[] };
    this.#known.set(username, login);
    return login;
  }
}

/** A user from a row that has its account's name as `account`. */
function toApiUser(row: UserRow): ApiUser {
  const dailyCap = toSpendingCap(row);
  return {
    username: row.username,
    account: row.account,
    passwordHash: row.password_hash,
    createdAt: row.created_at,
    expiresAt: row.expires_at ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
    version: row.version,
    ...(dailyCap !== undefined && { dailyCap }),
  };
}
