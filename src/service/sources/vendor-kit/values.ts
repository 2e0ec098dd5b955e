// Reads values of a vendor's response that count only in the right shape.
import { Fields } from '../../net/fields.ts';

/** An optional text: anything but a non-empty text is absent. */
export function wordsAt(item: Fields | undefined, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = item?.raw(name);
    if (typeof value === 'string' && value.trim() !== '') return value.trim();
  }
  return undefined;
}

/** An optional number, also if sent as text. */
export function numberAt(item: Fields | undefined, ...names: readonly string[]): number | undefined {
  for (const name of names) {
    const value = item?.raw(name);
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    if (typeof number === 'number' && Number.isFinite(number)) return number;
  }
  return undefined;
}

/** An optional object; anything else is absent. */
export function objectAt(item: Fields | undefined, name: string): Fields | undefined {
  const value = item?.raw(name);
  return isObject(value) ? new Fields(value, name) : undefined;
}

/** The objects of a list. Not a list: empty. Entries that are no objects are left out. */
export function objectsAt(item: Fields | undefined, name: string): readonly Fields[] {
  const value = item?.raw(name);
  return Array.isArray(value) ? value.filter(isObject).map((each, index) => new Fields(each, `${name}[${index}]`)) : [];
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

/** Whether a list is present and empty: stated, not omitted. */
export function isEmptyList(root: Fields, name: string): boolean {
  const value = root.raw(name);
  return Array.isArray(value) && value.length === 0;
}

export function listOrNothing<T>(items: readonly T[]): T[] | undefined {
  return items.length === 0 ? undefined : [...items];
}

/** Ranks from 1 in the given order; undefined for an empty list. */
export function numbered<T extends object>(items: readonly T[]): (T & { rank: number })[] | undefined {
  return items.length === 0 ? undefined : items.map((item, index) => ({ rank: index + 1, ...item }));
}
