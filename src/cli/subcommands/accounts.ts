// What `account` and `api-user` share: the accounts, and how they, users and entries are shown.
import type { App } from '../../app/app.ts';
import { operatorName } from '../../app/opening/machine.ts';
import {
  type Account,
  type AccountLogEntry,
  Accounts,
  type ApiUserFacts,
  type Balance,
  refundAbandoned,
  type SpendingCap,
  type StatementEntry,
  userState,
} from '../../service/index.ts';
import { amount, counted, dollars, signedAmount } from '../text/numbers.ts';
import type { Column } from '../text/table.ts';

interface UserDocument {
  readonly username: string;
  readonly account: string;
  readonly state: ReturnType<typeof userState>;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  /** Spending limit per UTC day; null: only the balance of its account limits it. */
  readonly dailyCap: { readonly serpCredits: number | null; readonly usd: number | null } | null;
}

const microUsdPerUsd = 1_000_000;

/** `{ serpCredits, usd }`. */
export function balanceDocument({ serpCredits, microUsd }: Balance) {
  return { serpCredits: serpCredits ?? null, usd: microUsd / microUsdPerUsd };
}

/** `1,000 SERP credits and $5.00`. */
export function balanceText({ serpCredits, microUsd }: Balance): string {
  return `${amount(serpCredits)} SERP credits and ${dollars(microUsd)}`;
}

/** The user's state at `now`, UTC milliseconds. */
export function userDocument(user: ApiUserFacts, now: number): UserDocument {
  const { username, account, createdAt, expiresAt, revokedAt, dailyCap } = user;
  const iso = (at: number | undefined) => (at === undefined ? null : isoText(at));
  return {
    username,
    account,
    state: userState(user, now),
    createdAt: isoText(createdAt),
    expiresAt: iso(expiresAt),
    revokedAt: iso(revokedAt),
    dailyCap: dailyCap === undefined ? null : capDocument(dailyCap),
  };
}

export const userColumns: readonly Column<UserDocument>[] = [
  { title: 'API user', value: ({ username }) => username },
  { title: 'account', value: ({ account }) => account },
  { title: 'state', value: ({ state }) => state },
  { title: 'created', value: ({ createdAt }) => createdAt },
  { title: 'expires', value: ({ expiresAt }) => expiresAt ?? 'never' },
  { title: 'daily cap', value: ({ dailyCap }) => capText(dailyCap) },
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
  const { id, operation = null, username = null, requestId = null, chargeId = null, note = null } = entry;
  return {
    id,
    at: isoText(entry.at),
    kind: entry.kind,
    ...balanceDocument(entry),
    balance: balanceDocument(entry.balance),
    operation,
    username,
    requestId,
    chargeId,
    note,
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
  { title: 'charge', align: 'right', value: ({ chargeId = '' }) => `${chargeId}` },
  { title: 'for', value: ({ operation, username }) => [operation, username].filter(Boolean).join(' '), widthMax: 40 },
  { title: 'note', value: ({ note = '' }) => note, widthMax: 40 },
];

/** A line of the audit trail, as JSON. */
export function logDocument(entry: AccountLogEntry) {
  const { id, at, lastAt, event, count, facts } = entry;
  const { account = null, username = null, address = null, reason = null, by = null } = entry;
  return {
    id,
    at: isoText(at),
    lastAt: isoText(lastAt),
    event,
    account,
    username,
    address,
    reason,
    count,
    by,
    facts,
  };
}

export const logColumns: readonly Column<AccountLogEntry>[] = [
  { title: 'at', value: ({ lastAt }) => isoText(lastAt) },
  { title: 'event', value: ({ event }) => event },
  { title: 'account', value: ({ account = '' }) => account },
  { title: 'API user', value: ({ username = '' }) => username, widthMax: 40 },
  { title: 'from', value: ({ address, by }) => address ?? by ?? '', widthMax: 45 },
  { title: 'times', align: 'right', value: ({ count }) => amount(count) },
  { title: 'what', value: ({ reason, facts }) => reason ?? factsText(facts), widthMax: 60 },
];

function factsText(facts: AccountLogEntry['facts']): string {
  return Object.entries(facts)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) =>
      name === 'expiresAt' && typeof value === 'number'
        ? `expires ${isoText(value)}`
        : `${name} ${JSON.stringify(value)}`,
    )
    .join(', ');
}

function capDocument({ serpCredits, microUsd }: SpendingCap): UserDocument['dailyCap'] {
  return { serpCredits: serpCredits ?? null, usd: microUsd === undefined ? null : microUsd / microUsdPerUsd };
}

function capText(cap: UserDocument['dailyCap']): string {
  if (cap === null) return 'none';
  const { serpCredits, usd } = cap;
  const texts = [
    ...(serpCredits === null ? [] : [counted(serpCredits, 'credit')]),
    ...(usd === null ? [] : [dollars(Math.round(usd * microUsdPerUsd))]),
  ];
  return texts.join(', ');
}

/** ISO 8601, UTC. */
export function isoText(at: number): string {
  return new Date(at).toISOString();
}

function signedDollars(microUsd: number): string {
  return microUsd > 0 ? `+${dollars(microUsd)}` : dollars(microUsd);
}

/** Refunds first what dead processes reserved. */
export async function openAccounts({ context }: App): Promise<Accounts> {
  const { clock, store } = context;
  await refundAbandoned(store.accounts, clock.now());
  return new Accounts(store.accounts, clock, undefined, operatorName());
}
