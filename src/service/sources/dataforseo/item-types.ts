// All element types of DataForSEO pages, and where each holds its URLs.

import type { PageFeature } from '../../model/results/serp.ts';
import type { Fields } from '../../net/fields.ts';
import { resolveDestination } from '../vendor-kit/pages/elements.ts';
import { linksIn } from '../vendor-kit/pages/features.ts';
import { objectsAt, wordsAt } from '../vendor-kit/values.ts';

/**
 * Where an element's addresses stand. `own`: in its own `url`. `all`: at any level of it. `items`: in that of each of
 * its items. `links`: in its list of links. `mentions`: in what its items are mentioned in. `references`: among the
 * references of an overview. `answers`: with each answer. `none`: it shows none, or only addresses within the engine.
 * `organic`: it is a result, and no feature.
 */
type Place = 'own' | 'all' | 'items' | 'links' | 'mentions' | 'references' | 'answers' | 'none' | 'organic';

/** The elements of the vendor's documentation, 2026-06. Features bear their names in our reports as well. */
export const itemTypes: ReadonlyMap<string, Place> = new Map([
  ['organic', 'organic'],
  ['paid', 'own'],
  ['featured_snippet', 'own'],
  ['answer_box', 'links'],
  ['ai_overview', 'references'],
  ['people_also_ask', 'answers'],
  ['knowledge_graph', 'all'],
  ['local_pack', 'own'],
  ['map', 'none'],
  ['top_stories', 'items'],
  ['video', 'items'],
  ['short_videos', 'items'],
  ['images', 'items'],
  ['perspectives', 'items'],
  ['discussions_and_forums', 'items'],
  ['twitter', 'items'],
  ['questions_and_answers', 'items'],
  ['shopping', 'items'],
  ['popular_products', 'items'],
  ['commercial_units', 'items'],
  ['explore_brands', 'items'],
  ['refine_products', 'none'],
  ['compare_sites', 'items'],
  ['find_results_on', 'items'],
  ['found_on_web', 'items'],
  ['mention_carousel', 'mentions'],
  ['carousel', 'none'],
  ['multi_carousel', 'none'],
  ['recipes', 'items'],
  ['courses', 'items'],
  ['events', 'items'],
  ['jobs', 'items'],
  ['podcasts', 'items'],
  ['app', 'items'],
  ['visual_stories', 'items'],
  ['scholarly_articles', 'items'],
  ['local_services', 'items'],
  ['hotels_pack', 'items'],
  ['google_hotels', 'none'],
  ['google_flights', 'items'],
  ['google_reviews', 'none'],
  ['google_posts', 'none'],
  ['top_sights', 'items'],
  ['math_solver', 'links'],
  ['stocks_box', 'none'],
  ['currency_box', 'none'],
  ['people_also_search', 'none'],
  ['related_searches', 'none'],
]);

/**
 * Of an element that the table does not know: it is on the page under its own name, with the addresses of its items.
 */
const unknownPlace: Place = 'items';

/** The features of a page, in the order in which they stand there; one entry a type, each address once. */
export function featuresIn(items: readonly Fields[]): PageFeature[] {
  const links = new Map<string, Set<string>>();
  for (const item of items) {
    const type = wordsAt(item, 'type');
    if (type === undefined || !/^[a-z][a-z0-9_]{0,63}$/.test(type)) continue;
    const place = itemTypes.get(type) ?? unknownPlace;
    if (place === 'organic') continue;
    const shown = links.get(type) ?? new Set();
    for (const link of addressesIn(item, place)) shown.add(link);
    links.set(type, shown);
  }
  return [...links].map(([type, shown]) => ({ type, links: [...shown] }));
}

function addressesIn(item: Fields, place: Place): string[] {
  if (place === 'all') return linksIn(item.value());
  return findHolders(item, place).flatMap((each) => resolveDestination(wordsAt(each, 'url')) ?? []);
}

/** The objects whose `url` counts. */
function findHolders(item: Fields, place: Exclude<Place, 'all'>): readonly Fields[] {
  const items = objectsAt(item, 'items');
  switch (place) {
    case 'own':
      return [item];
    case 'items':
      return items;
    case 'links':
      return objectsAt(item, 'links');
    case 'mentions':
      return items.flatMap((each) => objectsAt(each, 'mentioned_in'));
    case 'references':
      return [item, ...items].flatMap((each) => objectsAt(each, 'references'));
    case 'answers':
      return items
        .flatMap((each) => objectsAt(each, 'expanded_element'))
        .flatMap((answer) => [answer, ...objectsAt(answer, 'references')]);
    case 'none':
    case 'organic':
      return [];
  }
}
