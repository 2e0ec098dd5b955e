// The dashboard tables of SQLite meet the contract of every dashboard store, and each row is summed up.
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { openForReading } from '../../../db/connection/client.ts';
import { verification } from '../../../db/integrity/verify.ts';
import { openStore } from '../../../db/store.ts';
import { account } from '../../contract/account-store.ts';
import { dashboardStoreContract } from '../../contract/dashboard-store.ts';
import { temporaryFolder } from '../../helpers/closing.ts';

dashboardStoreContract('in SQLite, three connections to one file', async () => {
  const file = join(temporaryFolder(), 'db.sqlite');
  const opened = Array.from({ length: 3 }, () => openStore(file));
  return {
    stores: opened.map(({ accounts }) => accounts),
    close: async () => {
      for (const store of opened) store.close();
    },
  };
});

it('the sums that verify checks include every row that the dashboard inserts, updates or deletes', async () => {
  const file = join(temporaryFolder(), 'db.sqlite');
  const { accounts, close } = bound(file);
  const { dashboard } = accounts;
  await accounts.createAccount(account('acme'));
  await dashboard.invite({ account: 'acme', tokenHash: 'token', createdAt: 1, expiresAt: 9 });
  await dashboard.acceptInvitation({ tokenHash: 'token', passwordHash: 'hash', at: 2 });
  await dashboard.invite({ account: 'acme', tokenHash: 'next', createdAt: 3, expiresAt: 9 });
  await dashboard.openSession({ tokenHash: 'session', account: 'acme', createdAt: 3, expiresAt: 9 }, 1);
  await dashboard.extendSession('session', 10);
  await dashboard.takeTotpStep('acme', 4);
  close();
  const proofs = () => {
    const db = openForReading(file);
    try {
      return [...verification(db)].filter(({ ok }) => !ok).map(({ name }) => name);
    } finally {
      db.close();
    }
  };
  expect(proofs()).toEqual([]);
  for (const table of ['account_invitations', 'account_holders', 'account_sessions']) {
    damaged(file, `UPDATE ${table} SET created_at = created_at + 1`);
    expect(proofs()).toEqual(['no row of any table has changed (sums)']);
    damaged(file, `UPDATE ${table} SET created_at = created_at - 1`);
  }
  expect(proofs()).toEqual([]);
});

function bound(file: string) {
  const store = openStore(file);
  return { accounts: store.accounts, close: () => store.close() };
}

/** Written by another program: none of our triggers runs. */
function damaged(file: string, statement: string): void {
  const sqlite = new Database(file);
  sqlite.exec(statement);
  sqlite.close();
}
