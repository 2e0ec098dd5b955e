// Opens the database of a config.
import { existsSync } from 'node:fs';
import type { ResolvedConfig } from '../../../config/resolve.ts';
import { openStore, openStoreForReading, type Store } from '../../../db/store.ts';
import type { Log } from '../../../jobs/context.ts';

interface DatabaseUse {
  /** A missing database is opened in memory instead of being created; one that exists is never written or migrated. */
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
  const isThere = existsSync(databaseFile);
  if (isReading && isThere) {
    const reader = openStoreForReading(databaseFile, { isCurrent: true }, caps);
    if (!keepsSchema) return reader;
    reader.close();
  }
  return openStore(isReading && !isThere ? ':memory:' : databaseFile, caps, {
    isScratch,
    onMigrated: (facts) => log.info(facts, 'database migrated to a newer schema; a copy of the old one is kept'),
  });
}
