// Opens the database of a config.
import { existsSync } from 'node:fs';
import type { ResolvedConfig } from '../../../config/resolve.ts';
import { openStore, openStoreForReading, type Store } from '../../../db/store.ts';
import type { Log } from '../../../jobs/context.ts';

interface DatabaseUse {
  /** A missing database is opened in memory instead of being created. */
  readonly isReading?: boolean;
  /** The same, and one that exists is opened for reading: it is never migrated. */
  readonly isReadOnly?: boolean;
  /** The database may be lost. */
  readonly isScratch?: boolean;
}

/** Throws StoreError if it cannot be used. */
export function openDatabase(
  { databaseFile, budget }: ResolvedConfig,
  log: Log,
  { isReadOnly = false, isReading = isReadOnly, isScratch = false }: DatabaseUse,
): Store {
  const isMissing = isReading && !existsSync(databaseFile);
  if (isReadOnly && !isMissing) return openStoreForReading(databaseFile, { isCurrent: true });
  const caps = { serp_credit: budget.serpCredits, micro_usd: budget.microUsd };
  const file = isMissing ? ':memory:' : databaseFile;
  return openStore(file, caps, {
    isScratch,
    onMigrated: (facts) => log.info(facts, 'database migrated to a newer schema; a copy of the old one is kept'),
  });
}
