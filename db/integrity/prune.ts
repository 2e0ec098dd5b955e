// Deletes raw bodies of archived pages and expired idempotency records. History and ledger are never deleted.
import { sumOf } from '../../src/tracker/figures.ts';
import type { Connection } from '../connection/client.ts';
import { idempotencyRecords } from '../schema/accounts.ts';
import { and, count, eq, inArray, lt, lte, sql } from '../schema/drizzle.ts';
import { bodies } from '../schema/history.ts';
import { purchases } from '../schema/money.ts';

/** Rows, and the bytes of what they hold. */
export interface Pruned {
  readonly rows: number;
  readonly bytes: number;
}

/** A batch of rows that were removed, and where the next one begins; null: there is none. */
interface PrunedBatch extends Pruned {
  readonly next: number | null;
}

/**
 * Old bodies that were read. A body of a run stays if its page is not archived: nothing else of that purchase is
 * stored.
 */
const prunableBodies = `FROM bodies b JOIN purchases p ON p.id = b.purchase_id JOIN reservations v ON v.id = p.reservation_id JOIN runs r ON r.id = v.run_id
  WHERE b.readable = 1 AND p.state <> 'open' AND coalesce(p.settled_at, p.opened_at) < @before
    AND (r.kind <> 'ranks' OR p.page IS NULL
      OR EXISTS (SELECT 1 FROM pages g WHERE g.search_id = p.search_id AND g.moment = p.moment AND g.page = p.page))`;

export class Prunable {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /** Bodies received before a moment that would go. */
  bodies(before: number): Pruned {
    return this.#db.one<Pruned>(
      `SELECT count(*) AS rows, coalesce(sum(length(b.body)), 0) AS bytes ${prunableBodies}`,
      { before },
    );
  }

  /** Bodies received before a moment that were never read: they are kept, to be read by a later version. */
  unreadBodies(before: number): number {
    const receivedAt = sql`coalesce(${purchases.settledAt}, ${purchases.openedAt})`;
    const unread = this.#db.drizzle
      .select({ rows: count() })
      .from(bodies)
      .innerJoin(purchases, eq(purchases.id, bodies.purchaseId))
      .where(and(eq(bodies.readable, 0), lt(receivedAt, before)))
      .get();
    return unread?.rows ?? 0;
  }

  /** Removes the next `limit` bodies from `from` (a purchase) on, in one transaction. */
  removeBodies(before: number, from: number, limit: number): PrunedBatch {
    return this.#db.transaction(() => {
      const found = this.#db
        .sql<{ id: number; bytes: number }>(
          `SELECT b.purchase_id AS id, length(b.body) AS bytes ${prunableBodies} AND b.purchase_id >= @from ORDER BY b.purchase_id LIMIT @limit`,
        )
        .all({ before, from, limit });
      const ids = found.map(({ id }) => id);
      this.#db.drizzle.delete(bodies).where(inArray(bodies.purchaseId, ids)).run();
      const last = found.at(-1);
      return {
        rows: found.length,
        bytes: sumOf(found, (row) => row.bytes),
        next: found.length < limit || last === undefined ? null : last.id + 1,
      };
    });
  }

  /** Idempotency records that had expired at a moment. */
  expiredRecords(at: number): Pruned {
    const { expiresAt, outcome } = idempotencyRecords;
    const expired = this.#db.drizzle
      .select({ rows: count(), bytes: sql<number>`coalesce(sum(length(${outcome})), 0)` })
      .from(idempotencyRecords)
      .where(lte(expiresAt, at))
      .get();
    return expired ?? { rows: 0, bytes: 0 };
  }

  /** Removes up to `limit` of them. Returns how many went. */
  removeExpiredRecords(at: number, limit: number): number {
    const { id, expiresAt } = idempotencyRecords;
    const expired = this.#db.drizzle.select({ id }).from(idempotencyRecords).where(lte(expiresAt, at));
    return this.#db.transaction(
      () =>
        this.#db.drizzle
          .delete(idempotencyRecords)
          .where(inArray(id, expired.orderBy(expiresAt).limit(limit)))
          .run().changes,
    );
  }

  /** Bytes of the file, and those of them that hold nothing. */
  size(): { readonly bytes: number; readonly freeBytes: number } {
    const pageBytes = Number(this.#db.pragma('page_size'));
    return {
      bytes: Number(this.#db.pragma('page_count')) * pageBytes,
      freeBytes: Number(this.#db.pragma('freelist_count')) * pageBytes,
    };
  }

  /** Rewrites the database without its free pages. Locks it meanwhile, and needs twice its size on disk. */
  giveBackSpace(): void {
    this.#db.pragma('temp_store = FILE'); // else the copy would be made in memory
    this.#db.sql('VACUUM').run();
    this.#db.pragma('wal_checkpoint(TRUNCATE)');
  }
}
