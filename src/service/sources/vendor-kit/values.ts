// Reads values of a vendor's response that count only in the right shape. A name may be a path such as `links.website`.
import { Fields } from '../../net/fields.ts';

/** The first value with one of these names that `accept` makes something of. */
function firstAt<T>(
  item: Fields | undefined,
  names: readonly string[],
  accept: (value: unknown) => T | undefined,
): T | undefined {
  for (const name of names) {
    const found = accept(valueAt(item, name));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The value as received, null as undefined. A path goes through objects, and through the first object of a list. */
export function valueAt(item: Fields | undefined, path: string): unknown {
  const steps = path.split('.');
  const name = steps.pop() ?? '';
  return steps.reduce((at, step) => boxesAt(at, step)[0], item)?.raw(name);
}

/** An optional text: anything but a non-empty text is absent. */
export function wordsAt(item: Fields | undefined, ...names: readonly string[]): string | undefined {
  return firstAt(item, names, (value) => (typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined));
}

/** An optional number, also if sent as text. */
export function numberAt(item: Fields | undefined, ...names: readonly string[]): number | undefined {
  return firstAt(item, names, (value) => {
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
  });
}

/** An optional number, as a text. */
export function numberText(item: Fields | undefined, ...names: readonly string[]): string | undefined {
  const number = numberAt(item, ...names);
  return number === undefined ? undefined : String(number);
}

/** An optional object; anything else is absent. */
export function objectAt(item: Fields | undefined, name: string): Fields | undefined {
  const value = valueAt(item, name);
  return isObject(value) ? new Fields(value, name, item?.engines) : undefined;
}

/**
 * The objects of lists. Not a list: empty. Entries that are no objects are left out. A path goes through objects, and
 * through all objects of a list.
 */
export function objectsAt(item: Fields | undefined, ...names: readonly string[]): readonly Fields[] {
  return names.flatMap((path) => {
    const [name = '', ...rest] = path.split('.');
    if (rest.length > 0) return boxesAt(item, name).flatMap((box) => objectsAt(box, rest.join('.')));
    const value = item?.raw(name);
    if (!Array.isArray(value)) return [];
    return value.filter(isObject).map((each, index) => new Fields(each, `${name}[${index}]`, item?.engines));
  });
}

/** Objects of lists, or alone. */
export function boxesAt(item: Fields | undefined, ...names: readonly string[]): readonly Fields[] {
  return names.flatMap((name) => objectAt(item, name) ?? objectsAt(item, name));
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Texts, alone or in lists, or as `text` of an object. */
export function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return value.trim() === '' ? [] : [value.trim()];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return typeof value === 'object' && value !== null && 'text' in value ? textsIn(value.text) : [];
}

/** The entries of a list that are texts, as they are. */
export function textListAt(item: Fields | undefined, name: string): string[] {
  const value = valueAt(item, name);
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

/** Whether a list is present, empty or not. */
export function isList(root: Fields, name: string): boolean {
  return Array.isArray(valueAt(root, name));
}

/** Whether a list is present and empty: stated, not omitted. */
export function isEmptyList(root: Fields, name: string): boolean {
  const value = valueAt(root, name);
  return Array.isArray(value) && value.length === 0;
}

export function listOrNothing<T>(items: readonly T[]): T[] | undefined {
  return items.length === 0 ? undefined : [...items];
}

/** Ranks from 1 in the given order; undefined for an empty list. */
export function numbered<T extends object>(items: readonly T[]): (T & { rank: number })[] | undefined {
  return items.length === 0 ? undefined : items.map((item, index) => ({ rank: index + 1, ...item }));
}
