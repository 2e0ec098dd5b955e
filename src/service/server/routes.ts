// All routes of the server: both operations, health, documentation, and errors for other paths.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { refundAbandoned } from '../access/credits.ts';
import { canonicalRule, clientAddress, subscriberPrefix } from '../access/login/addresses.ts';
import { TokenBuckets } from '../access/login/rate-limit.ts';
import { type Content, json, serpContent } from '../client/answer-content.ts';
import type { CallOptions, CallReport, KeywordDataRequestInput, SerpRequestInput } from '../core/calls.ts';
import { type ErrorCode, ServiceError } from '../model/errors.ts';
import { limits } from '../model/limits.ts';
import type { OperationName } from '../model/ports.ts';
import { hostError, refusalError } from './broken-requests.ts';
import { Connections } from './connections.ts';
import type { DashboardRoute } from './dashboard-route.ts';
import { type ConnectionRefusal, createGuardedServer, type RefusedConnection } from './guarded-server.ts';
import { allowedMethods, type OpenPage, openPages, operations } from './open-pages.ts';
import { type Asked, errorBody, publicError } from './public-errors.ts';
import { readBody, refused, tooLarge } from './request-body.ts';
import { errorHeaders, type Headers, reportHeaders } from './response-headers.ts';
import type { ClientTimes, RunningServer, ServerOptions } from './server-options.ts';

/** See startServer. */
export async function listen(options: ServerOptions): Promise<RunningServer> {
  const { accounts, clock, host = '127.0.0.1', port = 0 } = options;
  const proxies = (options.trustedProxies ?? []).map(canonicalRule);
  const times: ClientTimes = { ...limits, ...options.times };
  if (accounts !== undefined) await refundAbandoned(accounts, clock.now());
  const dashboard =
    options.dashboard && (await import('./dashboard-route.ts')).openDashboard(options, options.dashboard, proxies);
  const server = new Server(options, proxies, dashboard);
  const app = server.routes(times);
  const connections = new Connections(app.server);
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
      connections.closeIdle();
      await closed;
      stopped.abort();
      await dashboard?.close();
    },
  };
}

class Server {
  readonly #options: ServerOptions;
  readonly #proxies: readonly string[];
  readonly #pageRate: TokenBuckets;
  readonly #dashboard: DashboardRoute | undefined;
  /** When the headers of the request had arrived. */
  readonly #startedAt = new WeakMap<IncomingMessage, number>();
  /** A stopping server closes each connection after its answer: an idle one would delay the stop. */
  isStopping = false;

  constructor(options: ServerOptions, proxies: readonly string[], dashboard: DashboardRoute | undefined) {
    this.#options = options;
    this.#proxies = proxies;
    this.#dashboard = dashboard;
    this.#pageRate = new TokenBuckets(options.clock, 'pages', options.pageRate ?? limits.pageRate);
  }

  routes(times: ClientTimes): FastifyInstance {
    const app = fastify({
      bodyLimit: limits.requestBodyBytesMax,
      serverFactory: (answer) => {
        const options = {
          headersTimeout: times.headersTimeoutMs,
          requestTimeout: times.bodyTimeoutMs,
          keepAliveTimeout: times.keepAliveTimeoutMs,
          connectionsCheckingInterval: times.connectionsCheckMs,
          requireHostHeader: false,
        };
        const server = createGuardedServer(
          { ...options, refuse: (refused) => this.#refuseConnection(refused) },
          answer,
        );
        return server.setTimeout(limits.idleSocketTimeoutMs);
      },
      clientErrorHandler: () => undefined,
      return503OnClosing: false,
      frameworkErrors: (_error, request, reply) => this.#other(request, reply),
    });
    app.addHook('onRequest', async (request, reply) => {
      const refusal = hostError(request.raw);
      if (refusal === undefined) return undefined;
      reply.header('connection', 'close');
      return this.#refuse('other', refusal, this.#report(this.#addressOf(request)), request, reply);
    });
    // An unknown expectation is ignored, because its answer (417) is in no table.
    app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
    app.server.prependListener('request', (request) => void this.#startedAt.set(request, performance.now()));
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    for (const operation of operations) {
      app.post(`/v1/${operation}`, { config: { operation } }, (request, reply) =>
        this.#serve(operation, request, reply, readBody(request.headers['content-type'], request.body)),
      );
    }
    app.get('/v1/usage', (request, reply) => this.#serve('usage', request, reply, request.query));
    app.get('/readyz', async (request, reply) => this.#showReady(request, reply));
    for (const [path, page] of openPages(this.#dashboard !== undefined))
      app.get(path, (request, reply) => this.#show(page(), request, reply));
    for (const url of this.#dashboard === undefined ? [] : ['/account', '/account/*'])
      app.route({ method: ['GET', 'POST'], url, handler: (request, reply) => this.#showAccount(request, reply) });
    app.setNotFoundHandler((request, reply) => this.#other(request, reply));
    app.setErrorHandler((error, request, reply) => this.#failed(error, request, reply));
    return app;
  }

  /** Handles one request of an operation with any body. */
  async #serve(operation: OperationName | 'usage', request: FastifyRequest, reply: FastifyReply, body: unknown) {
    const signal = hungUpSignal(reply);
    let report: CallReport | undefined;
    const { headers } = request;
    const idempotencyKey = single(headers['idempotency-key']);
    const options: CallOptions = {
      caller: {
        kind: 'credentials',
        username: single(headers['service-api-user']),
        password: single(headers['service-api-password']),
        address: this.#addressOf(request),
      },
      signal,
      ...(idempotencyKey !== undefined && { idempotencyKey }),
      onReport: (given) => {
        report = given;
      },
    };
    const currentReport = () => report ?? this.#report(this.#addressOf(request));
    try {
      const { type, headers, bytes } = await this.#answer(operation, body, options);
      return this.#send(
        request,
        reply,
        200,
        { ...reportHeaders(currentReport()), 'content-type': type, ...headers },
        bytes,
      );
    } catch (error) {
      return this.#refuse(operation, error, currentReport(), request, reply);
    }
  }

  async #answer(operation: OperationName | 'usage', body: unknown, options: CallOptions): Promise<Content> {
    const { service } = this.#options;
    if (operation === 'usage') {
      if (service.usage === undefined) throw new ServiceError('NOT_FOUND', 'There is no such path.');
      return { type: json, bytes: JSON.stringify((await service.usage(body as object, options)).response) };
    }
    // The service validates every field: nothing is trusted here.
    if (operation === 'serp') {
      const asked = body as SerpRequestInput;
      return serpContent(await service.serp(asked, options), asked.format === 'raw');
    }
    const { response } = await service.keywordData(body as KeywordDataRequestInput, options);
    return { type: json, bytes: JSON.stringify(response) };
  }

  #show(page: OpenPage, request: FastifyRequest, reply: FastifyReply, status = page.status ?? 200) {
    const { report, refusal } = this.#admit(request);
    if (refusal !== undefined) return this.#refuse('other', refusal, report, request, reply);
    return this.#send(
      request,
      reply,
      status,
      { ...reportHeaders(report), 'content-type': page.type, ...page.headers },
      page.text,
    );
  }

  /** A page or a form of the account dashboard. */
  async #showAccount(request: FastifyRequest, reply: FastifyReply) {
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const isThere = this.#dashboard?.allowedMethods(readPath(request))?.includes(method) === true;
    if (this.#dashboard === undefined || !isThere) return this.#other(request, reply);
    const { report, refusal } = this.#admit(request);
    if (refusal !== undefined) return this.#refuse('other', refusal, report, request, reply);
    const answered = await this.#dashboard.answer(request, this.#addressOf(request), hungUpSignal(reply));
    const { status, headers, body, deviceCookie, ...facts } = answered;
    const { 'set-cookie': cookie, ...others } = headers;
    for (const each of [cookie, deviceCookie]) if (each !== undefined) reply.header('set-cookie', each);
    return this.#send(request, reply, status, { ...reportHeaders(report), ...others }, body, facts);
  }

  /** Whether requests could be charged now, for load balancers. */
  async #showReady(request: FastifyRequest, reply: FastifyReply) {
    const isReady = !this.isStopping && ((await this.#options.accounts?.isReady?.()) ?? true);
    return this.#show(
      { type: json, text: `{"status":"${isReady ? 'ready' : 'busy'}"}` },
      request,
      reply,
      isReady ? 200 : 503,
    );
  }

  /** An unknown path or method. */
  #other(request: FastifyRequest, reply: FastifyReply) {
    const path = readPath(request);
    const allowed = allowedMethods(path) ?? this.#dashboard?.allowedMethods(path);
    const { report, refusal } = this.#admit(request);
    if (refusal !== undefined) return this.#refuse('other', refusal, report, request, reply);
    if (allowed === undefined) {
      return this.#refuse('other', new ServiceError('NOT_FOUND', 'There is no such path.'), report, request, reply);
    }
    reply.header('allow', allowed);
    const error = new ServiceError('METHOD_NOT_ALLOWED', `This path takes ${allowed}.`);
    return this.#refuse('other', error, report, request, reply);
  }

  /**
   * Errors before a route is reached, mostly in the body. They are answered only after the caller's credentials are
   * checked.
   */
  #failed(error: unknown, request: FastifyRequest, reply: FastifyReply) {
    const operation = operations.find((name) => request.routeOptions.url === `/v1/${name}`);
    const { code, statusCode } = error as { readonly code?: unknown; readonly statusCode?: unknown };
    const isClients = typeof statusCode === 'number' && statusCode < 500;
    if (!isClients) {
      const report = this.#report(this.#addressOf(request));
      return this.#refuse(operation ?? 'other', error, report, request, reply);
    }
    if (operation === undefined) {
      if (request.routeOptions.url?.startsWith('/account') !== true) return this.#other(request, reply);
      const refusal = new ServiceError('INVALID_REQUEST', 'The form is too large or cannot be read.');
      return this.#refuse('other', refusal, this.#report(this.#addressOf(request)), request, reply);
    }
    const body = code === 'FST_ERR_CTP_BODY_TOO_LARGE' ? tooLarge() : refused('The request body cannot be read.');
    return this.#serve(operation, request, reply, body);
  }

  #refuse(operation: Asked, error: unknown, report: CallReport, request: FastifyRequest, reply: FastifyReply) {
    const shown = publicError(operation, error);
    const headers = { ...reportHeaders(report), ...errorHeaders(shown), 'content-type': json };
    const facts = { code: shown.code, error, ...(report.caller !== undefined && { caller: report.caller }) };
    return this.#send(request, reply, shown.status, headers, errorBody(shown, report.requestId), facts);
  }

  #refuseConnection({ reason, address }: RefusedConnection): ConnectionRefusal {
    const report = this.#report(address);
    const shown = publicError('other', refusalError(reason));
    const { status, code } = shown;
    const { requestId } = report;
    this.#options.onAnswer?.({ requestId, method: '', path: '', address, status, durationMs: 0, code });
    const headers = { ...reportHeaders(report), ...errorHeaders(shown), 'content-type': json };
    return { status, headers, body: errorBody(shown, requestId) };
  }

  #send(
    request: FastifyRequest,
    reply: FastifyReply,
    status: number,
    headers: Headers,
    content: string | Buffer | Readable,
    facts: Pick<CallReport, 'caller'> & { readonly account?: string | undefined } & {
      readonly code?: ErrorCode;
      readonly error?: unknown;
    } = {},
  ) {
    const { code, error, caller, account } = facts;
    const { onAnswer } = this.#options;
    if (onAnswer !== undefined) {
      onAnswer({
        requestId: headers['x-request-id'] ?? '',
        method: request.method,
        path: readPath(request).slice(0, limits.loggedPathCharsMax),
        address: this.#addressOf(request),
        status,
        durationMs: performance.now() - (this.#startedAt.get(request.raw) ?? performance.now()),
        ...(account !== undefined && { account }),
        ...(caller !== undefined && { user: caller.username, account: caller.account }),
        ...(code !== undefined && { code }),
        ...(status >= 500 && { error }),
      });
    }
    if (this.isStopping) reply.header('connection', 'close');
    return reply.code(status).headers(headers).send(content);
  }

  /** Counts a request without credentials against the rate limit of its address. */
  #admit(request: FastifyRequest): { readonly report: CallReport; readonly refusal: ServiceError | undefined } {
    const address = this.#addressOf(request);
    const isAdmitted = this.#pageRate.take(subscriberPrefix(address));
    const report = this.#report(address);
    if (isAdmitted) return { report, refusal: undefined };
    const retryAfterMs = report.rate?.resetMs ?? 1000;
    return { report, refusal: new ServiceError('RATE_LIMIT_EXCEEDED', 'Too many requests.', { retryAfterMs }) };
  }

  /** For answers without an API user: the rate limit of the address for requests without credentials. */
  #report(address: string | undefined): CallReport {
    return { requestId: randomUUID(), rate: this.#pageRate.state(subscriberPrefix(address ?? 'unknown')) };
  }

  #addressOf(request: FastifyRequest): string {
    return clientAddress(request.socket.remoteAddress, single(request.headers['x-forwarded-for']), this.#proxies);
  }
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
