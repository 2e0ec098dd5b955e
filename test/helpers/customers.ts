// A service with accounts and API users in every state, over a source in memory.
import {
  Accounts,
  type CredentialsCaller,
  createSearchDataService,
  type NewCredentials,
  type SearchDataService,
  type ServiceHost,
} from '../../src/service/index.ts';
import { FakeClock } from './fake-clock.ts';
import { MemoryAccounts } from './memory-accounts.ts';
import { type MemoryScript, type MemorySource, memorySource } from './memory-source.ts';

/** Password hashes in tests cost almost no time. */
export const cheapScrypt = { logN: 4, r: 8, p: 1 };
const localAddress = '192.0.2.1';

export interface Customers {
  readonly clock: FakeClock;
  readonly store: MemoryAccounts;
  readonly accounts: Accounts;
  readonly source: MemorySource;
  readonly service: SearchDataService;
  /** A user of `acme`, who has 100 credits and 1 USD. */
  readonly ann: NewCredentials;
  /** Another user of `acme`. */
  readonly bob: NewCredentials;
}

export async function setUpCustomers(script: MemoryScript = {}, host: Partial<ServiceHost> = {}): Promise<Customers> {
  const clock = new FakeClock();
  const store = new MemoryAccounts();
  const accounts = new Accounts(store, clock, cheapScrypt);
  await accounts.create('acme', { serpCredits: 100, microUsd: 1_000_000 });
  const ann = await accounts.addUser('acme', { username: 'ann' });
  const bob = await accounts.addUser('acme', { username: 'bob' });
  const source = memorySource(script);
  const service = createSearchDataService({ source, clock, accounts: store, scryptCost: cheapScrypt, ...host });
  return { clock, store, accounts, source, service, ann, bob };
}

/** The options of a call with credentials. */
export function callerOf(
  { username, password }: Partial<NewCredentials>,
  address = localAddress,
): { readonly caller: CredentialsCaller } {
  return { caller: { kind: 'credentials', username, password, address } };
}
