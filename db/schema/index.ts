// The tables, as drizzle knows them: the source of the migrations and of row types. STRICT, WITHOUT ROWID and triggers stand in the migrations.
// At run time only the query builder loads them (db/connection/query-builder.ts); other files import their types.
export * from './accounts.ts';
export * from './history.ts';
export * from './money.ts';
export * from './names.ts';
export * from './reports.ts';
export * from './runs.ts';
export * from './sources.ts';
