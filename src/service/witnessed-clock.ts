// A clock and what answers say of it: the `Date` headers of live sources show a clock that leapt, or was never set.
import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from './ports.ts';

/** Clocks of providers differ by seconds; an hour is no drift. */
const skewMsMin = 3_600_000;
/** Moments that a header may name: others are no dates. */
const dateMsMax = 8.64e15;

export class WitnessedClock implements Clock {
  readonly #clock: Clock;
  #skewMs: number | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.#clock.sleep(ms, signal);
  }

  /** The newest answer that has a date decides. One without it says nothing. */
  witness({ date, age }: IncomingHttpHeaders): void {
    const answeredAt = Date.parse(date ?? '') + 1000 * Math.max(0, Number(age ?? 0));
    if (!(Math.abs(answeredAt) <= dateMsMax)) return;
    const skewMs = this.now() - answeredAt;
    this.#skewMs = Math.abs(skewMs) > skewMsMin ? skewMs : null;
  }

  /** How far the clock is ahead of what the newest answer says, in milliseconds; negative: behind. Null within an hour, and before any answer. */
  get skewMs(): number | null {
    return this.#skewMs;
  }
}

/** `the clock of this machine is 30 days ahead of its providers' answers` */
export function skewText(skewMs: number): string {
  const hours = Math.round(Math.abs(skewMs) / 3_600_000);
  const days = Math.round(hours / 24);
  const much = hours < 48 ? `${hours} ${hours === 1 ? 'hour' : 'hours'}` : `${days} days`;
  const which = skewMs > 0 ? 'ahead of' : 'behind';
  return `the clock of this machine is ${much} ${which} the dates of its providers' answers; set it, and check the dates of this run`;
}
