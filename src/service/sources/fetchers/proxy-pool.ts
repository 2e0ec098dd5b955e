// Rotates the routes to an engine, direct or through proxies. Blocked or dead routes are paused.

import { ServiceError } from '../../model/errors.ts';
import type { Clock } from '../../model/ports.ts';
import { backoffMs } from '../../model/time/backoff.ts';
import { MonotonicClock } from '../../model/time/monotonic-clock.ts';

/** Pause of a dead route. */
const deadRestMs = 60_000;
/** The pause of a route doubles with each consecutive block, up to this. */
const restMsMax = 6 * 3_600_000;

interface ProxyState {
  restsUntil: number;
  /** Why it is paused. */
  because: 'blocked' | 'dead';
  /** Blocks since the last good page. */
  blocks: number;
}

export class ProxyPool<Route> {
  readonly #clock: Clock;
  readonly #time = new MonotonicClock();
  readonly #coolDownMs: number;
  readonly #states: ReadonlyMap<Route, ProxyState>;
  readonly #routes: readonly Route[];
  #next = 0;

  constructor(clock: Clock, routes: readonly Route[], coolDownMs: number) {
    this.#clock = clock;
    this.#coolDownMs = coolDownMs;
    this.#routes = routes;
    this.#states = new Map(routes.map((route) => [route, { restsUntil: 0, because: 'blocked', blocks: 0 }]));
  }

  /**
   * The next route in turn. Throws, charged `no` and with the time until the first route is available:
   * RATE_LIMIT_EXCEEDED if the engine blocks any of them, CONNECTION_FAILED if all of them are dead.
   */
  take(): Route {
    const now = this.#time.at(this.#clock.now());
    for (let step = 0; step < this.#routes.length; step++) {
      const place = (this.#next + step) % this.#routes.length;
      const route = this.#routes[place];
      if (route === undefined || this.#stateOf(route).restsUntil > now) continue;
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
    const state = this.#stateOf(route);
    if (outcome === 'good') {
      state.blocks = 0;
      return;
    }
    if (outcome === 'blocked') state.blocks++;
    state.because = outcome;
    const coolDown = { firstMs: this.#coolDownMs, maxMs: restMsMax };
    const restMs = outcome === 'dead' ? deadRestMs : backoffMs(coolDown, state.blocks);
    state.restsUntil = Math.max(state.restsUntil, this.#time.at(this.#clock.now()) + restMs);
  }

  #stateOf(route: Route): ProxyState {
    const state = this.#states.get(route);
    if (state === undefined) throw new Error('This route is not in the pool.');
    return state;
  }
}

/** A dead proxy: another one may work. */
export class DeadProxy extends Error {
  readonly failure: ServiceError;

  constructor(failure: ServiceError) {
    super(failure.message, { cause: failure });
    this.failure = failure;
  }
}

/** Retries after a dead proxy. Throws the failure of the last attempt. */
export async function retryDeadProxies<T>(attemptsMax: number, attempt: () => Promise<T>): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof DeadProxy)) throw error;
      if (attempts >= attemptsMax) throw error.failure;
    }
  }
}
