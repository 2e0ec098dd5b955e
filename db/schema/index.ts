// The tables as drizzle defines them, for migrations, row types and the query builder.
export * from './accounts.ts';
export * from './clicks.ts';
export * from './history.ts';
export * from './money.ts';
export * from './names.ts';
export * from './runs.ts';
