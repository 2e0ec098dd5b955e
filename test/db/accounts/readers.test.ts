// Readers of the read API: names are unique, a revoked token ends, and every row is in the sums of verify.
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { openForReading } from '../../../db/connection/client.ts';
import { verification } from '../../../db/integrity/verify.ts';
import { openStore } from '../../../db/store.ts';
import { temporaryFolder } from '../../helpers/closing.ts';

const action = (name: 'reader-add' | 'reader-revoke', at: number) => ({
  action: name,
  account: undefined,
  username: undefined,
  by: 'ops@host',
  facts: { reader: 'anna' },
  at,
});

function failedChecks(file: string): string[] {
  const db = openForReading(file);
  try {
    return [...verification(db)].filter(({ ok }) => !ok).map(({ name }) => name);
  } finally {
    db.close();
  }
}

it('a reader is added and revoked once, with an audit entry and the sums of verify', async () => {
  const file = join(temporaryFolder(), 'db.sqlite');
  const { readers, accounts, ...store } = withClose(file);
  expect(readers.hasHadAny()).toBe(false);
  const unlimited = { project: null, tag: null, view: null, endsAt: null };
  const anna = { name: 'anna', tokenHash: 'first', createdAt: 1, role: 'reader', ...unlimited } as const;
  expect(readers.add(anna, action('reader-add', 1))).toBe(true);
  expect(readers.add({ ...anna, tokenHash: 'other' }, action('reader-add', 2))).toBe(false);
  expect([readers.hasHadAny(), readers.find('first', 2)?.name, readers.find('other', 2)]).toEqual([true, 'anna', null]);
  expect(readers.revoke('anna', 3, action('reader-revoke', 3))).toBe(true);
  expect(readers.revoke('anna', 4, action('reader-revoke', 4))).toBe(false);
  expect([readers.hasHadAny(), readers.find('first', 4)]).toEqual([true, null]);
  expect(readers.add({ ...anna, tokenHash: 'second', createdAt: 5, role: 'editor' }, action('reader-add', 5))).toBe(
    true,
  );
  const second = readers.find('second', 5);
  expect(second?.role).toEqual('editor');
  readers.noteUse({ id: second?.id ?? 0 }, 6);
  expect(readers.list()).toEqual([
    { name: 'anna', createdAt: 1, revokedAt: 3, lastUsedAt: null, role: 'reader', ...unlimited },
    { name: 'anna', createdAt: 5, revokedAt: null, lastUsedAt: 6, role: 'editor', ...unlimited },
  ]);
  const log = await accounts.accountLog({ limit: 10 });
  expect(log.map(({ at, event, by, facts }) => [at, event, by, facts])).toEqual([
    [5, 'reader-add', 'ops@host', { reader: 'anna' }],
    [3, 'reader-revoke', 'ops@host', { reader: 'anna' }],
    [1, 'reader-add', 'ops@host', { reader: 'anna' }],
  ]);
  store.close();
  expect(failedChecks(file)).toEqual([]);
  const sqlite = new Database(file);
  sqlite.exec("UPDATE readers SET token_hash = 'forged' WHERE id = 2");
  sqlite.close();
  expect(failedChecks(file)).not.toEqual([]);
});

it('a limited reader has an end, is found by its hash alone, and leaves the door guarded', () => {
  const file = join(temporaryFolder(), 'db.sqlite');
  const { readers, close } = withClose(file);
  const limited = { name: 'acme', tokenHash: 'hash', createdAt: 1, role: 'reader', project: 'acme' } as const;
  readers.add({ ...limited, tag: 'shoes', view: null, endsAt: 10 }, action('reader-add', 1));
  expect(readers.find('hash', 9)).toMatchObject({
    name: 'acme',
    role: 'reader',
    project: 'acme',
    tag: 'shoes',
    view: null,
  });
  expect(readers.find('hash', 10)).toBeNull();
  readers.revoke('acme', 5, action('reader-revoke', 5));
  expect([readers.find('hash', 9), readers.hasHadAny()]).toEqual([null, true]);
  close();
  const sqlite = new Database(file);
  // what programs of earlier versions ask
  expect(sqlite.prepare("SELECT 1 FROM readers WHERE token_hash = 'hash'").get()).toBeUndefined();
  sqlite.close();
});

function withClose(file: string) {
  const store = openStore(file);
  return { readers: store.readers, accounts: store.accounts, close: () => store.close() };
}
