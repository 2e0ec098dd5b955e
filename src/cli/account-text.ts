// How accounts, API users and statement entries are shown, as JSON and as lines of a table. What is shown when is left to the commands.
import type { Account, ApiUserFacts, Balance, StatementEntry } from '../service/index.ts';
import { amount, dollars, signedAmount } from './numbers.ts';
import type { Column } from './table.ts';

type UserState = 'active' | 'expired' | 'revoked';

export interface UserDocument {
  readonly username: string;
  readonly account: string;
  readonly state: UserState;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
}

const microUsdPerUsd = 1_000_000;

/** `{ serpCredits, usd }`. */
export function balanceDocument({ serpCredits, microUsd }: Balance) {
  return { serpCredits, usd: microUsd / microUsdPerUsd };
}

/** `1,000 SERP credits and $5.00`. */
export function balanceText({ serpCredits, microUsd }: Balance): string {
  return `${amount(serpCredits)} SERP credits and ${dollars(microUsd)}`;
}

/** The user as it stands at `now`, UTC milliseconds. */
export function userDocument(user: ApiUserFacts, now: number): UserDocument {
  const { username, account, createdAt, expiresAt, revokedAt } = user;
  const iso = (at: number | undefined) => (at === undefined ? null : isoText(at));
  return {
    username,
    account,
    state: stateOf(user, now),
    createdAt: isoText(createdAt),
    expiresAt: iso(expiresAt),
    revokedAt: iso(revokedAt),
  };
}

export const userColumns: readonly Column<UserDocument>[] = [
  { title: 'API user', value: ({ username }) => username },
  { title: 'account', value: ({ account }) => account },
  { title: 'state', value: ({ state }) => state },
  { title: 'created', value: ({ createdAt }) => createdAt },
  { title: 'expires', value: ({ expiresAt }) => expiresAt ?? 'never' },
];

export const accountColumns: readonly Column<Account>[] = [
  { title: 'account', value: ({ name }) => name },
  { title: 'SERP credits', align: 'right', value: ({ serpCredits }) => amount(serpCredits) },
  { title: 'USD', align: 'right', value: ({ microUsd }) => dollars(microUsd) },
  { title: 'addresses', value: (account) => whitelistText(account.whitelist), widthMax: 50 },
  { title: 'created', value: ({ createdAt }) => isoText(createdAt) },
];

export function whitelistText(rules: readonly string[]): string {
  return rules.length === 0 ? 'every address' : rules.join(', ');
}

/** A line of the statement; amounts are what was added to the balance. */
export function entryDocument(entry: StatementEntry) {
  return {
    id: entry.id,
    at: isoText(entry.at),
    kind: entry.kind,
    ...balanceDocument(entry),
    balance: balanceDocument(entry.balance),
    operation: entry.operation ?? null,
    username: entry.username ?? null,
    requestId: entry.requestId ?? null,
    chargeId: entry.chargeId ?? null,
    note: entry.note ?? null,
  };
}

export const entryColumns: readonly Column<StatementEntry>[] = [
  { title: 'entry', align: 'right', value: ({ id }) => `${id}` },
  { title: 'at', value: ({ at }) => isoText(at) },
  { title: 'kind', value: ({ kind }) => kind },
  { title: 'SERP credits', align: 'right', value: ({ serpCredits }) => signedAmount(serpCredits) },
  { title: 'USD', align: 'right', value: ({ microUsd }) => signedDollars(microUsd) },
  { title: 'credits left', align: 'right', value: ({ balance }) => amount(balance.serpCredits) },
  { title: 'USD left', align: 'right', value: ({ balance }) => dollars(balance.microUsd) },
  { title: 'charge', align: 'right', value: ({ chargeId }) => `${chargeId ?? ''}` },
  { title: 'for', value: ({ operation, username }) => [operation, username].filter(Boolean).join(' '), widthMax: 40 },
  { title: 'note', value: ({ note }) => note ?? '', widthMax: 40 },
];

/** ISO 8601, UTC. */
export function isoText(at: number): string {
  return new Date(at).toISOString();
}

function stateOf({ expiresAt, revokedAt }: ApiUserFacts, now: number): UserState {
  if (revokedAt !== undefined) return 'revoked';
  return expiresAt !== undefined && expiresAt <= now ? 'expired' : 'active';
}

function signedDollars(microUsd: number): string {
  return microUsd > 0 ? `+${dollars(microUsd)}` : dollars(microUsd);
}
