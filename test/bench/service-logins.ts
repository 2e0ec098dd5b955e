// What the time of a login reveals: refusals must look alike, valid logins must be fast. Hashes have their real cost.
import { Accounts, createSearchDataService, type NewCredentials, systemClock } from '../../src/service/index.ts';
import { MemoryAccounts } from '../helpers/memory-accounts.ts';
import { memorySource } from '../helpers/memory-source.ts';
import { quantile } from './figures.ts';
import type { BenchRow } from './row.ts';

const spreadMax = 0.05;
const warmMsMax = 1;

interface LoginTimes {
  /** Milliseconds of the median, by kind of refusal. */
  readonly medians: Readonly<Record<string, number>>;
  /** The slowest median divided by the fastest. */
  readonly spread: number;
  readonly warmP99Ms: number;
  /** How many bodies the refusals have, request ids aside. */
  readonly bodies: number;
}

/** Two lines. */
export async function benchServiceLogins(quick: boolean): Promise<BenchRow[]> {
  const { medians, spread, warmP99Ms, bodies } = await timeLogins(quick ? 100 : 500);
  const times = Object.entries(medians).map(([kind, ms]) => `${kind} ${ms.toFixed(2)} ms`);
  return [
    {
      name: 'service: refused logins take the same time and say the same',
      target: `within ${spreadMax * 100}% at the median`,
      ratio: spread,
      detail: `${times.join(', ')}; ${bodies} body`,
      ok: spread <= spreadMax && bodies === 1,
    },
    {
      name: 'service: a known login, the whole request in process',
      target: `under ${warmMsMax} ms at p99`,
      ratio: warmP99Ms / warmMsMax,
      detail: `${warmP99Ms.toFixed(3)} ms`,
      ok: warmP99Ms < warmMsMax,
    },
  ];
}

/** `samples` of each kind, alternating, so that other load affects all of them. */
async function timeLogins(samples: number): Promise<LoginTimes> {
  const store = new MemoryAccounts();
  const accounts = new Accounts(store, systemClock);
  await accounts.create('acme', { serpCredits: 1_000_000, microUsd: 0 });
  const [known, expired, revoked] = [await user('known'), await user('expired'), await user('revoked')];
  function user(username: string): Promise<NewCredentials> {
    return accounts.addUser('acme', { username });
  }
  await accounts.expireUser('expired', 0);
  await accounts.revokeUser('revoked');
  const unlimited = { count: 1e9, windowMs: 60_000 };
  const service = createSearchDataService({
    source: memorySource(),
    clock: systemClock,
    accounts: store,
    requestRate: unlimited,
    logins: { perUsername: unlimited, perAddress: unlimited },
  });
  const kinds: Readonly<Record<string, NewCredentials>> = {
    unknown: { username: 'unknown', password: known.password },
    wrong: { username: 'known', password: revoked.password },
    expired,
    revoked,
  };
  const ask = async ({ username, password }: NewCredentials) => {
    const caller = { kind: 'credentials', username, password, address: '192.0.2.1' } as const;
    const start = performance.now();
    const said = await service
      .serp({ keyword: 'shoes' }, { caller })
      .catch(({ status, code, message }) => `${status} ${code} ${message}`);
    return { ms: performance.now() - start, said: typeof said === 'string' ? said : '' };
  };
  const times = new Map(Object.keys(kinds).map((kind) => [kind, [] as number[]]));
  const bodies = new Set<string>();
  for (let sample = -5; sample < samples; sample++) {
    for (const [kind, credentials] of Object.entries(kinds)) {
      const { ms, said } = await ask(credentials);
      bodies.add(said);
      if (sample >= 0) times.get(kind)?.push(ms);
    }
  }
  const medians = Object.fromEntries([...times].map(([kind, all]) => [kind, quantile(all, 0.5)]));
  const sorted = Object.values(medians).sort((a, b) => a - b);
  for (let warming = 0; warming < 200; warming++) await ask(known);
  const warm: number[] = [];
  for (let sample = 0; sample < 2000; sample++) warm.push((await ask(known)).ms);
  await service.close();
  return {
    medians,
    spread: (sorted.at(-1) ?? 0) / (sorted[0] ?? 1) - 1,
    warmP99Ms: quantile(warm, 0.99),
    bodies: bodies.size,
  };
}
