// Types: a request to the dashboard and its answer, apart from any server. Also cookies and form tokens.
import { hash, timingSafeEqual } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Account, AccountStore } from '../../access/account-store.ts';
import { Accounts } from '../../access/accounts.ts';
import type { DashboardStore, Holder, HolderSession } from '../../access/dashboard-store.ts';
import { isToken } from '../../access/secret-tokens.ts';
import type { Clock } from '../../model/ports.ts';
import type { Headers } from '../response-headers.ts';
import { type Holders, holderName } from './holders.ts';

export interface DashboardRequest {
  readonly method: string;
  /** `/account` or a path under it. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Empty where the body is no form. */
  readonly form: URLSearchParams;
  /** The header `Cookie`. */
  readonly cookies: string | undefined;
  readonly address: string;
  /** Where the browser finds this server, such as `https://search.example.com`. */
  readonly origin: string;
  /** The header `Sec-Fetch-Site`. */
  readonly fetchSite: string | undefined;
}

export interface DashboardAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string | Readable;
  /** Of the holder who asked; absent: not signed in. */
  readonly account?: string;
  /** What went wrong, where it was the service's fault: for its log. */
  readonly code?: 'INTERNAL_ERROR';
  readonly error?: unknown;
}

/** What every page works with. */
export interface Desk {
  readonly accounts: AccountStore;
  readonly dashboard: DashboardStore;
  readonly holders: Holders;
  readonly clock: Clock;
}

/** One request, from a browser that may have signed in or not. */
export interface Visit {
  readonly desk: Desk;
  readonly request: DashboardRequest;
  /** What every form of this browser carries. */
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
const cookieFacts = 'Path=/; HttpOnly; Secure; SameSite=Strict';

/** The token of the browser; undefined where it sent none of ours. */
export function readCookieToken(header: string | undefined): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const [name, value = ''] = pair.trim().split('=', 2);
    if (name === cookieName && isToken(value)) return value;
  }
  return undefined;
}

/** Lasts until the browser is closed. */
export function setCookie(token: string): Headers {
  return { 'set-cookie': `${cookieName}=${token}; ${cookieFacts}` };
}

export function dropCookie(): Headers {
  return { 'set-cookie': `${cookieName}=; ${cookieFacts}; Max-Age=0` };
}

/** Made from the cookie, which no other site can read or set: a form that has it is ours. */
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

/** The browser asks again with GET, so that a form is not sent twice. */
export function redirect(to: string, headers: Headers = {}): DashboardAnswer {
  return { status: 303, headers: { location: to, ...headers }, body: '' };
}

/** The operator's use cases, with the holder named in the audit trail. */
export function administration({ desk, request, account }: HolderVisit): Accounts {
  const by = holderName({ account: account.name, address: request.address });
  return new Accounts(desk.accounts, desk.clock, undefined, by);
}
