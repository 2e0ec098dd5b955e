// The only door of the service core.
export type * from './account-log.ts';
export type * from './account-store.ts';
export { AccountError, Accounts, type ApiUserFacts, type NewCredentials, type NewUser } from './accounts.ts';
export { canonicalRule } from './addresses.ts';
export type { LoginLimits } from './authentication.ts';
export type * from './charged.ts';
export { textOf as textOfPage } from './charset.ts';
export { systemClock } from './clock.ts';
export { doubtFailure, withDoubts } from './doubts.ts';
export { eachPage } from './each-page.ts';
export type { Engine, PageContext } from './engines/engine.ts';
export { engineNames, loadEngine } from './engines/registry.ts';
export * from './errors.ts';
export { featuresOf } from './features.ts';
export { type ClientOptions, SearchDataClient } from './http/client.ts';
export type { RetryOptions } from './http/retries.ts';
export { startServer } from './http/server.ts';
export type { AnsweredRequest, RunningServer, ServerOptions } from './http/server-options.ts';
export { strayMarksIn, withoutStrayMarks } from './invisible-marks.ts';
export * from './keyword-data.ts';
export { limits } from './limits.ts';
export { canonicalCountry, canonicalLanguage, countryCodes } from './locale.ts';
export { MemoryAccountStore } from './memory-accounts.ts';
export { refundAbandoned } from './owner.ts';
export type { PagesInFlight } from './page-turns.ts';
export type { ScryptCost } from './passwords.ts';
export type * from './ports.ts';
export { isProcessAtWork, processName, processNameOf, processStateOf } from './process-liveness.ts';
export type { RatePolicy, RateState } from './rate-limit.ts';
export { RequestTally, sumOfRequests } from './request-tally.ts';
export type * from './serp.ts';
export * from './service.ts';
export { ProcessMemory, type SourceMemory } from './source-memory.ts';
export type { SourceOption } from './sources/loading.ts';
export {
  createMetricsSource,
  describeMetricsSource,
  metricsCostMoney,
  metricsKindOf,
  metricsOptionsSchema,
  metricsSourceNames,
} from './sources/metrics-registry.ts';
export { createSource, describeSource, sourceKindOf, sourceNames, sourceOptionsSchema } from './sources/registry.ts';
export type {
  ChargeUnit,
  FetchedPage,
  MetricName,
  MetricsFacts,
  MetricsModule,
  MetricsPrice,
  MetricsRequest,
  MetricsSource,
  PageRequest,
  SerpSource,
  Source,
  SourceContext,
  SourceDependencies,
  SourceFacts,
  SourceKind,
  SourcePrice,
  SourceProbe,
} from './sources/source.ts';
export { SteadyTime } from './steady-time.ts';
export type { UsageResponse } from './usage.ts';
export { skewText, WitnessedClock } from './witnessed-clock.ts';
