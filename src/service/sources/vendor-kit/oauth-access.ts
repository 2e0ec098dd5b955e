// Exchanges a refresh token or a signed assertion for an access token of Google, valid for an hour.
import { ServiceError } from '../../model/errors.ts';
import type { Clock } from '../../model/ports.ts';
import { type Fields, ShapeError } from '../../net/fields.ts';
import type { VendorClient } from './client.ts';
import type { RefusalRule } from './refusals.ts';
import { numberAt, wordsAt } from './values.ts';

/** The form that is exchanged for a token; `now` in UTC milliseconds. */
export type Grant = (now: number) => readonly (readonly [name: string, value: string])[];

interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly refreshToken: string;
}

export function refreshGrant({ clientId, clientSecret, refreshToken }: Credentials): Grant {
  return () => [
    ['grant_type', 'refresh_token'],
    ['client_id', clientId],
    ['client_secret', clientSecret],
    ['refresh_token', refreshToken],
  ];
}

const newToken = 'Make a new refresh token for this client, and check clientId and clientSecret.';

/** What the words of the token's server mean. */
export const tokenRefusals: readonly RefusalRule[] = [
  { words: /^invalid_grant\b/, means: 'bad_key', hint: `The refresh token is revoked or expired. ${newToken}` },
  { words: /^(?:invalid_client|unauthorized_client)\b/, means: 'bad_key', hint: newToken },
];

/** `invalid_grant: Token has been revoked.`; undefined for an answer without an error. */
export function tokenComplaint(root: Fields): string | undefined {
  const code = wordsAt(root, 'error');
  const description = wordsAt(root, 'error_description');
  return code === undefined || description === undefined ? code : `${code}: ${description}`;
}

/** A token is not used in the last minute of its life: a request may take that long. */
const spareMs = 60_000;

export class Access {
  readonly #line: VendorClient;
  readonly #grant: Grant;
  readonly #clock: Clock;
  #token: { readonly text: string; readonly until: number } | undefined;

  constructor(line: VendorClient, grant: Grant, clock: Clock) {
    this.#line = line;
    this.#grant = grant;
    this.#clock = clock;
  }

  /**
   * Runs a request of `line`, which masks the token, with a token that is good now. Drops a rejected token: the next
   * call requests a new one. Throws ServiceError, charged `no`.
   */
  async use<T>(line: VendorClient, signal: AbortSignal, request: (token: string) => Promise<T>): Promise<T> {
    const token = await this.#current(signal);
    line.addSecret(token);
    try {
      return await request(token);
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'INVALID_API_KEY') this.#token = undefined;
      throw error;
    }
  }

  async #current(signal: AbortSignal): Promise<string> {
    const now = this.#clock.now();
    if (this.#token !== undefined && this.#token.until > now) return this.#token.text;
    const form = this.#grant(now);
    try {
      const { root } = await this.#line.send({ path: '/token', form }, signal);
      const text = wordsAt(root, 'access_token');
      if (text === undefined) throw new ShapeError('it holds no access token');
      this.#token = { text, until: now + (numberAt(root, 'expires_in') ?? 0) * 1000 - spareMs };
      return text;
    } catch (error) {
      throw withoutBody(error);
    }
  }

  async close(): Promise<void> {
    await this.#line.close();
  }
}

/** Hides the answer of the token server: part of it may be part of a token. */
function withoutBody(error: unknown): unknown {
  const isUnreadable = error instanceof ServiceError && error.code === 'UNREADABLE_RESPONSE';
  if (!isUnreadable && !(error instanceof ShapeError)) return error;
  return new ServiceError('WORKER_FAILED', `The answer of the token server cannot be read: ${error.message}`, {
    charged: 'no',
  });
}
