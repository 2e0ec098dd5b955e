// Ways to an engine, one page at a time by one: directly or by proxies, used in turn, rested when they are blocked or do not answer. It sends nothing.
import { ServiceError } from '../../errors.ts';
import type { Clock } from '../../ports.ts';
import { SteadyTime } from '../../steady-time.ts';

/** How long a way rests that leads nowhere. */
const deadRestMs = 60_000;
/** A way that is blocked again and again rests twice as long each time, but not longer than this. */
const restMsMax = 6 * 3_600_000;

interface RouteState {
  restsUntil: number;
  /** Why it rests. */
  because: 'blocked' | 'dead';
  /** Blocks since the last good page. */
  blocks: number;
}

export class Routes<Route> {
  readonly #clock: Clock;
  readonly #time = new SteadyTime();
  readonly #coolDownMs: number;
  readonly #states: ReadonlyMap<Route, RouteState>;
  readonly #routes: readonly Route[];
  #next = 0;

  constructor(clock: Clock, routes: readonly Route[], coolDownMs: number) {
    this.#clock = clock;
    this.#coolDownMs = coolDownMs;
    this.#routes = routes;
    this.#states = new Map(routes.map((route) => [route, { restsUntil: 0, because: 'blocked', blocks: 0 }]));
  }

  /**
   * The way whose turn it is. Throws, charged `no` and with the time until the first one has rested: RATE_LIMIT_EXCEEDED where the engine blocks any
   * of them, CONNECTION_FAILED where all of them lead nowhere.
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
      throw new ServiceError('CONNECTION_FAILED', 'No proxy leads to the engine; each of them rests.', {
        charged: 'no',
        retryAfterMs,
        hint: 'Check the proxies: their addresses, their logins, and whether they are paid for.',
      });
    }
    throw new ServiceError('RATE_LIMIT_EXCEEDED', 'The engine blocks every way to it; each of them rests.', {
      charged: 'no',
      retryAfterMs,
      hint: 'Ask more slowly, add proxies, or use another source.',
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
    const restMs = outcome === 'dead' ? deadRestMs : this.#coolDownMs * 2 ** Math.min(state.blocks - 1, 20);
    state.restsUntil = Math.max(state.restsUntil, this.#time.at(this.#clock.now()) + Math.min(restMs, restMsMax));
  }

  #stateOf(route: Route): RouteState {
    const state = this.#states.get(route);
    if (state === undefined) throw new Error('This way is none of those that were named.');
    return state;
  }
}

/** A proxy that leads nowhere: another one may. */
export class DeadRoute extends Error {
  readonly failure: ServiceError;

  constructor(failure: ServiceError) {
    super(failure.message, { cause: failure });
    this.failure = failure;
  }
}

/** Tries again where a way led nowhere. Throws what the last one failed with. */
export async function pastDeadRoutes<T>(triesMax: number, attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof DeadRoute)) throw error;
      if (tries >= triesMax) throw error.failure;
    }
  }
}
