// The account dashboard: routes paths to pages, and checks sign-in and form tokens.
import { newToken } from '../../access/login/passwords.ts';
import { ServiceError } from '../../model/errors.ts';
import { guardHeaders, openPage } from './layout.ts';
import { html } from './markup.ts';
import { downloadExample, showExamples } from './pages/examples.ts';
import { showFailures } from './pages/failures.ts';
import { acceptInvitation, showInvitation } from './pages/invitation.ts';
import { showOverview } from './pages/overview.ts';
import { changePassword, showSecurity, turnTotpOff, turnTotpOn } from './pages/security.ts';
import { showSignIn, signIn, signOut } from './pages/sign-in.ts';
import { downloadStatement, showStatement } from './pages/statement.ts';
import { createUser, expireUser, revokeUser, showUser, showUsers } from './pages/users.ts';
import { addOwnAddress, setWhitelist, showWhitelist } from './pages/whitelist.ts';
import {
  type DashboardAnswer,
  type DashboardRequest,
  type Desk,
  type HolderPage,
  type HolderVisit,
  isOwnForm,
  type Page,
  readCookieToken,
  redirect,
  setCookie,
  toFormToken,
  type Visit,
} from './visit.ts';

interface Methods<Handler> {
  readonly GET?: Handler;
  readonly POST?: Handler;
}

/** Pages without sign-in. */
const openPages: ReadonlyMap<string, Methods<Page>> = new Map<string, Methods<Page>>([
  ['/account/sign-in', { GET: showSignIn, POST: signIn }],
  ['/account/invitation', { GET: showInvitation, POST: acceptInvitation }],
]);

/** Pages for signed-in holders. */
const holderPages: ReadonlyMap<string, Methods<HolderPage>> = new Map<string, Methods<HolderPage>>([
  ['/account', { GET: showOverview }],
  ['/account/users', { GET: showUsers, POST: createUser }],
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
  ['/account/security', { GET: showSecurity }],
  ['/account/security/password', { POST: changePassword }],
  ['/account/security/totp-on', { POST: turnTotpOn }],
  ['/account/security/totp-off', { POST: turnTotpOff }],
  ['/account/sign-out', { POST: signOut }],
]);

/** The methods of a path, in the form of the header `Allow`; undefined for an unknown path. */
export function dashboardMethods(path: string): string | undefined {
  const methods = openPages.get(path) ?? holderPages.get(path);
  if (methods === undefined) return undefined;
  return [...(methods.GET === undefined ? [] : ['GET', 'HEAD']), ...(methods.POST === undefined ? [] : ['POST'])].join(
    ', ',
  );
}

/** Answers a path and method of `dashboardMethods`. */
export async function answerDashboard(desk: Desk, request: DashboardRequest): Promise<DashboardAnswer> {
  const known = readCookieToken(request.cookies);
  const token = known ?? newToken();
  const visit: Visit = { desk, request, formToken: toFormToken(token) };
  const answer = await guarded(visit, known);
  const isNew = known === undefined && answer.headers['set-cookie'] === undefined;
  return { ...answer, headers: { ...guardHeaders, ...(isNew && setCookie(token)), ...answer.headers } };
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
  const { accounts, holders } = visit.desk;
  const session = await holders.session(cookieToken);
  if (session === undefined) return undefined;
  const [account, holder] = await Promise.all([accounts.findAccount(session.account), holders.find(session.account)]);
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
