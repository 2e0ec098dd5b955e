// The tables, as drizzle knows them: the source of the migrations and of row types. STRICT, WITHOUT ROWID and triggers stand in the migrations.
// Imported at run time by nothing but tools: loading drizzle costs more than most commands take.
export * from './accounts.ts';
export * from './history.ts';
export * from './money.ts';
export * from './names.ts';
export * from './reports.ts';
export * from './runs.ts';
export * from './sources.ts';
