// Reads the page format that several vendors share (`organic_results`, `related_questions`, `knowledge_graph`, ...).
import type { Extension, KnowledgePanel, PageFeature, PeopleAlsoAsk, ReadPage } from '../../model/results/serp.ts';
import type { Fields } from '../../net/fields.ts';
import {
  adsIn,
  answerBox,
  destinationAt,
  entityIn,
  factOf,
  feature,
  imageIn,
  localResults,
  organicList,
  organicResult,
  pageWith,
  panelIn,
  panelLinks,
  pictureAt,
  questionIn,
  questionsIn,
  searchesIn,
  siteLinks,
  textExtensions,
  toOverview,
  type Unranked,
} from './elements.ts';
import { listOrNothing, numbered, numberText, objectAt, objectsAt, textListAt, wordsAt } from './values.ts';

/** The vendor's words of refusal beside the status of its search. */
export function searchComplaint(root: Fields): string | undefined {
  const status = wordsAt(root, 'search_metadata.status') ?? 'Success';
  return wordsAt(root, 'error') ?? (status === 'Success' ? undefined : `the search is ${status}`);
}

/** Texts that must be the requested query. */
export const searchedQueries = [
  'search_parameters.q',
  'search_information.query_displayed',
  'search_information.showing_results_for',
] as const;

const resultNames = { link: ['link', 'url'], description: ['snippet', 'description'], displayLink: ['displayed_link'] };
const places = ['local_results.places', 'local_results'];

/** Features without a field in the root object: their type, their lists, and where an item has its address. */
const otherFeatures: readonly (readonly [type: string, lists: readonly string[], links?: readonly string[]])[] = [
  ['local_pack', places, ['website', 'links.website']],
  ['top_stories', ['top_stories', 'top_stories.items']],
  ['video', ['inline_videos', 'video_results']],
  ['short_videos', ['short_videos']],
  ['shopping', ['shopping_results', 'inline_shopping', 'inline_shopping_results', 'shopping_ads']],
  ['popular_products', ['immersive_products']],
  ['discussions_and_forums', ['discussions_and_forums']],
  ['perspectives', ['perspectives']],
  ['twitter', ['twitter_results']],
  ['jobs', ['jobs_results']],
  ['recipes', ['recipes_results']],
  ['events', ['events_results']],
];

/** Parses the fields of this format. `besides`: features of the vendor's own. */
export function readGoogleForm(root: Fields, besides: readonly PageFeature[] = []): ReadPage {
  const ads = objectsAt(root, 'ads');
  const isBottom = (ad: Fields) => wordsAt(ad, 'block_position', 'position_block')?.toLowerCase() === 'bottom';
  const graph = objectAt(root, 'knowledge_graph');
  const overview = objectAt(root, 'ai_overview');
  const posts = objectsAt(root, 'perspectives', 'discussions_and_forums');
  const snippet = objectAt(root, 'featured_snippet');
  const serp = {
    organic: organicList(root, 'organic_results', (item, index) =>
      organicResult(item, index, resultNames, readExtensions(item)),
    ),
    knowledge: graph && readKnowledge(graph),
    people_also_ask: numbered(objectsAt(root, 'related_questions').map(readQuestion)),
    related: numbered(searchesIn(root, ['related_searches'], ['query', 'text', 'title'])),
    perspectives: listOrNothing(
      posts.map((item) => ({
        title: wordsAt(item, 'title') ?? '',
        author: wordsAt(item, 'author'),
        source: wordsAt(item, 'source'),
      })),
    ),
    ai_overview:
      overview && toOverview(objectsAt(overview, 'text_blocks'), objectsAt(overview, 'references', 'reference_links')),
    images: numbered(
      objectsAt(root, 'inline_images', 'images_results').flatMap((item) => {
        // SerpApi gives the page as `source`, and as `link` the engine's viewer
        const links = ['link', 'source_link', 'source'].map((name) => destinationAt(item, name));
        return imageIn(item, ['title'], links.find(Boolean), pictureAt(item, 'original', 'image', 'thumbnail'));
      }),
    ),
    top_ads: adsIn([...ads.filter((ad) => !isBottom(ad)), ...objectsAt(root, 'top_ads')], 'tracking_link'),
    bottom_ads: adsIn([...ads.filter(isBottom), ...objectsAt(root, 'bottom_ads')], 'tracking_link'),
    overview: entityIn(graph, 'kgmid'),
    local_results: localResults(objectsAt(root, ...places)),
  };
  return pageWith(serp, [
    ...panelLinks(root, 'knowledge_graph'),
    ...questionsIn(objectsAt(root, 'related_questions')),
    ...answerBox(root, 'answer_box'),
    ...feature('featured_snippet', snippet === undefined ? [] : [snippet], 'link', 'url'),
    ...otherFeatures.flatMap(([type, lists, links = ['link']]) => feature(type, objectsAt(root, ...lists), ...links)),
    ...besides,
  ]);
}

function readExtensions(item: Fields): Unranked<Extension>[] {
  const detected = ['rich_snippet', 'detected_extensions'].flatMap((name) => [
    `${name}.top.detected_extensions`,
    `${name}.bottom.detected_extensions`,
    name,
  ]);
  const detectedNumber = (name: string) => numberText(item, ...detected.map((path) => `${path}.${name}`), name);
  return [
    ...siteLinks(objectsAt(item, 'sitelinks.inline', 'sitelinks.expanded', 'sitelinks')),
    ...textExtensions({
      date: wordsAt(item, 'date'),
      rating: detectedNumber('rating'),
      reviews: detectedNumber('reviews'),
    }),
  ];
}

/** Fields of a knowledge graph that are not facts about its subject. */
const graphApparatus =
  /^(?:title|type|entity_type|knowledge_graph_type|kgmid|description|source|image|thumbnail|website|position|local_map|.*(?:_link|_links|_stick|_id|_url))$/;

function readKnowledge(graph: Fields): KnowledgePanel {
  const names = {
    name: ['title'],
    subtitle: ['type', 'entity_type'],
    description: ['description'],
    description_source: ['source.name'],
  };
  const facts = graph.names().flatMap((name) => {
    const value = graph.raw(name);
    const isFact = typeof value === 'string' && value.trim() !== '' && !graphApparatus.test(name);
    return isFact ? factOf(name.replaceAll('_', ' '), value.trim()) : [];
  });
  return panelIn(graph, names, facts);
}

function readQuestion(item: Fields): Unranked<PeopleAlsoAsk> {
  const names = {
    question: ['question', 'title'],
    answer: ['snippet', 'answer'],
    source: ['link', 'url', 'source.link'],
  };
  const asked = questionIn(item, names);
  const lines = textListAt(item, 'list').join('\n');
  if (asked.answers !== undefined || lines === '') return asked;
  return { ...asked, answers: [{ rank: 1, type: 'unordered_list', value: { text: lines } }] };
}
