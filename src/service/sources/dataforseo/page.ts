// Reads a results page of DataForSEO, its elements in page order.
import { placeInAddress, rejectOtherPlace } from '../../engines/page/other-market.ts';
import { rejectOtherQuery } from '../../engines/page/query.ts';
import type {
  Ad,
  AiOverview,
  AiOverviewText,
  Extension,
  ImageResult,
  KnowledgePanel,
  OrganicResult,
  PageFeature,
  PeopleAlsoAsk,
  ReadPage,
  RelatedSearch,
  SerpPage,
} from '../../model/results/serp.ts';
import type { PageRequest } from '../../model/source.ts';
import { type Fields, present, ShapeError } from '../../net/fields.ts';
import {
  linksIn,
  localResults,
  organicResult,
  resolveDestination,
  runningCount,
  siteLinks,
  textExtension,
} from '../vendor-kit/elements.ts';
import { echoInAddress, noResults, rejectOtherMarket, rejectOtherOrder, unproven } from '../vendor-kit/validator.ts';
import { numberAt, numbered, objectAt, objectsAt, wordsAt } from '../vendor-kit/values.ts';
import { complaint, encodedKeyword, findResult, findTask, nothingFound, rejectOtherTask } from './api.ts';

/** Reads the answer of one task. An empty list beyond the first page is the end of the results. */
export function readAnswer(root: Fields, asked: PageRequest): ReadPage {
  if (nothingFound.test(complaint(root) ?? '')) return { serp: {}, features: [] };
  const task = findTask(root);
  if (task === undefined) throw new ShapeError('the answer has no task');
  rejectOtherTask(asked, objectAt(task, 'data'));
  const result = findResult(root);
  if (result === undefined) throw noResults();
  rejectOtherTask(asked, result);
  refuseOther(result, asked);
  const items = listItems(result);
  const read = readItems(items);
  if (read.serp.organic !== undefined) return read;
  if (asked.page === 1 || items.length > 0) throw noResults();
  return unproven(read);
}

function listItems(result: Fields): readonly Fields[] {
  const listed = result.array('items') ?? [];
  const items = objectsAt(result, 'items');
  if (items.length < listed.length) throw new ShapeError('items has entries that are not objects');
  return items;
}

/** Spellings for which the engine searched in place of the one asked; of the others it only speaks. */
const searchedInstead = /^(?:showing_results_for|no_results_found_for)$/;

function refuseOther(result: Fields, asked: PageRequest): void {
  const address = wordsAt(result, 'check_url');
  rejectOtherPlace(asked, [placeInAddress(address)], { shownIn: 'echo' });
  rejectOtherMarket(asked, echoInAddress(address));
  const echoed = wordsAt(result, 'keyword');
  const spelling = objectAt(result, 'spell');
  const isOther = searchedInstead.test(wordsAt(spelling, 'type') ?? '');
  rejectOtherQuery(asked.keyword, [
    echoed === encodedKeyword(asked.keyword) ? undefined : echoed,
    isOther ? wordsAt(spelling, 'keyword') : undefined,
  ]);
}

/** Ranks are counted here: the vendor's own numbers run on over pages. */
function readItems(items: readonly Fields[]): ReadPage {
  const ofType = (type: string) => items.filter((item) => wordsAt(item, 'type') === type);
  const places = readOrder(items);
  rejectOtherOrder(ofType('organic'), 'items', ['rank_group', 'rank_absolute']);
  const organic = ofType('organic').map((item, index) => readOrganic(item, index, places.get(item)));
  const firstOrganic = items.findIndex((item) => wordsAt(item, 'type') === 'organic');
  const ads = items.flatMap((item, index) =>
    wordsAt(item, 'type') === 'paid' ? [{ item, isTop: firstOrganic < 0 || index < firstOrganic }] : [],
  );
  const [graph] = ofType('knowledge_graph');
  const [overview] = ofType('ai_overview');
  const posts = [...ofType('perspectives'), ...ofType('discussions_and_forums')].flatMap((item) =>
    objectsAt(item, 'items').map(readPost),
  );
  const serp = present<SerpPage>({
    organic: organic.length === 0 ? undefined : organic,
    knowledge: graph === undefined ? undefined : readKnowledge(graph),
    people_also_ask: numbered(ofType('people_also_ask').flatMap((item) => readQuestions(item, places.get(item)))),
    related: numbered(ofType('related_searches').flatMap((item) => readRelated(item, places.get(item)))),
    perspectives: posts.length === 0 ? undefined : posts,
    ai_overview: overview === undefined ? undefined : readOverview(overview),
    images: numbered(ofType('images').flatMap((item) => objectsAt(item, 'items').flatMap(readImage))),
    top_ads: numbered(ads.filter(({ isTop }) => isTop).flatMap(({ item }) => readAd(item))),
    bottom_ads: numbered(ads.filter(({ isTop }) => !isTop).flatMap(({ item }) => readAd(item))),
    overview: graph === undefined ? undefined : readEntity(graph),
    local_results: localResults(ofType('local_pack')),
  });
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
      return listTexts(item).length;
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

const resultFields = { link: ['url'], description: ['description'], displayLink: ['breadcrumb'] };

function readOrganic(item: Fields, index: number, place: number | undefined): OrganicResult {
  const result = organicResult(item, index, resultFields, readExtensions(item));
  return place === undefined ? result : { ...result, global_rank: place };
}

/** Sitelinks, results of the same site below it, and what the snippet says of rating, price and date. */
function readExtensions(item: Fields): Omit<Extension, 'rank'>[] {
  const rating = objectAt(item, 'rating');
  const textOf = (value: number | undefined) => (value === undefined ? undefined : String(value));
  return [
    ...siteLinks([...objectsAt(item, 'links'), ...objectsAt(item, 'related_result')]),
    ...textExtension('date', wordsAt(item, 'pre_snippet')),
    ...textExtension('rating', textOf(numberAt(rating, 'value'))),
    ...textExtension('reviews', textOf(numberAt(rating, 'votes_count'))),
    ...textExtension('price', wordsAt(objectAt(item, 'price'), 'displayed_price')),
    ...objectsAt(objectAt(item, 'faq'), 'items').flatMap((each) => textExtension('question', wordsAt(each, 'title'))),
  ];
}

function readQuestions(item: Fields, first: number | undefined): Omit<PeopleAlsoAsk, 'rank'>[] {
  return objectsAt(item, 'items').map((each, index) => {
    const [answer] = objectsAt(each, 'expanded_element');
    return present<Omit<PeopleAlsoAsk, 'rank'>>({
      global_rank: first === undefined ? undefined : first + index,
      question: wordsAt(each, 'title') ?? '',
      answer_source: resolveDestination(wordsAt(answer, 'url')),
      answers: answer === undefined ? undefined : readAnswers(answer),
    });
  });
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

function listTexts(item: Fields): string[] {
  const listed = item.raw('items');
  return Array.isArray(listed) ? listed.filter((each) => typeof each === 'string' && each.trim() !== '') : [];
}

function readRelated(item: Fields, first: number | undefined): Omit<RelatedSearch, 'rank'>[] {
  return listTexts(item).map((text, index) => ({
    ...(first !== undefined && { global_rank: first + index }),
    text: text.trim(),
    link: '',
  }));
}

function readPost(item: Fields): NonNullable<SerpPage['perspectives']>[number] {
  return present<NonNullable<SerpPage['perspectives']>[number]>({
    title: wordsAt(item, 'title') ?? '',
    source: wordsAt(item, 'source', 'domain'),
  });
}

function readImage(item: Fields): Omit<ImageResult, 'rank'>[] {
  const link = resolveDestination(wordsAt(item, 'url'));
  if (link === undefined) return [];
  const image = wordsAt(item, 'image_url');
  return [
    present<Omit<ImageResult, 'rank'>>({
      title: wordsAt(item, 'alt', 'title') ?? '',
      link,
      image: image !== undefined && /^https?:/i.test(image) ? image : undefined,
    }),
  ];
}

function readAd(item: Fields): Omit<Ad, 'rank'>[] {
  const link = resolveDestination(wordsAt(item, 'url'));
  return link === undefined ? [] : [{ title: wordsAt(item, 'title') ?? '', link }];
}

function readKnowledge(graph: Fields): KnowledgePanel {
  const parts = objectsAt(graph, 'items');
  const described = parts.find((part) => wordsAt(part, 'type') === 'knowledge_graph_description_item');
  const facts = parts.flatMap((part) => {
    const key = wordsAt(part, 'title');
    if (key === undefined) return [];
    const text = wordsAt(part, 'type') === 'knowledge_graph_row_item' ? wordsAt(part, 'text') : undefined;
    const isList = wordsAt(part, 'type') === 'knowledge_graph_list_item';
    const titles = isList ? objectsAt(part, 'items').flatMap((each) => wordsAt(each, 'title') ?? []) : [];
    const value = [...(text === undefined ? [] : [text]), ...titles].map((words) => ({ text: words }));
    return value.length === 0 ? [] : [{ key: key.replace(/:$/, ''), value }];
  });
  return present<KnowledgePanel>({
    name: wordsAt(graph, 'title'),
    subtitle: wordsAt(graph, 'subtitle'),
    description: wordsAt(graph, 'description') ?? wordsAt(described, 'text'),
    description_source: wordsAt(objectsAt(described, 'links')[0], 'title'),
    facts: facts.length === 0 ? undefined : facts,
  });
}

function readEntity(graph: Fields): SerpPage['overview'] {
  const kgmid = wordsAt(graph, 'card_id');
  return kgmid === undefined
    ? undefined
    : present<{ kgmid?: string; title?: string }>({ kgmid, title: wordsAt(graph, 'title') });
}

type Reference = NonNullable<AiOverview['references']>[number];

/** An overview of which the page shows nothing yet is an overview: `{}`. */
function readOverview(item: Fields): AiOverview {
  const references = new References();
  references.addAll(item);
  const elements = objectsAt(item, 'items');
  for (const element of elements) {
    references.addAll(element);
    for (const component of objectsAt(element, 'components')) references.addAll(component);
  }
  const texts = elements.flatMap((element) => readElement(element, references));
  const { list } = references;
  return { ...(texts.length > 0 && { texts }), ...(list.length > 0 && { references: list }) };
}

/** The words of an overview that answers a question, without its references. */
function overviewWords(item: Fields): string {
  const words = objectsAt(item, 'items').flatMap((element) => [wordsAt(element, 'title'), wordsAt(element, 'text')]);
  return words.filter((text) => text !== undefined).join('\n');
}

/** Each cited page once. */
class References {
  readonly #byAddress = new Map<string, Reference>();

  get list(): Reference[] {
    return [...this.#byAddress.values()];
  }

  addAll(item: Fields): void {
    for (const each of objectsAt(item, 'references')) {
      const href = resolveDestination(wordsAt(each, 'url'));
      if (href === undefined || this.#byAddress.has(href)) continue;
      const reference = present<Reference>({
        index: this.#byAddress.size,
        title: wordsAt(each, 'title') ?? '',
        href,
        source: wordsAt(each, 'source', 'domain'),
        subtitle: wordsAt(each, 'text'),
      });
      this.#byAddress.set(href, reference);
    }
  }

  indexesOf(item: Fields): number[] {
    const indexes = objectsAt(item, 'references').flatMap((each) => {
      const href = resolveDestination(wordsAt(each, 'url'));
      return (href === undefined ? undefined : this.#byAddress.get(href)?.index) ?? [];
    });
    return [...new Set(indexes)];
  }
}

function readElement(element: Fields, references: References): AiOverviewText[] {
  const title = wordsAt(element, 'title');
  const titles: AiOverviewText[] = title === undefined ? [] : [{ type: 'title', snippet: title }];
  switch (wordsAt(element, 'type')) {
    case 'ai_overview_expanded_element': {
      const text = wordsAt(element, 'text');
      const list = objectsAt(element, 'components').flatMap((each) => paragraph(each, references));
      const heading = [title, text].filter((words) => words !== undefined).join(': ');
      if (list.length === 0) return [...titles, ...paragraph(element, references)];
      return [{ type: 'list', ...(heading !== '' && { title: heading }), list }];
    }
    case 'ai_overview_table_element': {
      const rows = tableRows(wordsAt(element, 'markdown') ?? '');
      return rows.length === 0 ? titles : [{ type: 'list', ...(title !== undefined && { title }), list: rows }];
    }
    // a video is shown, and says nothing
    case 'ai_overview_video_element':
      return [];
    default:
      return [...titles, ...paragraph(element, references)];
  }
}

function paragraph(item: Fields, references: References): AiOverviewText[] {
  const snippet = wordsAt(item, 'text', 'snippet');
  if (snippet === undefined) return [];
  const indexes = references.indexesOf(item);
  return [{ type: 'paragraph', snippet, ...(indexes.length > 0 && { reference_indexes: indexes }) }];
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
function featuresIn(items: readonly Fields[]): PageFeature[] {
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
