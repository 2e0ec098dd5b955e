// Which SERP features the page shows, in DataForSEO's names, each with the destinations it shows in its own order.
import type { PageFeature, SerpPage } from '../../serp.ts';
import type { Element } from '../page/element.ts';
import type { Group } from './groups.ts';
import type { Headed, Survey } from './survey.ts';
import { zone } from './zones.ts';

export interface FeatureEvidence {
  readonly survey: Survey;
  readonly column: Element;
  readonly serp: SerpPage;
  readonly groups: readonly Group[];
  /** Sources of answers above the results. */
  readonly sources: readonly Headed[];
  /** Address of the source of the knowledge panel's description. */
  readonly panelLink?: string;
}

/** Features in a fixed order; one entry a type. */
export function readFeatures(evidence: FeatureEvidence): PageFeature[] {
  const { serp, survey, column } = evidence;
  const features: PageFeature[] = [];
  const add = (type: string, links: readonly string[]): void => {
    features.push({ type, links: [...new Set(links)] });
  };
  const ads = [...(serp.top_ads ?? []), ...(serp.bottom_ads ?? [])];
  if (ads.length > 0)
    add(
      'paid',
      ads.map((ad) => ad.link),
    );
  const products = productLinks(survey);
  if (products !== undefined) add('shopping', products);
  if (serp.ai_overview !== undefined)
    add(
      'ai_overview',
      (serp.ai_overview.references ?? []).map((each) => each.href),
    );
  const snippet = evidence.sources[0]?.link.destination;
  if (snippet !== undefined) add('featured_snippet', [snippet]);
  const local = localLinks(survey, column);
  if (local !== undefined) add('local_pack', local);
  if (serp.knowledge !== undefined)
    add('knowledge_graph', evidence.panelLink === undefined ? [] : [evidence.panelLink]);
  for (const kind of ['top_stories', 'video', 'discussions_and_forums', 'perspectives', 'twitter'] as const) {
    const items = evidence.groups.filter((group) => group.kind === kind).flatMap((group) => group.items);
    if (items.length > 0)
      add(
        kind,
        items.flatMap((each) => each.link.destination ?? []),
      );
  }
  if (serp.images !== undefined)
    add(
      'images',
      serp.images.map((image) => image.link),
    );
  if (serp.people_also_ask !== undefined)
    add(
      'people_also_ask',
      serp.people_also_ask.flatMap((each) => each.answer_source ?? []),
    );
  if (serp.related !== undefined) add('related_searches', []);
  return features;
}

/** Rows of products that merchants pay for. */
function productLinks(survey: Survey): string[] | undefined {
  const products = survey.headed.filter((each) => (each.zones & zone.ad) !== 0 && (each.zones & zone.carousel) !== 0);
  if (products.length < 2) return undefined;
  return products.flatMap((each) => (each.link.isAd ? [] : (each.link.destination ?? [])));
}

/** A list of places: each names its id, and a link leads to more of them. Sites of places are the links that leave it. */
function localLinks(survey: Survey, column: Element): string[] | undefined {
  const elsewhere = zone.side | zone.furniture | zone.overview | zone.question | zone.attribute;
  const places = survey.marked['data-cid'].filter(
    (each) => /^\d{12,}$/.test(each.raw('data-cid') ?? '') && (each.zones & elsewhere) === 0 && column.contains(each),
  );
  // Products have ids too; only places have the local list's own class, or a link to the local search.
  const isLocal = places.some((each) => each.raw('class')?.includes('rllt') === true);
  if (!isLocal && !hasMorePlaces(survey, column, elsewhere)) return undefined;
  const [first] = places;
  const last = places.at(-1);
  if (first === undefined || last === undefined) return [];
  let block: Element = first;
  while (block.parent !== null && !block.contains(last)) block = block.parent;
  return survey.anchors.filter((each) => block.contains(each)).flatMap((each) => survey.linkOf(each).destination ?? []);
}

function hasMorePlaces(survey: Survey, column: Element, elsewhere: number): boolean {
  return survey.anchors.some(
    (each) =>
      (each.zones & elsewhere) === 0 &&
      column.contains(each) &&
      /[?&;](?:tbm=lcl|tbs=lf:)/.test(each.raw('href') ?? ''),
  );
}
