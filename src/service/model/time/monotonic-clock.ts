// A clock for pauses that never goes back, even when the system clock does.

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
