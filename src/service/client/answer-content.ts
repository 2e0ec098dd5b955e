// The bytes of a response and its declared content type.

import type { SerpAnswer } from '../core/calls.ts';
import type { SerpPage } from '../model/results/serp.ts';

export interface Content {
  readonly type: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly bytes: string | Buffer;
}

export const json = 'application/json; charset=utf-8';
export const html = 'text/html; charset=utf-8';

/** A page of others, shown by a browser: it may run and load nothing in the name of this server. */
const foreignHtml = { 'content-security-policy': "sandbox; default-src 'none'", 'x-content-type-options': 'nosniff' };

/** One page: an object, or HTML. Several: an array in page order. */
export function serpContent({ pages: answered }: SerpAnswer, isRaw: boolean): Content {
  const [first] = answered;
  if (first !== undefined && answered.length === 1) {
    return isRaw
      ? { type: html, headers: foreignHtml, bytes: first.body.text }
      : { type: json, bytes: pageBytes(first.serp) };
  }
  return { type: json, bytes: JSON.stringify(answered.map(({ serp, body }) => (isRaw ? body.text : serp))) };
}

/** Pages that many ask for are the same frozen object: its bytes are made once. */
const madeBytes = new WeakMap<SerpPage, Buffer>();

function pageBytes(serp: SerpPage): string | Buffer {
  const known = madeBytes.get(serp);
  if (known !== undefined) return known;
  const text = JSON.stringify(serp);
  if (!Object.isFrozen(serp)) return text;
  const bytes = Buffer.from(text);
  madeBytes.set(serp, bytes);
  return bytes;
}
