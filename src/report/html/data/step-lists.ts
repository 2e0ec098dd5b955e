// Lists of steps for many rows: the dates on which a value changed. Made from the newest date to the oldest.

export class StepLists {
  /** Linked lists: `#oldest` has each row's oldest step so far, and each step links to the next newer one. -1: none. */
  readonly #oldest: Int32Array;
  readonly #dates = new Numbers();
  readonly #values = new Numbers();
  readonly #newer = new Numbers();

  constructor(rows: number) {
    this.#oldest = new Int32Array(rows).fill(-1);
  }

  /**
   * Dates come newest first: a value that is equal on an older date began there. Of several values on a date the first
   * to come counts.
   */
  add(row: number, date: number, value: number): void {
    const oldest = this.#oldest[row] ?? -1;
    if (oldest >= 0 && this.#dates.at(oldest) === date) return;
    if (oldest >= 0 && this.#values.at(oldest) === value) {
      this.#dates.set(oldest, date);
      return;
    }
    this.#oldest[row] = this.#dates.push(date);
    this.#values.push(value);
    this.#newer.push(oldest);
  }

  /** Oldest first. */
  *of(row: number): Generator<readonly [date: number, value: number]> {
    for (let at = this.#oldest[row] ?? -1; at >= 0; at = this.#newer.at(at))
      yield [this.#dates.at(at), this.#values.at(at)];
  }

  /** All that were added. */
  values(): ReadonlySet<number> {
    return new Set(this.#values.list());
  }
}

/** A list of numbers in four bytes each: a hundred thousand searches have a step a week. */
class Numbers {
  #values = new Int32Array(1_024);
  #length = 0;

  at(index: number): number {
    return this.#values[index] ?? 0;
  }

  set(index: number, value: number): void {
    this.#values[index] = value;
  }

  list(): Int32Array {
    return this.#values.subarray(0, this.#length);
  }

  /** Returns its index. */
  push(value: number): number {
    if (this.#length === this.#values.length) {
      const larger = new Int32Array(2 * this.#length);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#length] = value;
    this.#length += 1;
    return this.#length - 1;
  }
}
