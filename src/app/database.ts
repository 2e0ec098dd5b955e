// Opens the database of a config. What is in it is the store's business; what is done with it the app's.
import { existsSync } from 'node:fs';
import type { ResolvedConfig } from '../../config/resolve.ts';
import { openStore, type Store } from '../../db/store.ts';
import type { AppOptions } from './contract.ts';

/** Where there is none yet, reading opens one in memory, and nothing is made. Throws StoreError where it cannot be used. */
export function openDatabase(
  { databaseFile, budget }: ResolvedConfig,
  { isReading = false, log }: Pick<AppOptions, 'isReading' | 'log'>,
): Store {
  const caps = { serp_credit: budget.serpCredits, micro_usd: budget.microUsd };
  const file = isReading && !existsSync(databaseFile) ? ':memory:' : databaseFile;
  return openStore(file, caps, {
    onMigrated: (facts) => log?.info(facts, 'database brought to a newer schema; what it was before is kept'),
  });
}
