// Readers of the read API, and the hashes of their tokens. Each change is in the audit trail.
import type { AdminAction } from '../../src/service/index.ts';
import type { Connection } from '../connection/client.ts';
import { readers } from '../schema/accounts.ts';
import { and, asc, eq, isNull } from '../schema/drizzle.ts';
import type { TableRow } from '../schema/rows.ts';
import { AccountDirectory } from './account-directory.ts';

/** `revokedAt`: null while it is not revoked. */
export type StoredReader = Omit<ReaderRow, 'id' | 'tokenHash'>;

type ReaderRow = TableRow<'readers'>;

/** Whose token it is, and what it allows. */
export type ValidReader = Pick<ReaderRow, 'id' | 'name' | 'role' | 'project' | 'tag' | 'view' | 'lastUsedAt'>;

/**
 * Before the hash of a reader who sees not all, or not for ever. Programs of earlier versions, which run on after an
 * update and know no limits, do not find it: they refuse the token instead of showing everything.
 */
const limited = 'limited:';

export class Readers {
  readonly #db: Connection;
  readonly #directory: AccountDirectory;

  constructor(db: Connection) {
    this.#db = db;
    this.#directory = new AccountDirectory(db);
  }

  /** False where a reader that is not revoked has this name. */
  add({ tokenHash, ...reader }: Omit<ReaderRow, 'id' | 'revokedAt' | 'lastUsedAt'>, action: AdminAction): boolean {
    return this.#db.transaction(() => {
      if (this.list().some(({ name, revokedAt }) => name === reader.name && revokedAt === null)) return false;
      const isLimited = reader.project !== null || reader.endsAt !== null;
      const values = { ...reader, tokenHash: isLimited ? limited + tokenHash : tokenHash };
      this.#db.drizzle.insert(readers).values(values).run();
      this.#directory.appendAction(action);
      return true;
    });
  }

  /** By name, the oldest first. */
  list(): StoredReader[] {
    const { name, role, project, tag, view, createdAt, endsAt, revokedAt, lastUsedAt } = readers;
    return this.#db.drizzle
      .select({ name, role, project, tag, view, createdAt, endsAt, revokedAt, lastUsedAt })
      .from(readers)
      .orderBy(asc(name), asc(readers.id))
      .all();
  }

  /** False where no reader has this name, or it is revoked already. */
  revoke(name: string, at: number, action: AdminAction): boolean {
    return this.#db.transaction(() => {
      const { changes } = this.#db.drizzle
        .update(readers)
        .set({ revokedAt: at })
        .where(and(eq(readers.name, name), isNull(readers.revokedAt)))
        .run();
      if (changes > 0) this.#directory.appendAction(action);
      return changes > 0;
    });
  }

  /** The reader whose token has this hash; null: none that is valid. Prepared SQL: every request passes here. */
  find(tokenHash: string, now: number): ValidReader | null {
    const query = `SELECT id, name, role, project, tag, view, last_used_at AS lastUsedAt FROM readers WHERE token_hash IN (?, '${limited}' || ?)
      AND revoked_at IS NULL AND (ends_at IS NULL OR ends_at > ?)`;
    return (this.#db.sql(query).get(tokenHash, tokenHash, now) as ValidReader | undefined) ?? null; // of the query
  }

  /** Notes that the token was used. */
  noteUse({ id }: Pick<ReaderRow, 'id'>, at: number): void {
    this.#db.drizzle.update(readers).set({ lastUsedAt: at }).where(eq(readers.id, id)).run();
  }

  /**
   * Whether there ever was a reader, so that requests need a token: one that was revoked or has ended must not open to
   * those who come through a proxy of this machine what a machine without readers shows. No row is ever deleted.
   */
  hasHadAny(): boolean {
    return this.#db.sql('SELECT 1 FROM readers LIMIT 1').get() !== undefined;
  }
}
