// The ways to an engine, one by one: directly or by proxies, used in turn, rested when they are blocked or do not answer. It sends nothing.
import { ServiceError } from '../../errors.ts';
import type { Clock } from '../../ports.ts';

/** How long a way rests that leads nowhere. */
const deadRestMs = 60_000;
/** A way that is blocked again and again rests twice as long each time, but not longer than this. */
const restMsMax = 6 * 3_600_000;

interface RouteState {
  restsUntil: number;
  /** Blocks since the last good page. */
  blocks: number;
}

export class Routes<Route> {
  readonly #clock: Clock;
  readonly #coolDownMs: number;
  readonly #states: ReadonlyMap<Route, RouteState>;
  readonly #routes: readonly Route[];
  #next = 0;

  constructor(clock: Clock, routes: readonly Route[], coolDownMs: number) {
    this.#clock = clock;
    this.#coolDownMs = coolDownMs;
    this.#routes = routes;
    this.#states = new Map(routes.map((route) => [route, { restsUntil: 0, blocks: 0 }]));
  }

  get count(): number {
    return this.#routes.length;
  }

  /** The way whose turn it is. Throws RATE_LIMIT_EXCEEDED, charged `no`, with the time until the first one has rested. */
  take(): Route {
    const now = this.#clock.now();
    for (let step = 0; step < this.#routes.length; step++) {
      const place = (this.#next + step) % this.#routes.length;
      const route = this.#routes[place];
      if (route === undefined || this.#stateOf(route).restsUntil > now) continue;
      this.#next = place + 1;
      return route;
    }
    const free = Math.min(...[...this.#states.values()].map((state) => state.restsUntil));
    throw new ServiceError('RATE_LIMIT_EXCEEDED', 'The engine blocks every way to it; each of them rests.', {
      charged: 'no',
      retryAfterMs: free - now,
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
    const restMs = outcome === 'dead' ? deadRestMs : this.#coolDownMs * 2 ** Math.min(state.blocks - 1, 20);
    state.restsUntil = Math.max(state.restsUntil, this.#clock.now() + Math.min(restMs, restMsMax));
  }

  #stateOf(route: Route): RouteState {
    const state = this.#states.get(route);
    if (state === undefined) throw new Error('This way is none of those that were named.');
    return state;
  }
}
