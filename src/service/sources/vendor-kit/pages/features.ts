// Converts the features of a vendor's page.
import { featuresOf } from '../../../model/results/features.ts';
import type { PageFeature, ReadPage, SerpPage } from '../../../model/results/serp.ts';
import type { Fields } from '../../../net/fields.ts';
import { wordsAt } from '../values.ts';
import { resolveDestination } from './elements.ts';

/**
 * The page with its features: those in the root object, and those for which it has no field; one entry per type, each
 * link once.
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

/** A feature that exists if there are `items`; its links are their destinations. */
export function feature(type: string, items: readonly Fields[], ...names: readonly string[]): PageFeature[] {
  if (items.length === 0) return [];
  return [{ type, links: items.flatMap((item) => resolveDestination(wordsAt(item, ...names)) ?? []) }];
}
