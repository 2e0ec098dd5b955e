// drizzle's query builder over a connection, for cold paths. Hot paths use `Connection.sql` (docs/decisions/0033).
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import type BetterSqlite from 'better-sqlite3';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type * as tables from '../schema/index.ts';
import { type SummingConnection, withSums } from './row-sums.ts';
import type { Statement } from './statement.ts';

// required rather than imported: most commands never load drizzle
const require = createRequire(import.meta.url);

export interface QueryBuilder {
  readonly builder: BetterSQLite3Database;
  readonly tables: typeof tables;
  readonly operators: typeof import('drizzle-orm/sql') &
    typeof import('drizzle-orm/utils') &
    typeof import('drizzle-orm/sqlite-core/alias');
}

/** Statements that it prepares keep the sums over rows, as those of `Connection.sql` do. */
export function queryBuilder(sqlite: BetterSqlite.Database, db: SummingConnection): QueryBuilder {
  const { drizzle } = require('drizzle-orm/better-sqlite3') as typeof import('drizzle-orm/better-sqlite3');
  const client = {
    prepare(text: string) {
      const statement = sqlite.prepare(text);
      const summed = (one: unknown): Statement => withSums(db, text, one as Statement);
      return {
        run: (...values: []) => summed(statement).run(...values),
        raw: () => summed(statement.raw()),
      };
    },
  };
  return {
    builder: drizzle({ client: client as unknown as BetterSqlite.Database }), // all that its session calls for the queries we build
    // the schema is TypeScript in a checkout, and compiled in a package
    tables: require(`../schema/index${extname(import.meta.filename)}`) as typeof tables,
    operators: {
      ...(require('drizzle-orm/sql') as typeof import('drizzle-orm/sql')),
      ...(require('drizzle-orm/utils') as typeof import('drizzle-orm/utils')),
      ...(require('drizzle-orm/sqlite-core/alias') as typeof import('drizzle-orm/sqlite-core/alias')),
    },
  };
}
