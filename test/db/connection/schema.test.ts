// A migrated database equals db/schema, the source of row types, and refuses rows that must never exist.
import { getTableColumns, is, type SQL } from 'drizzle-orm';
import { getTableConfig, SQLiteSyncDialect, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Connection, openConnection } from '../../../db/connection/client.ts';
import { columnName } from '../../../db/connection/statement.ts';
import * as schema from '../../../db/schema/index.ts';

let db: Connection;
beforeAll(() => {
  db = openConnection(':memory:');
});
afterAll(() => db.close());

const tables = (Object.values(schema) as unknown[])
  .filter((value): value is SQLiteTable => is(value, SQLiteTable))
  .map(getTableConfig);

type Table = (typeof tables)[number];

interface ColumnFacts {
  readonly name: string;
  readonly type: string;
  readonly required: number;
  readonly dflt_value: string | null;
  /** Its position in the primary key, from 1; 0 if it is not part of it. */
  readonly pk: number;
}

function columnFacts(table: Table, column: Table['columns'][number]): ColumnFacts {
  const key = table.primaryKeys[0]?.columns.map(({ name }) => name) ?? [];
  const value = column.default;
  return {
    name: column.name,
    type: column.getSQLType(),
    required: column.notNull ? 1 : 0,
    dflt_value: value === undefined ? null : typeof value === 'string' ? `'${value}'` : String(value),
    pk: column.primary ? 1 : key.indexOf(column.name) + 1,
  };
}

const textOf = (condition: SQL): string => new SQLiteSyncDialect().sqlToQuery(condition).sql;
const withoutTable = (condition: string, table: string): string => condition.replaceAll(`"${table}".`, '');
const byName = (a: { readonly name: string }, b: { readonly name: string }): number => a.name.localeCompare(b.name);

describe('every table', () => {
  it('has the columns that inserts write, by the names that the code uses', () => {
    for (const table of Object.values(schema).filter((value) => is(value, SQLiteTable)))
      for (const [name, column] of Object.entries(getTableColumns(table))) expect(columnName(name)).toBe(column.name);
  });

  it('is STRICT', () => {
    const loose = db
      .sql(
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND strict = 0 AND name NOT LIKE 'sqlite%'",
      )
      .all();
    expect(loose.map((row) => row['name'])).toEqual(['__drizzle_migrations']);
  });

  // a seek in a table WITHOUT ROWID reads whole rows: of several, with all their bytes
  it('with a key of several columns and no bytes is WITHOUT ROWID, and no other is', () => {
    const found = db
      .sql('SELECT name FROM pragma_table_list WHERE wr = 1 ORDER BY name')
      .all()
      .map((row) => row['name']);
    const intended = tables
      .filter(
        ({ primaryKeys, columns }) => primaryKeys.length > 0 && !columns.some(({ dataType }) => dataType === 'buffer'),
      )
      .map((table) => table.name);
    expect(found).toEqual(intended.sort());
    expect(found.length).toBeGreaterThan(4);
  });

  it.each(tables.map((table) => [table.name, table] as const))('%s has the columns of the schema', (name, table) => {
    const found = db
      .sql<ColumnFacts>(
        `SELECT name, lower(type) AS type, "notnull" AS required, dflt_value, pk FROM pragma_table_xinfo('${name}')`,
      )
      .all();
    expect(found.toSorted(byName)).toEqual(table.columns.map((column) => columnFacts(table, column)).sort(byName));
  });

  it.each(tables.map((table) => [table.name, table] as const))('%s has the indexes of the schema', (name, table) => {
    const found = db
      .sql<{ name: string; unique: number; sql: string }>(
        `SELECT i.name, i."unique", m.sql FROM pragma_index_list('${name}') i JOIN sqlite_master m ON m.name = i.name WHERE i.origin = 'c'`,
      )
      .all()
      .map((index) => ({
        name: index.name,
        unique: index.unique === 1,
        columns: db
          .sql<{ name: string | null }>(`SELECT name FROM pragma_index_info('${index.name}') ORDER BY seqno`)
          .all()
          .map((column) => column.name ?? 'an expression'),
        where: /\) WHERE (.*)$/s.exec(index.sql)?.[1] ?? null,
      }));
    const described = table.indexes.map(({ config }) => ({
      name: config.name,
      unique: config.unique,
      columns: config.columns.map((column) => ('name' in column ? column.name : 'an expression')),
      where: config.where === undefined ? null : textOf(config.where),
    }));
    const uniques = table.columns
      .filter((column) => column.isUnique)
      .map((column) => ({ name: column.uniqueName ?? '', unique: true, columns: [column.name], where: null }));
    expect(found.sort(byName)).toEqual([...described, ...uniques].sort(byName));
  });

  it.each(tables.map((table) => [table.name, table] as const))(
    '%s has the foreign keys and checks of the schema',
    (name, table) => {
      const references = db
        .sql<{ from: string; table: string; to: string }>(
          `SELECT "from", "table", "to" FROM pragma_foreign_key_list('${name}')`,
        )
        .all()
        .map((key) => `${key.from} -> ${key.table}.${key.to}`);
      const described = table.foreignKeys.map((key) => {
        const { columns, foreignTable, foreignColumns } = key.reference();
        return `${columns[0]?.name} -> ${getTableConfig(foreignTable).name}.${foreignColumns[0]?.name}`;
      });
      expect(references.sort()).toEqual(described.sort());
      const { sql } = db.sql<{ sql: string }>(`SELECT sql FROM sqlite_master WHERE name = '${name}'`).get() ?? {
        sql: '',
      };
      const checks = [...sql.matchAll(/CONSTRAINT ["`](\w+)["`] CHECK\s*\((.*)\),?$/gm)].map(
        ([, check, condition]) => `${check}: ${withoutTable(condition ?? '', name)}`,
      );
      expect(checks.sort()).toEqual(
        table.checks.map((check) => `${check.name}: ${withoutTable(textOf(check.value), name)}`).sort(),
      );
    },
  );

  it('has a definition in the schema', () => {
    const found = db
      .sql("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%drizzle%' ORDER BY name")
      .all()
      .map((row) => row['name']);
    expect(found).toEqual(tables.map((table) => table.name).sort());
  });
});

/** One row in each table that the refusals below need. */
const rows = `
  INSERT INTO projects VALUES (1, 'acme');
  INSERT INTO keywords VALUES (1, 'shoes');
  INSERT INTO markets VALUES (1, 'vendor', 'US', 'en', 'desktop', '');
  INSERT INTO searches VALUES (1, 1, 1);
  INSERT INTO targets VALUES (1, 'domain:acme.com', 'domain', 'acme.com');
  INSERT INTO hosts VALUES (1, 'acme.com');
  INSERT INTO urls VALUES (1, 1, 'https', '/');
  INSERT INTO runs (id, kind, moment, opened_at, state) VALUES (1, 'ranks', 1, 1, 'open');
  INSERT INTO checks (id, run_id, search_id, state, sequence, depth, paging, deep, fresh_for_ms) VALUES (1, 1, 1, 'planned', 1, 3, 'full', 0, 0);
  INSERT INTO budget_windows VALUES ('serp_credit', 'run', '1', 10, 4, 3, 0);
  INSERT INTO reservations (id, run_id, check_id, currency_code, day_key, reserved) VALUES (1, 1, 1, 0, '2026-01-15', 7);
  INSERT INTO purchases (id, reservation_id, service, key, attempt, moment, price, charged, state_code, opened_at) VALUES (1, 1, 'vendor', x'006b6579', 1, 1, 2, 2, 1, 1);
  INSERT INTO purchases (id, reservation_id, service, key, attempt, moment, price, state_code, opened_at) VALUES (2, 1, 'vendor', x'006b6579', 2, 1, 2, 0, 1);
  INSERT INTO ledger VALUES (1, 1, 1, NULL, 0, 7, x'00');
  INSERT INTO pages VALUES (1, 1, 1, 1, 1, 1, 'vendor/remote', 0, x'01000000');
  INSERT INTO rankings VALUES (1, 1, 1, 1, 1, 1, 1, 1, 3, NULL);
  INSERT INTO accounts VALUES (1, 'acme', 3, 500, '[]', 1);
  INSERT INTO api_users VALUES (1, 'ann', 1, 'hash', 1, NULL, NULL, 1, NULL, NULL);
  INSERT INTO account_charges VALUES (1, 1, 'ann', 'request', 'serp', 2, 0, 2, 0, 1, 'process');
  INSERT INTO account_entries VALUES (1, 1, 'charge', -2, 0, 3, 500, 1, 1, NULL);
  INSERT INTO account_log VALUES (1, 1, 1, 'account-create', NULL, 'acme', NULL, NULL, NULL, 1, 'ops', '{}');
  INSERT INTO account_log VALUES (2, 0, 1, 'login-failed', 0, NULL, 'eve', '192.0.2.1', 'unknown-user', 5, NULL, '{}');
  INSERT INTO idempotency_records VALUES (1, 'acme', 'ann', 'key', 'hash', 'process', 1, 2, NULL)`;

const refused: readonly (readonly [string, string])[] = [
  ['a rank of 0', 'INSERT INTO rankings VALUES (1, 1, 2, 1, 0, NULL, 1, 1, 3, NULL)'],
  ['a rank below 0', 'INSERT INTO rankings VALUES (1, 1, 2, 1, -1, NULL, 1, 1, 3, NULL)'],
  ['a rank without a URL', 'INSERT INTO rankings VALUES (1, 1, 2, 1, 5, NULL, NULL, NULL, 3, NULL)'],
  ['a URL without its page', 'INSERT INTO rankings VALUES (1, 1, 2, 1, 5, NULL, NULL, 1, 3, NULL)'],
  [
    'a place among all elements above that among organic ones',
    'INSERT INTO rankings VALUES (1, 1, 2, 1, 5, 4, 1, 1, 3, NULL)',
  ],
  ['a place among all elements without a rank', 'INSERT INTO rankings VALUES (1, 1, 2, 1, NULL, 4, 1, 1, 3, NULL)'],
  ['a ranking of no depth', 'INSERT INTO rankings VALUES (1, 1, 2, 1, NULL, NULL, NULL, NULL, 0, NULL)'],
  ['a rank that is text', "INSERT INTO rankings VALUES (1, 1, 2, 1, 'first', NULL, 1, 1, 3, NULL)"],
  [
    'a ranking of a check that does not exist',
    'INSERT INTO rankings VALUES (1, 1, 2, 99, NULL, NULL, NULL, NULL, 3, NULL)',
  ],
  [
    'a second ranking of one target in one check',
    'INSERT INTO rankings VALUES (1, 1, 1, 1, NULL, NULL, NULL, NULL, 3, NULL)',
  ],
  ['more reserved and spent than the cap', 'UPDATE budget_windows SET reserved = 8'],
  ['a cap below what is spent', 'UPDATE budget_windows SET cap = 6'],
  ['a reservation below nothing', 'UPDATE budget_windows SET reserved = -1'],
  ['an unknown currency', "INSERT INTO budget_windows VALUES ('eur', 'run', '1', 10, 0, 0, 0)"],
  ['more spent than reserved', 'UPDATE reservations SET spent = 8'],
  ['more than the price', 'UPDATE purchases SET charged = 3'],
  [
    'a second payment of one purchase',
    "INSERT INTO purchases (reservation_id, service, key, attempt, moment, price, charged, state_code, opened_at) VALUES (1, 'vendor', x'006b6579', 3, 1, 2, 2, 1, 1)",
  ],
  ['a second attempt that is paid as well', 'UPDATE purchases SET state_code = 1 WHERE id = 2'],
  ['an attempt that becomes another one', 'UPDATE purchases SET attempt = 1 WHERE id = 2'],
  ['a state that does not exist', 'UPDATE purchases SET state_code = 4'],
  [
    'a second purchase of the same try',
    "INSERT INTO purchases (reservation_id, service, key, attempt, moment, price, state_code, opened_at) VALUES (1, 'vendor', x'006b6579', 1, 1, 2, 0, 1)",
  ],
  ['a changed ledger', 'UPDATE ledger SET amount = 1'],
  ['a shortened ledger', 'DELETE FROM ledger'],
  ['a ledger entry of nothing', "INSERT INTO ledger VALUES (2, 1, 1, NULL, 0, 0, x'00')"],
  ['a changed admin action', "UPDATE account_log SET operator = 'eve' WHERE id = 1"],
  ['a counted admin action', 'UPDATE account_log SET count = 2 WHERE id = 1'],
  ['a forgotten admin action', 'DELETE FROM account_log WHERE id = 1'],
  ['fewer failed logins', 'UPDATE account_log SET count = 4 WHERE id = 2'],
  ['failed logins of another user', "UPDATE account_log SET username = 'ann', count = 6 WHERE id = 2"],
  [
    'a second row of the same failed logins',
    "INSERT INTO account_log VALUES (3, 0, 1, 'login-failed', 0, NULL, 'eve', '192.0.2.1', 'unknown-user', 1, NULL, '{}')",
  ],
  [
    'failed logins of no minute',
    "INSERT INTO account_log VALUES (3, 0, 1, 'login-failed', NULL, NULL, 'eve', '192.0.2.1', 'expired', 1, NULL, '{}')",
  ],
  ['a changed ranking', 'UPDATE rankings SET rank = 2'],
  ['a deleted ranking', 'DELETE FROM rankings'],
  ['a changed page', "UPDATE pages SET source = 'other'"],
  ['a deleted page', 'DELETE FROM pages'],
  [
    'a page bought twice for one moment',
    "INSERT INTO pages VALUES (2, 1, 1, 1, 1, 1, 'vendor/remote', 0, x'01000000')",
  ],
  ['a page 0', "INSERT INTO pages VALUES (2, 1, 1, 0, 1, 1, 'vendor/remote', 0, x'01000000')"],
  ['a finished check that read nothing', "UPDATE checks SET state = 'ok'"],
  ['a check in an unheard-of state', "UPDATE checks SET state = 'lost'"],
  [
    'two checks of one search in one run',
    "INSERT INTO checks (run_id, search_id, state, sequence, depth, paging, deep, fresh_for_ms) VALUES (1, 1, 'planned', 1, 3, 'full', 0, 0)",
  ],
  ['a closed run without its time', "UPDATE runs SET state = 'complete'"],
  [
    'a claimed slot without its run',
    "INSERT INTO slots (project_id, kind, slot, at, timezone, local_date, state, run_id, reason) VALUES (1, 'ranks', '2026-01-15T06:00', 1, 'UTC', '2026-01-15', 'claimed', NULL, NULL)",
  ],
  [
    'a missed slot with a run',
    "INSERT INTO slots (project_id, kind, slot, at, timezone, local_date, state, run_id, reason) VALUES (1, 'ranks', '2026-01-15T06:00', 1, 'UTC', '2026-01-15', 'missed', 1, NULL)",
  ],
  ['a device of a third kind', "INSERT INTO markets VALUES (2, 'vendor', 'US', 'en', 'tablet', '')"],
  [
    'a search volume below 0',
    "INSERT INTO volumes (keyword_id, service, country, language, month, observed_at, source, search_volume) VALUES (1, 'vendor', 'US', 'en', '2026-01', 1, 'x', -1)",
  ],
  ['a balance of credits below zero', 'UPDATE accounts SET serp_credits = serp_credits - 4'],
  ['a balance of dollars below zero', 'UPDATE accounts SET micro_usd = micro_usd - 501'],
  ['a balance too large to be exact', 'UPDATE accounts SET micro_usd = 9007199254740992'],
  ['a second account of one name', "INSERT INTO accounts VALUES (2, 'acme', 0, 0, '[]', 1)"],
  ['a second API user of one name', "INSERT INTO api_users VALUES (2, 'ann', 1, 'hash', 1, NULL, NULL, 1, NULL, NULL)"],
  [
    'an API user without an account',
    "INSERT INTO api_users VALUES (2, 'bob', 9, 'hash', 1, NULL, NULL, 1, NULL, NULL)",
  ],
  ['a charge that holds more than was taken', 'UPDATE account_charges SET held_serp_credits = 3'],
  ['a charge that holds less than nothing', 'UPDATE account_charges SET held_serp_credits = -1'],
  ['a charge of another price', 'UPDATE account_charges SET serp_credits = 1'],
  ['a charge of another request', "UPDATE account_charges SET request_id = 'other'"],
  ['a deleted charge', 'DELETE FROM account_charges'],
  ['a changed statement', 'UPDATE account_entries SET serp_credits = -1'],
  ['a shortened statement', 'DELETE FROM account_entries'],
  [
    'a statement entry below zero',
    "INSERT INTO account_entries VALUES (2, 1, 'withdrawal', -4, 0, -1, 500, 1, NULL, NULL)",
  ],
  ['a refund of nothing charged', "INSERT INTO account_entries VALUES (2, 1, 'refund', 1, 0, 4, 500, 1, NULL, NULL)"],
  [
    'a second record under one idempotency key',
    "INSERT INTO idempotency_records VALUES (2, 'acme', 'ann', 'key', 'other', 'process', 1, 2, NULL)",
  ],
];

describe('raw SQL', () => {
  beforeAll(() => {
    for (const statement of rows.split(';\n')) db.sql(statement).run();
  });

  it.each(refused)('cannot write %s', (_name, statement) => {
    expect(() => db.sql(statement).run()).toThrow(
      expect.objectContaining({ code: expect.stringMatching(/^SQLITE_CONSTRAINT/) }),
    );
  });
});
