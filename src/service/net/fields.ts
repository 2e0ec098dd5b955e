// Untrusted JSON: parsed within bounds, read field by field. A failure names the field, never its value.
import { limits } from '../model/limits.ts';

const quote = '"'.charCodeAt(0);
const backslash = '\\'.charCodeAt(0);
const comma = ','.charCodeAt(0);
const opening: readonly number[] = ['['.charCodeAt(0), '{'.charCodeAt(0)];
const closing: readonly number[] = [']'.charCodeAt(0), '}'.charCodeAt(0)];

interface JsonBounds {
  readonly depthMax: number;
  /** Values of one list, or fields of one object. */
  readonly itemsMax: number;
  readonly valuesMax: number;
  readonly stringCharsMax: number;
}

/** For responses of a Search Data Service. */
const serviceBounds: JsonBounds = {
  depthMax: limits.answerDepthMax,
  itemsMax: limits.answerItemsMax,
  valuesMax: limits.answerValuesMax,
  stringCharsMax: limits.answerStringCharsMax,
};

/**
 * For responses of vendors: the largest page of any vendor has some 30,000 values, nested 20 deep, and may hold its
 * HTML in one string.
 */
export const vendorBounds: JsonBounds = {
  depthMax: 100,
  itemsMax: Number.POSITIVE_INFINITY,
  valuesMax: 100_000,
  stringCharsMax: Number.POSITIVE_INFINITY,
};

/** Throws ShapeError for text that is not JSON or exceeds a bound. */
export function boundedJson(text: string, bounds: Partial<JsonBounds> = {}): unknown {
  checkBounds(text, { ...serviceBounds, ...bounds });
  try {
    return JSON.parse(text);
  } catch {
    throw new ShapeError('it is not JSON');
  }
}

function checkBounds(text: string, { depthMax, itemsMax, valuesMax, stringCharsMax }: JsonBounds): void {
  const items = new Uint32Array(depthMax + 1);
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      const end = endOfString(text, at + 1);
      if (end - at - 1 > stringCharsMax)
        throw new ShapeError(`it has a string of more than ${stringCharsMax} characters`);
      at = end;
    } else if (opening.includes(code)) {
      depth++;
      if (depth > depthMax) throw new ShapeError(`it is nested deeper than ${depthMax} levels`);
      items[depth] = 1;
      values++;
    } else if (closing.includes(code)) {
      if (depth > 0) depth--;
    } else if (code === comma) {
      const count = (items[depth] ?? 0) + 1;
      items[depth] = count;
      if (count > itemsMax) throw new ShapeError(`it has a list of more than ${itemsMax} items`);
      values++;
    }
    if (values > valuesMax) throw new ShapeError(`it has more than ${valuesMax} values`);
  }
}

/** The end of the string that begins at `from`; the end of the text if it is not closed. */
function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (end - escapes > from && text.charCodeAt(end - escapes - 1) === backslash) escapes++;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}

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
  /** The engines whose page it is part of: its links are read by their rules. Empty: the usual engine. */
  readonly engines: readonly string[];

  /** Throws ShapeError where `value` is no object. */
  constructor(value: unknown, place: string, engines: readonly string[] = []) {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new ShapeError(`${place} is not an object`);
    this.#values = value as Record<string, unknown>;
    this.#place = place;
    this.engines = engines;
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
    return value === undefined ? undefined : new Fields(value, `${this.#place}.${name}`, this.engines);
  }

  /** A list of objects, each parsed; undefined if it is absent or empty. */
  list<T>(name: string, read: (item: Fields, index: number) => T): T[] | undefined {
    const items = this.array(name);
    if (items === undefined || items.length === 0) return undefined;
    return items.map((item, index) => read(new Fields(item, `${this.#place}.${name}[${index}]`, this.engines), index));
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

const marks = ['sponsored', 'is_sponsored', 'paid', 'is_paid', 'ad', 'is_ad', 'isAd', 'isSponsored'];
const types: ReadonlySet<unknown> = new Set(['ad', 'ads', 'paid', 'sponsored']);

export function isMarkedAd(item: Fields): boolean {
  if (marks.some((name) => isTrue(item.raw(name)))) return true;
  return ['type', 'result_type'].some((name) => types.has(String(item.raw(name)).trim().toLowerCase()));
}

/** Providers write truth in several ways. */
function isTrue(value: unknown): boolean {
  return value === true || value === 1 || value === 'true';
}
