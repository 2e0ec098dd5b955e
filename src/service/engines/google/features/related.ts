// Reads related searches and the tabs of search types: links that stay within the engine.
import type { NavigationTab, RelatedSearch } from '../../../model/results/serp.ts';
import { isSameQuery, normalise } from '../../page/query.ts';
import { readLines, textOf } from '../../page/text.ts';
import type { Element } from '../../page/tree.ts';
import { firstFrom } from '../page/document-order.ts';
import type { PageIndex } from '../page/page-index.ts';
import { zone } from '../page/regions.ts';
import { shownQuery } from '../query.ts';
import { absolute, readParameter } from '../results/urls.ts';

export interface PlacedRelated {
  readonly order: number;
  readonly related: Omit<RelatedSearch, 'rank' | 'global_rank'>;
}

const notRelated =
  zone.furniture |
  zone.ad |
  zone.side |
  zone.question |
  zone.overview |
  zone.attribute |
  zone.hidden |
  zone.snippet |
  zone.closedTab;

/** Fewer searches between two results are part of another feature. */
const betweenMin = 3;

/**
 * Searches whose text is their query: below the last organic result, and rows of them between two results. Page
 * numbers, tools and tabs have another text, or their own parameter; rows of entities (`stick`, `si`, `kgmid`) and of
 * ads (`mrq`) have theirs.
 */
export function findRelated(pageIndex: PageIndex, results: readonly number[], after: number): PlacedRelated[] {
  const own = normalise(shownQuery(pageIndex) ?? '');
  const bySegment = new Map<number, PlacedRelated[]>();
  const seen = new Set<string>();
  for (const anchor of pageIndex.anchors) {
    if (anchor.order <= (results[0] ?? after) || (anchor.zones & notRelated) !== 0) continue;
    const raw = anchor.get('href') ?? '';
    if (!isSearch(raw) || ofOthers.test(raw) || isFilter(raw) || hasPictures(anchor, pageIndex)) continue;
    const href = anchor.get('href') ?? '';
    const query = normalise(readParameter(href, 'q'));
    if (query === '' || query === own) continue;
    const text = searchText(anchor, query);
    if (text === undefined) continue;
    const segment = firstFrom(results, anchor.order);
    const placed = { order: anchor.order, related: { text, link: absolute(href) } };
    bySegment.set(segment, [...(bySegment.get(segment) ?? []), placed]);
  }
  const rows = [...bySegment].filter(([segment, row]) => segment === results.length || row.length >= betweenMin);
  return rows
    .flatMap(([, row]) => row)
    .filter(({ related }) => {
      const query = normalise(related.text);
      return !seen.has(query) && seen.add(query);
    });
}

/** Parameters of pages, search types, spellings, entities and ads. */
const ofOthers = /[?;&](?:start|tbm|udm|filter|spell|stick|si|kgmid|mrq)=/;

const pictureTags: ReadonlySet<string> = new Set(['img', 'g-img', 'svg']);

/** Whether a link shows several pictures; a single one may be an icon. */
function hasPictures(anchor: Element, pageIndex: PageIndex): boolean {
  let pictures = 0;
  for (let order = anchor.order; order <= anchor.last; order++)
    if (pictureTags.has(pageIndex.tree.elements[order]?.tag ?? '')) pictures++;
  return pictures > 1;
}

/** Filters by time, size and the like. A search within a country or a language has such a parameter in every link. */
function isFilter(raw: string): boolean {
  return /[?;&]tbs=(?!(?:ctr|lr):)/.test(raw);
}

function isSearch(raw: string): boolean {
  return raw.startsWith('/search?') || /^https?:\/\/(?:www\.)?google\.[^/]+\/search\?/.test(raw);
}

/** The line of a link with its query; longer links (places, products) have more lines. */
function searchText(anchor: Element, query: string): string | undefined {
  const text = textOf(anchor);
  if (isSameQuery(text, query)) return text;
  return readLines(anchor).find((line) => isSameQuery(line.text, query))?.text;
}

/** Tabs of search types above the results, each type once. Links among the results lead to more items of a feature. */
export function findTabs(pageIndex: PageIndex, before: number): NavigationTab[] {
  const tabs: NavigationTab[] = [];
  const results = pageIndex.ids.get('rso');
  const seen = new Set<string>();
  for (const anchor of pageIndex.anchors) {
    if (anchor.order >= before) break;
    if (results?.contains(anchor) === true) continue;
    const type = tabType(anchor);
    if (type === undefined || seen.has(type)) continue;
    const title = textOf(anchor);
    if (title === '' || title.length > 40) continue;
    seen.add(type);
    tabs.push({ title, href: absolute(anchor.get('href') ?? '') });
  }
  return tabs;
}

/**
 * The search type of a link, by its parameter or host; undefined for anything else, including filters by time and
 * place.
 */
function tabType(anchor: Element): string | undefined {
  if ((anchor.zones & (zone.ad | zone.attribute | zone.question | zone.overview)) !== 0 || isImageRow(anchor))
    return undefined;
  const href = anchor.get('href') ?? '';
  if (/[?&]source=lnt\b/.test(href) || isFilter(href)) return undefined;
  const inner = href.startsWith('/url?') ? readParameter(href, 'q') : href;
  if (/[?&]tab=w/.test(inner)) return undefined;
  const [, kind, value] = /[?&](tbm|udm)=([a-z0-9]+)/.exec(inner) ?? [];
  if (value !== undefined && value !== 'lcl' && (inner.includes('/search?') || isSearch(inner)))
    return `${kind}=${value}`;
  if (isVertical(inner)) return inner.split('?')[0];
  return /^https?:\/\/maps\.google\.[^/]+\/maps\?/.test(inner) ? 'maps' : undefined;
}

/** A search of the engine's flights, travel or finance. */
function isVertical(href: string): boolean {
  const [address = ''] = href.split('#', 1);
  return /^(?:https?:\/\/[^/]+)?\/(?:flights|travel|finance)\b/.test(address) && /[?&]q=/.test(address);
}

/** A link around a picture leads from a row of pictures to more of them; it is not a tab. */
function isImageRow(anchor: Element): boolean {
  return anchor.children.some((child) => typeof child !== 'string' && child.tag === 'img');
}
