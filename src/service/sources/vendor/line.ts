// The line to one vendor: its gate, its keys and its connections. A call goes out once a key until one brings a JSON answer; what that says is left to others.
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { textOf } from '../../charset.ts';
import { type Charged, type PageBody, ServiceError } from '../../errors.ts';
import { Fields, ShapeError } from '../../http/fields.ts';
import { Gate } from '../../http/gate.ts';
import { type NetworkPolicy, openAgent, refusePrivateUrl } from '../../http/public-network.ts';
import { exchange, type HttpAnswer } from '../../http/transport.ts';
import { limits } from '../../limits.ts';
import type { Clock } from '../../ports.ts';
import { parseBounded } from './bounded-json.ts';
import { KeyRing } from './key-ring.ts';
import { judgeRefusal, type RefusalRule } from './refusals.ts';
import { Secrets } from './secrets.ts';

/** One request to a vendor, as its own documentation writes it. */
export interface VendorCall {
  readonly method: 'GET' | 'POST';
  /** Below the base URL, beginning with a slash. */
  readonly path: string;
  /** Parameters that are undefined are left out. */
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly json?: unknown;
}

/** A JSON answer that is no refusal. */
export interface VendorAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly root: Fields;
  /** As it was received, without secrets. */
  readonly body: PageBody;
}

/** What a line must know of its vendor. */
export interface LineFacts {
  readonly name: string;
  readonly failureCharge: Charged;
  readonly refusals: readonly RefusalRule[];
  /** The vendor's words of refusal where the JSON holds one, whatever its status; undefined for a page. */
  complaint(root: Fields): string | undefined;
  /** Of these, the words that say that the engine found nothing: that is an answer. Absent where a vendor says it otherwise. */
  readonly nothingFound?: RegExp;
}

export interface LineOptions {
  readonly baseUrl: string;
  /** At least one; the empty text where the vendor needs none. */
  readonly keys: readonly string[];
  readonly concurrency: number;
  readonly requestsPerSecond: number;
  readonly network: NetworkPolicy;
}

/** Most bytes of one answer, as it comes and decompressed: the largest page of any vendor has about 1.5 MB. */
const answerBytesMax = 4 * 1024 * 1024;

/** A pause of this length is waited for by whoever asks next; after a longer one is named, they are told how long it is. */
const pauseMsMax = 10_000;

export class VendorLine {
  readonly #facts: LineFacts;
  readonly #clock: Clock;
  readonly #base: URL;
  readonly #keys: readonly string[];
  readonly #ring: KeyRing;
  readonly #gate: Gate;
  readonly #secrets: Secrets;
  readonly #connections: { readonly network: NetworkPolicy; readonly count: number };
  #agent: Promise<Dispatcher> | undefined;

  /** Throws Error where the base URL is none that may be asked. */
  constructor(facts: LineFacts, options: LineOptions, clock: Clock) {
    this.#facts = facts;
    this.#clock = clock;
    this.#base = baseOf(options.baseUrl, options.network);
    this.#keys = options.keys;
    this.#ring = new KeyRing(clock, facts.name, options.keys);
    this.#gate = new Gate(clock, options.concurrency, options.requestsPerSecond);
    this.#secrets = new Secrets(options.keys);
    this.#connections = { network: options.network, count: options.concurrency };
  }

  /** How many keys there are. */
  get keys(): readonly string[] {
    return this.#keys;
  }

  /**
   * Sends the call with the key whose turn it is, and with another one where that was of no use and nothing was charged. Throws ServiceError; what was
   * received and cannot be read is UNREADABLE_RESPONSE, charged `unknown`, with the body.
   */
  async send(callWith: (key: string) => VendorCall, signal: AbortSignal): Promise<VendorAnswer> {
    for (let tries = 1; ; tries++) {
      const leave = await this.#gate.enter(signal);
      try {
        const key = this.#ring.take();
        const answer = await this.#exchange(callWith(key), signal);
        const refusal = this.#judge(answer);
        if (!('trouble' in refusal)) return refusal;
        this.#putAside(key, refusal);
        if (refusal.trouble === undefined || this.#keys.length === 1 || tries === this.#keys.length)
          throw refusal.error;
      } finally {
        leave();
      }
    }
  }

  /** Asks with that very key. Throws ServiceError. */
  async ask(call: VendorCall, signal: AbortSignal): Promise<VendorAnswer> {
    const leave = await this.#gate.enter(signal);
    try {
      const answer = this.#judge(await this.#exchange(call, signal));
      if ('trouble' in answer) throw answer.error;
      return answer;
    } finally {
      leave();
    }
  }

  /** Lets requests in flight finish. */
  async close(): Promise<void> {
    const agent = await this.#agent;
    this.#agent = undefined;
    await (this.#gate.isEmpty ? agent?.destroy() : agent?.close());
  }

  async #exchange(call: VendorCall, signal: AbortSignal): Promise<HttpAnswer> {
    this.#agent ??= openAgent(this.#connections.network, this.#connections.count);
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(call.query ?? {}))
      if (value !== undefined) query.set(name, String(value));
    const tail = query.size === 0 ? '' : `?${query}`;
    const body = call.json === undefined ? undefined : JSON.stringify(call.json);
    return await exchange(
      await this.#agent,
      {
        method: call.method,
        origin: this.#base.origin,
        path: `${this.#base.pathname.replace(/\/$/, '')}${call.path}${tail}`,
        headers: {
          accept: 'application/json',
          'accept-encoding': 'gzip, br',
          'user-agent': 'rankledger',
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...call.headers,
        },
        ...(body !== undefined && { body }),
      },
      signal,
      answerBytesMax,
    );
  }

  #judge(answer: HttpAnswer): VendorAnswer | ReturnType<typeof judgeRefusal> {
    const { status, headers } = answer;
    const text = this.#secrets.hide(textOf(answer.bytes));
    const isGood = status >= 200 && status < 300;
    let root: Fields | undefined;
    try {
      if (!answer.isWhole) throw new ShapeError('it is too large, or its compression is broken');
      root = new Fields(parseBounded(text), 'answer');
    } catch (error) {
      if (!(error instanceof ShapeError)) throw error;
      if (isGood) throw this.#unreadable(answer, text, error);
    }
    const words = root === undefined ? undefined : this.#facts.complaint(root);
    const isEmpty = words !== undefined && this.#facts.nothingFound?.test(words) === true && (isGood || status === 404);
    if (root !== undefined && ((isGood && words === undefined) || isEmpty)) {
      return { status, headers, root, body: { contentType: 'application/json', text } };
    }
    const retryAfter = headers['retry-after'];
    const refusal = { status, words: words ?? wordsOf(text), retryAfter };
    return judgeRefusal(this.#facts.name, this.#facts.refusals, this.#facts.failureCharge, refusal, this.#clock.now());
  }

  #unreadable(answer: HttpAnswer, text: string, cause: ShapeError): ServiceError {
    const isHtml = /^\s*<(?:!doctype|html|head|body)/i.test(text.slice(0, 1024));
    const what = isHtml ? 'it is HTML where JSON was asked' : cause.message;
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
      this.#gate.pauseUntil(this.#clock.now() + pauseMs);
    }
  }
}

/** What a refusal without JSON says, where it is a line of text and no page of HTML. */
function wordsOf(text: string): string {
  const line = text.trim();
  return line.length > limits.errorMessageCharsMax || /[<{[]/.test(line) ? '' : line;
}

function baseOf(text: string, network: NetworkPolicy): URL {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) throw new Error('baseUrl must be an https address.');
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new Error('baseUrl must have no credentials, query or fragment in it.');
  }
  refusePrivateUrl(url, network);
  return url;
}
