// Readers of the read API, and the hashes of their tokens. Each change is in the audit trail.
import type { AdminAction } from '../../src/service/index.ts';
import type { Connection } from '../connection/client.ts';
import { readers } from '../schema/accounts.ts';
import { and, asc, eq, isNull } from '../schema/drizzle.ts';
import type { TableRow } from '../schema/rows.ts';
import { AccountDirectory } from './account-directory.ts';

/** `revokedAt`: null while its token is valid. */
export type StoredReader = Omit<ReaderRow, 'id' | 'tokenHash'>;

type ReaderRow = TableRow<'readers'>;

export class Readers {
  readonly #db: Connection;
  readonly #directory: AccountDirectory;

  constructor(db: Connection) {
    this.#db = db;
    this.#directory = new AccountDirectory(db);
  }

  /** False where a reader that is not revoked has this name. */
  add({ name, tokenHash, createdAt, role }: Omit<ReaderRow, 'id' | 'revokedAt'>, action: AdminAction): boolean {
    return this.#db.transaction(() => {
      if (this.list().some((reader) => reader.name === name && reader.revokedAt === null)) return false;
      this.#db.drizzle.insert(readers).values({ name, tokenHash, createdAt, role }).run();
      this.#directory.appendAction(action);
      return true;
    });
  }

  /** By name, the oldest first. */
  list(): StoredReader[] {
    const { id, name, createdAt, revokedAt, role } = readers;
    return this.#db.drizzle
      .select({ name, createdAt, revokedAt, role })
      .from(readers)
      .orderBy(asc(name), asc(id))
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

  /** Whether a valid token has this hash. Prepared SQL: every request to the read API passes here. */
  isValid(tokenHash: string): boolean {
    const query = 'SELECT 1 FROM readers WHERE token_hash = ? AND revoked_at IS NULL';
    return this.#db.sql(query).get(tokenHash) !== undefined;
  }

  /** The name of the editor whose token has this hash; null: there is none. */
  editorName(tokenHash: string): string | null {
    const query = "SELECT name FROM readers WHERE token_hash = ? AND role = 'editor' AND revoked_at IS NULL";
    const row = this.#db.sql(query).get(tokenHash) as { readonly name: string } | undefined; // of the query
    return row?.name ?? null;
  }

  hasAny(): boolean {
    return this.#db.sql('SELECT 1 FROM readers WHERE revoked_at IS NULL LIMIT 1').get() !== undefined;
  }
}
