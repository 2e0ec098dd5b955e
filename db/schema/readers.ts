// Tables of the read API.
import { integer, sql, sqliteTable, text, uniqueIndex } from './drizzle.ts';

/** Who may read history from another machine. A revoked reader stays, and its name is free again. */
export const readers = sqliteTable(
  'readers',
  {
    id: integer().primaryKey(),
    name: text().notNull(),
    /** SHA-256 of the token: a token of 256 random bits needs no slow hash. */
    tokenHash: text('token_hash').notNull().unique(),
    createdAt: integer('created_at').notNull(),
    revokedAt: integer('revoked_at'),
  },
  (t) => [uniqueIndex('readers_name').on(t.name).where(sql`revoked_at IS NULL`)],
);
