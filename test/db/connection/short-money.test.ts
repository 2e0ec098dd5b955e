// Purchases, reservations and the ledger of schema 36 are stored in short since schema 37, and read as before.
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { openConnection } from '../../../db/connection/client.ts';
import { verification } from '../../../db/integrity/verify.ts';
import { ledgerHead } from '../../../db/ledger/ledger-head.ts';
import { openStore } from '../../../db/store.ts';
import { databaseOf, olderRows } from '../../helpers/older-database.ts';

const hashKey = `rl-${'0123456789abcdef'.repeat(3).slice(0, 40)}`;
/** Of every length that is stored in another way, and others beside them. */
const keys = [
  hashKey,
  hashKey.toUpperCase(),
  `${hashKey}0`,
  'x'.repeat(18),
  'x'.repeat(19),
  'x'.repeat(20),
  'ü'.repeat(9),
];
const states = ['paid', 'free', 'unknown', 'free', 'unknown', 'free', 'free'];

/** Free and unknown purchases take nothing from the reservation here: the audit of money is not what this tests. */
const purchases = keys.map(
  (key, index) => `
  INSERT INTO purchases (id, reservation_id, service, request_key, attempt, search_id, moment, page, price, charged, state, opened_at, settled_at, error_code)
    VALUES (${index + 2}, 1, 'vendor', '${key}', 1, 1, 1, ${index + 2}, 1, 0, '${states[index]}', 1000, ${index === 5 ? 'NULL' : 1000 + index * 40_000 - 7}, 'TIMEOUT');`,
);
const open = `INSERT INTO purchases (id, reservation_id, service, request_key, attempt, moment, price, state, opened_at)
  VALUES (20, 1, 'vendor', '${hashKey}', 2, 1, 1, 'open', 5)`;
const data = `${olderRows}; ${purchases.join('')} ${open}`;

const columns = 'id, reservation_id, service, request_key, attempt, state, opened_at, settled_at, charged, error_code';

function contents(file: string) {
  const sqlite = new Database(file, { readonly: true });
  const purchases = sqlite.prepare(`SELECT ${columns} FROM purchases ORDER BY id`).all();
  const reservations = sqlite.prepare('SELECT id, currency, day_key, month_key, reserved FROM reservations').all();
  const ledger = sqlite.prepare('SELECT id, at, reservation_id, purchase_id, kind, amount, hash FROM ledger').all();
  sqlite.close();
  return { purchases, reservations, ledger };
}

it('rows of schema 36 read the same after the migration, and every proof but those of the planted money holds', () => {
  const file = databaseOf(36, data);
  const before = contents(file);
  expect(before.purchases).toHaveLength(keys.length + 2);
  openConnection(file).close();
  expect(contents(file)).toEqual(before);
  const db = openConnection(file);
  const broken = [...verification(db)].filter(({ ok }) => !ok).map(({ name }) => name);
  // the table of migrations is that of drizzle's own migrator here
  expect(broken.filter((name) => !/reconciliation|closed run|paid page|tables, indexes/.test(name))).toEqual([]);
  db.close();
});

it('a migrated ledger keeps its identity and head, and goes on', () => {
  const file = databaseOf(36, data);
  const sqlite = new Database(file, { readonly: true });
  const [first, last] = sqlite.prepare('SELECT lower(hex(hash)) FROM ledger ORDER BY id').pluck().all() as string[];
  sqlite.close();
  const db = openConnection(file);
  const head = ledgerHead(db);
  expect(head?.ledger.startsWith(String(first).slice(0, 24))).toBe(true);
  expect(head).toMatchObject({ entries: 2, hash: last });
  db.close();
});

it('a key finds its attempts, and no other key of the same beginning does', () => {
  const store = openStore(databaseOf(36, data));
  for (const key of keys) expect(store.purchaseAttempts.wasTried(key)).toBe(true);
  for (const other of [`${hashKey.slice(0, -1)}f`, 'x'.repeat(17), 'x'.repeat(21), '']) {
    expect(store.purchaseAttempts.wasTried(other)).toBe(false);
  }
  expect(store.purchaseAttempts.chargedAttempts(...keys)).toBe(3);
  store.close();
});
