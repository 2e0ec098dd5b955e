// The door for code that runs a service: the terms, and accounts, the service itself and its server.
import type { createGuardedServer } from './server/guarded-server.ts';
import type { RunningServer, ServerOptions } from './server/server.ts';

export { AccountError, Accounts, type ApiUserFacts, type NewCredentials, userState } from './access/accounts.ts';
export { refundAbandoned } from './access/credits.ts';
export { canonicalRule } from './access/login/addresses.ts';
export { newToken, tokenHash } from './access/login/passwords.ts';
export { TokenBuckets } from './access/login/rate-limit.ts';
export { doubtFailure, withDoubts } from './core/purchase.ts';
export { createSearchDataService, eachPage } from './core/service.ts';
export type { AnsweredRequest, RunningServer, ServerOptions } from './server/server.ts';
export { launchBrowser as launchPrintingBrowser, type PrintingBrowser } from './sources/fetchers/launch-browser.ts';
export * from './terms.ts';

/**
 * Serves the service over HTTP, and loads the server. Resolves when it listens. Rejects with the system's error if it
 * cannot (EADDRINUSE, EACCES), and with Error for an invalid proxy rule, or accounts that do not support a dashboard.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  return await (await import('./server/server.ts')).listen(options);
}

/** Loads what makes servers that refuse malformed and excessive requests: HTTP of Node.js takes 17 MB of memory. */
export async function loadGuardedServer(): Promise<typeof createGuardedServer> {
  return (await import('./server/guarded-server.ts')).createGuardedServer;
}
