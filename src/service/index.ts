// The public API of the service core. Code outside imports from here, or from offline.ts what that has.
export {
  AccountError,
  Accounts,
  type ApiUserFacts,
  type NewCredentials,
  type NewInvitation,
  type NewUser,
} from './access/accounts.ts';
export { canonicalRule } from './access/login/addresses.ts';
export { type RatePolicy, type RateState, TokenBuckets } from './access/login/rate-limit.ts';
export { newToken, tokenHash } from './access/login/secret-tokens.ts';
export { MemoryAccountStore } from './access/memory/memory-accounts.ts';
export { refundAbandoned } from './access/owner.ts';
export { type ClientOptions, SearchDataClient } from './client/client.ts';
export { doubtFailure, withDoubts } from './core/doubts.ts';
export { eachPage } from './core/each-page.ts';
export { createSearchDataService } from './core/service.ts';
export { engineNames, loadAnonymiser, loadEngine } from './engines/registry.ts';
export { decodeText as textOfPage } from './model/results/charset.ts';
export { featuresOf } from './model/results/features.ts';
export * from './offline.ts';
export { loadOpenApiDocument, startServer } from './server/server.ts';
export { launchPrintingBrowser } from './sources/fetchers/printing-browser.ts';
export { openSearchConsole } from './sources/search-console.ts';
