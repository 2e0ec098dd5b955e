// A clock for pauses that never goes back, even when the system clock does.

/**
 * What the clock shows, made steady: where the clock is put back, time stands still for that moment and goes on from
 * there, so that a pause lasts as long as it was meant to and not until the clock has caught up. Its moments are for
 * waiting and are no dates.
 */
export class MonotonicClock {
  #last = Number.NEGATIVE_INFINITY;
  /** By how much the clock was put back so far. */
  #lost = 0;

  /** The moment at which the clock shows this, milliseconds both. */
  at(shown: number): number {
    if (shown + this.#lost < this.#last) this.#lost = this.#last - shown;
    this.#last = shown + this.#lost;
    return this.#last;
  }
}
