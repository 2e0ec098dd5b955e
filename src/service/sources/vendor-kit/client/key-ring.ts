// Rotates the keys of one vendor: rejected keys are dropped, throttled keys rest.
import { ServiceError } from '../../../model/errors.ts';
import type { Clock } from '../../../model/ports.ts';
import { MonotonicClock } from '../../../model/time/monotonic-clock.ts';

/** Why a key is not used. */
export type KeyTrouble = 'out_of_credits' | 'bad_key' | 'throttled';

interface Held {
  readonly trouble: KeyTrouble;
  readonly until: number;
}

/**
 * How long an empty or refused key is not used: short enough to notice a top-up soon, long enough to query an empty
 * account rarely.
 */
const asideMs = 60_000;

export class KeyRing {
  readonly #clock: Clock;
  readonly #time = new MonotonicClock();
  readonly #vendor: string;
  readonly #keys: readonly string[];
  readonly #held = new Map<string, Held>();
  #next = 0;

  constructor(clock: Clock, vendor: string, keys: readonly string[]) {
    this.#clock = clock;
    this.#vendor = vendor;
    this.#keys = keys;
  }

  /**
   * The next key in turn. Throws ServiceError, charged `no`, if none may be used: RATE_LIMIT_EXCEEDED with the time to
   * wait if one is only paused, else INSUFFICIENT_CREDITS, or INVALID_API_KEY if no key was ever valid.
   */
  take(): string {
    const now = this.#time.at(this.#clock.now());
    for (let step = 0; step < this.#keys.length; step++) {
      const key = this.#keys[(this.#next + step) % this.#keys.length];
      if (key === undefined || this.#isHeld(key, now)) continue;
      this.#next = (this.#next + step + 1) % this.#keys.length;
      return key;
    }
    throw this.#noneLeft(now);
  }

  /** Stops using a key for a while; a throttled one for `restMs`. */
  hold(key: string, trouble: KeyTrouble, restMs: number): void {
    const now = this.#time.at(this.#clock.now());
    const until = now + (trouble === 'throttled' ? restMs : asideMs);
    const held = this.#held.get(key);
    if (held === undefined || held.until <= until) this.#held.set(key, { trouble, until });
  }

  /** Whether any key could be used now. */
  get hasFree(): boolean {
    const now = this.#time.at(this.#clock.now());
    return this.#keys.some((key) => !this.#isHeld(key, now));
  }

  #isHeld(key: string, now: number): boolean {
    const held = this.#held.get(key);
    if (held === undefined || held.until > now) return held !== undefined;
    this.#held.delete(key);
    return false;
  }

  #noneLeft(now: number): ServiceError {
    const held = [...this.#held.values()];
    const resting = held.filter(({ trouble }) => trouble === 'throttled').map(({ until }) => until - now);
    const count = this.#keys.length === 1 ? 'The key' : `Each of the ${this.#keys.length} keys`;
    if (resting.length > 0) {
      const isKeyless = this.#keys.every((key) => key === '');
      const message = isKeyless
        ? `${this.#vendor} received requests too fast.`
        : `${count} of ${this.#vendor} has been used too fast, or cannot be used.`;
      return new ServiceError('RATE_LIMIT_EXCEEDED', message, { retryAfterMs: Math.min(...resting) });
    }
    if (held.some(({ trouble }) => trouble === 'out_of_credits')) {
      return new ServiceError('INSUFFICIENT_CREDITS', `${count} of ${this.#vendor} is out of credits.`, {
        hint: `Top up the account at ${this.#vendor}; the rest of the run is deferred.`,
      });
    }
    return new ServiceError('INVALID_API_KEY', `${count} of ${this.#vendor} is refused.`, {
      hint: `Check the key of ${this.#vendor} in the environment.`,
    });
  }
}
