// The only door of the service core.
export * from './errors.ts';
export * from './keyword-data.ts';
export type * from './ports.ts';
export type * from './serp.ts';
export type * from './service.ts';
export type { PageRequest, SourceKind } from './sources/source.ts';
