// drizzle's column types and operators. `require`: as ES modules they load ten times slower (docs/decisions/0033).
import { createRequire } from 'node:module';
import type { Column } from 'drizzle-orm';

// drizzle-kit reads the schema as CommonJS, which knows no `import.meta.url`
const require = createRequire(import.meta.url ?? `${process.cwd()}/`);

export const {
  and,
  asc,
  between,
  count,
  desc,
  eq,
  gt,
  gte,
  inArray,
  isNotNull,
  isNull,
  lt,
  lte,
  max,
  min,
  ne,
  notExists,
  or,
  sql,
} = require('drizzle-orm/sql') as typeof import('drizzle-orm/sql');
export const { getTableColumns } = require('drizzle-orm/utils') as typeof import('drizzle-orm/utils');
export const { alias, blob, check, index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } =
  require('drizzle-orm/sqlite-core') as typeof import('drizzle-orm/sqlite-core');

/** Of whole numbers; 0 where there is no row. */
export const total = (column: Column) => sql<number>`coalesce(sum(${column}), 0)`;
