// Who may send to a provider, and when: so many at once, so many a second, nobody during a pause. It sends nothing itself.
import { abortedBy } from '../deadline.ts';
import type { ServiceError } from '../errors.ts';
import type { Clock } from '../ports.ts';
import { SteadyTime } from '../steady-time.ts';

/** One gate a provider: first come, first served. All waits end with the caller's signal. */
export class Gate {
  readonly #clock: Clock;
  readonly #time = new SteadyTime();
  readonly #intervalMs: number;
  readonly #places: number;
  #free: number;
  readonly #waiting: (() => void)[] = [];
  #nextSendAt = Number.NEGATIVE_INFINITY;
  #pausedUntil = Number.NEGATIVE_INFINITY;

  /** Without `requestsPerSecond` only the number of requests in flight is limited. */
  constructor(clock: Clock, concurrency: number, requestsPerSecond: number | undefined) {
    this.#clock = clock;
    this.#places = concurrency;
    this.#free = concurrency;
    this.#intervalMs = requestsPerSecond === undefined ? 0 : 1000 / requestsPerSecond;
  }

  /** Waits for its turn and gives the way out, to be called once the answer is there. Throws ABORTED, charged `no`. */
  async enter(signal: AbortSignal | undefined): Promise<() => void> {
    await this.#takeSlot(signal);
    try {
      await this.#waitForMoment(signal);
    } catch {
      this.#giveSlot();
      throw gaveUp(signal);
    }
    return () => this.#giveSlot();
  }

  /** Whether nobody is inside. */
  get isEmpty(): boolean {
    return this.#free === this.#places;
  }

  /** Lets nobody send before `moment`, UTC milliseconds. A shorter pause never ends a longer one. */
  pauseUntil(moment: number): void {
    const shown = this.#clock.now();
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#time.at(shown) + moment - shown);
  }

  #takeSlot(signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted === true) return Promise.reject(gaveUp(signal));
    if (this.#free > 0) {
      this.#free--;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const take = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(take), 1);
        reject(gaveUp(signal));
      };
      this.#waiting.push(take);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }

  #giveSlot(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }

  /** A bucket of one token: requests are spaced, so that no second holds more than its number. */
  async #waitForMoment(signal: AbortSignal | undefined): Promise<void> {
    for (;;) {
      const now = this.#time.at(this.#clock.now());
      const waitMs = Math.max(this.#pausedUntil, this.#nextSendAt) - now;
      if (waitMs <= 0) {
        this.#nextSendAt = now + this.#intervalMs;
        return;
      }
      await this.#clock.sleep(waitMs, signal);
    }
  }
}

function gaveUp(signal: AbortSignal | undefined): ServiceError {
  return abortedBy(signal).with({ charged: 'no' });
}
