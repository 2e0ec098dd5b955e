// Time: the clock of this machine, clocks that mistrust it, and backoff.

import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import type { Clock } from '../ports.ts';

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** The longest delay of a timer in the runtime; longer sleeps take several timers. */
const timerMsMax = 2_147_483_647;

/** The clock of this machine, for hosts without their own. */
export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    for (let rest = ms; rest >= 0; rest -= timerMsMax) {
      const due = Math.min(rest, timerMsMax);
      // rejects only when the signal ends it
      await setTimeout(due, undefined, { signal }).catch(() => signal?.throwIfAborted());
    }
  },
};

/**
 * The clock, made monotonic: when it is put back, this clock stands still and continues from there. So a pause lasts as
 * long as intended, and not until the clock has caught up. Its times are for waiting, not dates.
 */
export class MonotonicClock {
  #last = Number.NEGATIVE_INFINITY;
  /** Total time by which the clock was put back. */
  #lost = 0;

  /** The time at which the system clock shows this moment, both in milliseconds. */
  at(shown: number): number {
    if (shown + this.#lost < this.#last) this.#lost = this.#last - shown;
    this.#last = shown + this.#lost;
    return this.#last;
  }
}

/** Clocks of providers differ by seconds, never by an hour. */
const skewMsMin = hourMs;
/** Time services correct a clock by seconds; five minutes are a jump. */
const jumpMsMin = 300_000;
/** Plausible dates of a header; others are ignored. */
const dateMsMax = 8.64e15;

/** The evidence for the current time. */
interface Reference {
  /** Wall clock minus monotonic clock, in milliseconds. */
  readonly offsetMs: number;
  /**
   * `start`: only the clock itself. `agrees`, `contradicts`: the newest dated answer agrees with the clock, or
   * contradicts it.
   */
  readonly source: 'start' | 'agrees' | 'contradicts';
}

export class WitnessedClock implements Clock {
  readonly #clock: Clock;
  readonly #monotonicMs: () => number;
  #reference: Reference;
  #newestAnswer: { readonly answeredAt: number } | null = null;

  /** `monotonicMs`: a monotonic clock. On Linux it does not count the time while the machine is suspended. */
  constructor(clock: Clock, monotonicMs: () => number = () => performance.now()) {
    this.#clock = clock;
    this.#monotonicMs = monotonicMs;
    this.#reference = { offsetMs: this.#offsetMs, source: 'start' };
  }

  now(): number {
    return this.#clock.now();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.#clock.sleep(ms, signal);
  }

  /**
   * The newest answer with a date decides; answers without one are ignored. Once an answer has confirmed the clock, and
   * until the clock jumps, it is right: a later answer that contradicts it comes from a provider with a wrong clock,
   * which must not stop the others.
   */
  witness({ date, age }: IncomingHttpHeaders): void {
    const answeredAt = Date.parse(date ?? '') + 1000 * Math.max(0, Number(age ?? 0));
    if (!(Math.abs(answeredAt) <= dateMsMax)) return;
    this.#newestAnswer = { answeredAt };
    const skewMs = this.now() - answeredAt;
    const agrees = Math.abs(skewMs) <= skewMsMin;
    if (!agrees && this.isConfirmed) return;
    this.#reference = {
      offsetMs: agrees ? this.#offsetMs : this.#offsetMs - skewMs,
      source: agrees ? 'agrees' : 'contradicts',
    };
  }

  get newestAnswer(): { readonly answeredAt: number } | null {
    return this.#newestAnswer;
  }

  /**
   * A contradicted clock that is set right is no longer contradicted: the monotonic clock continues the date of the
   * answer.
   */
  get skewMs(): number | null {
    const offMs = this.#offMs;
    return this.#reference.source === 'contradicts' && Math.abs(offMs) > skewMsMin ? offMs : null;
  }

  get jumpMs(): number | null {
    const offMs = this.#offMs;
    return this.#reference.source !== 'contradicts' && Math.abs(offMs) > jumpMsMin ? offMs : null;
  }

  get isConfirmed(): boolean {
    return this.#reference.source !== 'start' && this.skewMs === null && this.jumpMs === null;
  }

  acceptLeap(): void {
    if (this.jumpMs !== null) this.#reference = { offsetMs: this.#offsetMs, source: 'start' };
  }

  get #offsetMs(): number {
    return Math.round(this.now() - this.#monotonicMs());
  }

  /** The clock's distance from the evidence. */
  get #offMs(): number {
    return this.#offsetMs - this.#reference.offsetMs;
  }
}

/** `the clock of this machine is 30 days ahead of the dates of its providers' answers` */
export function skewText(skewMs: number): string {
  const which = skewMs > 0 ? 'ahead of' : 'behind';
  return `the clock of this machine is ${spanText(skewMs)} ${which} the dates of its providers' answers`;
}

/** `30 days`, `1 hour`, `12 minutes` */
export function spanText(ms: number): string {
  const minutes = Math.round(Math.abs(ms) / 60_000);
  const hours = Math.round(minutes / 60);
  if (minutes < 60) return `${minutes} minutes`;
  if (hours < 48) return hours === 1 ? '1 hour' : `${hours} hours`;
  return `${Math.round(hours / 24)} days`;
}

interface Backoff {
  /** The wait after the first attempt; it doubles after each further one. */
  readonly firstMs: number;
  readonly maxMs: number;
}

/**
 * Milliseconds to wait after `attempt` (1 for the first). `random`, 0 to 1, is the jitter over the upper half of the
 * wait, so that attempts that failed together are not repeated together. Default: the whole wait.
 */
export function backoffMs({ firstMs, maxMs }: Backoff, attempt: number, random = 1): number {
  const ceilingMs = Math.min(maxMs, firstMs * 2 ** (attempt - 1));
  return Math.round(ceilingMs * (0.5 + random / 2));
}
