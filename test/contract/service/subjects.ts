// Three kinds of access to the same service for one suite: in process, raw HTTP, and the client.
import { SearchDataClient } from '../../../src/service/client/client.ts';
import {
  type CallReport,
  type KeywordDataResponse,
  type NewCredentials,
  type ReadPage,
  type SerpPage,
  ServiceError,
  startServer,
} from '../../../src/service/index.ts';
import { type Customers, callerOf, setUpCustomers } from '../../helpers/customers.ts';
import { type MemoryScript, metricsOf } from '../../helpers/memory-source.ts';
import { fullPage } from './full-page.ts';

type OperationName = 'serp' | 'keyword-data';

/** The result of one request, in the specification's terms. */
export interface Reply {
  readonly status: number;
  readonly code?: string;
  readonly error?: string;
  /** SERP, format json: one object per page. */
  readonly pages?: readonly SerpPage[];
  /** SERP, format raw: one text per page. */
  readonly html?: readonly string[];
  readonly data?: KeywordDataResponse;
  /** Credits, or USD for keyword data. */
  readonly charged?: number;
  readonly remaining?: number;
  readonly retryAfterMs?: number;
  /** Requests that this API user has left. */
  readonly rateLeft?: number;
  readonly requestId: string;
}

export interface Asked {
  /** Default: ann's. An empty one is not sent. */
  readonly credentials?: Partial<NewCredentials>;
  readonly key?: string;
}

export interface Subject extends Customers {
  /** A client validates requests and credentials first, and does not send invalid ones. */
  readonly sendsAnything: boolean;
  ask(operation: OperationName, body: unknown, asked?: Asked): Promise<Reply>;
  close(): Promise<void>;
}

/** Pages with every field of the specification, and as many keywords as requested. */
const plenty: MemoryScript = {
  // Bodies of the source in memory are JSON; one that contains markup counts as HTML.
  page: (request) => ({ ...fullPage(request), html: '<p>' }) as ReadPage,
  metrics: ({ keyword, limit }) =>
    Array.from({ length: limit }, (_, index) => metricsOf(index === 0 ? keyword : `${keyword} ${index}`, index)),
};

type Host = Parameters<typeof setUpCustomers>[1];

export const subjects: readonly (readonly [string, (script?: MemoryScript, host?: Host) => Promise<Subject>])[] = [
  ['in process', async (script, host) => inProcess(await setUpCustomers({ ...plenty, ...script }, host))],
  ['over HTTP', async (script, host) => overHttp(await setUpCustomers({ ...plenty, ...script }, host))],
  ['through the client', async (script, host) => throughClient(await setUpCustomers({ ...plenty, ...script }, host))],
];

function inProcess(customers: Customers): Subject {
  return {
    ...customers,
    sendsAnything: true,
    ask: (operation, body, { credentials = customers.ann, key } = {}) =>
      call(customers.service, operation, body, { ...callerOf(credentials, '127.0.0.1'), ...keyed(key) }),
    close: () => customers.service.close(),
  };
}

async function throughClient(customers: Customers): Promise<Subject> {
  const { service, clock, store } = customers;
  const server = await startServer({ service, clock, accounts: store });
  const clients = new Map<string, SearchDataClient>();
  const clientOf = ({ username = '', password = '' }: Partial<NewCredentials>) => {
    const name = `${username}\n${password}`;
    const client =
      clients.get(name) ??
      new SearchDataClient({ retries: { attemptsMax: 1 }, baseUrl: server.url, user: username, password, clock });
    clients.set(name, client);
    return client;
  };
  return {
    ...customers,
    sendsAnything: false,
    ask: (operation, body, { credentials = customers.ann, key } = {}) =>
      call(clientOf(credentials), operation, body, keyed(key)),
    async close() {
      await Promise.all(clients.values().map((client) => client.close()));
      await server.close();
      await service.close();
    },
  };
}

async function overHttp(customers: Customers): Promise<Subject> {
  const { service, clock, store } = customers;
  const server = await startServer({ service, clock, accounts: store });
  return {
    ...customers,
    sendsAnything: true,
    async ask(operation, body, { credentials = customers.ann, key } = {}) {
      const headers = {
        'content-type': 'application/json',
        ...(credentials.username && { 'service-api-user': credentials.username }),
        ...(credentials.password && { 'service-api-password': credentials.password }),
        ...(key !== undefined && { 'idempotency-key': key }),
      };
      const text = JSON.stringify(body);
      return readReply(
        operation,
        await fetch(`${server.url}/v1/${operation}`, { method: 'POST', headers, body: text }),
      );
    },
    async close() {
      await server.close();
      await service.close();
    },
  };
}

function keyed(key: string | undefined): { readonly idempotencyKey?: string } {
  return key === undefined ? {} : { idempotencyKey: key };
}

/** Calls a service object, in process or a client. */
async function call(
  service: Customers['service'],
  operation: OperationName,
  body: unknown,
  options: object,
): Promise<Reply> {
  let report: CallReport | undefined;
  const onReport = (received: CallReport) => {
    report = received;
  };
  const reported = (): Pick<Reply, 'charged' | 'remaining' | 'rateLeft'> => ({
    ...(report?.charge !== undefined && {
      charged: amountOf(operation, report.charge.used),
      remaining: amountOf(operation, report.charge.balance),
    }),
    ...(report?.rate?.name === 'requests' && { rateLeft: report.rate.remaining }),
  });
  try {
    if (operation === 'keyword-data') {
      const { response, requestId } = await service.keywordData(body as never, { ...options, onReport });
      return { status: 200, requestId, data: response, ...reported() };
    }
    const { pages, requestId } = await service.serp(body as never, { ...options, onReport });
    const isRaw = (body as { format?: string }).format === 'raw';
    const content = isRaw ? { html: pages.map((page) => page.body.text) } : { pages: pages.map(({ serp }) => serp) };
    return { status: 200, requestId, ...content, ...reported() };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { status, code, message, requestId = '', retryAfterMs } = error;
    return {
      status,
      code,
      error: message,
      requestId,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      ...reported(),
    };
  }
}

function amountOf(operation: OperationName, { serpCredits, microUsd }: { serpCredits: number; microUsd: number }) {
  return operation === 'serp' ? serpCredits : microUsd / 1_000_000;
}

/** Reads a response by the specification alone. */
async function readReply(operation: OperationName, response: Response): Promise<Reply> {
  const text = await response.text();
  const header = (name: string) => response.headers.get(name) ?? undefined;
  const number = (name: string) => (header(name) === undefined ? undefined : Number(header(name)));
  const [charged, remaining, retryAfter] = ['x-credits-charged', 'x-credits-remaining', 'retry-after'].map(number);
  const rateLeft = /^"requests";r=(\d+);/.exec(header('ratelimit') ?? '')?.[1];
  const facts = {
    status: response.status,
    requestId: header('x-request-id') ?? '',
    ...(charged !== undefined && { charged }),
    ...(remaining !== undefined && { remaining }),
    ...(retryAfter !== undefined && { retryAfterMs: retryAfter * 1000 }),
    ...(rateLeft !== undefined && { rateLeft: Number(rateLeft) }),
  };
  if (header('content-type')?.startsWith('text/html')) return { ...facts, html: [text] };
  const body = JSON.parse(text);
  if (response.status !== 200) return { ...facts, code: body.code, error: body.error };
  if (operation === 'keyword-data') return { ...facts, data: body };
  const pages = Array.isArray(body) ? body : [body];
  return typeof pages[0] === 'string' ? { ...facts, html: pages } : { ...facts, pages };
}
