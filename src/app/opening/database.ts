// Opens the database of a config.
import { existsSync } from 'node:fs';
import type { ResolvedConfig } from '../../../config/resolve.ts';
import { openStore, type Store } from '../../../db/store.ts';
import type { Log } from '../../../jobs/context.ts';

/**
 * `isReading`: a missing database is opened in memory instead of being created. Throws StoreError if it cannot be used.
 */
export function openDatabase({ databaseFile, budget }: ResolvedConfig, log: Log, isReading: boolean): Store {
  const caps = { serp_credit: budget.serpCredits, micro_usd: budget.microUsd };
  const file = isReading && !existsSync(databaseFile) ? ':memory:' : databaseFile;
  return openStore(file, caps, {
    onMigrated: (facts) => log.info(facts, 'database migrated to a newer schema; a copy of the old one is kept'),
  });
}
