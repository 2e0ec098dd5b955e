// Opens the database of a config.
import type { ResolvedConfig } from '../../../config/resolve.ts';
import { databaseExists } from '../../../db/connection/opening/guards.ts';
import { openMissingStore, openStore, openStoreForReading, type Store } from '../../../db/store.ts';
import type { Log } from '../../../jobs/context.ts';

interface DatabaseUse {
  /** A missing database is read as an empty one, and not created; one that exists is never written or migrated. */
  readonly isReading?: boolean;
  /** The same, except that the caller may write: what it rolls back, or repairs of what a dead process left. */
  readonly keepsSchema?: boolean;
  /** The database may be lost. */
  readonly isScratch?: boolean;
}

/** Throws StoreError if it cannot be used. */
export function openDatabase(
  { databaseFile, budget }: ResolvedConfig,
  log: Log,
  { keepsSchema = false, isReading = keepsSchema, isScratch = false }: DatabaseUse,
): Store {
  const caps = { serp_credit: budget.serpCredits, micro_usd: budget.microUsd };
  if (isReading && !databaseExists(databaseFile)) return openMissingStore(databaseFile, caps);
  if (isReading) {
    const reader = openStoreForReading(databaseFile, { isCurrent: true }, caps);
    if (!keepsSchema) return reader;
    reader.close();
  }
  return openStore(databaseFile, caps, {
    isScratch,
    onMigrated: (facts) => log.info(facts, 'database migrated to a newer schema; a copy of the old one is kept'),
  });
}
