// The public API of the service core. Code outside imports from here only.
import type { OpenApiDocument } from './server/openapi.ts';
import type { RunningServer, ServerOptions } from './server/server.ts';

export type * from './access/account-store.ts';
export type * from './access/account-store.ts';
export type * from './access/account-store.ts';
export type * from './access/account-store.ts';
export { AccountError, Accounts, type ApiUserFacts, type NewCredentials } from './access/accounts.ts';
export { refundAbandoned } from './access/credits.ts';
export { canonicalRule } from './access/login/addresses.ts';
export { newToken, tokenHash } from './access/login/passwords.ts';
export { TokenBuckets } from './access/login/rate-limit.ts';
export { type ClientOptions, SearchDataClient } from './client/client.ts';
export type * from './core/calls.ts';
export { doubtFailure, withDoubts } from './core/purchase.ts';
export { createSearchDataService, eachPage } from './core/service.ts';
export type { PageOutcome } from './engines/anonymise.ts';
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
export { Semaphore } from './model/semaphore.ts';
export * from './model/source.ts';
export { backoffMs, MonotonicClock, skewText, spanText, systemClock, WitnessedClock } from './model/time/clock.ts';
export { createGuardedServer } from './server/guarded-server.ts';
export type { AnsweredRequest, RunningServer, ServerOptions } from './server/server.ts';
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

/**
 * Serves the service over HTTP, and loads the server. Resolves when it listens. Rejects with the system's error if it
 * cannot (EADDRINUSE, EACCES), and with Error for an invalid proxy rule, or accounts that do not support a dashboard.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  return await (await import('./server/server.ts')).listen(options);
}

/** The OpenAPI 3.1 document of the service; the same object at every call. */
export async function loadOpenApiDocument(): Promise<OpenApiDocument> {
  return (await import('./server/openapi.ts')).openApiDocument();
}
