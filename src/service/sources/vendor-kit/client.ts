// Sends requests to one vendor: limiter, keys and connections. Each key is tried once, until one returns JSON.
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Charged } from '../../model/charged.ts';
import { type PageBody, ServiceError } from '../../model/errors.ts';
import { limits } from '../../model/limits.ts';
import type { Clock } from '../../model/ports.ts';
import { decodeText } from '../../model/results/charset.ts';
import { Secrets } from '../../model/secrets.ts';
import { MonotonicClock } from '../../model/time/clock.ts';
import { boundedJson, Fields, ShapeError, vendorBounds } from '../../net/fields.ts';
import { type NetworkPolicy, openAgent, reach, rejectPrivateUrl } from '../../net/public-network.ts';
import { RequestLimiter } from '../../net/request-limiter.ts';
import { exchange, type HttpAnswer, userAgent } from '../../net/transport.ts';
import { judgeRefusal, type KeyTrouble, type RefusalRule } from './refusals.ts';

/** One request to a vendor, in the terms of its documentation. */
export interface VendorCall {
  /** Path below the base URL, beginning with a slash. */
  readonly path: string;
  /** Parameters that are undefined are left out. */
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Posted as JSON. */
  readonly json?: unknown;
  /** Posted as a form if there is no JSON: names may occur several times. */
  readonly form?: readonly (readonly [name: string, value: string])[];
}

/** What a request holds besides, to prove with a key who asks. */
type Proof = (key: string) => Pick<VendorCall, 'headers' | 'query'>;

export const bearer: Proof = (token) => ({ headers: { authorization: `Bearer ${token}` } });

/** The key is `login:password`. */
export const basic: Proof = (key) => ({
  headers: { authorization: `Basic ${Buffer.from(key).toString('base64')}` },
});

export function keyInHeader(name: string): Proof {
  return (key) => ({ headers: { [name]: key } });
}

export function keyInQuery(name: string): Proof {
  return (key) => ({ query: { [name]: key } });
}

/** A JSON answer that is not a refusal. */
export interface VendorAnswer {
  /** The key that it was requested with. */
  readonly key: string;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly root: Fields;
  /** As received, without secrets. */
  readonly body: PageBody;
}

/** Facts that a vendor states outside HTTP's status and its JSON messages. */
export interface OutOfBandError {
  /** The status to use instead of HTTP's. */
  readonly status?: number;
  /** Words of refusal: a response that contains them is a refusal. */
  readonly words?: string;
  /** How long to wait, if there is no `retry-after`. */
  readonly pauseMs?: number;
  /** Whether a failure cost anything; undefined: the vendor's rule applies. */
  readonly charged?: Charged;
}

/** The client's facts about its vendor. */
export interface VendorClientFacts {
  readonly name: string;
  readonly failureCharge: Charged;
  /** Absent if no key is needed. */
  readonly proof?: Proof;
  readonly refusals: readonly RefusalRule[];
  /** The vendor's words of refusal if the JSON contains one, with any status; undefined for a page. */
  complaint(root: Fields): string | undefined;
  /**
   * Of these, the words that mean that the engine found nothing: such an answer is valid. Absent if the vendor says it
   * in another way.
   */
  readonly nothingFound?: RegExp;
  /**
   * Facts from the headers, or from the JSON outside its messages; `root` is undefined for a body that is not JSON.
   * Absent if a vendor states none there.
   */
  outOfBandError?(headers: IncomingHttpHeaders, status: number, root: Fields | undefined): OutOfBandError;
  /**
   * Converts an answer that is not JSON, such as a table, to a JSON object. Throws ShapeError. Absent: the answer is a
   * JSON object.
   */
  readonly parse?: (text: string) => unknown;
  /** For answers larger than pages: limits of bytes and of values. */
  readonly sizes?: { readonly bytesMax: number; readonly valuesMax: number };
}

interface VendorClientOptions {
  readonly baseUrl: string;
  /** At least one; an empty text if the vendor needs no key. */
  readonly keys: readonly string[];
  readonly concurrency: number;
  readonly requestsPerSecond: number;
  readonly network: NetworkPolicy;
  /** Secrets besides the keys. */
  readonly secrets: readonly string[];
}

/** Limit of bytes per answer, as received and decompressed: the largest page of any vendor has about 1.5 MB. */
const answerBytesMax = 4 * 1024 * 1024;

/** A pause up to this length is waited for; a longer one fails with the remaining time. */
const pauseMsMax = 10_000;

export class VendorClient {
  readonly #facts: VendorClientFacts;
  readonly #clock: Clock;
  readonly #base: URL;
  readonly #keys: readonly string[];
  readonly #hidden: readonly string[];
  readonly #ring: KeyRing;
  readonly #limiter: RequestLimiter;
  #secrets: Secrets;
  readonly #connections: { readonly network: NetworkPolicy; readonly count: number };
  #agent: Promise<Dispatcher> | undefined;

  /** Throws Error if the base URL is not allowed. */
  constructor(facts: VendorClientFacts, options: VendorClientOptions, clock: Clock) {
    this.#facts = facts;
    this.#clock = clock;
    this.#base = parseBaseUrl(options.baseUrl, options.network);
    this.#keys = options.keys;
    this.#ring = new KeyRing(clock, facts.name, options.keys);
    this.#limiter = new RequestLimiter(clock, options.concurrency, options.requestsPerSecond);
    this.#hidden = [...options.keys, ...options.secrets];
    this.#secrets = new Secrets(this.#hidden);
    this.#connections = { network: options.network, count: options.concurrency };
  }

  /** Number of keys. */
  get keys(): readonly string[] {
    return this.#keys;
  }

  /** Masks one more secret from now on, instead of the one added before. */
  addSecret(secret: string): void {
    this.#secrets = new Secrets([...this.#hidden, secret]);
  }

  /**
   * Sends the call with the next key, and with another one if that was no use and nothing was charged. Throws
   * ServiceError; an unreadable answer is UNREADABLE_RESPONSE, charged `unknown`, with the body.
   */
  async send(call: VendorCall, signal: AbortSignal): Promise<VendorAnswer> {
    for (let attempts = 1; ; attempts++) {
      const leave = await this.#limiter.enter(signal);
      try {
        const key = this.#ring.take();
        const refusal = this.#judge(await this.#exchange(call, key, signal), key);
        if (!('trouble' in refusal)) return refusal;
        this.#putAside(key, refusal);
        if (refusal.trouble === undefined || this.#keys.length === 1 || attempts === this.#keys.length)
          throw refusal.error;
      } finally {
        leave();
      }
    }
  }

  /** Sends the call with exactly this key. Throws ServiceError. */
  async ask(call: VendorCall, key: string, signal: AbortSignal): Promise<VendorAnswer> {
    const leave = await this.#limiter.enter(signal);
    try {
      const answer = this.#judge(await this.#exchange(call, key, signal), key);
      if ('trouble' in answer) throw answer.error;
      return answer;
    } finally {
      leave();
    }
  }

  /** Connects to the vendor's host without sending anything. Throws ServiceError. */
  async reach(signal: AbortSignal): Promise<void> {
    await reach(this.#base, this.#connections.network, signal);
  }

  /** Lets requests in flight finish. */
  async close(): Promise<void> {
    const agent = await this.#agent;
    this.#agent = undefined;
    await (this.#limiter.isEmpty ? agent?.destroy() : agent?.close());
  }

  async #exchange(call: VendorCall, key: string, signal: AbortSignal): Promise<HttpAnswer> {
    this.#agent ??= openAgent(this.#connections.network, this.#connections.count);
    const proof = this.#facts.proof?.(key);
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries({ ...proof?.query, ...call.query }))
      if (value !== undefined) query.set(name, String(value));
    const tail = query.size === 0 ? '' : `?${query}`;
    const { body, type } = encodeBody(call);
    const answer = await exchange(
      await this.#agent,
      {
        method: body === undefined ? 'GET' : 'POST',
        origin: this.#base.origin,
        path: `${this.#base.pathname.replace(/\/$/, '')}${call.path}${tail}`,
        headers: {
          accept: 'application/json',
          'accept-encoding': 'gzip, br',
          'user-agent': userAgent,
          ...(type !== undefined && { 'content-type': type }),
          ...proof?.headers,
          ...call.headers,
        },
        ...(body !== undefined && { body }),
      },
      signal,
      this.#facts.sizes?.bytesMax ?? answerBytesMax,
    );
    this.#clock.witness?.(answer.headers);
    return answer;
  }

  #judge(answer: HttpAnswer, key: string): VendorAnswer | ReturnType<typeof judgeRefusal> {
    const { headers } = answer;
    const text = this.#secrets.hide(decodeText(answer.bytes));
    const root = parseRoot(answer, text, this.#facts);
    const json = root instanceof ShapeError ? undefined : root;
    const outOfBand = this.#facts.outOfBandError?.(headers, answer.status, json);
    const status = outOfBand?.status ?? answer.status;
    const isGood = status >= 200 && status < 300;
    const words = outOfBand?.words ?? (json === undefined ? undefined : this.#facts.complaint(json));
    if (root instanceof ShapeError && isGood && words === undefined) throw this.#unreadable(answer, text, root);
    const isEmpty = words !== undefined && this.#facts.nothingFound?.test(words) === true && (isGood || status === 404);
    if (json !== undefined && ((isGood && words === undefined) || isEmpty)) {
      return { key, status, headers, root: json, body: { contentType: 'application/json', text } };
    }
    const retryAfter = headers['retry-after'];
    const said = this.#secrets.hide(words ?? errorWords(text));
    const refusal = { status, words: said, retryAfter, pauseMs: outOfBand?.pauseMs, charged: outOfBand?.charged };
    return judgeRefusal(this.#facts.name, this.#facts.refusals, this.#facts.failureCharge, refusal, this.#clock.now());
  }

  #unreadable(answer: HttpAnswer, text: string, cause: ShapeError): ServiceError {
    const isHtml = /^\s*<(?:!doctype|html|head|body)/i.test(text.slice(0, 1024));
    const asked = this.#facts.parse === undefined ? 'JSON' : 'a table';
    const what = isHtml ? `it is HTML instead of ${asked}` : cause.message;
    return new ServiceError('UNREADABLE_RESPONSE', `The answer of ${this.#facts.name} cannot be read: ${what}.`, {
      cause,
      body: {
        contentType: isHtml ? 'text/html' : 'application/json',
        text: answer.isWhole ? text : text.slice(0, limits.responseExcerptChars),
      },
    });
  }

  #putAside(key: string, { trouble, error }: ReturnType<typeof judgeRefusal>): void {
    const pauseMs = error.retryAfterMs ?? limits.rateLimitPauseMs;
    if (trouble !== undefined) this.#ring.hold(key, trouble, pauseMs);
    const isForAll = trouble === undefined ? error.retryAfterMs !== undefined : !this.#ring.hasFree;
    if (isForAll && trouble !== 'out_of_credits' && trouble !== 'bad_key' && pauseMs <= pauseMsMax) {
      this.#limiter.pauseUntil(this.#clock.now() + pauseMs);
    }
  }
}

function encodeBody({ json, form }: VendorCall): { readonly body?: string; readonly type?: string } {
  if (json !== undefined) return { body: JSON.stringify(json), type: 'application/json' };
  if (form === undefined) return {};
  const fields = new URLSearchParams();
  for (const [name, value] of form) fields.append(name, value);
  return { body: fields.toString(), type: 'application/x-www-form-urlencoded' };
}

/** The JSON of an answer, or why it is unusable. */
function parseRoot(answer: HttpAnswer, text: string, { parse, sizes }: VendorClientFacts): Fields | ShapeError {
  if (!answer.isWhole) return new ShapeError('it is too large, or its compression is broken');
  try {
    return new Fields(
      parse === undefined
        ? boundedJson(text, { ...vendorBounds, ...(sizes && { valuesMax: sizes.valuesMax }) })
        : parse(text),
      'answer',
    );
  } catch (error) {
    if (error instanceof ShapeError) return error;
    throw error;
  }
}

/** The text of a refusal without JSON, if it is a line of text and not a page of HTML. */
function errorWords(text: string): string {
  const line = text.trim();
  return line.length > limits.errorMessageCharsMax || /[<{[]/.test(line) ? '' : line;
}

function parseBaseUrl(text: string, network: NetworkPolicy): URL {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) throw new Error('baseUrl must be an https address.');
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new Error('baseUrl must have no credentials, query or fragment in it.');
  }
  rejectPrivateUrl(url, network);
  return url;
}

interface Held {
  readonly trouble: KeyTrouble;
  readonly until: number;
}

/**
 * How long an empty or refused key is not used: short enough to notice a top-up soon, long enough to query an empty
 * account rarely.
 */
const asideMs = 60_000;

export class KeyRing {
  readonly #clock: Clock;
  readonly #time = new MonotonicClock();
  readonly #vendor: string;
  readonly #keys: readonly string[];
  readonly #held = new Map<string, Held>();
  #next = 0;

  constructor(clock: Clock, vendor: string, keys: readonly string[]) {
    this.#clock = clock;
    this.#vendor = vendor;
    this.#keys = keys;
  }

  /**
   * The next key in turn. Throws ServiceError, charged `no`, if none may be used: RATE_LIMIT_EXCEEDED with the time to
   * wait if one is only paused, else INSUFFICIENT_CREDITS, or INVALID_API_KEY if no key was ever valid.
   */
  take(): string {
    const now = this.#time.at(this.#clock.now());
    for (let step = 0; step < this.#keys.length; step++) {
      const key = this.#keys[(this.#next + step) % this.#keys.length];
      if (key === undefined || this.#isHeld(key, now)) continue;
      this.#next = (this.#next + step + 1) % this.#keys.length;
      return key;
    }
    throw this.#noneLeft(now);
  }

  /** Stops using a key for a while; a throttled one for `restMs`. */
  hold(key: string, trouble: KeyTrouble, restMs: number): void {
    const now = this.#time.at(this.#clock.now());
    const until = now + (trouble === 'throttled' ? restMs : asideMs);
    const held = this.#held.get(key);
    if (held === undefined || held.until <= until) this.#held.set(key, { trouble, until });
  }

  /** Whether any key could be used now. */
  get hasFree(): boolean {
    const now = this.#time.at(this.#clock.now());
    return this.#keys.some((key) => !this.#isHeld(key, now));
  }

  #isHeld(key: string, now: number): boolean {
    const held = this.#held.get(key);
    if (held === undefined || held.until > now) return held !== undefined;
    this.#held.delete(key);
    return false;
  }

  #noneLeft(now: number): ServiceError {
    const held = [...this.#held.values()];
    const resting = held.filter(({ trouble }) => trouble === 'throttled').map(({ until }) => until - now);
    const count = this.#keys.length === 1 ? 'The key' : `Each of the ${this.#keys.length} keys`;
    if (resting.length > 0) {
      const isKeyless = this.#keys.every((key) => key === '');
      const message = isKeyless
        ? `${this.#vendor} received requests too fast.`
        : `${count} of ${this.#vendor} has been used too fast, or cannot be used.`;
      return new ServiceError('RATE_LIMIT_EXCEEDED', message, { retryAfterMs: Math.min(...resting) });
    }
    if (held.some(({ trouble }) => trouble === 'out_of_credits')) {
      return new ServiceError('INSUFFICIENT_CREDITS', `${count} of ${this.#vendor} is out of credits.`, {
        hint: `Top up the account at ${this.#vendor}; the rest of the run is deferred.`,
      });
    }
    return new ServiceError('INVALID_API_KEY', `${count} of ${this.#vendor} is refused.`, {
      hint: `Check the key of ${this.#vendor} in the environment.`,
    });
  }
}
