// Reads extensions of organic results in Bright Data's format: sitelinks, dates, ratings, facts.

import type { Extension } from '../../model/results/serp.ts';
import { type Fields, present } from '../../net/fields.ts';
import { resolveDestination, textExtension } from '../vendor-kit/pages/elements.ts';
import { numberAt, objectsAt, wordsAt } from '../vendor-kit/values.ts';

/**
 * The vendor's types that say something about the result. Of the others (`jump_to`, `google_books`, ...) nothing is
 * shown.
 */
const types: ReadonlyMap<string, Extension['type']> = new Map([
  ['site_link', 'site_link'],
  ['text', 'text'],
  ['rating', 'rating'],
  ['reviews', 'reviews'],
  ['price', 'price'],
  ['fact', 'fact'],
  ['list', 'list'],
  ['question', 'question'],
  ['missing', 'missing'],
]);

export function readExtensions(result: Fields): Omit<Extension, 'rank'>[] {
  return [
    ...objectsAt(result, 'extensions').flatMap(readExtension),
    ...textExtension('date', wordsAt(result, 'last_modified_date')),
  ];
}

function readExtension(item: Fields): Omit<Extension, 'rank'>[] {
  const type = types.get(wordsAt(item, 'type') ?? '');
  const text = type === undefined ? undefined : readText(item);
  if (type === undefined || text === undefined) return [];
  const address = wordsAt(item, 'link');
  const link = resolveDestination(address);
  // "More results from ..." is a search of the engine, and no sitelink
  if (type === 'site_link' && address !== undefined && link === undefined) return [];
  return [present<Omit<Extension, 'rank'>>({ type, text, link })];
}

/** A fact is its key and what it is; a list its lines. */
function readText(item: Fields): string | undefined {
  const values = objectsAt(item, 'value').flatMap((each) => wordsAt(each, 'text') ?? []);
  const plain = item.raw('value');
  const lines = Array.isArray(plain) ? plain.filter((each) => typeof each === 'string') : [];
  const said = [...values, ...lines].join(', ');
  const key = wordsAt(item, 'key');
  if (key !== undefined && said !== '') return `${key}: ${said}`;
  const number = numberAt(item, 'value', 'rating', 'reviews', 'reviews_cnt', 'price');
  const text = wordsAt(item, 'text', 'title', 'question');
  if (text !== undefined) return text;
  if (said !== '') return said;
  return number === undefined ? key : String(number);
}
