// Converts the features of a vendor's page.
import { featuresOf } from '../../model/features.ts';
import type { PageFeature, ReadPage, SerpPage } from '../../model/serp.ts';
import type { Fields } from '../../net/fields.ts';
import { resolveDestination } from './elements.ts';
import { wordsAt } from './values.ts';

/**
 * The page with its features: those that the root object shows, and those that it has no field for; one entry a type,
 * each link once.
 */
export function pageWith(serp: SerpPage, besides: readonly PageFeature[]): ReadPage {
  const links = new Map<string, Set<string>>();
  for (const { type, links: shown } of [...featuresOf(serp), ...besides]) {
    const known = links.get(type) ?? new Set();
    for (const link of shown) known.add(link);
    links.set(type, known);
  }
  return { serp, features: [...links].map(([type, shown]) => ({ type, links: [...shown] })) };
}

/** A feature that is there where `items` are; its links are their destinations. */
export function feature(type: string, items: readonly Fields[], ...names: readonly string[]): PageFeature[] {
  if (items.length === 0) return [];
  return [{ type, links: items.flatMap((item) => resolveDestination(wordsAt(item, ...names)) ?? []) }];
}
