// The package: what programs that embed the service import.
import { openStore } from '../db/store.ts';
import type { AccountStore } from './service/index.ts';

export { type ClientOptions, SearchDataClient } from './service/client/client.ts';
export {
  AccountError,
  type AccountStore,
  Accounts,
  type Caller,
  type CallOptions,
  type Clock,
  createMetricsSource,
  createSearchDataService,
  createSource,
  type ErrorCode,
  eachPage,
  type FetchedPage,
  type KeywordDataAnswer,
  type MetricsSource,
  metricsSourceNames,
  type NewCredentials,
  type PageRequest,
  type RunningServer,
  type SearchDataService,
  type SerpAnswer,
  type SerpPage,
  type SerpSource,
  type ServerOptions,
  ServiceError,
  type ServiceHost,
  sourceNames,
  startServer,
  systemClock,
} from './service/index.ts';

/** Exact under any number of processes on one file; what a promise resolved for is on the disk. */
export interface DurableAccountStore {
  readonly accounts: AccountStore;
  close(): void;
}

/**
 * Opens accounts in an SQLite file, which is made if there is none; `:memory:` for accounts of this process. Throws
 * StoreError with a hint for a file that cannot be used.
 */
export function openAccountStore(file: string): DurableAccountStore {
  const store = openStore(file);
  return { accounts: store.accounts, close: () => store.close() };
}
