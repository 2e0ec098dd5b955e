// The accounts in SQLite meet the contract of every account store, with one and with several processes.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { StoreError } from '../../../db/connection/errors.ts';
import { openStore, type Store } from '../../../db/store.ts';
import { openAccountStore } from '../../../src/index.ts';
import { Accounts, createSearchDataService, refundAbandoned, systemClock } from '../../../src/service/index.ts';
import { account, accountStoreContract } from '../../contract/account-store.ts';
import { temporaryFolder } from '../../helpers/closing.ts';
import { memorySource } from '../../helpers/memory-source.ts';

const temporaryFile = () => join(temporaryFolder(), 'db.sqlite');

accountStoreContract('in SQLite, in memory', async () => {
  const store = openStore(':memory:');
  return { stores: [store.accounts], close: async () => store.close() };
});

accountStoreContract('in SQLite, three connections to one file', async () => {
  const file = temporaryFile();
  const opened = Array.from({ length: 3 }, () => openStore(file));
  return {
    stores: opened.map(({ accounts }) => accounts),
    close: async () => {
      for (const store of opened) store.close();
    },
  };
});

it('a write lock of another program blocks only the charge that waits for it; the server does other work meanwhile', async () => {
  const file = temporaryFile();
  const { accounts, close } = boundStore(openStore(file));
  const other = new Database(file);
  try {
    await accounts.createAccount(account('acme', { serpCredits: 1 }));
    accounts.waitBriefly();
    expect(await accounts.isReady()).toBe(true);
    other.exec('BEGIN IMMEDIATE');
    let isDone = false;
    const changed = accounts
      .changeBalance({ account: 'acme', change: { serpCredits: 1, microUsd: 0 }, note: undefined, at: 1 })
      .finally(() => {
        isDone = true;
      });
    expect(await accounts.isReady()).toBe(false);
    expect(isDone).toBe(false);
    other.exec('ROLLBACK');
    expect(await changed).toMatchObject({ status: 'changed', balance: { serpCredits: 2 } });
    expect(await accounts.isReady()).toBe(true);
  } finally {
    other.close();
    close();
  }
});

const boundStore = (store: Store) => ({ accounts: store.accounts, close: () => store.close() });

const program = join(import.meta.dirname, '../../helpers/account-child.ts');

async function started(file: string, requests: number, mode: 'work' | 'hang'): Promise<ChildProcess> {
  const child = spawn(process.execPath, [program, file, `${requests}`, mode], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return child;
}

async function messageFrom(child: ChildProcess): Promise<string> {
  child.stdin?.end('go');
  return String((await once(child.stdout!, 'data'))[0]);
}

/** A database with the account `acme`. */
async function withCredits(serpCredits: number): Promise<{ file: string; store: Store }> {
  const file = temporaryFile();
  const store = openStore(file);
  await store.accounts.createAccount(account('acme', { serpCredits }));
  return { file, store };
}

const balanceOf = async (store: Store) => (await store.accounts.findAccount('acme'))?.serpCredits;
const brokenChecks = (store: Store) => store.audit.checks().filter(({ ok }) => !ok);

describe('several processes', () => {
  it('use one balance concurrently and take every credit once, and none too many', async () => {
    const each = 50;
    const { file, store } = await withCredits(2 * each + 1);
    const children = await Promise.all([started(file, each, 'work'), started(file, each, 'work')]);
    const counts = (await Promise.all(children.map(messageFrom))).map(
      (text) => JSON.parse(text) as Record<string, number>,
    );
    const total = (name: string) => counts.reduce((sum, count) => sum + (count[name] ?? 0), 0);
    expect(total('paid') + total('failed') + total('refused')).toBe(2 * each);
    expect(total('refused')).toBeGreaterThan(0);
    expect(await balanceOf(store)).toBe(2 * each + 1 - 2 * total('paid'));
    const entries = await store.accounts.statement('acme');
    expect(entries.at(-1)?.balance.serpCredits).toBe(await balanceOf(store));
    expect(entries.filter(({ kind }) => kind === 'refund')).toHaveLength(total('failed'));
    expect(brokenChecks(store)).toEqual([]);
    store.close();
  });

  it('that die between charge and settlement are refunded at the next start, and their keys are free again', async () => {
    const { file, store } = await withCredits(10);
    const child = await started(file, 4, 'hang');
    expect(await messageFrom(child)).toBe('charged');
    expect(await balanceOf(store)).toBe(2);
    expect(await refundAbandoned(store.accounts, systemClock.now())).toBe(0);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const accounts = store.accounts;
    const service = createSearchDataService({ source: memorySource(), clock: systemClock, accounts });
    const caller = { kind: 'trusted', account: 'acme' } as const;
    await service.serp({ keyword: '1', end_page: 2 }, { caller, idempotencyKey: `${child.pid}-0` });
    expect(await balanceOf(store)).toBe(8);
    const kinds = (await accounts.statement('acme')).map(({ kind }) => kind);
    expect(kinds.slice(5)).toEqual(['refund', 'refund', 'refund', 'refund', 'charge']);
    expect(await accounts.listOpenOwners()).toEqual([]);
    expect(brokenChecks(store)).toEqual([]);
    store.close();
  });
});

describe('written data', () => {
  it('is still there when the file is opened again, after any failure in between', async () => {
    const { file, store } = await withCredits(5);
    const price = { serpCredits: 2, microUsd: 0 };
    const made = {
      account: 'acme',
      username: undefined,
      requestId: 'r',
      operation: 'serp',
      owner: 'me',
      at: 1,
    } as const;
    const [charged, broken] = await Promise.allSettled([
      store.accounts.charge({ ...made, price }),
      store.accounts.settle({ chargeId: 99, used: price, at: 2 }),
    ]);
    expect([charged.status, broken.status]).toEqual(['fulfilled', 'rejected']);
    store.close();
    const again = openStore(file);
    expect(await balanceOf(again)).toBe(3);
    expect(await again.accounts.listOpenOwners()).toEqual([{ owner: 'me', since: 1 }]);
    again.close();
  });

  it('loses expired idempotency records a few at a time, and no others', async () => {
    const store = openStore(':memory:');
    const begin = (key: string, at: number) =>
      store.accounts.beginIdempotent({
        account: 'a',
        username: '',
        key,
        bodyHash: 'h',
        owner: 'me',
        at,
        expiresAt: at + 10,
      });
    for (let index = 0; index < 12; index += 1) await begin(`old ${index}`, 0);
    await begin('young', 5);
    await begin('new', 10);
    const left = async () =>
      (await Promise.all(Array.from({ length: 12 }, (_, index) => find(`old ${index}`)))).filter(Boolean).length;
    const find = (key: string) => store.accounts.findIdempotent({ account: 'a', username: '', key }, 9);
    expect(await left()).toBe(4);
    await begin('newer', 10);
    expect(await left()).toBe(0);
    expect(await find('young')).toBeDefined();
    store.close();
  });
});

it('a store that a program has closed refuses every call by one code', async () => {
  const { accounts, close } = openAccountStore(':memory:');
  await new Accounts(accounts, systemClock).create('acme', { serpCredits: 1, microUsd: 1 });
  close();
  close();
  const refusals = new Map<string, unknown>();
  for (const name of Object.getOwnPropertyNames(Object.getPrototypeOf(accounts))) {
    if (name === 'constructor') continue;
    const call = Reflect.get(accounts, name) as (...given: unknown[]) => unknown;
    const failure = await Promise.resolve()
      .then(() => call.call(accounts, 'acme', 'acme', 'x', 1))
      .then(
        () => null,
        (error: unknown) => error,
      );
    refusals.set(name, failure instanceof StoreError ? failure.code : failure);
  }
  expect(refusals.size).toBeGreaterThan(20);
  expect(new Set(refusals.values())).toEqual(new Set(['DATABASE_CLOSED']));
});
