// Reads a results page of DataForSEO, its elements in page order.
import type {
  AiOverview,
  AiOverviewText,
  Extension,
  KnowledgePanel,
  PageFeature,
  PeopleAlsoAsk,
  ReadPage,
} from '../../model/results/serp.ts';
import { type Fields, ShapeError } from '../../net/fields.ts';
import {
  adsIn,
  destinationAt,
  entityIn,
  factOf,
  featureLinks,
  imageIn,
  joinedFeatures,
  linksIn,
  localResults,
  organicResult,
  panelIn,
  pictureAt,
  questionsIn,
  runningCount,
  siteLinks,
  textExtensions,
  type Unranked,
} from '../vendor-kit/elements.ts';
import { rejectOtherOrder } from '../vendor-kit/validator.ts';
import {
  listOrNothing,
  numberAt,
  numbered,
  numberText,
  objectAt,
  objectsAt,
  textListAt,
  wordsAt,
} from '../vendor-kit/values.ts';

const resultNames = { link: ['url'], description: ['description'], displayLink: ['breadcrumb'] };

/** The elements of a page. Throws ShapeError for entries that are none. */
export function listItems(result: Fields): readonly Fields[] {
  const items = objectsAt(result, 'items');
  if (items.length < (result.array('items') ?? []).length)
    throw new ShapeError('items has entries that are not objects');
  return items;
}

/** Ranks are counted here: the vendor's own numbers run on over pages. */
export function readPage(result: Fields): ReadPage {
  const items = listItems(result);
  const ofType = (...types: readonly string[]) => items.filter((item) => types.includes(wordsAt(item, 'type') ?? ''));
  const places = readOrder(items);
  const results = ofType('organic');
  rejectOtherOrder(results, 'items', ['rank_group', 'rank_absolute']);
  const firstOrganic = items.findIndex((item) => results.includes(item));
  const ads = ofType('paid');
  const topAds = ads.filter((ad) => firstOrganic < 0 || items.indexOf(ad) < firstOrganic);
  const [graph] = ofType('knowledge_graph');
  const [overview] = ofType('ai_overview');
  /** Parts of an element are ranked one by one. */
  const placeOf = (item: Fields, nth: number) => {
    const first = places.get(item);
    return first === undefined ? undefined : first + nth;
  };
  const serp = {
    organic: listOrNothing(
      results.map((item, index) => ({
        ...organicResult(item, index, resultNames, readExtensions(item)),
        global_rank: places.get(item),
      })),
    ),
    knowledge: graph && readKnowledge(graph),
    people_also_ask: numbered(
      ofType('people_also_ask').flatMap((item) =>
        objectsAt(item, 'items').map((each, nth) => readQuestion(each, placeOf(item, nth))),
      ),
    ),
    related: numbered(
      ofType('related_searches').flatMap((item) =>
        listSearches(item).map((text, nth) => ({ global_rank: placeOf(item, nth), text, link: '' })),
      ),
    ),
    perspectives: listOrNothing(
      [...ofType('perspectives'), ...ofType('discussions_and_forums')].flatMap((item) =>
        objectsAt(item, 'items').map((post) => ({
          title: wordsAt(post, 'title') ?? '',
          source: wordsAt(post, 'source', 'domain'),
        })),
      ),
    ),
    ai_overview: overview && readOverview(overview),
    images: numbered(
      ofType('images')
        .flatMap((item) => objectsAt(item, 'items'))
        .flatMap((item) => imageIn(item, ['alt', 'title'], destinationAt(item, 'url'), pictureAt(item, 'image_url'))),
    ),
    top_ads: adsIn(topAds),
    bottom_ads: adsIn(ads.filter((ad) => !topAds.includes(ad))),
    overview: entityIn(graph, 'card_id'),
    local_results: localResults(ofType('local_pack')),
  };
  return { serp, features: featuresIn(items) };
}

/** How many ranks an element takes: its parts are ranked one by one; an unranked element takes none. */
function ranksTaken(item: Fields): number {
  if (wordsAt(item, 'position') === 'right') return 0;
  switch (wordsAt(item, 'type')) {
    case 'organic':
    case 'paid':
      return 1;
    case 'people_also_ask':
    case 'images':
    case 'video':
      return objectsAt(item, 'items').length;
    case 'related_searches':
      return listSearches(item).length;
    default:
      return 0;
  }
}

/**
 * The rank of each element's first part among all ranked elements of the page; empty where the vendor's numbers give no
 * order.
 */
function readOrder(items: readonly Fields[]): ReadonlyMap<Fields, number> {
  const numberOf = (item: Fields) => numberAt(item, 'rank_absolute');
  const ranked = items.filter((item) => ranksTaken(item) > 0);
  const order = runningCount(ranked.map(numberOf));
  const placeOf = (item: Fields) => order.get(numberOf(item) ?? 0) ?? 0;
  const places = new Map<Fields, number>();
  let next = 1;
  for (const item of order.size === 0 ? [] : ranked.toSorted((one, other) => placeOf(one) - placeOf(other))) {
    places.set(item, next);
    next += ranksTaken(item);
  }
  return places;
}

/** Sitelinks, results of the same site below it, and what the snippet says of rating, price and date. */
function readExtensions(item: Fields): Unranked<Extension>[] {
  return [
    ...siteLinks(objectsAt(item, 'links', 'related_result')),
    ...textExtensions({
      date: wordsAt(item, 'pre_snippet'),
      rating: numberText(item, 'rating.value'),
      reviews: numberText(item, 'rating.votes_count'),
      price: wordsAt(item, 'price.displayed_price'),
    }),
    ...objectsAt(item, 'faq.items').flatMap((each) => textExtensions({ question: wordsAt(each, 'title') })),
  ];
}

function readQuestion(item: Fields, place: number | undefined): Unranked<PeopleAlsoAsk> {
  const [answer] = objectsAt(item, 'expanded_element');
  return {
    global_rank: place,
    question: wordsAt(item, 'title') ?? '',
    answer_source: destinationAt(answer, 'url'),
    answers: answer && readAnswers(answer),
  };
}

function readAnswers(answer: Fields): PeopleAlsoAsk['answers'] {
  const isOverview = wordsAt(answer, 'type') === 'people_also_ask_ai_overview_expanded_element';
  const text = isOverview ? overviewWords(answer) : (wordsAt(answer, 'description', 'featured_title') ?? '');
  const rows = objectAt(answer, 'table')?.array('table_content') ?? [];
  const table = rows.flatMap((row) => (Array.isArray(row) ? [row.map(String).join(' | ')] : []));
  return numbered([
    ...(text === '' ? [] : [{ type: 'answer' as const, value: { text } }]),
    ...(table.length === 0 ? [] : [{ type: 'table' as const, value: { text: table.join('\n') } }]),
  ]);
}

function listSearches(item: Fields): string[] {
  return textListAt(item, 'items').flatMap((text) => (text.trim() === '' ? [] : [text.trim()]));
}

const panelNames = { name: ['title'], subtitle: ['subtitle'] };

function readKnowledge(graph: Fields): KnowledgePanel {
  const parts = objectsAt(graph, 'items');
  const described = parts.find((part) => wordsAt(part, 'type') === 'knowledge_graph_description_item');
  const facts = parts.flatMap((part) => {
    const type = wordsAt(part, 'type');
    const texts = [
      ...(type === 'knowledge_graph_row_item' ? [wordsAt(part, 'text')] : []),
      ...(type === 'knowledge_graph_list_item' ? objectsAt(part, 'items').map((each) => wordsAt(each, 'title')) : []),
    ];
    return factOf(wordsAt(part, 'title')?.replace(/:$/, ''), ...texts);
  });
  return {
    ...panelIn(graph, panelNames, facts),
    description: wordsAt(graph, 'description') ?? wordsAt(described, 'text'),
    description_source: wordsAt(described, 'links.title'),
  };
}

type Reference = NonNullable<AiOverview['references']>[number];

/** Its texts in order, the pages they cite, and which text cites which. One of which the page shows nothing is `{}`. */
function readOverview(item: Fields): AiOverview {
  const elements = objectsAt(item, 'items');
  const parts = elements.flatMap((element) => [element, ...objectsAt(element, 'components')]);
  const references = new Map<string, Reference>();
  for (const each of [item, ...parts].flatMap((part) => objectsAt(part, 'references'))) {
    const href = destinationAt(each, 'url');
    if (href === undefined || references.has(href)) continue;
    references.set(href, {
      index: references.size,
      title: wordsAt(each, 'title') ?? '',
      href,
      source: wordsAt(each, 'source', 'domain'),
      subtitle: wordsAt(each, 'text'),
    });
  }
  const texts = elements.flatMap((element) => readElement(element, references));
  return { texts: listOrNothing(texts), references: listOrNothing([...references.values()]) };
}

/** The words of an overview that answers a question, without its references. */
function overviewWords(item: Fields): string {
  const words = objectsAt(item, 'items').flatMap((element) => [wordsAt(element, 'title'), wordsAt(element, 'text')]);
  return words.filter((text) => text !== undefined).join('\n');
}

function readElement(element: Fields, references: ReadonlyMap<string, Reference>): AiOverviewText[] {
  const title = wordsAt(element, 'title');
  const titles: AiOverviewText[] = title === undefined ? [] : [{ type: 'title', snippet: title }];
  switch (wordsAt(element, 'type')) {
    case 'ai_overview_expanded_element': {
      const text = wordsAt(element, 'text');
      const list = objectsAt(element, 'components').flatMap((each) => paragraph(each, references));
      const heading = [title, text].filter((words) => words !== undefined).join(': ');
      if (list.length === 0) return [...titles, ...paragraph(element, references)];
      return [{ type: 'list', title: heading === '' ? undefined : heading, list }];
    }
    case 'ai_overview_table_element': {
      const rows = tableRows(wordsAt(element, 'markdown') ?? '');
      return rows.length === 0 ? titles : [{ type: 'list', title, list: rows }];
    }
    // a video is shown, and says nothing
    case 'ai_overview_video_element':
      return [];
    default:
      return [...titles, ...paragraph(element, references)];
  }
}

function paragraph(item: Fields, references: ReadonlyMap<string, Reference>): AiOverviewText[] {
  const snippet = wordsAt(item, 'text', 'snippet');
  if (snippet === undefined) return [];
  const indexes = objectsAt(item, 'references').flatMap((each) => {
    return references.get(destinationAt(each, 'url') ?? '')?.index ?? [];
  });
  return [{ type: 'paragraph', snippet, reference_indexes: listOrNothing([...new Set(indexes)]) }];
}

/** The rows of a table in Markdown, without the rule below its head. */
function tableRows(markdown: string): AiOverviewText[] {
  return markdown.split('\n').flatMap((line): AiOverviewText[] => {
    const cells = line.split('|').map((cell) => cell.replaceAll('**', '').trim());
    const isRule = cells.every((cell) => /^:?-*:?$/.test(cell));
    return isRule ? [] : [{ type: 'paragraph', snippet: cells.filter((cell) => cell !== '').join(' | ') }];
  });
}

/**
 * Elements of the vendor's documentation, 2026-06, by where their addresses stand. `own`: in its own `url`. `all`: at
 * any level of it. `none`: it shows none, or only addresses within the engine. `organic`: it is a result, and no
 * feature. Features bear their names in our reports as well.
 */
const typesByPlace = {
  organic: 'organic',
  own: 'paid featured_snippet local_pack',
  all: 'knowledge_graph',
  items: `top_stories video short_videos images perspectives discussions_and_forums twitter questions_and_answers
    shopping popular_products commercial_units explore_brands compare_sites find_results_on found_on_web
    recipes courses events jobs podcasts app visual_stories scholarly_articles local_services hotels_pack
    google_flights top_sights`,
  links: 'answer_box math_solver',
  mentions: 'mention_carousel',
  references: 'ai_overview',
  answers: 'people_also_ask',
  none: `map refine_products carousel multi_carousel google_hotels google_reviews google_posts stocks_box
    currency_box people_also_search related_searches`,
};

type Place = keyof typeof typesByPlace;

export const itemTypes: ReadonlyMap<string, Place> = new Map(
  Object.entries(typesByPlace).flatMap(([place, types]) =>
    // the keys of the table
    types.split(/\s+/).map((type) => [type, place as Place] as const),
  ),
);

/**
 * Of an element that the table does not know: it is on the page under its own name, with the addresses of its items.
 */
const unknownPlace: Place = 'items';

/** The features of a page, in the order in which they stand there; one entry a type, each address once. */
function featuresIn(items: readonly Fields[]): PageFeature[] {
  return joinedFeatures(
    items.flatMap((item) => {
      const type = wordsAt(item, 'type');
      if (type === undefined || !/^[a-z][a-z0-9_]{0,63}$/.test(type)) return [];
      const place = itemTypes.get(type) ?? unknownPlace;
      return place === 'organic' ? [] : [{ type, links: addressesIn(item, place) }];
    }),
  );
}

function addressesIn(item: Fields, place: Exclude<Place, 'organic'>): string[] {
  if (place === 'all') return linksIn(item.value());
  if (place === 'answers') return questionsIn(objectsAt(item, 'items')).flatMap(({ links }) => links);
  return featureLinks(wordsAt(item, 'type') ?? '', holders[place](item), 'url');
}

/** The objects whose `url` counts. */
const holders: Readonly<Record<Exclude<Place, 'all' | 'answers' | 'organic'>, (item: Fields) => readonly Fields[]>> = {
  own: (item) => [item],
  items: (item) => objectsAt(item, 'items'),
  links: (item) => objectsAt(item, 'links'),
  mentions: (item) => objectsAt(item, 'items.mentioned_in'),
  references: (item) => objectsAt(item, 'references', 'items.references'),
  none: () => [],
};
