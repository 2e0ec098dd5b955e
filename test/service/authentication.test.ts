import { beforeEach, describe, expect, it } from 'vitest';
import type { CallReport, NewCredentials } from '../../src/service/index.ts';
import { type Customers, callerOf, setUpCustomers } from '../helpers/customers.ts';
import { hashesDuring } from '../helpers/hashes.ts';
import { failureOf } from '../helpers/memory-source.ts';

const shoes = { keyword: 'shoes' };
let customers: Customers;
beforeEach(async () => {
  customers = await setUpCustomers();
});

/** The codes that both operations answer with; undefined where they serve. */
async function codesOf(credentials: Partial<NewCredentials>, address?: string): Promise<(string | undefined)[]> {
  const { service } = customers;
  const options = callerOf(credentials, address);
  const attempts = [service.serp(shoes, options), service.keywordData(shoes, options)];
  return (await Promise.allSettled(attempts)).map((end) => (end.status === 'rejected' ? end.reason.code : undefined));
}

describe('a caller with credentials', () => {
  it('is served, and its account pays', async () => {
    const { service, ann, accounts } = customers;
    await service.serp({ ...shoes, end_page: 3 }, callerOf(ann));
    await service.keywordData(shoes, callerOf(ann));
    expect(await accounts.find('acme')).toMatchObject({ serpCredits: 97, microUsd: 990_000 });
    const [, charge] = await accounts.statement('acme');
    expect(charge).toMatchObject({ kind: 'charge', operation: 'serp', username: 'ann', serpCredits: -3 });
  });

  it.each([
    ['without a username', { password: 'x' }, ['INVALID_API_KEY', 'INVALID_API_KEY']],
    ['without a password', { username: 'ann' }, ['INVALID_API_KEY', 'INVALID_API_KEY']],
    ['with an empty password', { username: 'ann', password: '' }, ['INVALID_API_KEY', 'INVALID_API_KEY']],
    ['who is nobody', { username: 'eve', password: 'x' }, ['INVALID_API_KEY', 'INVALID_CREDENTIALS']],
    [
      'who is named like an object',
      { username: '__proto__', password: 'x' },
      ['INVALID_API_KEY', 'INVALID_CREDENTIALS'],
    ],
    ['with a wrong password', { username: 'ann', password: 'x' }, ['INVALID_API_KEY', 'INVALID_CREDENTIALS']],
  ])('%s is refused', async (_, credentials, codes) => {
    expect(await codesOf(credentials)).toEqual(codes);
    expect(customers.source.asked).toEqual([]);
  });

  it('that has expired is told so by keyword data only, and only with its password', async () => {
    const { accounts, ann, clock } = customers;
    await accounts.expireUser('ann', clock.now() + 1000);
    expect(await codesOf(ann)).toEqual([undefined, undefined]);
    await clock.advance(1000);
    expect(await codesOf(ann)).toEqual(['INVALID_API_KEY', 'CREDENTIALS_EXPIRED']);
    expect(await codesOf({ ...ann, password: 'x' })).toEqual(['INVALID_API_KEY', 'INVALID_CREDENTIALS']);
    await accounts.expireUser('ann', undefined);
    expect(await codesOf(ann)).toEqual([undefined, undefined]);
  });

  it('that was revoked is refused from the next request on, however well it was known', async () => {
    const { accounts, ann, bob } = customers;
    expect(await codesOf(ann)).toEqual([undefined, undefined]);
    await accounts.revokeUser('ann');
    expect(await codesOf(ann)).toEqual(['INVALID_API_KEY', 'INVALID_CREDENTIALS']);
    expect(await codesOf(bob)).toEqual([undefined, undefined]);
  });

  it('from an address that is not on the whitelist is refused, and told why only with its password', async () => {
    const { accounts, ann } = customers;
    await accounts.setWhitelist('acme', ['10.0.0.0/8']);
    expect(await codesOf(ann, '192.0.2.1')).toEqual(['INVALID_API_KEY', 'IP_NOT_WHITELISTED']);
    expect(await codesOf({ ...ann, password: 'x' }, '192.0.2.1')).toEqual(['INVALID_API_KEY', 'INVALID_CREDENTIALS']);
    expect(await codesOf(ann, '::ffff:10.1.2.3')).toEqual([undefined, undefined]);
    await accounts.setWhitelist('acme', []);
    expect(await codesOf(ann, '192.0.2.1')).toEqual([undefined, undefined]);
  });

  it('is told one and the same, whoever it is not', async () => {
    const { accounts, service, ann, bob, clock } = customers;
    await accounts.expireUser('ann', clock.now());
    await accounts.revokeUser('bob');
    const strangers = [ann, bob, { username: 'eve', password: 'x' }, { username: 'bob', password: 'x' }];
    const messages = await Promise.all(
      strangers.map(async (stranger) => (await failureOf(service.serp(shoes, callerOf(stranger)))).message),
    );
    expect(new Set(messages).size).toBe(1);
  });

  it('learns nothing about its body before it is known', async () => {
    const { service } = customers;
    const failure = await failureOf(service.serp({ keyword: '' }, callerOf({ username: 'eve', password: 'x' })));
    expect(failure.code).toBe('INVALID_API_KEY');
  });

  it('is refused by a service that has no accounts', async () => {
    const { service } = await setUpCustomers({}, { accounts: undefined as never });
    expect((await failureOf(service.serp(shoes, callerOf({ username: 'a', password: 'b' })))).code).toBe(
      'INVALID_API_KEY',
    );
  });
});

it('a verified password is hashed once a minute', async () => {
  const { service, clock, ann } = customers;
  const asked = () => hashesDuring(() => service.serp(shoes, callerOf(ann)));
  expect([await asked(), await asked(), await asked()]).toEqual([1, 0, 0]);
  await clock.advance(59_999);
  expect(await asked()).toBe(0);
  await clock.advance(1);
  expect([await asked(), await asked()]).toEqual([1, 0]);
});

it('a verified password is worthless from the moment on in which the user has another', async () => {
  const { service, store, ann, bob } = customers;
  await service.serp(shoes, callerOf(ann));
  const { passwordHash } = (await store.findLogin(bob.username))!.user;
  const findLogin = store.findLogin.bind(store);
  store.findLogin = async (username) => {
    const login = await findLogin(username);
    return login && { ...login, user: { ...login.user, passwordHash, version: login.user.version + 1 } };
  };
  expect(await codesOf(ann)).toEqual(['INVALID_API_KEY', 'INVALID_CREDENTIALS']);
  await service.serp(shoes, callerOf({ ...ann, password: bob.password }));
});

describe('failed logins', () => {
  const guess = (password: string, username = 'ann') => ({ username, password });

  it('of one username are refused after ten, right or wrong, and are counted although they come at once', async () => {
    const { service, ann, clock } = customers;
    const tries = await Promise.all(
      Array.from({ length: 12 }, (_, index) => failureOf(service.serp(shoes, callerOf(guess(`wrong ${index}`))))),
    );
    expect(tries.filter(({ code }) => code === 'INVALID_API_KEY')).toHaveLength(10);
    const refused = await failureOf(service.keywordData(shoes, callerOf(ann)));
    expect(refused).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', status: 429, retryAfterMs: 6000 });
    await clock.advance(6000);
    await service.serp(shoes, callerOf(ann));
  });

  it('lock nobody out who is known already', async () => {
    const { service, ann } = customers;
    await service.serp(shoes, callerOf(ann));
    for (let index = 0; index < 12; index++) await failureOf(service.serp(shoes, callerOf(guess(`wrong ${index}`))));
    await service.serp(shoes, callerOf(ann));
  });

  it('of one address, or of one /64 network, are refused after thirty, whoever is guessed', async () => {
    const { service, bob } = customers;
    for (let index = 0; index < 30; index++) {
      const address = `2001:db8:0:7::${index.toString(16)}`;
      await failureOf(service.serp(shoes, callerOf(guess('x', `user${index}`), address)));
    }
    const reports: CallReport[] = [];
    const options = {
      ...callerOf(bob, '2001:db8:0:7:ffff::1'),
      onReport: (report: CallReport) => reports.push(report),
    };
    expect((await failureOf(service.serp(shoes, options))).code).toBe('RATE_LIMIT_EXCEEDED');
    expect(reports).toMatchObject([{ rate: { name: 'logins', count: 30, remaining: 0, resetMs: 2000 } }]);
    await service.serp(shoes, callerOf(bob, '2001:db8:0:8::1'));
  });

  it('do not count successes, nor requests without credentials', async () => {
    const { service, accounts } = customers;
    for (let index = 0; index < 35; index++) {
      const user = await accounts.addUser('acme');
      await service.serp(shoes, callerOf(user));
      await failureOf(service.serp(shoes, callerOf({})));
    }
  });
});
