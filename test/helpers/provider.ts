// A scripted Search Data Service on loopback, written from the specification alone, with faults and its own books.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { listenOnLoopback } from './loopback.ts';
import { type AskedSearch, type GoodsOptions, keywordDataGoods, numberOf, serpGoods } from './provider-goods.ts';

export type { AskedSearch };

/**
 * What happens to one request. Nothing is sold unless the name or the comment says so.
 * - `ok`: sold and answered.
 * - `{status, code?, error?, retryAfter?, body?, location?}`: an error answer; `sold: true` charges it all the same.
 * - `reset-before-sale`, `reset-after-sale`: the socket is destroyed without an answer.
 * - `hang-before-sale`, `hang-after-sale`: no answer, ever; `close` ends it.
 * - `cut`: sold; the connection breaks in the middle of the answer.
 * - `truncated`: sold; a JSON body cut short, with the right content-length for what is sent.
 * - `html`: sold; 200 with an HTML page instead of JSON.
 * - `empty`: sold; 200 with `{}` for each page.
 * - `{answer}`: sold; 200 with exactly this body (text as it is, anything else as JSON) and content type.
 * - `huge`: sold; 200 with an oversized body, compressed to little.
 */
export type Fault =
  | 'ok'
  | 'reset-before-sale'
  | 'reset-after-sale'
  | 'hang-before-sale'
  | 'hang-after-sale'
  | 'cut'
  | 'truncated'
  | 'html'
  | 'empty'
  | 'huge'
  | ErrorAnswer
  | { readonly answer: unknown; readonly contentType?: string };

interface ErrorAnswer {
  readonly status: number;
  readonly code?: string;
  readonly error?: string;
  readonly retryAfter?: string;
  /** The body as it is, instead of the specification's error body. */
  readonly body?: string;
  readonly location?: string;
  /** The cost that it states. */
  readonly charged?: string;
  readonly sold?: boolean;
}

/** One request as the provider saw it, without the password. */
interface SeenRequest {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Readonly<Record<string, unknown>>;
  readonly fault: Fault;
  readonly requestId: string;
}

/** One line of the provider's books. */
interface Sale {
  readonly requestId: string;
  readonly idempotencyKey: string | undefined;
  readonly serpCredits: number;
  readonly microUsd: number;
}

export interface ProviderOptions extends GoodsOptions {
  readonly user?: string;
  readonly password?: string;
  /** Where the paths begin. Default: at the root. */
  readonly prefix?: string;
  /** Sells the same `Idempotency-Key` once and repeats the first answer. Default: false, as in the specification. */
  readonly isIdempotent?: boolean;
  /** The fault of a request without one from `next`; `nth` counts requests from 1. Default: always `ok`. */
  readonly fault?: (nth: number, body: Readonly<Record<string, unknown>>) => Fault;
  readonly encoding?: 'gzip' | 'br';
  /** The stated cost of an answer (`X-Credits-Charged`); `nth` counts requests from 1. Default: none. */
  readonly charged?: (nth: number) => string | undefined;
}

export interface Provider {
  readonly url: string;
  readonly user: string;
  readonly password: string;
  readonly requests: readonly SeenRequest[];
  readonly sales: readonly Sale[];
  /** Sums of `sales`. */
  readonly sold: { readonly serpCredits: number; readonly microUsd: number };
  /** The most requests that were open at once. */
  readonly mostAtOnce: number;
  /** Faults of the next requests, in order of arrival; they come before `options.fault`. */
  next(...faults: Fault[]): void;
  /** Resolves once this many requests have arrived in all. */
  untilRequests(count: number): Promise<void>;
  /** Breaks hanging connections and stops listening. */
  close(): Promise<void>;
}

/**
 * Starts a provider on a free port of loopback. Tests script its faults, and compare its ledger with ours:
 *
 *   const provider = await startProvider({ results: ({ keyword }) => linksFor(keyword) });
 *   provider.next('reset-after-sale', { status: 429, retryAfter: '2' });   // for the next two requests
 *   ... client against provider.url, with provider.user and provider.password ...
 *   provider.sold                                                          // { serpCredits, microUsd } that it charged
 *   await provider.close();
 */
export async function startProvider(options: ProviderOptions = {}): Promise<Provider> {
  const books = new Books(options);
  const { url, close } = await listenOnLoopback((request, response) => {
    books.open++;
    books.mostAtOnce = Math.max(books.mostAtOnce, books.open);
    response.once('close', () => {
      books.open--;
    });
    void serve(books, request, response);
  });
  return {
    url: `${url}${options.prefix ?? ''}`,
    user: books.user,
    password: books.password,
    requests: books.requests,
    sales: books.sales,
    get sold() {
      const sum = (field: 'serpCredits' | 'microUsd') => books.sales.reduce((total, sale) => total + sale[field], 0);
      return { serpCredits: sum('serpCredits'), microUsd: sum('microUsd') };
    },
    get mostAtOnce() {
      return books.mostAtOnce;
    },
    next(...faults) {
      books.faults.push(...faults);
    },
    async untilRequests(count) {
      while (books.requests.length < count) await new Promise((resolve) => setImmediate(resolve));
    },
    close,
  };
}

class Books {
  readonly options: ProviderOptions;
  readonly user: string;
  readonly password: string;
  readonly faults: Fault[] = [];
  readonly requests: SeenRequest[] = [];
  readonly sales: Sale[] = [];
  readonly answers = new Map<string, string>();
  open = 0;
  mostAtOnce = 0;

  constructor(options: ProviderOptions) {
    this.options = options;
    this.user = options.user ?? 'provider-user';
    this.password = options.password ?? 'provider-password';
  }
}

type OperationName = 'serp' | 'keyword-data';

interface Answer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly text: string;
}

async function serve(books: Books, request: IncomingMessage, response: ServerResponse): Promise<void> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  const path = request.url ?? '';
  const { headers } = request;
  const prefix = books.options.prefix ?? '';
  const operation =
    path === `${prefix}/v1/serp` ? 'serp' : path === `${prefix}/v1/keyword-data` ? 'keyword-data' : undefined;
  const body = parseBody(text);
  const nth = books.requests.length + 1;
  const fault = books.faults.shift() ?? books.options.fault?.(nth, body ?? {}) ?? 'ok';
  const requestId = `provider-${nth}`;
  const { 'service-api-password': password, ...seen } = headers;
  books.requests.push({ path, headers: seen, body: body ?? {}, fault, requestId });

  const judged = judge(books, operation, request, password, body, fault, requestId);
  if (judged === 'hang') return;
  const charged = books.options.charged?.(nth);
  const answer =
    judged === 'reset' || charged === undefined || judged.status !== 200
      ? judged
      : { ...judged, headers: { ...judged.headers, 'x-credits-charged': charged } };
  if (answer === 'reset') response.destroy();
  else if (typeof fault === 'object' || answer.status !== 200) send(response, answer, requestId);
  else deliver(response, fault, answer, requestId, books.options.encoding);
}

/** An error, or a sale and its answer; `hang` and `reset` for faults before or instead of an answer. */
function judge(
  books: Books,
  operation: OperationName | undefined,
  { method, headers }: IncomingMessage,
  password: string | string[] | undefined,
  body: Readonly<Record<string, unknown>> | undefined,
  fault: Fault,
  requestId: string,
): Answer | 'hang' | 'reset' {
  if (operation === undefined) return errorAnswer(404, 'NOT_FOUND', 'No such path');
  if (method !== 'POST') return errorAnswer(405, 'METHOD_NOT_ALLOWED', 'POST only');
  if (headers['service-api-user'] !== books.user || password !== books.password) {
    return errorAnswer(401, 'INVALID_API_KEY', 'Invalid credentials');
  }
  if (fault === 'reset-before-sale') return 'reset';
  if (fault === 'hang-before-sale') return 'hang';
  const isError = typeof fault === 'object' && 'status' in fault;
  if (isError && fault.sold !== true) return scriptedError(fault);
  const refused = refusal(operation, headers['content-type'], body);
  if (refused !== undefined) return refused;
  const sold = sell(books, operation, body ?? {}, requestId, headers['idempotency-key']);
  if (isError) return scriptedError(fault);
  if (fault === 'reset-after-sale') return 'reset';
  if (fault === 'hang-after-sale') return 'hang';
  if (typeof fault !== 'object') return sold;
  const text = typeof fault.answer === 'string' ? fault.answer : JSON.stringify(fault.answer);
  return { status: 200, headers: { 'content-type': fault.contentType ?? 'application/json' }, text };
}

/** Sends what was sold, or what the fault turns it into. */
function deliver(
  response: ServerResponse,
  fault: Extract<Fault, string>,
  answer: Answer,
  requestId: string,
  encoding: 'gzip' | 'br' | undefined,
): void {
  const half = answer.text.slice(0, Math.floor(answer.text.length / 2));
  if (fault === 'cut') {
    response.writeHead(200, { ...answer.headers, 'content-length': Buffer.byteLength(answer.text) });
    response.write(half, () => response.destroy());
  } else if (fault === 'truncated') {
    send(response, { ...answer, text: half }, requestId);
  } else if (fault === 'html') {
    const text = '<!doctype html><title>Bad gateway</title>';
    send(response, { status: 200, headers: { 'content-type': 'text/html' }, text }, requestId);
  } else if (fault === 'empty') {
    const sold: unknown = JSON.parse(answer.text);
    const text = JSON.stringify(Array.isArray(sold) ? sold.map(() => ({})) : {});
    send(response, { ...answer, text }, requestId);
  } else if (fault === 'huge') {
    send(response, { ...answer, text: ' '.repeat(17 * 1024 * 1024) }, requestId, 'gzip');
  } else {
    send(response, answer, requestId, encoding);
  }
}

function send(response: ServerResponse, answer: Answer, requestId: string, encoding?: 'gzip' | 'br'): void {
  const plain = Buffer.from(answer.text);
  const bytes =
    encoding === undefined ? plain : encoding === 'gzip' ? gzipSync(plain, { level: 1 }) : brotliCompressSync(plain);
  response.writeHead(answer.status, {
    ...answer.headers,
    ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
    'content-length': bytes.length,
    'x-request-id': requestId,
  });
  response.end(bytes);
}

function errorAnswer(status: number, code: string, error: string): Answer {
  return { status, headers: { 'content-type': 'application/json' }, text: JSON.stringify({ error, code }) };
}

/** Codes of the specification's error table, for scripts that give only a status. */
const usualCodes: Readonly<Record<number, string>> = {
  400: 'INVALID_REQUEST',
  401: 'INVALID_API_KEY',
  402: 'INSUFFICIENT_CREDITS',
  403: 'IP_NOT_WHITELISTED',
  429: 'RATE_LIMIT_EXCEEDED',
  500: 'INTERNAL_ERROR',
  502: 'SERP_FAILED',
  504: 'TIMEOUT',
};

function scriptedError({ status, code, error, retryAfter, body, location, charged }: ErrorAnswer): Answer {
  const answer = errorAnswer(status, code ?? usualCodes[status] ?? 'UNHEARD_OF', error ?? `Scripted ${status}`);
  return {
    status,
    headers: {
      ...answer.headers,
      ...(retryAfter === undefined ? {} : { 'retry-after': retryAfter }),
      ...(location === undefined ? {} : { location }),
      ...(charged === undefined ? {} : { 'x-credits-charged': charged }),
    },
    text: body ?? answer.text,
  };
}

function parseBody(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

function refusal(
  operation: OperationName,
  contentType: string | undefined,
  body: Readonly<Record<string, unknown>> | undefined,
): Answer | undefined {
  if (body === undefined || contentType?.startsWith('application/json') !== true) {
    return errorAnswer(400, 'INVALID_REQUEST', 'Not a JSON object');
  }
  if (typeof body['keyword'] !== 'string' || body['keyword'] === '') {
    return errorAnswer(400, 'KEYWORD_REQUIRED', 'keyword is missing');
  }
  if (operation === 'serp' && !['json', 'raw', undefined].includes(body['format'] as string | undefined)) {
    return errorAnswer(400, 'INVALID_FORMAT', 'format is neither json nor raw');
  }
  return undefined;
}

function sell(
  books: Books,
  operation: OperationName,
  body: Readonly<Record<string, unknown>>,
  requestId: string,
  key: string | string[] | undefined,
): Answer {
  const idempotencyKey = typeof key === 'string' ? key : undefined;
  const kept = idempotencyKey === undefined ? undefined : books.answers.get(idempotencyKey);
  const isRaw = operation === 'serp' && body['format'] === 'raw';
  const isHtml = isRaw && numberOf(body['start_page'], 1) === numberOf(body['end_page'], 1);
  const headers = { 'content-type': isHtml ? 'text/html; charset=utf-8' : 'application/json' };
  if (kept !== undefined && books.options.isIdempotent === true) return { status: 200, headers, text: kept };
  const { text, serpCredits, microUsd } =
    operation === 'serp' ? serpGoods(books.options, body) : keywordDataGoods(books.options, body);
  books.sales.push({ requestId, idempotencyKey, serpCredits, microUsd });
  if (idempotencyKey !== undefined) books.answers.set(idempotencyKey, text);
  return { status: 200, headers, text };
}
