// Types of requests to the dashboard and their answers, independent of any server; cookies and form tokens.
import { hash, timingSafeEqual } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Account, AccountStore, DashboardStore, Holder, HolderSession } from '../../access/account-store.ts';
import { Accounts } from '../../access/accounts.ts';
import { isToken } from '../../access/login/passwords.ts';
import type { Clock } from '../../model/ports.ts';
import type { Semaphore } from '../../model/semaphore.ts';
import type { Headers } from '../response-headers.ts';
import { type Holders, holderName } from './holders.ts';

export interface DashboardRequest {
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
  readonly fetchSite: string | undefined;
}

export interface DashboardAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string | Readable;
  /** A second cookie, for a browser that has signed in. */
  readonly deviceCookie?: string;
  /** The account of the signed-in holder; absent: not signed in. */
  readonly account?: string;
  /** The error, if the service caused it: for its log. */
  readonly code?: 'INTERNAL_ERROR';
  readonly error?: unknown;
}

/** The dependencies of every page. */
export interface Desk {
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

export type Page = (visit: Visit) => Promise<DashboardAnswer>;
export type HolderPage = (visit: HolderVisit) => Promise<DashboardAnswer>;

/** `__Host-`: browsers accept the cookie only over HTTPS (or from this machine), and only for and from this host. */
const cookieName = '__Host-rankledger';
const deviceCookieName = '__Host-rankledger-device';
/** Browsers keep a cookie for 400 days at most. */
const deviceCookieSeconds = 34_560_000;
const cookieFacts = 'Path=/; HttpOnly; Secure; SameSite=Strict';

/** The token of the browser; undefined if it sent none of ours. */
export function readCookieToken(header: string | undefined): string | undefined {
  return readCookies(header, cookieName).find(isToken);
}

/** What marks this browser as one that has signed in. */
export function readDevice(header: string | undefined): string | undefined {
  return readCookies(header, deviceCookieName)[0];
}

function readCookies(header: string | undefined, wanted: string): string[] {
  const pairs = header?.split(';').map((pair) => pair.trim().split('=', 2)) ?? [];
  return pairs.filter(([name]) => name === wanted).map(([, value = '']) => value);
}

/** A session has begun: its cookie, and the one that this browser keeps. */
export function signedIn(to: string, { token, device }: { readonly token: string; readonly device: string }) {
  const deviceCookie = `${deviceCookieName}=${device}; ${cookieFacts}; Max-Age=${deviceCookieSeconds}`;
  return { ...redirect(to, setCookie(token)), deviceCookie };
}

/** Expires when the browser is closed. */
export function setCookie(token: string): Headers {
  return { 'set-cookie': `${cookieName}=${token}; ${cookieFacts}` };
}

export function dropCookie(): Headers {
  return { 'set-cookie': `${cookieName}=; ${cookieFacts}; Max-Age=0` };
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
export function redirect(to: string, headers: Headers = {}): DashboardAnswer {
  return { status: 303, headers: { location: to, ...headers }, body: '' };
}

/** The operator's use cases, with the holder named in the audit trail. */
export function administration({ desk, request, account }: HolderVisit): Accounts {
  const by = holderName({ account: account.name, address: request.address });
  return new Accounts(desk.accounts, desk.clock, undefined, by);
}
