// The only door of the service core.
export { systemClock } from './clock.ts';
export * from './errors.ts';
export { featuresOf } from './features.ts';
export * from './keyword-data.ts';
export { limits } from './limits.ts';
export { canonicalCountry, canonicalLanguage, countryCodes } from './locale.ts';
export type * from './ports.ts';
export type * from './serp.ts';
export * from './service.ts';
export type {
  FetchedPage,
  MetricsRequest,
  MetricsSource,
  PageRequest,
  SerpSource,
  Source,
  SourceContext,
  SourceDependencies,
  SourceKind,
} from './sources/source.ts';
