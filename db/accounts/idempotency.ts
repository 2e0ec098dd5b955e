// Idempotency records, kept for a day. Call inside a transaction. Hot path: prepared SQL.

import type {
  IdempotencyCompletion,
  IdempotencyRecord,
  IdempotencyScope,
  IdempotencyStart,
  NewIdempotency,
} from '../../src/service/index.ts';
import type { Connection } from '../connection/client.ts';

import type { TableRow } from '../schema/rows.ts';

/** Expired records that a call deletes: more than the one that it adds, so that they never pile up. */
const expiredDeletedMax = 8;

export class IdempotencyRecords {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  begin(start: NewIdempotency): IdempotencyStart {
    const { account, username, key, bodyHash, owner, at, expiresAt } = start;
    const known = this.find(start, at);
    if (known !== undefined) return { status: 'known', record: known };
    this.#deleteExpired(at);
    this.#db.insert(
      'idempotency_records',
      {
        account,
        username,
        key,
        bodyHash,
        owner,
        at,
        expiresAt,
      },
      `ON CONFLICT (account, username, key) DO UPDATE
   SET body_hash = excluded.body_hash, owner = excluded.owner, at = excluded.at, expires_at = excluded.expires_at, outcome = NULL`,
    );
    return { status: 'begun' };
  }

  find({ account, username, key }: IdempotencyScope, at: number): IdempotencyRecord | undefined {
    const row = this.#db
      .sql<TableRow<'idempotency_records', 'bodyHash' | 'owner' | 'at' | 'outcome'>>(
        `SELECT body_hash AS bodyHash, owner, at, outcome FROM idempotency_records
         WHERE account = ? AND username = ? AND key = ? AND expires_at > ?`,
      )
      .get(account, username, key, at);
    return row === undefined ? undefined : { ...row, outcome: row.outcome ?? undefined };
  }

  /** Changes nothing where the record is not this owner's in flight. */
  complete({ account, username, key, owner, outcome }: IdempotencyCompletion): void {
    this.#db
      .sql(
        `UPDATE idempotency_records SET outcome = ?
         WHERE account = ? AND username = ? AND key = ? AND owner = ? AND outcome IS NULL`,
      )
      .run(Buffer.from(outcome.buffer, outcome.byteOffset, outcome.byteLength), account, username, key, owner);
  }

  /** Changes nothing where the record is not this owner's in flight. */
  forget({ account, username, key, owner }: IdempotencyScope & { readonly owner: string }): void {
    this.#db
      .sql(
        'DELETE FROM idempotency_records WHERE account = ? AND username = ? AND key = ? AND owner = ? AND outcome IS NULL',
      )
      .run(account, username, key, owner);
  }

  /** Forgets what this owner has left in flight from before a moment. */
  abandon(owner: string, begunBefore: number): void {
    this.#db
      .sql('DELETE FROM idempotency_records WHERE owner = ? AND at < ? AND outcome IS NULL')
      .run(owner, begunBefore);
  }

  #deleteExpired(at: number): void {
    this.#db
      .sql(
        'DELETE FROM idempotency_records WHERE id IN (SELECT id FROM idempotency_records WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)',
      )
      .run(at, expiredDeletedMax);
  }
}
