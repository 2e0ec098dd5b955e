// Who may read: foreign sites, proxies and tokens of a request, judged.

import type { IncomingMessage } from 'node:http';
import { plural } from '../tracker/figures.ts';
import type { ReaderScope } from './scoped-reader.ts';

/** `scope` null: everything. `reader`: names it, for limits. `retryAfterMs`: the address sent too many wrong tokens. */
type ReaderVerdict =
  | { readonly isReader: true; readonly scope: ReaderScope | null; readonly reader: string }
  | { readonly isReader: false; readonly retryAfterMs: number | null };

export interface Door {
  /** Whether requests need the token of a reader now. False: programs and browsers of this machine may read. */
  needsToken(): boolean;
  /** Judges a token that came from this address. */
  check(token: string, address: string): ReaderVerdict;
  /** Whether only this machine may enter, with a token or without. */
  readonly isLocal: boolean;
}

/** Who may edit. */
export interface Editors {
  /** The name of the editor with this token; null: it is not of an editor. */
  readonly editorName: (token: string) => string | null;
  /** Who edits on this machine while no token is needed. */
  readonly operator: string;
}

/** Null: it may read only. */
export function editorOf(
  { door, editorName, operator }: Editors & { readonly door: Door },
  request: IncomingMessage,
): string | null {
  return door.needsToken() ? editorName(readToken(request) ?? '') : operator;
}

/** A refusal to be answered. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
}

const challenge = { 'www-authenticate': 'Bearer realm="rankledger"' };

/**
 * Null: the request comes from a program, from a page of this server, or from a browser that opens an address. Another
 * site could read keywords out by timing requests, even if it cannot read answers.
 */
export function originRefusal(door: Door, request: IncomingMessage): Refusal | null {
  const { headers } = request;
  const refused = (message: string): Refusal => ({ status: 403, message, headers: {} });
  if (isForeign(request)) return refused('Pages of other sites may not send requests here.');
  const needsToken = door.needsToken();
  // another site may resolve its own name to this machine: a browser then sends that name
  if (!needsToken && !isLoopbackName(headers.host))
    return refused('Open it by a name of this machine, such as localhost or 127.0.0.1.');
  if ((!needsToken || door.isLocal) && Object.keys(headers).some((name) => forwarding.test(name)))
    return refused(
      door.isLocal
        ? 'This server is for this machine only, and the request came through a proxy.'
        : 'The request came through a proxy, so it may come from another machine. Add a reader with `rankledger reader add`.',
    );
  return null;
}

/** What the sender of a request may see. */
export interface Entry {
  readonly scope: ReaderScope | null;
  /** For limits: the reader whose token was checked, else the address. An unchecked token does not count. */
  readonly client: string;
}

/** The entry of a request, or why the token that it needs is missing. */
export function admit(
  door: Door,
  request: IncomingMessage,
): { readonly refusal: Refusal } | ({ readonly refusal: null } & Entry) {
  const address = request.socket.remoteAddress ?? '';
  if (!door.needsToken()) return { refusal: null, scope: null, client: address };
  const refused = (message: string) => ({ refusal: { status: 401, message, headers: challenge } });
  const token = readToken(request);
  if (token === undefined) return refused('Send a token of `rankledger reader add` as Authorization: Bearer TOKEN.');
  const verdict = door.check(token, address);
  if (verdict.isReader) return { refusal: null, scope: verdict.scope, client: verdict.reader };
  if (verdict.retryAfterMs === null) return refused('The token is wrong, revoked, or has ended.');
  return { refusal: tooMany('Too many wrong tokens', verdict.retryAfterMs) };
}

export function tooMany(what: string, retryAfterMs: number): Refusal {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
  return {
    status: 429,
    message: `${what}. Try again in ${seconds} ${plural(seconds, 'second')}.`,
    headers: { 'retry-after': `${seconds}` },
  };
}

function readToken({ headers }: IncomingMessage): string | undefined {
  return /^Bearer (\S{1,200})$/i.exec(headers.authorization ?? '')?.[1];
}

/** Headers that proxies, tunnels and content delivery networks add. */
const forwarding =
  /^(forwarded|via|x-forwarded(-.+)?|x-real-ip|x-original-.+|x-(client|cluster-client|envoy-external)-.+|(true|fastly)-client-ip|cf-.+|cdn-loop)$/;

/**
 * Whether a page of another site made a browser send it. A link that opens a page here is no such request, unless it
 * asks history a question.
 */
function isForeign({ headers, method, url = '' }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'];
  if (site === undefined) return headers.origin !== undefined && hostOf(headers.origin) !== headers.host?.toLowerCase();
  if (site === 'same-origin' || site === 'none') return false;
  const isLink = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  return !isLink || method === 'POST' || /^\/v1\/.*\?/.test(url);
}

export function hostOf(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null;
}

function isLoopbackName(host: string | undefined): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i.test(host ?? '');
}
