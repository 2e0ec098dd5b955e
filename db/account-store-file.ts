// The durable account store for programs that embed the service, in a SQLite file.
import type { AccountStore } from '../src/service/index.ts';
import { StoreError } from './connection/errors.ts';
import { openStore } from './store.ts';

/** Exact under any number of processes on one file; what a promise resolved for is on the disk. */
export interface DurableAccountStore {
  readonly accounts: AccountStore;
  close(): void;
}

/** Opens the file, and makes it where there is none. Throws StoreError with a hint for a file that cannot be used. */
export function openAccountStore(file: string): DurableAccountStore {
  try {
    const store = openStore(file);
    return { accounts: store.accounts, close: () => store.close() };
  } catch (cause) {
    if (!String(cause).includes("Cannot find module 'drizzle-orm/")) throw cause;
    const message = 'Accounts in a file need the package drizzle-orm, which is not installed.';
    // another version may not fit; without the option, npm also installs the other packages that were left out
    const hint = 'Run: npm install drizzle-orm@0.45.4 (with --omit=optional, if rankledger was installed so).';
    throw new StoreError('DATABASE_UNOPENABLE', message, hint, cause);
  }
}
