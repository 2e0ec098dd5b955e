// Reads a JSON object field by field, and names the field that has an unexpected shape.

/** The answer is JSON of another shape than the specification's. The message names the position, never the value. */
export class ShapeError extends Error {
  override readonly name = 'ShapeError';
}

/** Drops undefined fields, for types with exact optional fields. */
export function present<T extends object>(
  fields: {
    [K in keyof T]: Record<never, never> extends Pick<T, K> ? T[K] | undefined : T[K];
  },
): T {
  const all: Readonly<Record<string, unknown>> = fields;
  const kept: Record<string, unknown> = {};
  for (const name of Object.keys(all)) if (all[name] !== undefined) kept[name] = all[name];
  return kept as T;
}

/** A JSON object. Null and empty lists count as absent, and only the object's own fields count. */
export class Fields {
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #place: string;

  /** Throws ShapeError where `value` is no object. */
  constructor(value: unknown, place: string) {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new ShapeError(`${place} is not an object`);
    this.#values = value as Record<string, unknown>;
    this.#place = place;
  }

  /** The value as received; null becomes undefined. */
  raw(name: string): unknown {
    return (Object.hasOwn(this.#values, name) ? this.#values[name] : undefined) ?? undefined;
  }

  /** The object as received. */
  value(): unknown {
    return this.#values;
  }

  /** The fields that are there, in their order. */
  names(): string[] {
    return Object.keys(this.#values);
  }

  /** Whether every field is empty: nulls, empty lists and empty objects. */
  isEmpty(): boolean {
    return Object.values(this.#values).every(
      (value) => value === null || (typeof value === 'object' && Object.keys(value as object).length === 0),
    );
  }

  text(name: string): string | undefined {
    const value = this.raw(name);
    if (value === undefined || typeof value === 'string') return value;
    throw this.problem(name, 'is not a string');
  }

  number(name: string): number | undefined {
    const value = this.raw(name);
    if (value === undefined || (typeof value === 'number' && Number.isFinite(value))) return value;
    throw this.problem(name, 'is not a number');
  }

  integer(name: string): number | undefined {
    const value = this.number(name);
    if (value === undefined || Number.isSafeInteger(value)) return value;
    throw this.problem(name, 'is not an integer');
  }

  /** Counted from 1: another count would shift every result. */
  rank(name: string): number | undefined {
    const value = this.integer(name);
    if (value === undefined || value >= 1) return value;
    throw this.problem(name, 'is below 1');
  }

  object(name: string): Fields | undefined {
    const value = this.raw(name);
    return value === undefined ? undefined : new Fields(value, `${this.#place}.${name}`);
  }

  /** A list of objects, each parsed; undefined if it is absent or empty. */
  list<T>(name: string, read: (item: Fields, index: number) => T): T[] | undefined {
    const items = this.array(name);
    if (items === undefined || items.length === 0) return undefined;
    return items.map((item, index) => read(new Fields(item, `${this.#place}.${name}[${index}]`), index));
  }

  /** A list of anything, empty or not; undefined where it is absent. */
  array(name: string): readonly unknown[] | undefined {
    const value = this.raw(name);
    if (value === undefined || Array.isArray(value)) return value;
    throw this.problem(name, 'is not an array');
  }

  problem(name: string, what: string): ShapeError {
    return new ShapeError(`${this.#place}.${name} ${what}`);
  }
}
