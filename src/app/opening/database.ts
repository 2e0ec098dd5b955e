// Opens the database of a config.
import type { ResolvedConfig } from '../../../config/resolve.ts';
import { databaseExists } from '../../../db/connection/guards.ts';
import { openMissingStore, openStore, openStoreForReading, type Store } from '../../../db/store.ts';
import type { Log } from '../../../jobs/context.ts';
import { errorText } from '../../service/index.ts';
import { hasNamesToSettle, settleNames } from './past-names.ts';

interface DatabaseUse {
  /** A missing database is read as an empty one, and not created; one that exists is never written or migrated. */
  readonly isReading?: boolean;
  /** The same, except that the caller may write: what it rolls back, or repairs of what a dead process left. */
  readonly keepsSchema?: boolean;
  /** The database may be lost. */
  readonly isScratch?: boolean;
}

/**
 * `now` in UTC milliseconds. History of earlier names is first given to the present ones, also by readers, which write
 * nothing else. Throws StoreError if it cannot be used.
 */
export function openDatabase(
  config: ResolvedConfig,
  log: Log,
  now: number,
  { keepsSchema = false, isReading = keepsSchema, isScratch = false }: DatabaseUse,
): Store {
  const { databaseFile, budget, formerly } = config;
  const caps = { serp_credit: budget.serpCredits, micro_usd: budget.microUsd };
  const { firstServiceNames } = formerly;
  if (isReading && !databaseExists(databaseFile)) return openMissingStore(databaseFile, caps);
  const openToRead = (): Store => openStoreForReading(databaseFile, { isCurrent: true, firstServiceNames }, caps);
  const openToWrite = (): Store => {
    const store = openStore(databaseFile, caps, {
      isScratch,
      firstServiceNames,
      onMigrated: (facts) => log.info(facts, 'database migrated to a newer schema; a copy of the old one is kept'),
    });
    settleNames(store, config, now, log);
    return store;
  };
  if (!isReading) return openToWrite();
  const reader = openToRead();
  const isSettled = !hasNamesToSettle(reader, config, now);
  if (isSettled && !keepsSchema) return reader;
  reader.close();
  if (keepsSchema) return openToWrite();
  try {
    openToWrite().close();
  } catch (error) {
    log.warn({ error: errorText(error) }, 'history keeps its earlier names until a run');
  }
  return openToRead();
}
