// The account dashboard: routes paths to pages, and checks sign-in and form tokens.
import type { FastifyRequest } from 'fastify';
import type { AccountStore } from '../../access/account-store.ts';
import { newToken } from '../../access/login/passwords.ts';
import { ServiceError } from '../../model/errors.ts';
import type { Clock } from '../../model/ports.ts';
import { Semaphore } from '../../model/semaphore.ts';
import { Holders, type HoldersOptions } from './holders.ts';
import { guardHeaders, html, openPage } from './page.ts';
import {
  acceptInvitation,
  changePassword,
  securityPage,
  showInvitation,
  signIn,
  signInPage,
  signOut,
  turnTotpOff,
  turnTotpOn,
} from './pages/access.ts';
import { downloadStatement, showFailures, showOverview, showStatement } from './pages/account.ts';
import {
  addOwnAddress,
  createUser,
  downloadExample,
  expireUser,
  revokeUser,
  setWhitelist,
  showExamples,
  showUser,
  showWhitelist,
  usersPage,
} from './pages/users.ts';
import {
  type DashboardAnswer,
  type HolderVisit,
  isOwnForm,
  readCookieToken,
  redirect,
  sessionCookie,
  toFormToken,
  type Visit,
} from './visit.ts';

interface Methods<Place extends Visit> {
  readonly GET?: (visit: Place) => Promise<DashboardAnswer>;
  readonly POST?: (visit: Place) => Promise<DashboardAnswer>;
}

/** Pages without sign-in. */
const openPages = new Map<string, Methods<Visit>>([
  ['/account/sign-in', { GET: signInPage, POST: signIn }],
  ['/account/invitation', { GET: showInvitation, POST: acceptInvitation }],
]);

/** Pages for signed-in holders. */
const holderPages = new Map<string, Methods<HolderVisit>>([
  ['/account', { GET: showOverview }],
  ['/account/users', { GET: usersPage, POST: createUser }],
  ['/account/users/user', { GET: showUser }],
  ['/account/users/expire', { POST: expireUser }],
  ['/account/users/revoke', { POST: revokeUser }],
  ['/account/whitelist', { GET: showWhitelist, POST: setWhitelist }],
  ['/account/whitelist/own-address', { POST: addOwnAddress }],
  ['/account/statement', { GET: showStatement }],
  ['/account/statement.csv', { GET: downloadStatement }],
  ['/account/failures', { GET: showFailures }],
  ['/account/examples', { GET: showExamples }],
  ['/account/examples/search.sh', { GET: downloadExample }],
  ['/account/examples/search.ts', { GET: downloadExample }],
  ['/account/security', { GET: securityPage }],
  ['/account/security/password', { POST: changePassword }],
  ['/account/security/totp-on', { POST: turnTotpOn }],
  ['/account/security/totp-off', { POST: turnTotpOff }],
  ['/account/sign-out', { POST: signOut }],
]);

/** Host and port as browsers write them: the text must not end a quote in the examples. */
const hostForm = /^[\w.-]{1,253}(:\d{1,5})?$|^\[[\da-f:.]{2,45}\](:\d{1,5})?$/i;

export class Dashboard {
  readonly #desk: Visit['desk'];

  /** Throws Error if the accounts do not support a dashboard. */
  constructor(accounts: AccountStore | undefined, clock: Clock, options: HoldersOptions) {
    const dashboard = accounts?.dashboard;
    if (accounts === undefined || dashboard === undefined)
      throw new Error('The dashboard needs accounts whose store has `dashboard`.');
    const holders = new Holders(accounts, dashboard, clock, options);
    this.#desk = { accounts, dashboard, clock, holders, creation: new Semaphore({ permits: 1 }) };
  }

  /** The methods of a path, in the form of the header `Allow`; undefined for an unknown path. */
  allowedMethods(path: string): string | undefined {
    const methods = openPages.get(path) ?? holderPages.get(path);
    return methods && [...(methods.GET ? ['GET', 'HEAD'] : []), ...(methods.POST ? ['POST'] : [])].join(', ');
  }

  /** Answers a path and method of `allowedMethods`. `address` is the client's. */
  async answer(from: FastifyRequest, address: string, signal: AbortSignal): Promise<DashboardAnswer> {
    const { method, url, headers } = from;
    const [path = '', query = ''] = url.split('?', 2);
    const { host = '' } = headers;
    const request = {
      method,
      path,
      query: new URLSearchParams(query),
      form: readForm(from),
      cookies: headers.cookie,
      address,
      signal,
      // the scheme comes from a trusted proxy; the server itself speaks HTTP
      origin: `${from.protocol === 'https' ? 'https' : 'http'}://${hostForm.test(host) ? host : 'localhost'}`,
      fetchSite: headers['sec-fetch-site'],
    };
    const known = readCookieToken(request);
    const token = known ?? newToken();
    const answer = await guarded({ desk: this.#desk, request, formToken: toFormToken(token) }, known);
    const cookies = answer.cookies ?? (known === undefined ? [sessionCookie(token)] : undefined);
    return { ...answer, cookies, headers: { ...guardHeaders, ...answer.headers } };
  }

  /** Writes pending entries of the audit trail. */
  async close(): Promise<void> {
    await this.#desk.holders.close();
  }
}

function readForm({ headers, body }: FastifyRequest): URLSearchParams {
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  const isForm = type === 'application/x-www-form-urlencoded' && body instanceof Uint8Array;
  return new URLSearchParams(isForm ? new TextDecoder().decode(body) : '');
}

async function guarded(visit: Visit, cookieToken: string | undefined): Promise<DashboardAnswer> {
  const { request } = visit;
  const method = request.method === 'POST' ? 'POST' : 'GET';
  if (method === 'POST' && !isOwnForm(request, cookieToken)) return foreignForm(visit, cookieToken !== undefined);
  try {
    const open = openPages.get(request.path)?.[method];
    if (open !== undefined) return await open(visit);
    const page = holderPages.get(request.path)?.[method];
    const signedIn = await toHolderVisit(visit, cookieToken);
    return page === undefined || signedIn === undefined ? redirect('/account/sign-in') : await page(signedIn);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'RATE_LIMIT_EXCEEDED') return tooMany(visit, error);
    return failed(visit, error); // also where the browser has hung up: the log says so
  }
}

/** Undefined if the browser is not signed in, or its session has ended. */
async function toHolderVisit(visit: Visit, cookieToken: string | undefined): Promise<HolderVisit | undefined> {
  const { accounts, dashboard, holders } = visit.desk;
  const session = await holders.session(cookieToken);
  if (session === undefined) return undefined;
  const { account: name } = session;
  const [account, holder] = await Promise.all([accounts.findAccount(name), dashboard.findHolder(name)]);
  return account === undefined || holder === undefined ? undefined : { ...visit, session, account, holder };
}

function foreignForm(visit: Visit, hasCookie: boolean): DashboardAnswer {
  const problem = hasCookie
    ? 'The form is too old, or it came from another site. Nothing was changed.'
    : 'Your browser sent no cookie. The dashboard needs cookies, and HTTPS unless it runs on this machine.';
  const main = html`<p><a href="/account">Back to the account</a></p>`;
  return openPage(visit, { title: 'Not accepted', main, problem, status: 403 });
}

/** The page does not describe the failure: its message may name internal hosts or vendors. */
function failed(visit: Visit, error: unknown): DashboardAnswer {
  const main = html`<p>Check what was changed before you try again: <a href="/account">back to the account</a>.</p>`;
  const page = openPage(visit, { title: 'Failed', main, problem: 'The service failed. Try again later.', status: 500 });
  return { ...page, code: 'INTERNAL_ERROR', error };
}

function tooMany(visit: Visit, { message, retryAfterMs = 1000 }: ServiceError): DashboardAnswer {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
  const main = html`<p>Try again in ${seconds} seconds. <a href="/account">Back to the account</a></p>`;
  const headers = { 'retry-after': String(seconds) };
  return openPage(visit, { title: 'Too many attempts', main, problem: message, status: 429, headers });
}
