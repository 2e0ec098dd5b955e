// Requests to the dashboard and their answers, independent of any server; cookies and form tokens.
import { hash, timingSafeEqual } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Account, AccountStore, DashboardStore, Holder, HolderSession } from '../../access/account-store.ts';
import { Accounts } from '../../access/accounts.ts';
import { isToken } from '../../access/login/passwords.ts';
import type { Clock } from '../../model/ports.ts';
import type { Semaphore } from '../../model/semaphore.ts';
import type { Headers } from '../responses.ts';
import { type Holders, holderName } from './holders.ts';

interface DashboardRequest {
  readonly method: string;
  /** `/account` or a path under it. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Empty if the body is not a form. */
  readonly form: URLSearchParams;
  /** The header `Cookie`. */
  readonly cookies: string | undefined;
  readonly address: string;
  /** The browser has hung up. */
  readonly signal: AbortSignal;
  /** The server's origin in the browser, such as `https://search.example.com`. */
  readonly origin: string;
  /** The header `Sec-Fetch-Site`. */
  readonly fetchSite: unknown;
}

export interface DashboardAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string | Readable;
  readonly cookies?: string[];
  /** The account of the signed-in holder; absent: not signed in. */
  readonly account?: string;
  /** The error, if the service caused it: for its log. */
  readonly code?: 'INTERNAL_ERROR';
  readonly error?: unknown;
}

/** The dependencies of every page. */
interface Desk {
  readonly accounts: AccountStore;
  readonly dashboard: DashboardStore;
  readonly holders: Holders;
  readonly clock: Clock;
  /** One API user is created at a time, so that forms sent at once cannot exceed the limit. */
  readonly creation: Semaphore;
}

/** One request, from a browser that may be signed in or not. */
export interface Visit {
  readonly desk: Desk;
  readonly request: DashboardRequest;
  /** The token in every form of this browser. */
  readonly formToken: string;
}

export interface HolderVisit extends Visit {
  readonly session: HolderSession;
  readonly holder: Holder;
  readonly account: Account;
}

/** The value of a field of the form that was sent. */
export function field({ request }: Visit, name: string): string {
  return request.form.get(name) ?? '';
}

/** `__Host-`: browsers accept the cookie only over HTTPS (or from this machine), and only for and from this host. */
const cookieName = '__Host-rankledger';
const deviceCookieName = '__Host-rankledger-device';
/** Browsers keep a cookie for 400 days at most. */
const deviceCookieSeconds = 34_560_000;
const cookieFacts = 'Path=/; HttpOnly; Secure; SameSite=Strict';

/** The token of the browser; undefined if it sent none of ours. */
export function readCookieToken({ cookies }: DashboardRequest): string | undefined {
  return readCookies(cookies, cookieName).find(isToken);
}

/** What marks this browser as one that has signed in. */
export function readDevice({ cookies }: DashboardRequest): string | undefined {
  return readCookies(cookies, deviceCookieName)[0];
}

function readCookies(header: string | undefined, wanted: string): string[] {
  const pairs = header?.split(';').map((pair) => pair.trim().split('=', 2)) ?? [];
  return pairs.filter(([name]) => name === wanted).map(([, value = '']) => value);
}

/** A session has begun: its cookie, and the one that this browser keeps. */
export function signedIn(to: string, { token, device }: { readonly token: string; readonly device: string }) {
  const deviceCookie = `${deviceCookieName}=${device}; ${cookieFacts}; Max-Age=${deviceCookieSeconds}`;
  return redirect(to, [sessionCookie(token), deviceCookie]);
}

/** Expires when the browser is closed. */
export function sessionCookie(token: string): string {
  return `${cookieName}=${token}; ${cookieFacts}`;
}

export function signedOut(to: string): DashboardAnswer {
  return redirect(to, [`${sessionCookie('')}; Max-Age=0`]);
}

/** Derived from the cookie, which other sites can neither read nor set: a form with this token is ours. */
export function toFormToken(cookieToken: string): string {
  return hash('sha256', `form\0${cookieToken}`, 'base64url');
}

/** The field of a form that carries the token. */
export const formTokenField = 'form_token';

/** Whether the form was filled in on a page of ours, in this browser. */
export function isOwnForm({ form, fetchSite }: DashboardRequest, cookieToken: string | undefined): boolean {
  if (cookieToken === undefined || (fetchSite !== undefined && fetchSite !== 'same-origin')) return false;
  const [given, due] = [Buffer.from(form.get(formTokenField) ?? ''), Buffer.from(toFormToken(cookieToken))];
  return given.length === due.length && timingSafeEqual(given, due);
}

/** Redirects to GET, so that reloading does not send a form twice. */
export function redirect(to: string, cookies?: string[]): DashboardAnswer {
  return { status: 303, headers: { location: to }, body: '', cookies };
}

/** The operator's use cases, with the holder named in the audit trail. */
export function administration({ desk, request, account }: HolderVisit): Accounts {
  const by = holderName({ account: account.name, address: request.address });
  return new Accounts(desk.accounts, desk.clock, undefined, by);
}
