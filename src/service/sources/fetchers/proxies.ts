// Proxies: their addresses, their failures, the rotation of routes to an engine, and a free test.
import { request as askPlain, type RequestOptions } from 'node:http';
import { request as askEncrypted } from 'node:https';
import { ServiceError } from '../../model/errors.ts';
import type { Clock } from '../../model/ports.ts';
import { backoffMs, hourMs, MonotonicClock } from '../../model/time/clock.ts';
import { checkNetwork, effectivePort, plainHost, tried } from '../../net/public-network.ts';
import type { RequestLimiter } from '../../net/request-limiter.ts';
import type { FetcherProbe } from './fetcher.ts';

/** The URL of a proxy without its login, and the value of `proxy-authorization`; undefined where there is no login. */
export function proxyAddress(address: string): { readonly origin: string; readonly authorization?: string } {
  const { origin, username, password } = new URL(address);
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return username === '' ? { origin } : { origin, authorization: `Basic ${Buffer.from(login).toString('base64')}` };
}

/**
 * The failure where a proxy refuses or does not answer. `what` is the proxy's status, or a code of the system. The
 * engine was not asked.
 */
export function proxyFailure(address: string, what: number | string, cause?: unknown): ServiceError {
  const did = typeof what === 'number' ? `answered ${what} itself` : `leads nowhere (${what})`;
  const login = what === 407 ? 'its user and password' : 'its address, and whether it is paid for';
  return new ServiceError('CONNECTION_FAILED', `The proxy ${new URL(address).host} ${did}.`, {
    charged: 'no',
    hint: `Check the proxy: ${login}.`,
    cause,
  });
}

/** Thrown by an attempt whose proxy is dead: another one may work. */
export class DeadProxy extends Error {
  readonly failure: ServiceError;

  constructor(failure: ServiceError) {
    super(failure.message, { cause: failure });
    this.failure = failure;
  }
}

/** Pause of a dead route. */
const deadRestMs = 60_000;
/** The pause of a route doubles with each consecutive block, up to this. */
const restMsMax = 6 * hourMs;
/** Routes tried for one page. */
const attemptsMax = 3;

interface RouteState {
  restsUntil: number;
  /** Why it is paused. */
  because: 'blocked' | 'dead';
  /** Blocks since the last good page. */
  blocks: number;
}

/** Rotates the routes to an engine, direct or through proxies. Blocked or dead routes are paused. */
export class ProxyPool<Route> {
  /** Limit of routes tried for one page. */
  readonly attemptsMax: number;
  readonly routes: readonly Route[];
  readonly #clock: Clock;
  readonly #time = new MonotonicClock();
  readonly #coolDownMs: number;
  readonly #states: ReadonlyMap<Route, RouteState>;
  #next = 0;

  constructor(clock: Clock, routes: readonly Route[], coolDownMs: number) {
    this.attemptsMax = Math.min(attemptsMax, routes.length);
    this.routes = routes;
    this.#clock = clock;
    this.#coolDownMs = coolDownMs;
    this.#states = new Map(routes.map((route) => [route, { restsUntil: 0, because: 'blocked', blocks: 0 }]));
  }

  /** Runs `attempt` over the next route, and over another one after a dead proxy. */
  async attempt<T>(limiter: RequestLimiter, signal: AbortSignal, attempt: (route: Route) => Promise<T>): Promise<T> {
    for (let attempts = 1; ; attempts++) {
      const leave = await limiter.enter(signal);
      let route: Route | undefined;
      try {
        route = this.take();
        return await attempt(route);
      } catch (error) {
        if (!(error instanceof DeadProxy) || route === undefined) throw error;
        this.settle(route, 'dead');
        if (attempts >= this.attemptsMax) throw error.failure;
      } finally {
        leave();
      }
    }
  }

  /**
   * The next route in turn. Throws, charged `no` and with the time until the first route is available:
   * RATE_LIMIT_EXCEEDED if the engine blocks any of them, CONNECTION_FAILED if all of them are dead.
   */
  take(): Route {
    const now = this.#time.at(this.#clock.now());
    for (let step = 0; step < this.routes.length; step++) {
      const place = (this.#next + step) % this.routes.length;
      const route = this.routes[place];
      if (route === undefined || (this.#states.get(route)?.restsUntil ?? 0) > now) continue;
      this.#next = place + 1;
      return route;
    }
    const states = [...this.#states.values()];
    const retryAfterMs = Math.min(...states.map((state) => state.restsUntil)) - now;
    if (states.every((state) => state.because === 'dead')) {
      throw new ServiceError('CONNECTION_FAILED', 'No proxy reaches the engine. All proxies are paused.', {
        charged: 'no',
        retryAfterMs,
        hint: 'Check the proxies: URLs, logins and subscription.',
      });
    }
    throw new ServiceError('RATE_LIMIT_EXCEEDED', 'The engine blocks every route. All routes are paused.', {
      charged: 'no',
      retryAfterMs,
      hint: 'Request pages more slowly, add proxies, or use another source.',
    });
  }

  settle(route: Route, outcome: 'good' | 'blocked' | 'dead'): void {
    const state = this.#states.get(route);
    if (state === undefined) throw new Error('This route is not in the pool.');
    if (outcome === 'good') {
      state.blocks = 0;
      return;
    }
    if (outcome === 'blocked') state.blocks++;
    state.because = outcome;
    const restMs =
      outcome === 'dead' ? deadRestMs : backoffMs({ firstMs: this.#coolDownMs, maxMs: restMsMax }, state.blocks);
    state.restsUntil = Math.max(state.restsUntil, this.#time.at(this.#clock.now()) + restMs);
  }
}

/** A host that never exists: a proxy that reports this has accepted the login first. */
const nowhere = 'rankledger.invalid:443';
/** Number of proxies probed at once. */
const proxiesAtOnce = 100;
/** Number of failing proxies named in the message. */
const namedMax = 5;

/**
 * Reports which proxies work: they answer, and accept the login if they need one. Tests them by a handshake and a
 * request that they must refuse; no page is requested.
 */
export async function probeProxies(proxies: readonly string[], signal: AbortSignal): Promise<FetcherProbe> {
  const problems: ServiceError[] = [];
  const left = [...proxies];
  const probe = async (): Promise<void> => {
    for (let proxy = left.shift(); proxy !== undefined; proxy = left.shift()) {
      const problem = await proxyProblem(new URL(proxy), signal);
      if (problem !== undefined) problems.push(problem);
    }
  };
  await Promise.all(Array.from({ length: Math.min(proxiesAtOnce, proxies.length) }, probe));
  const good = proxies.length - problems.length;
  const count =
    proxies.length === 1
      ? `The proxy ${good === 1 ? 'answers' : 'fails'}.`
      : `${good} of ${proxies.length} proxies answer.`;
  const named = problems.slice(0, namedMax).map(({ message, hint }) => `${message} ${hint}`);
  const rest = problems.length > namedMax ? [`And ${problems.length - namedMax} more.`] : [];
  return { answers: good > 0, message: [count, ...named, ...rest].join(' '), problems };
}

async function proxyProblem(proxy: URL, signal: AbortSignal): Promise<ServiceError | undefined> {
  try {
    const status = await handshake(proxy, signal);
    if (status !== 407 && status !== 401) return undefined;
    return new ServiceError('INVALID_CREDENTIALS', `The proxy ${proxy.host} refuses the login (${status}).`, {
      hint: 'Check its user and password in the environment.',
    });
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (error.code !== 'TIMEOUT') return error;
    const message = `The proxy ${proxy.host} does not answer.`;
    return new ServiceError('TIMEOUT', message, { charged: 'no', hint: checkNetwork });
  }
}

/** The proxy's status for a request to a host that does not exist. */
async function handshake(proxy: URL, signal: AbortSignal): Promise<number> {
  const { authorization } = proxyAddress(proxy.href);
  const options: RequestOptions = {
    method: 'CONNECT',
    host: plainHost(proxy),
    port: effectivePort(proxy),
    path: nowhere,
    agent: false,
    headers: { host: nowhere, ...(authorization !== undefined && { 'proxy-authorization': authorization }) },
  };
  let status = 0;
  await tried(signal, proxy.host, (done, fail) => {
    const request = proxy.protocol === 'https:' ? askEncrypted(options) : askPlain(options);
    request.once('connect', (response) => {
      status = response.statusCode ?? 0;
      done();
    });
    request.once('error', fail).end();
    return () => request.destroy();
  });
  return status;
}
