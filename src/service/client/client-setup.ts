// Sets up a client: base URL, header values, connections.
import type { Dispatcher } from 'undici';
import { limits } from '../model/limits.ts';

/**
 * One connection a request in flight, and HTTP/1.1 only: a multiplexed connection may send a request again unasked. All
 * time limits but that of connecting are the deadline's.
 */
export async function openPool(origin: string, connections: number): Promise<Dispatcher> {
  const { Pool } = await import('undici');
  const connect = { timeout: limits.connectTimeoutMs };
  return new Pool(origin, { connections, pipelining: 1, allowH2: false, headersTimeout: 0, bodyTimeout: 0, connect });
}

export function parseBaseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw new Error('The base URL of the service must be an http or https address.');
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new Error('The base URL of the service must have no credentials, query or fragment in it.');
  }
  return url;
}

export function headerValue(name: string, value: string): string {
  if (/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value)) return value;
  throw new Error(`The ${name} must be printable ASCII, not blank: it is sent as an HTTP header.`);
}
