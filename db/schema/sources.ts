// The table of what sources remember.
import { integer, primaryKey, sqliteTable, text } from './drizzle.ts';

/**
 * What a source keeps across restarts, such as the provider's id of a paid request; see `db/accounts/source-memory.ts`.
 */
export const sourceMemory = sqliteTable(
  'source_memory',
  {
    service: text().notNull(),
    key: text().notNull(),
    value: text().notNull(),
    /** From when on it is forgotten, UTC milliseconds. */
    expiresAt: integer('expires_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.service, t.key] })],
);
