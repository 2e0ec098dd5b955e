// Reads the page format that several vendors share (`organic_results`, `related_questions`, `knowledge_graph`, ...).
import type {
  Extension,
  ImageResult,
  KnowledgePanel,
  OrganicResult,
  PageFeature,
  PeopleAlsoAsk,
  Perspective,
  ReadPage,
  RelatedSearch,
  SerpPage,
} from '../../model/results/serp.ts';
import { type Fields, present } from '../../net/fields.ts';
import {
  adsIn,
  answerBox,
  feature,
  localResults,
  organicList,
  organicResult,
  pageWith,
  panelLinks,
  resolveDestination,
  siteLinks,
  textExtension,
  toOverview,
} from './elements.ts';
import { numberAt, numbered, objectAt, objectsAt, wordsAt } from './values.ts';

/**
 * Parses the fields of this format. The vendor's adapter decides whether a page without organic results is a valid
 * empty page.
 */
export function readGoogleForm(root: Fields): ReadPage {
  const ads = objectsAt(root, 'ads');
  const isBottom = (ad: Fields) => wordsAt(ad, 'block_position', 'position_block')?.toLowerCase() === 'bottom';
  const graph = objectAt(root, 'knowledge_graph');
  const overview = objectAt(root, 'ai_overview');
  const serp = present<SerpPage>({
    organic: organicList(root, 'organic_results', readOrganic),
    knowledge: readKnowledge(graph),
    people_also_ask: numbered(objectsAt(root, 'related_questions').map(readQuestion)),
    related: readRelated(root),
    perspectives: readPerspectives(root),
    ai_overview:
      overview === undefined
        ? undefined
        : toOverview(objectsAt(overview, 'text_blocks'), [
            ...objectsAt(overview, 'references'),
            ...objectsAt(overview, 'reference_links'),
          ]),
    images: numbered([...objectsAt(root, 'inline_images'), ...objectsAt(root, 'images_results')].flatMap(readImage)),
    top_ads: adsIn([...ads.filter((ad) => !isBottom(ad)), ...objectsAt(root, 'top_ads')], 'tracking_link'),
    bottom_ads: adsIn([...ads.filter(isBottom), ...objectsAt(root, 'bottom_ads')], 'tracking_link'),
    overview: readEntity(graph),
    local_results: localResults(listPlaces(root)),
  });
  return pageWith(serp, besides(root));
}

/** Features without a field in the root object. */
function besides(root: Fields): PageFeature[] {
  const places = listPlaces(root);
  const products = ['shopping_results', 'inline_shopping', 'inline_shopping_results', 'shopping_ads'];
  return [
    ...panelLinks(root.raw('knowledge_graph')),
    ...answerBox(root, 'answer_box'),
    ...feature(
      'featured_snippet',
      [objectAt(root, 'featured_snippet')].filter((item) => item !== undefined),
      'link',
      'url',
    ),
    ...readPlaces(places),
    ...feature('top_stories', readStories(root), 'link'),
    ...feature('video', [...objectsAt(root, 'inline_videos'), ...objectsAt(root, 'video_results')], 'link'),
    ...feature('short_videos', objectsAt(root, 'short_videos'), 'link'),
    ...feature(
      'shopping',
      products.flatMap((name) => objectsAt(root, name)),
      'link',
    ),
    ...feature('popular_products', objectsAt(root, 'immersive_products'), 'link'),
    ...feature('discussions_and_forums', objectsAt(root, 'discussions_and_forums'), 'link'),
    ...feature('perspectives', objectsAt(root, 'perspectives'), 'link'),
    ...feature('twitter', objectsAt(root, 'twitter_results'), 'link'),
    ...feature('jobs', objectsAt(root, 'jobs_results'), 'link'),
    ...feature('recipes', objectsAt(root, 'recipes_results'), 'link'),
    ...feature('events', objectsAt(root, 'events_results'), 'link'),
  ];
}

function readStories(root: Fields): readonly Fields[] {
  return [...objectsAt(root, 'top_stories'), ...objectsAt(objectAt(root, 'top_stories'), 'items')];
}

function listPlaces(root: Fields): readonly Fields[] {
  return [...objectsAt(objectAt(root, 'local_results'), 'places'), ...objectsAt(root, 'local_results')];
}

function readPlaces(places: readonly Fields[]): PageFeature[] {
  if (places.length === 0) return [];
  const sites = places.flatMap(
    (place) => resolveDestination(wordsAt(place, 'website') ?? wordsAt(objectAt(place, 'links'), 'website')) ?? [],
  );
  return [{ type: 'local_pack', links: sites }];
}

function readOrganic(item: Fields, index: number): OrganicResult {
  const names = { link: ['link', 'url'], description: ['snippet', 'description'], displayLink: ['displayed_link'] };
  return organicResult(item, index, names, readExtensions(item));
}

function readExtensions(item: Fields): Omit<Extension, 'rank'>[] {
  const links = objectAt(item, 'sitelinks');
  const detected = [objectAt(item, 'rich_snippet'), objectAt(item, 'detected_extensions')].flatMap((found) => [
    objectAt(objectAt(found, 'top'), 'detected_extensions'),
    objectAt(objectAt(found, 'bottom'), 'detected_extensions'),
    found,
  ]);
  const detectedNumber = (name: string) =>
    detected.map((found) => numberAt(found, name)).find((value) => value !== undefined);
  const textOf = (value: number | undefined) => (value === undefined ? undefined : String(value));
  return [
    ...siteLinks([...objectsAt(links, 'inline'), ...objectsAt(links, 'expanded'), ...objectsAt(item, 'sitelinks')]),
    ...textExtension('date', wordsAt(item, 'date')),
    ...textExtension('rating', textOf(detectedNumber('rating') ?? numberAt(item, 'rating'))),
    ...textExtension('reviews', textOf(detectedNumber('reviews') ?? numberAt(item, 'reviews'))),
  ];
}

/** Fields of a knowledge graph that are not facts about its subject. */
const graphApparatus =
  /^(?:title|type|entity_type|knowledge_graph_type|kgmid|description|source|image|thumbnail|website|position|local_map|.*(?:_link|_links|_stick|_id|_url))$/;

function readKnowledge(graph: Fields | undefined): KnowledgePanel | undefined {
  if (graph === undefined) return undefined;
  const source = objectAt(graph, 'source');
  const facts = graph.names().flatMap((name) => {
    const text = graphApparatus.test(name) ? undefined : wordsAt(graph, name);
    return text === undefined ? [] : [{ key: name.replaceAll('_', ' '), value: [{ text }] }];
  });
  return present<KnowledgePanel>({
    name: wordsAt(graph, 'title'),
    subtitle: wordsAt(graph, 'type', 'entity_type'),
    description: wordsAt(graph, 'description'),
    description_source: wordsAt(source, 'name'),
    facts: facts.length === 0 ? undefined : facts,
  });
}

function readEntity(graph: Fields | undefined): SerpPage['overview'] {
  const kgmid = wordsAt(graph, 'kgmid');
  return kgmid === undefined
    ? undefined
    : present<{ kgmid?: string; title?: string }>({ kgmid, title: wordsAt(graph, 'title') });
}

function readQuestion(item: Fields): Omit<PeopleAlsoAsk, 'rank'> {
  const text = wordsAt(item, 'snippet', 'answer');
  const list = item.raw('list');
  const isList = text === undefined && Array.isArray(list);
  const lines = isList ? list.filter((line) => typeof line === 'string').join('\n') : text;
  return present<Omit<PeopleAlsoAsk, 'rank'>>({
    question: wordsAt(item, 'question', 'title') ?? '',
    answer_source: resolveDestination(wordsAt(item, 'link', 'url') ?? wordsAt(objectAt(item, 'source'), 'link')),
    answers:
      lines === undefined || lines === ''
        ? undefined
        : [{ rank: 1, type: isList ? 'unordered_list' : 'answer', value: { text: lines } }],
  });
}

/** Searches as objects, or as plain texts. */
function readRelated(root: Fields): RelatedSearch[] | undefined {
  const listed = root.raw('related_searches');
  const texts = Array.isArray(listed) ? listed.filter((each) => typeof each === 'string') : [];
  const searches = objectsAt(root, 'related_searches').flatMap((item) => {
    const text = wordsAt(item, 'query', 'text', 'title');
    return text === undefined ? [] : [{ text, link: wordsAt(item, 'link') ?? '' }];
  });
  return numbered([...searches, ...texts.map((text) => ({ text, link: '' }))]);
}

function readPerspectives(root: Fields): Perspective[] | undefined {
  const items = [...objectsAt(root, 'perspectives'), ...objectsAt(root, 'discussions_and_forums')];
  const shown = items.map((item) =>
    present<Perspective>({
      title: wordsAt(item, 'title') ?? '',
      author: wordsAt(item, 'author'),
      source: wordsAt(item, 'source'),
    }),
  );
  return shown.length === 0 ? undefined : shown;
}

function readImage(item: Fields): Omit<ImageResult, 'rank'>[] {
  // SerpApi gives the page as `source`, and as `link` the engine's viewer
  const link = ['link', 'source_link', 'source'].map((name) => resolveDestination(wordsAt(item, name))).find(Boolean);
  if (link === undefined) return [];
  const image = [wordsAt(item, 'original'), wordsAt(item, 'image'), wordsAt(item, 'thumbnail')].find((address) =>
    /^https?:/i.test(address ?? ''),
  );
  return [present<Omit<ImageResult, 'rank'>>({ title: wordsAt(item, 'title') ?? '', link, image })];
}
