// Converts the features of a vendor's page.
import { featuresOf } from '../../../model/results/features.ts';
import type { PageFeature, ReadPage, SerpPage } from '../../../model/results/serp.ts';
import type { Fields } from '../../../net/fields.ts';
import { objectAt, objectsAt, wordsAt } from '../values.ts';
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

/** Fields of a box that hold an address that it links to. */
const linkNames = /^(?:(?:website|description)_?)?(?:link|url)$|^(?:website|site|href)$/i;
/** A panel does not link to the pages of its pictures. */
const pictures = /image|photo|thumbnail|logo|icon/i;
/** The engine's own lists of places, rooms, flights and shares. */
const engineLists =
  /^https?:\/\/(?:maps\.google\.[^/]*|www\.google\.[^/]*\/(?:finance|flights|maps|travel))(?:[/?#]|$)/i;
/** Levels of objects and lists that are read; an answer box of a fact in a panel has 6. */
const levelsMax = 10;

/** The destinations of all links in a box, at any level, except those of pictures and paid offers. */
export function linksIn(box: unknown, levels = levelsMax): string[] {
  if (typeof box !== 'object' || box === null || levels === 0) return [];
  const fields = Object.entries(box);
  const isLeftOut = fields.some(
    ([name, value]) =>
      (name === 'is_paid' && value === true) || (name === 'type' && /(?:^|_)images?(?:_|$)/.test(value)),
  );
  if (isLeftOut) return [];
  return fields.flatMap(([name, value]) => {
    if (pictures.test(name)) return [];
    if (typeof value !== 'string') return linksIn(value, levels - 1);
    const link = linkNames.test(name) ? resolveDestination(value.trim()) : undefined;
    return link === undefined || engineLists.test(link) ? [] : link;
  });
}

/** The links of knowledge panels: websites, profiles, sources of the description and of facts. */
export function panelLinks(...panels: readonly unknown[]): PageFeature[] {
  const links = linksIn(panels);
  return links.length === 0 ? [] : [{ type: 'knowledge_graph', links }];
}

/** Boxes that vendors call answers, by their type or by a list in them, and their names as features. */
const boxes: readonly (readonly [RegExp, string])[] = [
  [/hotels/, 'hotels_pack'],
  [/flights/, 'google_flights'],
  [/^(?:finance|stock)/, 'stocks_box'],
  [/^currency/, 'currency_box'],
  [/^(?:places|restaurants|local_results|map_results)$/, 'local_pack'],
];

/** The box above the results. An answer that links to the page it is taken from is a featured snippet. */
export function answerBox(root: Fields, name: string): PageFeature[] {
  const box = objectAt(root, name) ?? objectsAt(root, name)[0];
  if (box === undefined) return [];
  const kinds = [wordsAt(box, 'type') ?? '', ...box.names().filter((each) => objectsAt(box, each).length > 0)];
  const kind = boxes.find(([pattern]) => kinds.some((each) => pattern.test(each)))?.[1];
  const sources = [box, ...objectsAt(box, 'answers').flatMap((answer) => objectAt(answer, 'source') ?? [])];
  const isSnippet = sources.some((each) => resolveDestination(wordsAt(each, 'link')) !== undefined);
  return [{ type: kind ?? (isSnippet ? 'featured_snippet' : 'answer_box'), links: linksIn(box.value()) }];
}
