// The contract of every account store, as a suite that each implementation runs.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type {
  Account,
  AccountLogRange,
  AccountStore,
  AdminAction,
  ApiUser,
  IdempotencyCompletion,
  LoginFailures,
  NewCharge,
  NewIdempotency,
  Price,
} from '../../src/service/index.ts';

export interface OpenedStores {
  /** One store, or several connections to the same data: the suite distributes its work over them. */
  readonly stores: readonly AccountStore[];
  close(): Promise<void>;
}

const at = Date.UTC(2026, 0, 15, 6);
const dayMs = 86_400_000;
const bytes = (text: string) => new TextEncoder().encode(text);

export function account(name: string, changes: Partial<Account> = {}): Account {
  return { name, serpCredits: 0, microUsd: 0, whitelist: [], createdAt: at, ...changes };
}

export function apiUser(username: string, account: string, changes: Partial<ApiUser> = {}): ApiUser {
  const passwordHash = `hash of ${username}`;
  return {
    username,
    account,
    passwordHash,
    createdAt: at,
    expiresAt: undefined,
    revokedAt: undefined,
    version: 1,
    ...changes,
  };
}

export function accountStoreContract(name: string, open: () => Promise<OpenedStores>): void {
  describe(`the account store ${name}`, () => {
    let opened: OpenedStores;
    let store: AccountStore;
    beforeEach(async () => {
      opened = await open();
      store = opened.stores[0]!;
    });
    afterEach(() => opened.close());

    const nth = (index: number): AccountStore => opened.stores[index % opened.stores.length]!;
    const balance = async (name: string): Promise<Price> => {
      const { serpCredits, microUsd } = (await store.findAccount(name))!;
      return { serpCredits, microUsd };
    };
    const charge = (name: string, price: Partial<Price>, changes: Partial<NewCharge> = {}): NewCharge => ({
      account: name,
      username: 'ann',
      requestId: 'request-1',
      operation: 'serp',
      price: { serpCredits: 0, microUsd: 0, ...price },
      owner: 'process-1',
      at,
      ...changes,
    });
    const charged = async (made: NewCharge): Promise<number> => {
      const result = await store.charge(made);
      if (result.status !== 'charged') throw new Error(result.status);
      return result.chargeId;
    };

    describe('accounts', () => {
      it('are found by exact name and listed by name', async () => {
        for (const each of ['zeta', '__proto__', 'Acme', 'acme']) {
          expect(await store.createAccount(account(each, { serpCredits: 3 }))).toBe(true);
        }
        expect(await store.findAccount('__proto__')).toEqual(account('__proto__', { serpCredits: 3 }));
        expect((await store.listAccounts()).map((each) => each.name)).toEqual(['Acme', '__proto__', 'acme', 'zeta']);
        expect(await store.findAccount('ACME')).toBeUndefined();
        expect(await store.findAccount('constructor')).toBeUndefined();
      });

      it('are created once: a second account of the same name changes nothing', async () => {
        await store.createAccount(account('acme', { serpCredits: 3 }));
        expect(await store.createAccount(account('acme', { serpCredits: 9 }))).toBe(false);
        expect(await balance('acme')).toEqual({ serpCredits: 3, microUsd: 0 });
        expect(await store.statement('acme')).toHaveLength(1);
      });

      it('have a whitelist that is replaced as a whole', async () => {
        await store.createAccount(account('acme', { whitelist: ['10.0.0.0/8'] }));
        expect(await store.setWhitelist('acme', ['2001:db8::/32', '192.0.2.1/32'])).toBe(true);
        expect((await store.findAccount('acme'))?.whitelist).toEqual(['2001:db8::/32', '192.0.2.1/32']);
        expect(await store.setWhitelist('acme', [])).toBe(true);
        expect((await store.findAccount('acme'))?.whitelist).toEqual([]);
        expect(await store.setWhitelist('nobody', [])).toBe(false);
      });

      it('accept top-ups and withdrawals, and never fall below zero', async () => {
        await store.createAccount(account('acme'));
        const change = (serpCredits: number, microUsd: number) =>
          store.changeBalance({ account: 'acme', change: { serpCredits, microUsd }, note: 'invoice 7', at });
        expect(await change(10, 500)).toEqual({ status: 'changed', balance: { serpCredits: 10, microUsd: 500 } });
        expect(await change(-4, 0)).toEqual({ status: 'changed', balance: { serpCredits: 6, microUsd: 500 } });
        expect(await change(-7, 9)).toEqual({ status: 'insufficient', balance: { serpCredits: 6, microUsd: 500 } });
        expect(await balance('acme')).toEqual({ serpCredits: 6, microUsd: 500 });
        const unknown = { account: 'nobody', change: { serpCredits: 1, microUsd: 0 }, note: undefined, at };
        expect(await store.changeBalance(unknown)).toEqual({ status: 'unknown-account' });
        const entries = await store.statement('acme');
        expect(entries.map(({ kind, serpCredits, note }) => [kind, serpCredits, note])).toEqual([
          ['top-up', 10, 'invoice 7'],
          ['withdrawal', -4, 'invoice 7'],
        ]);
      });

      it('hold amounts far beyond 32 bits', async () => {
        const much = { serpCredits: 5_000_000_000, microUsd: 9_000_000_000_000 };
        await store.createAccount(account('acme', much));
        await store.charge(charge('acme', { microUsd: 1 }));
        expect(await balance('acme')).toEqual({ serpCredits: 5_000_000_000, microUsd: 8_999_999_999_999 });
      });
    });

    describe('API users', () => {
      beforeEach(async () => {
        await store.createAccount(account('acme', { serpCredits: 1 }));
        await store.createAccount(account('globex'));
      });

      it('belong to an account, have unique names, and are listed by name', async () => {
        expect(await store.createUser(apiUser('zoe', 'acme'))).toBe('created');
        expect(await store.createUser(apiUser('ann', 'acme', { expiresAt: at + 5 }))).toBe('created');
        expect(await store.createUser(apiUser('constructor', 'globex'))).toBe('created');
        expect(await store.createUser(apiUser('ann', 'globex'))).toBe('username-taken');
        expect(await store.createUser(apiUser('bob', 'nobody'))).toBe('unknown-account');
        expect(await store.listUsers('acme')).toEqual([
          apiUser('ann', 'acme', { expiresAt: at + 5 }),
          apiUser('zoe', 'acme'),
        ]);
        expect((await store.listUsers()).map(({ username }) => username)).toEqual(['ann', 'constructor', 'zoe']);
      });

      it('are found with the current whitelist of their account', async () => {
        await store.createUser(apiUser('ann', 'acme'));
        await store.setWhitelist('acme', ['10.0.0.0/8']);
        await nth(1).charge(charge('acme', { serpCredits: 1 }));
        expect(await store.findLogin('ann')).toEqual({
          user: apiUser('ann', 'acme'),
          whitelist: ['10.0.0.0/8'],
        });
        expect(await store.findLogin('Ann')).toBeUndefined();
        expect(await store.findLogin('__proto__')).toBeUndefined();
      });

      it('expire and are revoked at once, and every change makes a new version', async () => {
        await store.createUser(apiUser('ann', 'acme'));
        const user = async () => (await nth(1).findLogin('ann'))?.user;
        expect(await store.expireUser('ann', at + 7)).toBe(true);
        expect(await user()).toEqual(apiUser('ann', 'acme', { expiresAt: at + 7, version: 2 }));
        expect(await store.expireUser('ann', undefined)).toBe(true);
        expect(await user()).toEqual(apiUser('ann', 'acme', { version: 3 }));
        expect(await store.revokeUser('ann', at + 8)).toBe(true);
        expect(await user()).toEqual(apiUser('ann', 'acme', { revokedAt: at + 8, version: 4 }));
        expect(await store.revokeUser('ann', at + 9)).toBe(true);
        expect((await user())?.revokedAt).toBe(at + 8);
        expect(await store.expireUser('bob', at)).toBe(false);
        expect(await store.revokeUser('bob', at)).toBe(false);
      });
    });

    describe('login keys', () => {
      const key = (id: string) => ({ id, secret: bytes(`secret of ${id}`), createdAt: at });

      it('are created when first needed: if several processes create one at once, all use the same key', async () => {
        const answers = await Promise.all(['a', 'b', 'c', 'd'].map((id, index) => nth(index).loginKeys(key(id))));
        const ids = answers.map((keys) => keys.map(({ id }) => id));
        expect(ids).toEqual(Array.from({ length: 4 }, () => [ids[0]?.[0]]));
        const [kept] = await nth(1).loginKeys(key('e'));
        expect(Buffer.from(kept!.secret).toString()).toBe(`secret of ${kept!.id}`);
      });

      it('allow a hash to be replaced by another hash of the same password, without a new version', async () => {
        await store.createAccount(account('acme'));
        await store.createUser(apiUser('ann', 'acme'));
        expect(await store.replaceHash('ann', 'another hash', 'new')).toBe(false);
        expect(await store.replaceHash('eve', 'hash of ann', 'new')).toBe(false);
        expect(await store.replaceHash('ann', 'hash of ann', 'new')).toBe(true);
        expect((await nth(1).findLogin('ann'))?.user).toEqual(apiUser('ann', 'acme', { passwordHash: 'new' }));
      });
    });

    describe('charges', () => {
      beforeEach(async () => {
        await store.createAccount(account('acme', { serpCredits: 10, microUsd: 60_000 }));
      });

      it('take the price at once, and settlement refunds what was not used', async () => {
        const result = await store.charge(charge('acme', { microUsd: 60_000 }, { operation: 'keyword-data' }));
        expect(result).toMatchObject({ status: 'charged', balance: { serpCredits: 10, microUsd: 0 } });
        const { chargeId } = result as { chargeId: number };
        const used = { serpCredits: 0, microUsd: 10_000 };
        expect(await store.settle({ chargeId, used, at: at + 1 })).toEqual({ serpCredits: 10, microUsd: 50_000 });
        expect(await balance('acme')).toEqual({ serpCredits: 10, microUsd: 50_000 });
      });

      it('above the balance take nothing, in either currency', async () => {
        const insufficient = { status: 'insufficient', balance: { serpCredits: 10, microUsd: 60_000 } };
        expect(await store.charge(charge('acme', { serpCredits: 11 }))).toEqual(insufficient);
        expect(await store.charge(charge('acme', { serpCredits: 1, microUsd: 60_001 }))).toEqual(insufficient);
        expect(await store.charge(charge('nobody', { serpCredits: 1 }))).toEqual({ status: 'unknown-account' });
        expect(await balance('acme')).toEqual({ serpCredits: 10, microUsd: 60_000 });
        expect(await store.statement('acme')).toHaveLength(1);
      });

      it('of a user stop at its daily cap in each currency, even if the account has more', async () => {
        await store.createUser(apiUser('ann', 'acme', { dailyCap: { serpCredits: 3 } }));
        const spend = (serpCredits: number, changes: Partial<NewCharge> = {}) =>
          nth(1).charge(charge('acme', { serpCredits }, changes));
        expect((await spend(2)).status).toBe('charged');
        expect(await spend(2)).toEqual({ status: 'capped' });
        expect((await spend(1)).status).toBe('charged');
        expect((await spend(2, { username: 'bob' })).status).toBe('charged');
        expect((await spend(2, { username: undefined })).status).toBe('charged');
        expect((await store.charge(charge('acme', { microUsd: 5 }))).status).toBe('charged');
        expect((await spend(3, { at: at + dayMs })).status).toBe('charged');
        expect(await balance('acme')).toEqual({ serpCredits: 0, microUsd: 59_995 });
        expect((await store.findLogin('ann'))?.user.dailyCap).toEqual({ serpCredits: 3 });
      });

      it('that are refunded do not count towards a cap, and a cap can be set and removed', async () => {
        await store.createUser(apiUser('ann', 'acme'));
        expect(await store.capUser('ann', { serpCredits: 2, microUsd: 10 })).toBe(true);
        expect(await store.capUser('eve', undefined)).toBe(false);
        const chargeId = await charged(charge('acme', { serpCredits: 2 }));
        expect((await store.charge(charge('acme', { microUsd: 11 }))).status).toBe('capped');
        await store.settle({ chargeId, used: { serpCredits: 1, microUsd: 0 }, at });
        expect((await store.charge(charge('acme', { serpCredits: 1 }))).status).toBe('charged');
        expect((await store.charge(charge('acme', { serpCredits: 1 }))).status).toBe('capped');
        expect(await nth(1).capUser('ann', undefined)).toBe(true);
        expect((await store.charge(charge('acme', { serpCredits: 1 }))).status).toBe('charged');
        expect((await store.findLogin('ann'))?.user).toEqual(apiUser('ann', 'acme', { version: 3 }));
      });

      it('add up to the usage of an account, by day and user', async () => {
        await charged(charge('acme', { serpCredits: 2 }));
        const refunded = await charged(charge('acme', { serpCredits: 3 }));
        await store.settle({ chargeId: refunded, used: { serpCredits: 0, microUsd: 0 }, at });
        const settled = await charged(charge('acme', { microUsd: 60_000 }, { operation: 'keyword-data' }));
        await store.settle({ chargeId: settled, used: { serpCredits: 0, microUsd: 10_000 }, at });
        await charged(charge('acme', { serpCredits: 1 }, { username: 'bob' }));
        await charged(charge('acme', { serpCredits: 1 }, { username: undefined, at: at + dayMs }));
        const [today, tomorrow] = ['2026-01-15', '2026-01-16'];
        expect(await nth(1).usage('acme', at - (at % dayMs))).toEqual([
          { date: tomorrow, username: undefined, requests: 1, serpCredits: 1, microUsd: 0 },
          { date: today, username: 'ann', requests: 2, serpCredits: 2, microUsd: 10_000 },
          { date: today, username: 'bob', requests: 1, serpCredits: 1, microUsd: 0 },
        ]);
        expect(await store.usage('acme', at - (at % dayMs) + dayMs)).toHaveLength(1);
        expect(await store.usage('globex', 0)).toEqual([]);
      });

      it('of a hundred concurrent callers never take more than the balance', async () => {
        const results = await Promise.all(
          Array.from({ length: 100 }, (_, index) => nth(index).charge(charge('acme', { serpCredits: 3 }))),
        );
        expect(results.filter(({ status }) => status === 'charged')).toHaveLength(3);
        expect(await balance('acme')).toEqual({ serpCredits: 1, microUsd: 60_000 });
        const ids = results.flatMap((result) => (result.status === 'charged' ? [result.chargeId] : []));
        expect(new Set(ids).size).toBe(3);
      });

      it('close once: a second settlement refunds only a lower price and never takes more', async () => {
        const chargeId = await charged(charge('acme', { serpCredits: 5 }));
        const settle = (serpCredits: number) =>
          store.settle({ chargeId, used: { serpCredits, microUsd: 0 }, at: at + 1 });
        expect(await settle(3)).toMatchObject({ serpCredits: 7 });
        expect(await settle(3)).toMatchObject({ serpCredits: 7 });
        await expect(settle(4)).rejects.toThrow();
        expect(await settle(0)).toMatchObject({ serpCredits: 10 });
        expect(await settle(0)).toMatchObject({ serpCredits: 10 });
        await expect(store.settle({ chargeId: 987_654, used: charge('', {}).price, at })).rejects.toThrow();
      });

      it('are explained line by line: the amounts of a statement sum to its balance', async () => {
        const first = await charged(charge('acme', { serpCredits: 2 }, { requestId: 'r1' }));
        const second = await charged(
          charge('acme', { microUsd: 60_000 }, { requestId: 'r2', operation: 'keyword-data', username: undefined }),
        );
        const third = await charged(charge('acme', { serpCredits: 4 }, { requestId: 'r3' }));
        await store.settle({ chargeId: first, used: { serpCredits: 2, microUsd: 0 }, at: at + 1 });
        await store.settle({ chargeId: second, used: { serpCredits: 0, microUsd: 10_000 }, at: at + 2 });
        await store.settle({ chargeId: third, used: { serpCredits: 0, microUsd: 0 }, at: at + 3 });
        const entries = await store.statement('acme');
        const rows = entries.map((entry) => [
          entry.kind,
          entry.requestId,
          entry.operation,
          entry.username,
          entry.serpCredits,
          entry.microUsd,
          entry.at - at,
        ]);
        expect(rows).toEqual([
          ['top-up', undefined, undefined, undefined, 10, 60_000, 0],
          ['charge', 'r1', 'serp', 'ann', -2, 0, 0],
          ['charge', 'r2', 'keyword-data', undefined, 0, -60_000, 0],
          ['charge', 'r3', 'serp', 'ann', -4, 0, 0],
          ['settle', 'r2', 'keyword-data', undefined, 0, 50_000, 2],
          ['refund', 'r3', 'serp', 'ann', 4, 0, 3],
        ]);
        expect(entries.map((entry) => entry.chargeId)).toEqual([undefined, first, second, third, second, third]);
        let [serpCredits, microUsd] = [0, 0];
        for (const entry of entries) {
          serpCredits += entry.serpCredits;
          microUsd += entry.microUsd;
          expect(entry.balance).toEqual({ serpCredits, microUsd });
        }
        expect(await balance('acme')).toEqual({ serpCredits, microUsd });
        const ids = entries.map(({ id }) => id);
        expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
        expect(await store.statement('acme', { afterId: ids[1]!, limit: 2 })).toEqual(entries.slice(2, 4));
        expect(await store.statement('globex')).toEqual([]);
      });

      it('of a dead process are refunded, and those of a live process are not', async () => {
        await charged(charge('acme', { serpCredits: 1 }, { owner: 'dead', at: at - 50 }));
        await charged(charge('acme', { serpCredits: 2 }, { owner: 'dead', at: at - 10 }));
        await charged(charge('acme', { serpCredits: 3 }, { owner: 'living' }));
        const closed = await charged(charge('acme', { serpCredits: 4 }, { owner: 'done' }));
        await store.settle({ chargeId: closed, used: { serpCredits: 4, microUsd: 0 }, at });
        const owners = (await store.listOpenOwners()).sort((a, b) => a.since - b.since);
        expect(owners).toEqual([
          { owner: 'dead', since: at - 50 },
          { owner: 'living', since: at },
        ]);
        const abandon = (madeBefore: number) =>
          nth(1).abandon({ owner: 'dead', madeBefore, note: 'its process died', at });
        expect(await abandon(at - 10)).toBe(1);
        expect(await balance('acme')).toMatchObject({ serpCredits: 1 });
        expect(await abandon(at)).toBe(1);
        expect(await abandon(at)).toBe(0);
        expect(await balance('acme')).toMatchObject({ serpCredits: 3 });
        expect((await store.statement('acme')).at(-1)).toMatchObject({ kind: 'refund', note: 'its process died' });
        expect((await store.listOpenOwners()).map(({ owner }) => owner)).toEqual(['living']);
      });
    });

    describe('the audit trail', () => {
      const keep = { since: 0, rowsMax: 100 };
      const action = (name: AdminAction['action'], changes: Partial<AdminAction> = {}): AdminAction => {
        return { action: name, account: 'acme', username: undefined, by: 'ops@web', facts: {}, at, ...changes };
      };
      const failure = (changes: Partial<LoginFailures> = {}): LoginFailures => ({
        minute: at,
        lastAt: at + 5,
        username: 'ann',
        account: 'acme',
        address: '192.0.2.1',
        reason: 'wrong-password',
        count: 1,
        ...changes,
      });
      const all = () => nth(1).accountLog({ limit: 1000 });

      it('records an action together with its change, and nothing if nothing changed', async () => {
        const facts = { serpCredits: 3, note: 'invoice "7"', rules: ['10.0.0.0/8'], dailyCap: null };
        await store.createAccount(account('acme'), action('account-create', { facts }));
        await store.createAccount(account('acme'), action('account-create'));
        await store.setWhitelist('acme', [], action('account-whitelist', { at: at + 1 }));
        await store.setWhitelist('nobody', [], action('account-whitelist'));
        const change = { account: 'acme', change: { serpCredits: 3, microUsd: 0 }, note: undefined, at };
        await store.changeBalance(change, action('account-credit', { at: at + 2 }));
        const dear = { ...change, change: { serpCredits: -9, microUsd: 0 } };
        await store.changeBalance(dear, action('account-credit'));
        const user = (name: AdminAction['action'], later: number) => action(name, { username: 'ann', at: at + later });
        await store.createUser(apiUser('ann', 'acme'), user('api-user-add', 3));
        await store.createUser(apiUser('ann', 'acme'), user('api-user-add', 3));
        await store.capUser('ann', { serpCredits: 1 }, user('api-user-cap', 4));
        await store.capUser('eve', undefined, user('api-user-cap', 4));
        await store.expireUser('ann', at, user('api-user-expire', 5));
        await store.expireUser('eve', at, user('api-user-expire', 5));
        await store.revokeUser('ann', at, user('api-user-revoke', 6));
        await store.revokeUser('eve', at, user('api-user-revoke', 6));
        const entries = (await all()).toReversed();
        expect(entries.map(({ event, username, by, at: moment }) => [event, username, by, moment - at])).toEqual([
          ['account-create', undefined, 'ops@web', 0],
          ['account-whitelist', undefined, 'ops@web', 1],
          ['account-credit', undefined, 'ops@web', 2],
          ['api-user-add', 'ann', 'ops@web', 3],
          ['api-user-cap', 'ann', 'ops@web', 4],
          ['api-user-expire', 'ann', 'ops@web', 5],
          ['api-user-revoke', 'ann', 'ops@web', 6],
        ]);
        expect(entries[0]).toMatchObject({ facts, count: 1, address: undefined, reason: undefined });
      });

      it('counts failed logins of a user, address, reason and minute in one row, across processes', async () => {
        await store.addLoginFailures([failure({ count: 2 })], keep);
        await nth(1).addLoginFailures([failure({ count: 3, lastAt: at + 2 }), failure({ username: 'eve' })], keep);
        await store.addLoginFailures([failure({ reason: 'expired' }), failure({ address: '192.0.2.2' })], keep);
        await store.addLoginFailures([failure({ minute: at + 60_000, lastAt: at + 60_001 })], keep);
        const entries = await all();
        expect(entries).toHaveLength(5);
        const [newest, ...older] = entries;
        expect(newest).toMatchObject({ event: 'login-failed', at: at + 60_000, lastAt: at + 60_001, count: 1 });
        const first = older.find(({ count }) => count === 5);
        expect(first).toMatchObject({ username: 'ann', account: 'acme', address: '192.0.2.1', lastAt: at + 5, at });
        expect(first?.reason).toBe('wrong-password');
      });

      it('drops failed logins that are old or too many, but no action', async () => {
        await store.createAccount(account('acme'), action('account-create', { at: at - dayMs }));
        const ofMinute = (index: number) => failure({ minute: at + index * 60_000, lastAt: at + index * 60_000 });
        await store.addLoginFailures([0, 1, 2, 3, 4, 5, 6, 7].map(ofMinute), { since: at + 120_000, rowsMax: 100 });
        expect(await all()).toHaveLength(7);
        await nth(1).addLoginFailures([ofMinute(9)], { since: 0, rowsMax: 3 });
        const kept = (await all()).map(({ event, at: moment }) => [event, (moment - at) / 60_000]);
        expect(kept.filter(([event]) => event === 'login-failed').map(([, minute]) => minute)).toEqual([9, 7, 6]);
        expect(kept).toHaveLength(4);
      });

      it('lists the entries of one account newest first, up to the limit', async () => {
        await store.createAccount(account('acme'), action('account-create'));
        await store.createAccount(account('globex'), action('account-create', { account: 'globex', at: at + 1 }));
        await store.addLoginFailures([failure(), failure({ account: undefined, username: 'eve' })], keep);
        const accounts = async (range: AccountLogRange) => (await store.accountLog(range)).map((each) => each.account);
        expect(await accounts({ limit: 9 })).toEqual([undefined, 'acme', 'globex', 'acme']);
        expect(await accounts({ limit: 9, account: 'acme' })).toEqual(['acme', 'acme']);
        expect(await accounts({ limit: 1 })).toEqual([undefined]);
        expect(await accounts({ limit: 9, account: 'nobody' })).toEqual([]);
      });
    });

    describe('idempotency records', () => {
      const scope = { account: 'acme', username: 'ann', key: 'slot-7' };
      const start = (changes: Partial<NewIdempotency> = {}): NewIdempotency => {
        return { ...scope, bodyHash: 'abc', owner: 'process-1', at, expiresAt: at + dayMs, ...changes };
      };
      const begun = { status: 'begun' };
      const complete = async (outcome: Uint8Array, changes: Partial<IdempotencyCompletion> = {}) => {
        const chargeId = await charged(charge('acme', {}, { owner: 'other' }));
        const completion = { ...scope, owner: 'process-1', outcome, ...changes };
        await store.settle({ chargeId, used: { serpCredits: 0, microUsd: 0 }, at, complete: completion });
      };
      beforeEach(async () => {
        await store.createAccount(account('acme', { serpCredits: 10 }));
      });

      it('are begun by one of many concurrent callers; the others get the current state', async () => {
        const starts = await Promise.all(Array.from({ length: 20 }, (_, index) => nth(index).beginIdempotent(start())));
        expect(starts.filter(({ status }) => status === 'begun')).toHaveLength(1);
        const known = starts.find(({ status }) => status === 'known');
        expect(known).toMatchObject({ record: { bodyHash: 'abc', owner: 'process-1', at, outcome: undefined } });
      });

      it('keep an outcome byte for byte, for their own scope only', async () => {
        const outcome = Uint8Array.from({ length: 256 }, (_, index) => index);
        await store.beginIdempotent(start());
        await complete(outcome);
        const record = await nth(1).findIdempotent(scope, at + dayMs - 1);
        expect(Uint8Array.from(record!.outcome!)).toEqual(outcome);
        expect(await store.beginIdempotent(start({ bodyHash: 'other' }))).toMatchObject({
          status: 'known',
          record: { bodyHash: 'abc' },
        });
        for (const other of [{ account: 'globex' }, { username: 'bob' }, { username: '' }, { key: 'slot-8' }]) {
          expect(await store.findIdempotent({ ...scope, ...other }, at)).toBeUndefined();
        }
        expect(await store.beginIdempotent(start({ username: 'bob' }))).toEqual(begun);
      });

      it('are completed in the same transaction as the settlement of their charge', async () => {
        await store.beginIdempotent(start());
        const chargeId = await charged(charge('acme', { serpCredits: 3 }));
        const completion = { ...scope, owner: 'process-1', outcome: bytes('done') };
        await store.settle({ chargeId, used: { serpCredits: 2, microUsd: 0 }, at, complete: completion });
        expect(Uint8Array.from((await store.findIdempotent(scope, at))!.outcome!)).toEqual(bytes('done'));
        const unknown = { chargeId: 987_654, used: { serpCredits: 0, microUsd: 0 }, at };
        await store.beginIdempotent(start({ key: 'slot-8' }));
        await expect(store.settle({ ...unknown, complete: { ...completion, key: 'slot-8' } })).rejects.toThrow();
        expect((await store.findIdempotent({ ...scope, key: 'slot-8' }, at))?.outcome).toBeUndefined();
      });

      it('expire: from that moment on they are treated as absent', async () => {
        await store.beginIdempotent(start());
        await complete(bytes('done'));
        expect(await store.findIdempotent(scope, at + dayMs)).toBeUndefined();
        expect(await store.beginIdempotent(start({ at: at + dayMs, expiresAt: at + 2 * dayMs }))).toEqual(begun);
        expect(await store.findIdempotent(scope, at + dayMs)).toMatchObject({ outcome: undefined, at: at + dayMs });
      });

      it('that are in flight are deleted by their own process only, and completed ones by no process', async () => {
        await store.beginIdempotent(start());
        await store.forgetIdempotent({ ...scope, owner: 'process-2' });
        expect(await store.findIdempotent(scope, at)).toBeDefined();
        await complete(bytes('not mine'), { owner: 'process-2' });
        expect((await store.findIdempotent(scope, at))?.outcome).toBeUndefined();
        await store.forgetIdempotent({ ...scope, owner: 'process-1' });
        expect(await store.findIdempotent(scope, at)).toBeUndefined();
        await store.beginIdempotent(start());
        await complete(bytes('done'));
        await store.forgetIdempotent({ ...scope, owner: 'process-1' });
        expect((await store.findIdempotent(scope, at))?.outcome).toBeDefined();
      });

      it('that a dead process left in flight are deleted with its charges', async () => {
        await store.beginIdempotent(start({ owner: 'dead', at: at - 9 }));
        await store.beginIdempotent(start({ owner: 'dead', at: at - 9, key: 'complete' }));
        await complete(bytes('done'), { key: 'complete', owner: 'dead' });
        expect(await store.listOpenOwners()).toEqual([{ owner: 'dead', since: at - 9 }]);
        expect(await store.abandon({ owner: 'dead', madeBefore: at, note: 'its process died', at })).toBe(0);
        expect(await store.findIdempotent(scope, at)).toBeUndefined();
        expect(await store.findIdempotent({ ...scope, key: 'complete' }, at)).toBeDefined();
        expect(await store.listOpenOwners()).toEqual([]);
      });
    });
  });
}
