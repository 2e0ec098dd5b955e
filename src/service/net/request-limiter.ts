// Limits requests to one provider: number in flight, number per second, and pauses.

import { ServiceError } from '../model/errors.ts';
import type { Clock } from '../model/ports.ts';
import { Semaphore } from '../model/semaphore.ts';
import { MonotonicClock } from '../model/time/clock.ts';
import { abortedBy } from '../model/time/deadline.ts';

/** One limiter per provider: first come, first served. All waits end with the caller's signal. */
export class RequestLimiter {
  readonly #clock: Clock;
  readonly #time = new MonotonicClock();
  readonly #intervalMs: number;
  readonly #inFlight: Semaphore;
  #nextSendAt = Number.NEGATIVE_INFINITY;
  #pausedUntil = Number.NEGATIVE_INFINITY;

  /**
   * Without `requestsPerSecond` only the number of requests in flight is limited. Throws Error for limits under which
   * no request would ever leave.
   */
  constructor(clock: Clock, concurrency: number, requestsPerSecond: number | undefined) {
    if (typeof concurrency !== 'number' || !(concurrency >= 1)) throw new Error('concurrency must be at least 1.');
    if (requestsPerSecond !== undefined && !(requestsPerSecond > 0)) {
      throw new Error('requestsPerSecond must be above 0.');
    }
    this.#clock = clock;
    this.#inFlight = new Semaphore({ permits: concurrency });
    this.#intervalMs = requestsPerSecond === undefined ? 0 : 1000 / requestsPerSecond;
  }

  /**
   * Waits until a request may leave. Returns the release, to be called after the response. Throws ABORTED, and at once
   * RATE_LIMIT_EXCEEDED where the provider asked for a pause beyond `endsAt` (UTC milliseconds), both charged `no`.
   */
  async enter(signal: AbortSignal | undefined, endsAt = Number.POSITIVE_INFINITY): Promise<() => void> {
    let release: (() => void) | undefined;
    try {
      release = await this.#inFlight.acquire({ signal });
      await this.#waitForMoment(signal, endsAt);
      return release;
    } catch (error) {
      release?.();
      if (error instanceof ServiceError && error.code === 'RATE_LIMIT_EXCEEDED') throw error;
      throw abortedBy(signal).with({ charged: 'no' });
    }
  }

  /** Whether no request is in flight. */
  get isEmpty(): boolean {
    return this.#inFlight.isIdle;
  }

  /** Holds requests back until `moment`, UTC milliseconds. A shorter pause never ends a longer one. */
  pauseUntil(moment: number): void {
    const shown = this.#clock.now();
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#time.at(shown) + moment - shown);
  }

  /** A bucket of one token: requests are spaced evenly, so that no second exceeds the rate. */
  async #waitForMoment(signal: AbortSignal | undefined, endsAt: number): Promise<void> {
    for (;;) {
      const shown = this.#clock.now();
      const now = this.#time.at(shown);
      const pauseMs = this.#pausedUntil - now;
      if (pauseMs > endsAt - shown)
        throw new ServiceError('RATE_LIMIT_EXCEEDED', 'Not sent: the service asked for a longer pause before.', {
          retryAfterMs: pauseMs,
        });
      const waitMs = Math.max(pauseMs, this.#nextSendAt - now);
      if (waitMs <= 0) {
        this.#nextSendAt = now + this.#intervalMs;
        return;
      }
      await this.#clock.sleep(waitMs, signal);
    }
  }
}
