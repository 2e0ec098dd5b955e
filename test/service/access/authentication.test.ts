import { beforeEach, describe, expect, it } from 'vitest';
import { PasswordHasher } from '../../../src/service/access/login/passwords.ts';
import type { CallReport, NewCredentials } from '../../../src/service/index.ts';
import { type Customers, callerOf, cheapScrypt, setUpCustomers } from '../../helpers/customers.ts';
import { hashesDuring } from '../../helpers/hashes.ts';
import { failureOf } from '../../helpers/memory-source.ts';

const shoes = { keyword: 'shoes' };
let customers: Customers;
beforeEach(async () => {
  customers = await setUpCustomers();
});

/** The error codes of both operations; undefined for a success. */
async function codesOf(credentials: Partial<NewCredentials>, address?: string): Promise<(string | undefined)[]> {
  const { service } = customers;
  const options = callerOf(credentials, address);
  const attempts = [service.serp(shoes, options), service.keywordData(shoes, options)];
  return (await Promise.allSettled(attempts)).map((end) => (end.status === 'rejected' ? end.reason.code : undefined));
}

describe('a caller with credentials', () => {
  it('that has expired gets CREDENTIALS_EXPIRED from keyword data only, and only with its password', async () => {
    const { accounts, ann, clock } = customers;
    await accounts.expireUser('ann', clock.now() + 1000);
    expect(await codesOf(ann)).toEqual([undefined, undefined]);
    await clock.advance(1000);
    expect(await codesOf(ann)).toEqual(['INVALID_API_KEY', 'CREDENTIALS_EXPIRED']);
    expect(await codesOf({ ...ann, password: 'x' })).toEqual(['INVALID_API_KEY', 'INVALID_CREDENTIALS']);
    await accounts.expireUser('ann', undefined);
    expect(await codesOf(ann)).toEqual([undefined, undefined]);
  });

  it('that was revoked is refused from the next request on, even if cached', async () => {
    const { accounts, ann, bob } = customers;
    expect(await codesOf(ann)).toEqual([undefined, undefined]);
    await accounts.revokeUser('ann');
    expect(await codesOf(ann)).toEqual(['INVALID_API_KEY', 'INVALID_CREDENTIALS']);
    expect(await codesOf(bob)).toEqual([undefined, undefined]);
  });

  it('from an address that is not on the whitelist is refused, and gets the reason only with its password', async () => {
    const { accounts, ann } = customers;
    await accounts.setWhitelist('acme', ['10.0.0.0/8']);
    expect(await codesOf(ann, '192.0.2.1')).toEqual(['INVALID_API_KEY', 'IP_NOT_WHITELISTED']);
    expect(await codesOf({ ...ann, password: 'x' }, '192.0.2.1')).toEqual(['INVALID_API_KEY', 'INVALID_CREDENTIALS']);
    expect(await codesOf(ann, '::ffff:10.1.2.3')).toEqual([undefined, undefined]);
    await accounts.setWhitelist('acme', []);
    expect(await codesOf(ann, '192.0.2.1')).toEqual([undefined, undefined]);
  });

  it('that is not authenticated gets the same response for every reason', async () => {
    const { accounts, service, ann, bob, clock } = customers;
    await accounts.expireUser('ann', clock.now());
    await accounts.revokeUser('bob');
    const rejected = [ann, bob, { username: 'eve', password: 'x' }, { username: 'bob', password: 'x' }];
    const messages = await Promise.all(
      rejected.map(async (caller) => (await failureOf(service.serp(shoes, callerOf(caller)))).message),
    );
    expect(new Set(messages).size).toBe(1);
  });

  it('is refused by a service without accounts', async () => {
    const { service } = await setUpCustomers({}, { accounts: undefined as never });
    expect((await failureOf(service.serp(shoes, callerOf({ username: 'a', password: 'b' })))).code).toBe(
      'INVALID_API_KEY',
    );
  });
});

describe('a password', () => {
  const chosen = 'correct-horse-battery';

  it('that we generated needs no slow hash, and a wrong one needs one for every username', async () => {
    const { service, ann } = customers;
    expect(await hashesDuring(() => service.serp(shoes, callerOf(ann)))).toBe(0);
    for (const username of ['ann', 'eve', 'x'.repeat(15_000)]) {
      const asked = () => failureOf(service.serp(shoes, callerOf({ username, password: `wrong of ${username}` })));
      expect(await hashesDuring(asked)).toBe(1);
    }
  });

  it('that a user chose is hashed again a minute after its last use', async () => {
    const { service, clock, accounts } = customers;
    const dan = await accounts.addUser('acme', { username: 'dan', password: chosen });
    const asked = () => hashesDuring(() => service.serp(shoes, callerOf(dan)));
    expect([await asked(), await asked()]).toEqual([1, 0]);
    for (let use = 0; use < 5; use++) {
      await clock.advance(59_999);
      expect(await asked()).toBe(0);
    }
    await clock.advance(60_000);
    expect([await asked(), await asked()]).toEqual([1, 0]);
  });

  it('that we generated before there were keys gets its HMAC hash at the next login, a chosen one never', async () => {
    const { service, accounts, store, ann } = customers;
    const dan = await accounts.addUser('acme', { username: 'dan', password: chosen });
    const slow = await new PasswordHasher(cheapScrypt).hash(ann.password);
    const hashOf = async (username: string) => (await store.findLogin(username))?.user.passwordHash ?? '';
    await store.replaceHash('ann', await hashOf('ann'), slow);
    await failureOf(service.serp(shoes, callerOf({ ...ann, password: 'x'.repeat(32) })));
    expect(await hashOf('ann')).toBe(slow);
    await service.serp(shoes, callerOf(ann));
    await service.serp(shoes, callerOf(dan));
    expect(await hashOf('ann')).toMatch(/^\$hmac-sha256\$/);
    expect(await hashOf('dan')).toMatch(/^\$scrypt\$/);
    expect(await hashesDuring(() => service.serp(shoes, callerOf(ann)))).toBe(0);
  });

  it('is verified with an older key, and hashed with the newest one from then on', async () => {
    const { service, store, ann } = customers;
    const keys = await store.loginKeys({ id: 'unused', secret: new Uint8Array(32), createdAt: 0 });
    store.loginKeys = async () => [{ id: 'newest', secret: new Uint8Array(32).fill(7), createdAt: 1 }, ...keys];
    await service.serp(shoes, callerOf(ann));
    expect((await store.findLogin('ann'))?.user.passwordHash).toMatch(/^\$hmac-sha256\$newest\$/);
    await service.serp(shoes, callerOf(ann));
  });

  it('is accepted even if its new hash cannot be stored', async () => {
    const { service, store, ann } = customers;
    const slow = await new PasswordHasher(cheapScrypt).hash(ann.password);
    await store.replaceHash('ann', (await store.findLogin('ann'))!.user.passwordHash, slow);
    store.replaceHash = () => Promise.reject(new Error('busy'));
    await service.serp(shoes, callerOf(ann));
  });
});

it('a verified password is worthless as soon as the user has another', async () => {
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

  it('of one username from one address are refused after ten, and are counted even if they arrive at once', async () => {
    const { service, accounts, ann, clock } = customers;
    const dan = await accounts.addUser('acme', { username: 'dan', password: 'correct-horse-battery' });
    const tries = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        failureOf(service.serp(shoes, callerOf(guess(`wrong ${index}`, 'dan')))),
      ),
    );
    expect(tries.filter(({ code }) => code === 'INVALID_API_KEY')).toHaveLength(10);
    const refused = await failureOf(service.keywordData(shoes, callerOf(dan)));
    expect(refused).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', status: 429, retryAfterMs: 6000 });
    await service.serp(shoes, callerOf(dan, '198.51.100.7'));
    await service.serp(shoes, callerOf(ann));
    await clock.advance(6000);
    await service.serp(shoes, callerOf(dan));
  });

  it('never block a correct password that we generated, in any number and from any address', async () => {
    const { service, ann, bob } = customers;
    let refused = 0;
    const login = async (credentials: NewCredentials, address: string) => {
      await service.serp(shoes, callerOf(credentials, address)).catch(() => refused++);
    };
    const guesses = Array.from({ length: 1500 }, (_, index) =>
      failureOf(service.serp(shoes, callerOf(guess(`wrong ${index}`), `2001:db8:7:${(index % 150).toString(16)}::1`))),
    );
    await Promise.all([login(ann, '192.0.2.1'), login(ann, '2001:db8:7:1::1'), login(bob, '2001:db8:7:1::1')]);
    await Promise.all(guesses);
    await Promise.all([login(ann, '192.0.2.1'), login(ann, '2001:db8:7:1::1'), login(bob, '2001:db8:7:1::1')]);
    expect(refused).toBe(0);
  });

  it('from 150 connections of one /48 network at once never block a correct chosen password from elsewhere', async () => {
    const { service, accounts } = customers;
    const dan = await accounts.addUser('acme', { username: 'dan', password: 'correct-horse-battery' });
    const guesses = Array.from({ length: 1500 }, (_, index) =>
      failureOf(
        service.serp(shoes, callerOf(guess(`wrong ${index}`, 'dan'), `2001:db8:7:${(index % 150).toString(16)}::1`)),
      ),
    );
    await service.serp(shoes, callerOf(dan, '192.0.2.1'));
    const codes = new Set((await Promise.all(guesses)).map(({ code }) => code));
    expect(codes).toEqual(new Set(['INVALID_API_KEY', 'RATE_LIMIT_EXCEEDED']));
  });

  it('of names that are too long to exist share one count', async () => {
    const { service } = customers;
    const long = 'x'.repeat(65);
    for (let index = 0; index < 10; index++) {
      await failureOf(service.serp(shoes, callerOf(guess('x', `${long}${index}`))));
    }
    expect((await failureOf(service.serp(shoes, callerOf(guess('x', `${long}new`))))).code).toBe('RATE_LIMIT_EXCEEDED');
  });

  it('of one address, or of one /64 network, are refused after thirty, for any usernames', async () => {
    const { service, accounts } = customers;
    const bob = await accounts.addUser('acme', { username: 'dan', password: 'correct-horse-battery' });
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

  it('do not count successes or requests without credentials', async () => {
    const { service, accounts } = customers;
    for (let index = 0; index < 35; index++) {
      const user = await accounts.addUser('acme', { password: `correct-horse-${index}` });
      await service.serp(shoes, callerOf(user));
      expect((await failureOf(service.serp(shoes, callerOf({})))).code).toBe('INVALID_API_KEY');
    }
  });
});
