// The log of failed logins and admin actions is bounded and delays no response.
import { beforeEach, describe, expect, it } from 'vitest';
import { type FailedLogin, FailedLogins } from '../../../src/service/access/login/login-failures.ts';
import { limits } from '../../../src/service/index.ts';
import { type Customers, callerOf, setUpCustomers } from '../../helpers/customers.ts';
import { FakeClock, settled } from '../../helpers/fake-clock.ts';
import { MemoryAccounts } from '../../helpers/memory-accounts.ts';

const shoes = { keyword: 'shoes' };

describe('the login log of the service', () => {
  let customers: Customers;
  beforeEach(async () => {
    customers = await setUpCustomers();
  });
  const failures = async () =>
    (await customers.accounts.log({ limit: 1000 })).filter(({ event }) => event === 'login-failed');
  const call = (credentials: object, address?: string) =>
    customers.service.serp(shoes, callerOf(credentials, address)).then(
      () => 'served',
      ({ code }) => code,
    );

  it('records why each login failed, with the account of an existing user', async () => {
    const { accounts, ann, bob, clock, service } = customers;
    await call({});
    await call({ username: 'eve', password: 'x' });
    await call({ ...ann, password: 'x' });
    await accounts.setWhitelist('acme', ['10.0.0.0/8']);
    await call(ann);
    await accounts.setWhitelist('acme', []);
    await accounts.expireUser('ann', clock.now());
    await call(ann);
    await accounts.revokeUser('bob');
    await call(bob);
    expect(await failures()).toEqual([]);
    await clock.advance(limits.failureWriteDelayMs);
    const rows = (await failures()).map(({ username, account, reason, count }) => [reason, username, account, count]);
    expect(rows.toReversed()).toEqual([
      ['no-credentials', '', undefined, 1],
      ['unknown-user', 'eve', undefined, 1],
      ['wrong-password', 'ann', 'acme', 1],
      ['address-refused', 'ann', 'acme', 1],
      ['expired', 'ann', 'acme', 1],
      ['revoked', 'bob', 'acme', 1],
    ]);
    await service.close();
  });

  it('records no successful login, and counts those that the rate limit refuses', async () => {
    const { ann, service } = customers;
    expect(await call(ann)).toBe('served');
    for (let guess = 0; guess < 15; guess++) await call({ ...ann, password: 'x' });
    expect(await call(ann)).toBe('served');
    await service.close();
    const counts = (await failures()).map(({ reason, count }) => [reason, count]);
    expect(Object.fromEntries(counts)).toEqual({ 'wrong-password': 10, 'too-many-failures': 5 });
  });

  it('does not delay the response to a refused login while it cannot be written, and is written afterwards', async () => {
    const { ann, clock, service, store } = customers;
    const { addLoginFailures } = store;
    store.addLoginFailures = () => Promise.reject(new Error('database is locked'));
    expect(await call({ ...ann, password: 'x' })).toBe('INVALID_API_KEY');
    await clock.advance(limits.failureWriteDelayMs);
    expect(await failures()).toEqual([]);
    store.addLoginFailures = addLoginFailures;
    await clock.advance(limits.failureWriteDelayMs);
    expect(await failures()).toMatchObject([{ username: 'ann', count: 1 }]);
    await service.close();
  });

  it('contains no password and no hash of one', async () => {
    const { accounts, ann, service, store } = customers;
    await call({ username: ann.password, password: ann.username });
    await call({ username: 'ann', password: 'not-the-password' });
    await accounts.addUser('acme', { username: 'zoe', password: 'chosen-by-its-owner' });
    await service.close();
    const kept = JSON.stringify(await accounts.log({ limit: 1000 }));
    const hash = (await store.findLogin('zoe'))?.user.passwordHash ?? '';
    expect(hash).not.toBe('');
    for (const secret of [ann.password, 'not-the-password', 'chosen-by-its-owner', hash]) {
      expect(kept).not.toContain(secret);
    }
    expect(kept).toContain('(password)');
  });
});

describe('the log of failed logins', () => {
  let clock: FakeClock;
  let store: MemoryAccounts;
  let log: FailedLogins;
  beforeEach(() => {
    clock = new FakeClock();
    store = new MemoryAccounts();
    log = new FailedLogins(store, clock);
  });
  const failure = (changes: Partial<FailedLogin> = {}): FailedLogin => {
    return { username: 'ann', account: 'acme', address: '192.0.2.1', reason: 'wrong-password', ...changes };
  };
  const rows = () => store.accountLog({ limit: 1_000_000 });

  it('makes one row of a flood, and loses no count', async () => {
    for (let second = 0; second < 10; second++) {
      for (let index = 0; index < 100; index++) log.note(failure());
      await clock.advance(limits.failureWriteDelayMs);
    }
    expect(await rows()).toMatchObject([{ count: 1000, lastAt: clock.now() - limits.failureWriteDelayMs }]);
  });

  it('counts the names of one address together beyond its rows of a minute', async () => {
    for (let index = 0; index < 5000; index++) log.note(failure({ username: `guess-${index}`, account: undefined }));
    log.note(failure({ address: '192.0.2.2' }));
    await log.close();
    const entries = await rows();
    expect(entries).toHaveLength(limits.failureRowsPerAddressMax + 2);
    expect(entries.find(({ username }) => username === '*')).toMatchObject({ address: '192.0.2.1', count: 4970 });
    expect(entries.reduce((sum, { count }) => sum + count, 0)).toBe(5001);
  });

  it('counts all addresses together beyond the rows of a minute, and starts afresh in the next', async () => {
    const flood = () => {
      for (let index = 0; index < 5000; index++) log.note(failure({ address: `2001:db8::${index.toString(16)}` }));
    };
    flood();
    for (let second = 0; second < 60; second++) await clock.advance(1_000);
    expect(await rows()).toHaveLength(limits.failureRowsPerMinuteMax + 1);
    flood();
    await log.close();
    const entries = await rows();
    expect(entries).toHaveLength(2 * (limits.failureRowsPerMinuteMax + 1));
    expect(entries.reduce((sum, { count }) => sum + count, 0)).toBe(10_000);
  });

  it('writes a wide flood in small transactions, and repeats only the rest if one of them fails', async () => {
    const { addLoginFailures } = MemoryAccounts.prototype;
    const sizes: number[] = [];
    store.addLoginFailures = async (failures, keep) => {
      sizes.push(failures.length);
      if (sizes.length === 3) throw new Error('database is locked');
      await addLoginFailures.call(store, failures, keep);
    };
    const users = 4 * limits.failureRowsPerWriteMax;
    for (let index = 0; index < users; index++) log.note(failure({ address: `2001:db8::${index.toString(16)}` }));
    await clock.advance(limits.failureWriteDelayMs);
    expect(sizes).toEqual([100, 100, 100]);
    await clock.advance(limits.failureWriteDelayMs);
    expect(sizes).toEqual([100, 100, 100, 100, 100]);
    expect((await rows()).map(({ count }) => count)).toEqual(Array.from({ length: users }, () => 1));
  });

  it('drops old rows with the first write of a minute, and not with each write', async () => {
    const { addLoginFailures } = MemoryAccounts.prototype;
    const kept: unknown[] = [];
    store.addLoginFailures = async (failures, keep) => {
      kept.push(keep?.rowsMax);
      await addLoginFailures.call(store, failures, keep);
    };
    log.note(failure());
    await clock.advance(limits.failuresKeptMs + 60_000);
    for (let second = 0; second < 2; second++) {
      log.note(failure({ username: 'bob' }));
      await clock.advance(limits.failureWriteDelayMs);
    }
    expect(kept).toEqual([limits.failureRowsMax, limits.failureRowsMax, undefined]);
    expect((await rows()).map(({ username }) => username)).toEqual(['bob']);
  });

  it('truncates the submitted names and removes their control characters', async () => {
    log.note(failure({ username: `\u009b31m${'x'.repeat(10_000)}`, account: undefined }));
    await log.close();
    const [{ username } = { username: '' }] = await rows();
    expect(username).toBe(`?31m${'x'.repeat(limits.failureUsernameCharsMax - 4)}`);
  });

  it('writes entries that arrive during a write', async () => {
    const { addLoginFailures } = MemoryAccounts.prototype;
    let isFirst = true;
    store.addLoginFailures = async (failures, keep) => {
      if (isFirst) log.note(failure({ username: 'late' }));
      isFirst = false;
      await settled();
      await addLoginFailures.call(store, failures, keep);
    };
    log.note(failure());
    await log.close();
    expect((await rows()).map(({ username }) => username).toSorted()).toEqual(['ann', 'late']);
  });
});
