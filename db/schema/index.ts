// The tables as drizzle defines them, for migrations, row types and the query builder.
export * from './accounts.ts';
export * from './answers.ts';
export * from './clicks.ts';
export * from './columns.ts';
export * from './history.ts';
export * from './money.ts';
export * from './names.ts';
export * from './readers.ts';
export * from './reports.ts';
export * from './runs.ts';
export * from './sources.ts';
