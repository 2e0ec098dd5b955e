// The Search Data Service over HTTP: both operations, usage, health, documentation, the dashboard, and every error.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import type { AccountStore } from '../access/account-store.ts';
import { refundAbandoned } from '../access/credits.ts';
import { canonicalRule, isAllowed, subscriberPrefix } from '../access/login/addresses.ts';
import { type RatePolicy, TokenBuckets } from '../access/login/rate-limit.ts';
import type {
  CallOptions,
  CallReport,
  KeywordDataRequestInput,
  SearchDataService,
  SerpRequestInput,
} from '../core/calls.ts';
import { UnreadableBody } from '../core/requests.ts';
import { type ErrorCode, ServiceError } from '../model/errors.ts';
import { limits } from '../model/limits.ts';
import type { Clock, OperationName } from '../model/ports.ts';
import type { Dashboard } from './dashboard/dashboard.ts';
import type { HoldersOptions } from './dashboard/holders.ts';
import { docsPage } from './docs-page.ts';
import { createGuardedServer, idleConnectionsOf, type RefusedConnection } from './guarded-server.ts';
import { openApiDocument } from './openapi.ts';
import {
  type Asked,
  type Content,
  errorAnswer,
  type Headers,
  html,
  json,
  reportHeaders,
  serpContent,
} from './responses.ts';

export interface ServerOptions {
  /** Serves the requests. The server does not close it: close it yourself, after the server. */
  readonly service: SearchDataService;
  /**
   * The accounts that the service charges. Charges that a dead process left open are refunded before the first request.
   */
  readonly accounts?: AccountStore;
  readonly clock: Clock;
  /** Default: this machine only, `127.0.0.1`. */
  readonly host?: string;
  /** 0, the default, picks a free port. */
  readonly port?: number;
  /** Serves the account dashboard at `/account`. Default: no. Its accounts need a store that has `dashboard`. */
  readonly dashboard?: HoldersOptions;
  /**
   * Rules (as in a whitelist) of the proxies whose `X-Forwarded-For` is trusted. Default: none; the socket's address
   * counts.
   */
  readonly trustedProxies?: readonly string[];
  /** Rate limit of one address without credentials. Default: 600 a minute. */
  readonly pageRate?: RatePolicy;
  /** Time limits for clients, in milliseconds; only for tests that cannot wait for `limits`. */
  readonly times?: Partial<ClientTimes>;
  /** Called with every response, for a log. It holds no credentials, no query and no body. */
  readonly onAnswer?: (line: AnsweredRequest) => void;
}

/** Time limits for a client to send headers, the whole request and the next request, and how often they are checked. */
type ClientTimes = {
  readonly [K in
    | 'headersTimeoutMs'
    | 'bodyTimeoutMs'
    | 'keepAliveTimeoutMs'
    | 'connectionsCheckMs'
    | 'stopGraceMs']: number;
};

export interface AnsweredRequest {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  readonly address: string;
  readonly status: number;
  readonly durationMs: number;
  /** The authenticated API user and its account; absent if the credentials were wrong. */
  readonly user?: string;
  /** On the dashboard: of the holder who has signed in. */
  readonly account?: string;
  readonly code?: ErrorCode;
  /** The error, if the service caused it. Its causes may name internal hosts or vendors. */
  readonly error?: unknown;
}

export interface RunningServer {
  readonly url: string;
  /** Accepts no more requests, lets complete requests finish for 30 seconds at most, and closes every connection. */
  close(): Promise<void>;
}

/** See `startServer`. */
export async function listen(options: ServerOptions): Promise<RunningServer> {
  const { accounts, clock, host = '127.0.0.1', port = 0 } = options;
  const proxies = (options.trustedProxies ?? []).map(canonicalRule);
  const times: ClientTimes = { ...limits, ...options.times };
  if (accounts !== undefined) await refundAbandoned(accounts, clock.now());
  const dashboard =
    options.dashboard && new (await import('./dashboard/dashboard.ts')).Dashboard(accounts, clock, options.dashboard);
  const server = new Server(options, dashboard);
  const app = server.routes(times, proxies);
  const closeIdle = idleConnectionsOf(app.server);
  await app.listen({ host, port });
  const address = app.server.address() as AddressInfo;
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return {
    url: `http://${name}:${address.port}`,
    async close() {
      server.isStopping = true;
      const stopped = new AbortController();
      const force = () => app.server.closeAllConnections();
      clock.sleep(times.stopGraceMs, stopped.signal).then(force, () => undefined);
      const closed = app.close();
      closeIdle();
      await closed;
      stopped.abort();
      await dashboard?.close();
    },
  };
}

const operations: readonly OperationName[] = ['serp', 'keyword-data'];

/** What the log says of an answer. */
interface Facts extends Pick<CallReport, 'caller'>, Pick<AnsweredRequest, 'account' | 'code' | 'error'> {}
interface Page extends Facts {
  readonly body: string | Readable;
  /** Default: 200. */
  readonly status?: number;
  readonly type?: string;
  readonly headers?: Headers;
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

class Server {
  readonly #options: ServerOptions;
  readonly #pageRate: TokenBuckets;
  readonly #dashboard: Dashboard | undefined;
  /** When the headers of the request had arrived. */
  readonly #startedAt = new WeakMap<IncomingMessage, number>();
  /** A stopping server closes each connection after its answer: an idle one would delay the stop. */
  isStopping = false;

  constructor(options: ServerOptions, dashboard: Dashboard | undefined) {
    this.#options = options;
    this.#dashboard = dashboard;
    this.#pageRate = new TokenBuckets(options.clock, 'pages', options.pageRate ?? limits.pageRate);
  }

  routes(times: ClientTimes, proxies: readonly string[]): FastifyInstance {
    const app = fastify({
      bodyLimit: limits.requestBodyBytesMax,
      // the address is the rightmost one of X-Forwarded-For that is none of a proxy: clients write those further left
      trustProxy: proxies.length > 0 && ((address) => isAllowed(proxies, address)),
      serverFactory: (answer) => {
        const options = {
          headersTimeout: times.headersTimeoutMs,
          requestTimeout: times.bodyTimeoutMs,
          keepAliveTimeout: times.keepAliveTimeoutMs,
          connectionsCheckingInterval: times.connectionsCheckMs,
          requireHostHeader: false,
          refuse: (refused: RefusedConnection) => this.#refuseConnection(refused),
        };
        return createGuardedServer(options, answer).setTimeout(limits.idleSocketTimeoutMs);
      },
      clientErrorHandler: () => undefined,
      return503OnClosing: false,
      frameworkErrors: (_error, request, reply) => other(request, reply),
    });
    app.addHook('onRequest', async (request, reply) => {
      const refusal = hostError(request.raw);
      if (refusal === undefined) return undefined;
      reply.header('connection', 'close');
      return this.#refuse('other', refusal, request, reply);
    });
    // An unknown expectation is ignored, because its answer (417) is in no table.
    app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
    app.server.prependListener('request', (request) => void this.#startedAt.set(request, performance.now()));
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    for (const operation of operations)
      app.post(`/v1/${operation}`, (request, reply) => this.#serve(operation, request, reply, readBody(request)));
    app.get('/v1/usage', (request, reply) => this.#serve('usage', request, reply, request.query));
    const pages: Readonly<Record<string, () => Content | Promise<Content>>> = {
      '/': () => ({ type: html, body: '', headers: { location: '/docs' }, status: 302 }),
      '/healthz': () => ({ type: json, body: '{"status":"ok"}' }),
      '/readyz': () => this.#readiness(),
      '/openapi.json': () => ({ type: json, body: JSON.stringify(openApiDocument()) }),
      '/docs': () => ({ type: html, ...docsPage(this.#dashboard !== undefined) }),
    };
    for (const [path, page] of Object.entries(pages)) app.get(path, this.#page(page));
    const methods = new Map([...Object.keys(pages), '/v1/usage'].map((path) => [path, 'GET, HEAD']));
    for (const operation of operations) methods.set(`/v1/${operation}`, 'POST');
    const refuse = (request: FastifyRequest, reply: FastifyReply): never => {
      const path = readPath(request);
      const allowed = methods.get(path) ?? this.#dashboard?.allowedMethods(path);
      if (allowed === undefined) throw new ServiceError('NOT_FOUND', 'There is no such path.');
      reply.header('allow', allowed);
      throw new ServiceError('METHOD_NOT_ALLOWED', `This path takes ${allowed}.`);
    };
    const other = this.#page(refuse);
    const account = this.#page(async (request, reply) => {
      const method = request.method === 'HEAD' ? 'GET' : request.method;
      const allowed = this.#dashboard?.allowedMethods(readPath(request));
      if (this.#dashboard === undefined || allowed?.includes(method) !== true) return refuse(request, reply);
      const { cookies, ...answer } = await this.#dashboard.answer(request, addressOf(request), hungUpSignal(reply));
      if (cookies !== undefined) reply.header('set-cookie', cookies);
      return answer;
    });
    for (const url of this.#dashboard === undefined ? [] : ['/account', '/account/*'])
      app.route({ method: ['GET', 'POST'], url, handler: account });
    app.setNotFoundHandler(other);
    app.setErrorHandler((error, request, reply) => this.#failed(error, request, reply, other));
    return app;
  }

  /** Handles one request of an operation with any body. */
  async #serve(asked: OperationName | 'usage', request: FastifyRequest, reply: FastifyReply, body: unknown) {
    let report: CallReport | undefined;
    const { headers } = request;
    const options: CallOptions = {
      caller: {
        kind: 'credentials',
        username: single(headers['service-api-user']),
        password: single(headers['service-api-password']),
        address: addressOf(request),
      },
      signal: hungUpSignal(reply),
      idempotencyKey: single(headers['idempotency-key']),
      onReport: (given) => {
        report = given;
      },
    };
    try {
      const content = await this.#answer(asked, body, options);
      return this.#send(request, reply, content, report ?? this.#report(request));
    } catch (error) {
      return this.#refuse(asked, error, request, reply, report);
    }
  }

  async #answer(asked: OperationName | 'usage', body: unknown, options: CallOptions): Promise<Content> {
    const { service } = this.#options;
    // The service validates every field: nothing is trusted here.
    switch (asked) {
      case 'usage':
        if (service.usage === undefined) throw new ServiceError('NOT_FOUND', 'There is no such path.');
        return { type: json, body: JSON.stringify((await service.usage(body as object, options)).response) };
      case 'serp': {
        const request = body as SerpRequestInput;
        return serpContent(await service.serp(request, options), request.format === 'raw');
      }
      case 'keyword-data': {
        const { response } = await service.keywordData(body as KeywordDataRequestInput, options);
        return { type: json, body: JSON.stringify(response) };
      }
    }
  }

  /** A page without credentials: its requests count against the rate limit of their address. */
  #page(show: (request: FastifyRequest, reply: FastifyReply) => Page | Promise<Page>): Handler {
    return async (request, reply) => {
      const isAdmitted = this.#pageRate.take(subscriberPrefix(addressOf(request)));
      const report = this.#report(request);
      try {
        const retryAfterMs = report.rate?.resetMs;
        if (!isAdmitted) throw new ServiceError('RATE_LIMIT_EXCEEDED', 'Too many requests.', { retryAfterMs });
        return this.#send(request, reply, await show(request, reply), report);
      } catch (error) {
        return this.#refuse('other', error, request, reply, report);
      }
    };
  }

  /** Whether requests could be charged now, for load balancers. */
  async #readiness(): Promise<Content> {
    const isReady = !this.isStopping && ((await this.#options.accounts?.isReady?.()) ?? true);
    return { type: json, body: `{"status":"${isReady ? 'ready' : 'busy'}"}`, status: isReady ? 200 : 503 };
  }

  /**
   * Errors before a route is reached, mostly in the body. Those of operations are answered only after the caller's
   * credentials are checked.
   */
  async #failed(error: unknown, request: FastifyRequest, reply: FastifyReply, other: Handler) {
    const asked = operations.find((name) => request.routeOptions.url === `/v1/${name}`);
    const { code, statusCode } = error as { readonly code?: unknown; readonly statusCode?: unknown };
    if (typeof statusCode !== 'number' || statusCode >= 500)
      return await this.#refuse(asked ?? 'other', error, request, reply);
    if (asked === undefined) {
      if (request.routeOptions.url?.startsWith('/account') !== true) return await other(request, reply);
      const refusal = new ServiceError('INVALID_REQUEST', 'The form is too large or cannot be read.');
      return await this.#refuse('other', refusal, request, reply);
    }
    const isTooLarge = code === 'FST_ERR_CTP_BODY_TOO_LARGE';
    const body = isTooLarge
      ? refused(`The request body must have at most ${limits.requestBodyBytesMax} bytes.`, 413)
      : refused('The request body cannot be read.');
    return await this.#serve(asked, request, reply, body);
  }

  #refuse(asked: Asked, error: unknown, request: FastifyRequest, reply: FastifyReply, known?: CallReport) {
    const report = known ?? this.#report(request);
    const { caller } = report;
    return this.#send(request, reply, { ...errorAnswer(asked, error, report), error, caller }, report);
  }

  #refuseConnection({ reason, address }: RefusedConnection) {
    const report = this.#reportOf(address);
    const { code, ...answer } = errorAnswer('other', refusalError(reason), report);
    const { requestId } = report;
    this.#options.onAnswer?.({ requestId, method: '', path: '', address, status: answer.status, durationMs: 0, code });
    return answer;
  }

  #send(request: FastifyRequest, reply: FastifyReply, page: Page, report: CallReport): FastifyReply {
    const { status = 200, type, headers, body, code, error, caller, account } = page;
    this.#options.onAnswer?.({
      requestId: report.requestId,
      method: request.method,
      path: readPath(request).slice(0, limits.loggedPathCharsMax),
      address: addressOf(request),
      status,
      durationMs: performance.now() - (this.#startedAt.get(request.raw) ?? performance.now()),
      ...(account !== undefined && { account }),
      ...(caller !== undefined && { user: caller.username, account: caller.account }),
      ...(code !== undefined && { code }),
      ...(status >= 500 && { error }),
    });
    if (this.isStopping) reply.header('connection', 'close');
    const all = { ...reportHeaders(report), ...(type !== undefined && { 'content-type': type }), ...headers };
    return reply.code(status).headers(all).send(body);
  }

  /** For answers without an API user: the rate limit of the address for requests without credentials. */
  #report(request: FastifyRequest): CallReport {
    return this.#reportOf(addressOf(request));
  }

  #reportOf(address: string): CallReport {
    return { requestId: randomUUID(), rate: this.#pageRate.state(subscriberPrefix(address)) };
  }
}

function refusalError(reason: RefusedConnection['reason']): ServiceError {
  if (reason === 'slow') return new ServiceError('TIMEOUT', 'The request came too slowly.');
  if (reason === 'flood')
    return new ServiceError('RATE_LIMIT_EXCEEDED', 'Too many requests at once on one connection.');
  const why = reason === 'malformed' ? '' : ': its headers are too large';
  return new ServiceError('INVALID_REQUEST', `This is not an HTTP request${why}.`);
}

/**
 * RFC 9112, 3.2: an HTTP/1.1 request has exactly one Host. A proxy in front may have checked another one than we would.
 */
function hostError({ rawHeaders, httpVersion }: IncomingMessage): ServiceError | undefined {
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
  if (hosts === 1 || (hosts === 0 && httpVersion === '1.0')) return undefined;
  return new ServiceError('INVALID_REQUEST', 'A request must have exactly one Host header.');
}

/**
 * The JSON value of a body, or why it has none: a refusal is returned, not thrown, because an unauthenticated caller
 * learns nothing about its body.
 */
function readBody({ headers, body }: FastifyRequest): unknown {
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/json') return refused('Content-Type must be application/json.');
  if (!(body instanceof Uint8Array)) return refused('The request body must be a JSON object.');
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return refused('The request body is not JSON.');
  }
  const isHostile = typeof value === 'object' && value !== null && Object.hasOwn(value, '__proto__');
  return isHostile ? refused('The request body must not contain __proto__.') : value;
}

function refused(message: string, status?: number): UnreadableBody {
  return new UnreadableBody(new ServiceError('INVALID_REQUEST', message, { status }));
}

function addressOf(request: FastifyRequest): string {
  return request.ip ?? 'unknown';
}

function hungUpSignal({ raw }: FastifyReply): AbortSignal {
  const hungUp = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) hungUp.abort();
  });
  return hungUp.signal;
}

function readPath(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? '';
}

/** Node joins most repeated headers; the first value counts then. */
function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
