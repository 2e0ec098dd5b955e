// Who may read: the token of a request, judged.
import type { IncomingMessage } from 'node:http';

/** `retryAfterMs`: the address sent too many wrong tokens. */
type ReaderVerdict = { readonly isReader: true } | { readonly isReader: false; readonly retryAfterMs: number | null };

/** Judges a token that came from this address. */
export type ReaderCheck = (token: string, address: string) => ReaderVerdict;

/** A refusal to be answered. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
}

const challenge = { 'www-authenticate': 'Bearer realm="rankledger"' };

/** Null: the request may read. Without `check` everybody on this machine may, by a name of this machine. */
export function readerRefusal(check: ReaderCheck | undefined, request: IncomingMessage): Refusal | null {
  if (check === undefined) return null;
  const token = /^Bearer (\S{1,200})$/i.exec(request.headers.authorization ?? '')?.[1];
  if (token === undefined)
    return {
      status: 401,
      message: 'Send a token of `rankledger reader add` as Authorization: Bearer TOKEN.',
      headers: challenge,
    };
  const verdict = check(token, request.socket.remoteAddress ?? '');
  if (verdict.isReader) return null;
  if (verdict.retryAfterMs === null)
    return { status: 401, message: 'The token is wrong or revoked.', headers: challenge };
  const seconds = Math.ceil(verdict.retryAfterMs / 1000);
  return {
    status: 429,
    message: `Too many wrong tokens. Try again in ${seconds} seconds.`,
    headers: { 'retry-after': `${seconds}` },
  };
}

/** Another site may resolve its own name to this machine and read through a browser: it then sends its own name. */
export function isLoopbackName(host: string | undefined): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i.test(host ?? '');
}
