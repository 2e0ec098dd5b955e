// Derives SERP features from a root object, for responses that carry only JSON.
import type { PageFeature, SerpPage } from './serp.ts';

/**
 * The questions of a page, by what the answer to each cites. All of it is a source: the page that the answer is taken
 * from, and the sources of an answer that the engine has written itself.
 */
export function questionFeature(cited: readonly (readonly string[])[]): PageFeature[] {
  return cited.length === 0 ? [] : [{ type: 'people_also_ask', links: [...new Set(cited.flat())] }];
}

/** The features of a page by its fields, in the order of the specification's table. `links` holds destinations only. */
export function featuresOf(serp: SerpPage): PageFeature[] {
  const features: PageFeature[] = [];
  const add = (type: string, shown: boolean, links: readonly (string | undefined)[] = []) => {
    if (shown) features.push({ type, links: links.filter((link) => link !== undefined && link !== '') as string[] });
  };
  const ads = [...(serp.top_ads ?? []), ...(serp.bottom_ads ?? [])];
  const videos = (serp.organic ?? []).filter(({ duration, duration_sec }) => (duration ?? duration_sec) !== undefined);
  const references = serp.ai_overview?.references ?? [];
  add('knowledge_graph', serp.knowledge !== undefined || serp.overview !== undefined);
  // some providers name the source of an answer in words
  const sources = serp.people_also_ask?.map(({ answer_source }) => answer_source);
  add(
    'people_also_ask',
    isShown(serp.people_also_ask),
    sources?.filter((source) => /^https?:/i.test(source ?? '')),
  );
  add('related_searches', isShown(serp.related));
  add('discussions_and_forums', isShown(serp.perspectives));
  add(
    'ai_overview',
    serp.ai_overview !== undefined,
    references.map(({ href }) => href),
  );
  add(
    'images',
    isShown(serp.images),
    serp.images?.map(({ link }) => link),
  );
  add(
    'paid',
    ads.length > 0,
    ads.map(({ link }) => link),
  );
  add(
    'video',
    videos.length > 0,
    videos.map(({ link }) => link),
  );
  return features;
}

function isShown(list: readonly unknown[] | undefined): boolean {
  return list !== undefined && list.length > 0;
}
