// The public API of the service core. Code outside imports from here only.
export type * from './access/account-log.ts';
export type * from './access/account-store.ts';
export { AccountError, Accounts, type ApiUserFacts, type NewCredentials } from './access/accounts.ts';
export type * from './access/dashboard-store.ts';
export { canonicalRule } from './access/login/addresses.ts';
export { TokenBuckets } from './access/login/rate-limit.ts';
export { newToken, tokenHash } from './access/login/secret-tokens.ts';
export { refundAbandoned } from './access/owner.ts';
export type * from './access/statement.ts';
export { type ClientOptions, SearchDataClient } from './client/client.ts';
export type { AnswerService } from './core/answer-service.ts';
export type * from './core/calls.ts';
export { doubtFailure, withDoubts } from './core/doubts.ts';
export { eachPage } from './core/each-page.ts';
export { createSearchDataService, type SearchDataService } from './core/service.ts';
export type { PageOutcome } from './engines/page-shape.ts';
export { engineNames, loadAnonymiser, loadEngine } from './engines/registry.ts';
export * from './model/answer-source.ts';
export type * from './model/charged.ts';
export type { Source } from './model/configured-source.ts';
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
export { RequestTally, sumOfRequests } from './model/request-tally.ts';
export { decodeText as textOfPage } from './model/results/charset.ts';
export { featuresOf } from './model/results/features.ts';
export { strayMarksIn, withoutStrayMarks } from './model/results/invisible-marks.ts';
export * from './model/results/keyword-data.ts';
export { canonicalCountry, canonicalLanguage, countryCodes } from './model/results/locale.ts';
export { canonicalLocation, coordinateLocation, type LocationKind, parseLocation } from './model/results/location.ts';
export type * from './model/results/serp.ts';
export { Semaphore } from './model/semaphore.ts';
export type {
  FetchedPage,
  MetricsFacts,
  MetricsRequest,
  MetricsSource,
  PageRequest,
  SerpSource,
  SourceContext,
  SourceDependencies,
  SourceFacts,
  SourceKind,
  SourcePrice,
  SourceProbe,
} from './model/source.ts';
export { ProcessMemory, type SourceMemory } from './model/source-memory.ts';
export { backoffMs } from './model/time/backoff.ts';
export { systemClock } from './model/time/clock.ts';
export { MonotonicClock } from './model/time/monotonic-clock.ts';
export { skewText, spanText, WitnessedClock } from './model/time/witnessed-clock.ts';
export { createGuardedServer } from './server/guarded-server.ts';
export { loadOpenApiDocument, startServer } from './server/server.ts';
export type { AnsweredRequest, RunningServer, ServerOptions } from './server/server-options.ts';
export { launchBrowser as launchPrintingBrowser, type PrintingBrowser } from './sources/fetchers/launch-browser.ts';
export type { SourceOption } from './sources/registry.ts';
export {
  answerEnginesOf,
  answerKindOf,
  answerOptionsSchema,
  answerSourceNames,
  createAnswerSource,
  createMetricsSource,
  createSource,
  describeAnswerSource,
  describeMetricsSource,
  describeSource,
  metricsCostMoney,
  metricsKindOf,
  metricsOptionsSchema,
  metricsSourceNames,
  openSearchConsole,
  sourceHasLocalResults,
  sourceHasOnlyLocalResults,
  sourceKindOf,
  sourceLocations,
  sourceNames,
  sourceOptionsSchema,
} from './sources/registry.ts';
export type * from './sources/search-console.ts';
