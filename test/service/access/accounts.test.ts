import { beforeEach, describe, expect, it } from 'vitest';
import { PasswordHasher } from '../../../src/service/access/login/passwords.ts';
import { AccountError, Accounts } from '../../../src/service/index.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { MemoryAccounts } from '../../helpers/memory-accounts.ts';

const cheap = { logN: 4, r: 8, p: 1 };
const some = { serpCredits: 100, microUsd: 5_000_000 };
let store: MemoryAccounts;
let clock: FakeClock;
let accounts: Accounts;
beforeEach(() => {
  store = new MemoryAccounts();
  clock = new FakeClock();
  accounts = new Accounts(store, clock, cheap);
});

describe('an account', () => {
  it('begins with its credits, accepts top-ups and withdrawals, and lists every step on its statement', async () => {
    expect(await accounts.create('acme', some)).toMatchObject({ name: 'acme', ...some, whitelist: [] });
    expect(await accounts.credit('acme', { serpCredits: 5, microUsd: 0 }, 'invoice 7')).toMatchObject({
      serpCredits: 105,
    });
    expect(await accounts.credit('acme', { serpCredits: -105, microUsd: 0 })).toMatchObject({ serpCredits: 0 });
    const entries = await accounts.statement('acme');
    expect(entries.map(({ kind, serpCredits }) => [kind, serpCredits])).toEqual([
      ['top-up', 100],
      ['top-up', 5],
      ['withdrawal', -105],
    ]);
    expect((await accounts.list()).map(({ name }) => name)).toEqual(['acme']);
  });

  it('with invalid data is refused with the remedy', async () => {
    await accounts.create('acme', some);
    const mistakes = [
      accounts.create('acme', some),
      accounts.create('', some),
      accounts.create('../etc', some),
      accounts.create('a b', some),
      accounts.create('fine', { serpCredits: -1, microUsd: 0 }),
      accounts.create('fine', { serpCredits: 0.5, microUsd: 0 }),
      accounts.create('fine', { serpCredits: 0, microUsd: Number.NaN }),
      accounts.credit('acme', { serpCredits: -101, microUsd: 0 }),
      accounts.credit('nobody', some),
      accounts.setWhitelist('acme', ['10.1.2.3/8']),
      accounts.setWhitelist('nobody', []),
      accounts.statement('nobody'),
      accounts.addUser('nobody'),
      accounts.addUser('acme', { username: 'a:b' }),
      accounts.expireUser('nobody', 0),
      accounts.revokeUser('nobody'),
      accounts.listUsers('nobody'),
    ];
    for (const mistake of await Promise.allSettled(mistakes)) {
      const { reason } = mistake as PromiseRejectedResult;
      expect(reason).toBeInstanceOf(AccountError);
      expect(reason.hint).not.toBe('');
    }
    expect((await accounts.find('acme')).whitelist).toEqual([]);
  });

  it('has a whitelist of canonical rules, each once', async () => {
    await accounts.create('acme', some);
    expect(await accounts.setWhitelist('acme', ['10.0.0.0/8', '::ffff:10.0.0.0/104', '2001:DB8::1'])).toEqual([
      '10.0.0.0/8',
      '2001:db8::1/128',
    ]);
  });
});

describe('an API user', () => {
  it('gets its password once: only a hash is stored, and no list shows it', async () => {
    await accounts.create('acme', some);
    const { username, password } = await accounts.addUser('acme');
    const named = await accounts.addUser('acme', { username: 'ann', expiresAt: clock.now() + 5 });
    expect(password).toMatch(/^[\w-]{32}$/);
    expect(username).toMatch(/^api-[0-9a-f]{20}$/);
    expect(named.username).toBe('ann');
    expect(named.password).not.toBe(password);
    const stored = (await store.findLogin(username))!.user.passwordHash;
    expect(stored).toMatch(/^\$hmac-sha256\$[\w-]{8}\$[\w-]{43}$/);
    expect(stored).not.toContain(password);
    const listed = JSON.stringify(await accounts.listUsers('acme'));
    expect(listed).not.toContain('hmac');
    expect((await accounts.listUsers()).map((user) => user.username)).toEqual(['ann', username]);
    await expect(accounts.addUser('acme', { username: 'ann' })).rejects.toThrow('already');
  });

  it('never loses its expiry to a moment that is not a whole number of milliseconds', async () => {
    await accounts.create('acme', some);
    const expiresAt = clock.now() + 5;
    await accounts.addUser('acme', { username: 'ann', expiresAt });
    const seconds = Math.floor(expiresAt / 1000);
    for (const moment of [Date.parse('tomorrow'), Number.POSITIVE_INFINITY, 0.5, seconds]) {
      await expect(accounts.addUser('acme', { expiresAt: moment })).rejects.toThrow('moment in UTC milliseconds');
      await expect(accounts.expireUser('ann', moment)).rejects.toThrow('moment in UTC milliseconds');
      if (moment !== seconds)
        await expect(accounts.invite('acme', moment)).rejects.toThrow('moment in UTC milliseconds');
    }
    expect(await accounts.listUsers('acme')).toMatchObject([{ username: 'ann', expiresAt }]);
  });

  it('may have a password that its owner chose, which is hashed slowly', async () => {
    await accounts.create('acme', some);
    const chosen = 'correct-horse-battery';
    expect(await accounts.addUser('acme', { username: 'ann', password: chosen })).toMatchObject({ password: chosen });
    expect((await store.findLogin('ann'))?.user.passwordHash).toMatch(/^\$scrypt\$ln=4,r=8,p=1\$/);
    for (const password of ['short', 'x'.repeat(129), 'with a space in it', 'h\u00e9-not-ascii-letters']) {
      await expect(accounts.addUser('acme', { username: 'bob', password })).rejects.toThrow('cannot be used');
    }
  });
});

describe('a password', () => {
  const hasher = new PasswordHasher(cheap);

  it('is verified against its own hash only, at any cost setting', async () => {
    const stored = await new PasswordHasher({ logN: 5, r: 4, p: 2 }).hash('secret');
    expect(await hasher.verify('secret', stored)).toBe(true);
    expect(await hasher.verify('Secret', stored)).toBe(false);
    expect(await hasher.verify('secret', undefined)).toBe(false);
    expect(await hasher.hash('secret')).not.toBe(await hasher.hash('secret'));
  });

  it('matches no hash that is broken or expensive enough to block the machine', async () => {
    const [, , , salt, hash] = (await hasher.hash('secret')).split('$');
    for (const broken of ['', 'secret', `$scrypt$ln=30,r=8,p=1$${salt}$${hash}`, `$scrypt$ln=4,r=8,p=1$${salt}$AAAA`]) {
      expect(await hasher.verify('secret', broken)).toBe(false);
    }
  });

  it('waits for its turn; if too many wait, those of the network with the most waiting are refused', async () => {
    const verify = (network: string) => hasher.verify('secret', undefined, { network });
    const many = Array.from({ length: 1200 }, () => verify('192.0.2.0'));
    const few = Array.from({ length: 3 }, () => verify('198.51.100.0'));
    const refused = (await Promise.allSettled(many)).filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(1200 + 2 - 1 - 1024);
    expect((refused[0] as PromiseRejectedResult).reason).toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
      retryAfterMs: 1000,
    });
    expect(await Promise.all(few)).toEqual([false, false, false]);
  });

  it('waits for one hash only if it is known, however many networks guess, and leaves the queue with its signal', async () => {
    const one = new PasswordHasher(cheap, 1);
    const done: string[] = [];
    const verify = (name: string, turn: object) =>
      one.verify('secret', undefined, turn).then(
        () => done.push(name),
        (error: unknown) => done.push(`${name}: ${String(error)}`),
      );
    const stop = new AbortController();
    const guesses = Array.from({ length: 50 }, (_, network) => verify('guess', { network: `${network}` }));
    const left = verify('left', { network: 'left', signal: stop.signal });
    const known = [verify('known', { known: 'device a' }), verify('known', { known: 'device b' })];
    stop.abort('hung up');
    await Promise.all(known);
    expect(done[0]).toBe('left: hung up');
    expect(done.indexOf('known')).toBeLessThan(4);
    expect(done.lastIndexOf('known')).toBeLessThan(7);
    await Promise.all([...guesses, left]);
  });
});
