// The contract of every store of the account dashboard, as a suite that each implementation runs.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AccountStore, AdminAction, DashboardStore, HolderSession, NewCharge } from '../../src/service/index.ts';
import { account, type OpenedStores } from './account-store.ts';

const at = Date.UTC(2026, 0, 15, 6);
const dayMs = 86_400_000;
const nothing = { serpCredits: 0, microUsd: 0 };

export function dashboardStoreContract(name: string, open: () => Promise<OpenedStores>): void {
  describe(`the dashboard store ${name}`, () => {
    let opened: OpenedStores;
    let accounts: AccountStore;
    let store: DashboardStore;
    let other: DashboardStore;
    beforeEach(async () => {
      opened = await open();
      accounts = opened.stores[0]!;
      store = accounts.dashboard!;
      other = opened.stores[1 % opened.stores.length]!.dashboard!;
      await accounts.createAccount(account('acme', { serpCredits: 100, microUsd: 100_000 }));
      await accounts.createAccount(account('globex'));
    });
    afterEach(() => opened.close());

    const invitation = (token: string, changes: { account?: string; expiresAt?: number } = {}) => ({
      account: 'acme',
      tokenHash: token,
      createdAt: at,
      expiresAt: at + dayMs,
      ...changes,
    });
    const action = (name: AdminAction['action'], later = 0): AdminAction => {
      return { action: name, account: 'acme', username: undefined, by: 'ops@web', facts: {}, at: at + later };
    };
    const accepted = async (passwordHash = 'hash', token = 'token') => {
      await store.invite(invitation(token));
      return await store.acceptInvitation({ tokenHash: token, passwordHash, at });
    };
    const session = (token: string, changes: Partial<HolderSession> = {}): HolderSession => {
      return { tokenHash: token, account: 'acme', createdAt: at, expiresAt: at + 1000, ...changes };
    };
    const actions = async () => (await accounts.accountLog({ limit: 100 })).map(({ event }) => event).toReversed();

    describe('an invitation', () => {
      it('sets the password once, even if several processes use it at the same time', async () => {
        await store.invite(invitation('token'));
        const accept = (index: number) =>
          opened.stores[index % opened.stores.length]!.dashboard!.acceptInvitation({
            tokenHash: 'token',
            passwordHash: `hash ${index}`,
            at,
          });
        const results = await Promise.all(Array.from({ length: 9 }, (_, index) => accept(index)));
        expect(results.filter(Boolean)).toHaveLength(1);
        const holder = {
          ...{ account: 'acme', totpSecret: undefined, codesTried: 0, version: 1 },
          ...{ createdAt: at, changedAt: at },
        };
        expect(await other.findHolder('acme')).toEqual({ ...holder, passwordHash: `hash ${results.indexOf(true)}` });
        expect(await other.findHolder('globex')).toBeUndefined();
      });
    });

    describe('a login holder', () => {
      beforeEach(() => accepted());

      it('is changed once for each version, and every change ends the sessions', async () => {
        await store.openSession(session('a'), 1);
        const change = { account: 'acme', version: 1, at: at + 2 };
        expect(await store.changeHolder({ ...change, passwordHash: 'new' })).toBe(true);
        expect(await other.changeHolder({ ...change, passwordHash: 'newer' })).toBe(false);
        expect(await store.findSession('a', at)).toBeUndefined();
        expect(await store.changeHolder({ ...change, version: 2, totpSecret: 'SECRET' })).toBe(true);
        const holder = { account: 'acme', passwordHash: 'new', codesTried: 0, createdAt: at, changedAt: at + 2 };
        expect(await other.findHolder('acme')).toEqual({ ...holder, totpSecret: 'SECRET', version: 3 });
        expect(await store.changeHolder({ ...change, version: 3, totpSecret: null })).toBe(true);
        expect(await other.findHolder('acme')).toEqual({ ...holder, totpSecret: undefined, version: 4 });
        expect(await store.changeHolder({ ...change, account: 'globex' })).toBe(false);
      });

      it('counts codes until a session opens, with the action of the count', async () => {
        const counted = (store: DashboardStore, name = 'acme') =>
          store.countCode(name, (tried) => (tried === 2 ? action('dashboard-codes-refused') : undefined));
        expect([await counted(store), await counted(other), await counted(store)]).toEqual([1, 2, 3]);
        expect((await other.findHolder('acme'))?.codesTried).toBe(3);
        expect(await counted(store, 'globex')).toBe(0);
        expect(await actions()).toEqual(['dashboard-codes-refused']);
        expect(await store.openSession(session('a'), 7)).toBe(false);
        expect((await other.findHolder('acme'))?.codesTried).toBe(3);
        await store.openSession(session('a'), 1);
        expect((await other.findHolder('acme'))?.codesTried).toBe(0);
        await counted(store);
        await accepted('hash', 'again');
        expect((await other.findHolder('acme'))?.codesTried).toBe(0);
      });

      it('uses each time step once, and never an earlier one', async () => {
        expect(await store.takeTotpStep('acme', 7)).toBe(true);
        expect(await other.takeTotpStep('acme', 7)).toBe(false);
        expect(await store.takeTotpStep('acme', 6)).toBe(false);
        expect(await other.takeTotpStep('acme', 8)).toBe(true);
        expect(await store.takeTotpStep('globex', 8)).toBe(false);
      });
    });

    describe('a session', () => {
      beforeEach(() => accepted());

      it('is not opened with credentials that were proven for an earlier version', async () => {
        await other.changeHolder({ account: 'acme', version: 1, passwordHash: 'new', at });
        expect(await store.openSession(session('a'), 1)).toBe(false);
        expect(await store.findSession('a', at)).toBeUndefined();
        expect(await store.openSession(session('a', { account: 'globex' }), 1)).toBe(false);
      });
    });

    it('records an action together with its change, and nothing if nothing changed', async () => {
      await store.invite(invitation('token'), action('dashboard-invite'));
      await store.invite(invitation('token', { account: 'nobody' }), action('dashboard-invite'));
      const accept = { tokenHash: 'token', passwordHash: 'hash', at };
      await store.acceptInvitation(accept, action('dashboard-accept', 1));
      await store.acceptInvitation(accept, action('dashboard-accept', 1));
      await store.openSession(session('a'), 1, action('dashboard-sign-in', 2));
      await store.openSession(session('b'), 2, action('dashboard-sign-in', 2));
      await store.endSession('a', action('dashboard-sign-out', 3));
      await store.endSession('a', action('dashboard-sign-out', 3));
      const change = { account: 'acme', version: 1, passwordHash: 'new', at };
      await store.changeHolder(change, action('dashboard-password', 4));
      await store.changeHolder(change, action('dashboard-password', 4));
      await store.withdrawAccess('acme', action('dashboard-withdraw', 5));
      await store.withdrawAccess('nobody', action('dashboard-withdraw', 5));
      expect(await actions()).toEqual([
        'dashboard-invite',
        'dashboard-accept',
        'dashboard-sign-in',
        'dashboard-sign-out',
        'dashboard-password',
        'dashboard-withdraw',
      ]);
    });

    describe('the charges', () => {
      const charge = (changes: Partial<NewCharge> = {}): NewCharge => ({
        account: 'acme',
        username: 'ann',
        requestId: 'request-1',
        operation: 'serp',
        price: { serpCredits: 2, microUsd: 0 },
        owner: 'process-1',
        at,
        ...changes,
      });
      const charged = async (changes: Partial<NewCharge> = {}) => {
        const result = await accounts.charge(charge(changes));
        return result.status === 'charged' ? result.chargeId : Number.NaN;
      };

      it('are summed by day, user and operation, without refunds', async () => {
        await charged();
        await charged();
        await charged({ operation: 'keyword-data', price: { serpCredits: 0, microUsd: 10_000 } });
        await charged({ username: 'bob' });
        await charged({ username: undefined, at: at + dayMs });
        const refunded = await charged({ username: 'eve' });
        await accounts.settle({ chargeId: refunded, used: nothing, at });
        const [today, tomorrow] = ['2026-01-15', '2026-01-16'];
        const serp = { operation: 'serp', microUsd: 0 };
        expect(await other.usageByOperation('acme', at - (at % dayMs))).toEqual([
          { ...serp, date: tomorrow, username: undefined, requests: 1, serpCredits: 2 },
          { date: today, username: 'ann', operation: 'keyword-data', requests: 1, serpCredits: 0, microUsd: 10_000 },
          { ...serp, date: today, username: 'ann', requests: 2, serpCredits: 4 },
          { ...serp, date: today, username: 'bob', requests: 1, serpCredits: 2 },
        ]);
        expect(await store.usageByOperation('acme', at - (at % dayMs) + dayMs)).toHaveLength(1);
        expect(await store.usageByOperation('globex', 0)).toEqual([]);
      });

      it('are listed newest first, of all kinds or of one kind', async () => {
        const first = await charged({ requestId: 'r1' });
        await charged({ requestId: 'r2', username: undefined });
        await accounts.settle({ chargeId: first, used: nothing, at: at + 1 });
        const all = await accounts.statement('acme');
        expect(all).toHaveLength(4);
        expect(await other.newestEntries('acme', 9)).toEqual(all.toReversed());
        expect(await store.newestEntries('acme', 2)).toEqual(all.toReversed().slice(0, 2));
        expect(await store.newestEntries('acme', 9, 'refund')).toEqual(all.filter(({ kind }) => kind === 'refund'));
        expect(await store.newestEntries('globex', 9)).toEqual([]);
      });
    });
  });
}
