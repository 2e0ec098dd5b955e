// The public API of the service core. Code outside imports from here only.
export type * from './access/account-log.ts';
export type * from './access/account-store.ts';
export {
  AccountError,
  Accounts,
  type ApiUserFacts,
  type NewCredentials,
  type NewInvitation,
  type NewUser,
} from './access/accounts.ts';
export { canonicalRule } from './access/addresses.ts';
export type { LoginLimits } from './access/authentication.ts';
export type * from './access/dashboard-store.ts';
export { MemoryAccountStore } from './access/memory-accounts.ts';
export { refundAbandoned } from './access/owner.ts';
export type { ScryptCost } from './access/passwords.ts';
export { type RatePolicy, type RateState, TokenBuckets } from './access/rate-limit.ts';
export { newToken, tokenHash } from './access/secret-tokens.ts';
export type * from './access/statement.ts';
export type { UsageResponse } from './access/usage.ts';
export { type ClientOptions, SearchDataClient } from './client/client.ts';
export type { RetryOptions } from './client/retries.ts';
export * from './core/calls.ts';
export { doubtFailure, withDoubts } from './core/doubts.ts';
export { eachPage } from './core/each-page.ts';
export type { PagesInFlight } from './core/page-permits.ts';
export * from './core/service.ts';
export type { Engine, PageContext } from './engines/engine.ts';
export type { PageOutcome } from './engines/page-shape.ts';
export { engineNames, loadAnonymiser, loadEngine } from './engines/registry.ts';
export { backoffMs } from './model/backoff.ts';
export type * from './model/charged.ts';
export { decodeText as textOfPage } from './model/charset.ts';
export { systemClock } from './model/clock.ts';
export * from './model/errors.ts';
export { featuresOf } from './model/features.ts';
export { strayMarksIn, withoutStrayMarks } from './model/invisible-marks.ts';
export * from './model/keyword-data.ts';
export { limits } from './model/limits.ts';
export { canonicalCountry, canonicalLanguage, countryCodes } from './model/locale.ts';
export { MonotonicClock } from './model/monotonic-clock.ts';
export type * from './model/ports.ts';
export {
  isProcessAtWork,
  isProcessRunning,
  processName,
  processNameOf,
  processStateOf,
} from './model/process-liveness.ts';
export { RequestTally, sumOfRequests } from './model/request-tally.ts';
export { Semaphore } from './model/semaphore.ts';
export type * from './model/serp.ts';
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
} from './model/source.ts';
export { ProcessMemory, type SourceMemory } from './model/source-memory.ts';
export { skewText, spanText, WitnessedClock } from './model/witnessed-clock.ts';
export { openApiDocument } from './server/openapi.ts';
export { startServer } from './server/server.ts';
export type { AnsweredRequest, DashboardOptions, RunningServer, ServerOptions } from './server/server-options.ts';
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
