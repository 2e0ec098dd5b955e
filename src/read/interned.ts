// A list of values, each once: others reference them by index.

export class Interned<Value> {
  readonly #values: Value[] = [];
  readonly #ids = new Map<unknown, number>();

  /** Values with equal JSON are one. */
  idOf(value: Value): number {
    const key = typeof value === 'object' ? JSON.stringify(value) : value;
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    this.#ids.set(key, this.#values.length);
    return this.#values.push(value) - 1;
  }

  list(): Value[] {
    return [...this.#values];
  }
}
