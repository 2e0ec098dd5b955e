// The door for code that runs no service: errors, limits, clocks, sources by name, and all types. It loads no server.
export type * from './access/account-store.ts';
export type * from './core/calls.ts';
export type { PageOutcome } from './engines/anonymise.ts';
export { type SearchEngine, searchEngines, sourceEngine, usualEngine } from './engines/names.ts';
export { engineNames, loadAnonymiser, loadEngine } from './engines/registry.ts';
export type * from './model/charged.ts';
export { RequestTally, sumOfRequests } from './model/charged.ts';
export * from './model/errors.ts';
export { limits } from './model/limits.ts';
export type * from './model/ports.ts';
export {
  isProcessAtWork,
  isProcessRunning,
  processName,
  processNameOf,
  processStateOf,
} from './model/process-liveness.ts';
export { decodeText as textOfPage } from './model/results/charset.ts';
export { featuresOf } from './model/results/features.ts';
export { strayMarksIn, withoutStrayMarks } from './model/results/invisible-marks.ts';
export * from './model/results/keyword-data.ts';
export { canonicalCountry, canonicalLanguage, countryCodes } from './model/results/locale.ts';
export { canonicalLocation, coordinateLocation, type LocationKind, parseLocation } from './model/results/location.ts';
export type * from './model/results/serp.ts';
export * from './model/search-limits.ts';
export { Semaphore } from './model/semaphore.ts';
export * from './model/source.ts';
export { backoffMs, MonotonicClock, skewText, spanText, systemClock, WitnessedClock } from './model/time/clock.ts';
export type { MetricsSourceOptions, SourceOption, SourceOptions } from './sources/registry.ts';
export {
  answerFacts,
  answerKindOf,
  answerOptionsSchema,
  answerSourceNames,
  createAnswerSource,
  createMetricsSource,
  createSource,
  describeAnswerSource,
  describeMetricsSource,
  describeSource,
  exportedEngine,
  metricsCostMoney,
  metricsKindOf,
  metricsLimits,
  metricsOptionsSchema,
  metricsSourceNames,
  openSearchConsole,
  sourceHasLocalResults,
  sourceHasOnlyLocalResults,
  sourceKindOf,
  sourceLimits,
  sourceLocations,
  sourceNames,
  sourceOptionsSchema,
  sourceRange,
} from './sources/registry.ts';
export type * from './sources/search-console.ts';
