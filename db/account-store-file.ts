// The durable account store for programs that embed the service, in a SQLite file.
import type { AccountStore } from '../src/service/index.ts';
import { openStore } from './store.ts';

/** Exact under any number of processes on one file; what a promise resolved for is on the disk. */
export interface DurableAccountStore {
  readonly accounts: AccountStore;
  close(): void;
}

/** Opens the file, and makes it where there is none. Throws StoreError with a hint for a file that cannot be used. */
export function openAccountStore(file: string): DurableAccountStore {
  const store = openStore(file);
  return { accounts: store.accounts, close: () => store.close() };
}
