// Reads a provider's JSON page by the specification. A page that proves nothing is a failure, never an empty SERP.

import { resolveRedirect } from '../engines/links.ts';
import { isSameQuery, normalise } from '../engines/page/query.ts';
import { doubtful, withCheckedList } from '../engines/result-list.ts';
import { ServiceError } from '../model/errors.ts';
import { isOutOfOrder } from '../model/results/list-order.ts';
import type {
  Ad,
  AiOverview,
  AiOverviewText,
  DestinationState,
  Extension,
  ImageResult,
  KnowledgePanel,
  LocalResult,
  NavigationTab,
  OrganicResult,
  PeopleAlsoAsk,
  Perspective,
  RelatedSearch,
  SerpPage,
} from '../model/results/serp.ts';
import { Fields, isMarkedAd, present, ShapeError } from '../net/fields.ts';

/**
 * Reads one page. Ranks are kept as the provider numbers them; a missing one is counted from the order of the list.
 * Fields that the specification does not have are left to the stored body. Throws ShapeError for another shape and
 * beside an error, and ServiceError SERP_FAILED `no_organic_results` for `{}` and for `organic: []`. Only a page
 * that shows something else, and no `organic` at all, says that the engine found nothing.
 */
export function readSerpPage(value: unknown): SerpPage {
  const root = new Fields(value, 'page');
  const overview = root.object('overview');
  const page = withCheckedList(
    present<SerpPage>({
      organic: readOrganicList(root, readExtension),
      knowledge: readKnowledge(root.object('knowledge')),
      people_also_ask: root.list('people_also_ask', readQuestion),
      related: readList<RelatedSearch>(root, 'related', {
        rank: 'place',
        global_rank: 'rank',
        text: 'words',
        link: 'words',
      }),
      navigation: readList<NavigationTab>(root, 'navigation', { title: 'words', href: 'words' }),
      perspectives: readList<Perspective>(root, 'perspectives', { title: 'words', author: 'text', source: 'text' }),
      ai_overview: readAiOverview(root.object('ai_overview')),
      images: readList<ImageResult>(root, 'images', { rank: 'place', title: 'words', link: 'words', image: 'text' }),
      top_ads: readList(root, 'top_ads', adFields),
      bottom_ads: readList(root, 'bottom_ads', adFields),
      overview: nonEmpty<NonNullable<SerpPage['overview']>>({
        kgmid: overview?.text('kgmid'),
        title: overview?.text('title'),
      }),
      local_results: readList(root, 'local_results', placeFields),
    }),
  );
  const saysNothing = Object.keys(page).length === 0;
  if (!saysNothing && namesError(root)) throw new ShapeError('page comes with an error');
  if (page.organic !== undefined) return page;
  if (saysNothing && !root.isEmpty()) throw new ShapeError('page has no field of a results page');
  if (saysNothing || root.array('organic') !== undefined) {
    throw new ServiceError('SERP_FAILED', 'The page came without any result.', { reason: 'no_organic_results' });
  }
  return page;
}

/** Results beside an error may be a part of the page only: they prove no rank, and no absence. */
function namesError(root: Fields): boolean {
  const error = root.raw('error');
  return root.raw('success') === false || (typeof error === 'string' ? error.trim() !== '' : error instanceof Object);
}

/**
 * How a field of an item is read: a text, which is empty where it is missing (`words`) or may be absent (`text`), a
 * number, a rank, or a rank that is counted from the order of the list where it is missing (`place`).
 */
type FieldKind = 'words' | 'text' | 'number' | 'integer' | 'rank' | 'place';
type FieldKinds<Item> = Readonly<Record<keyof Item, FieldKind>>;

const adFields: FieldKinds<Ad> = { rank: 'place', title: 'words', link: 'words', referral_link: 'text' };

const placeFields: FieldKinds<LocalResult> = {
  rank: 'place',
  name: 'words',
  place_id: 'text',
  cid: 'text',
  rating: 'number',
  reviews: 'integer',
  category: 'text',
  address: 'text',
  phone: 'text',
  website: 'text',
};

function readList<Item extends object>(root: Fields, name: string, kinds: FieldKinds<Item>): Item[] | undefined {
  // the table has a kind for each field of the type
  return root.list(name, (item, index) => readFields(item, index, kinds) as Item);
}

function readFields(item: Fields, index: number, kinds: Readonly<Record<string, FieldKind>>): object {
  const read = Object.entries(kinds).map(([name, kind]) => {
    if (kind === 'words') return [name, item.text(name) ?? ''];
    if (kind === 'place') return [name, item.rank(name) ?? index + 1];
    return [name, item[kind](name)];
  });
  return present(Object.fromEntries(read));
}

const extensionTypes: readonly string[] = [
  'site_link',
  'date',
  'text',
  'rating',
  'reviews',
  'price',
  'fact',
  'list',
  'question',
  'missing',
] satisfies Extension['type'][];

function readExtension(item: Fields, index: number): Extension {
  const type = item.text('type') ?? 'text';
  return present<Extension>({
    // The specification leaves the types open: one that we have no name for is text.
    type: extensionTypes.includes(type) ? (type as Extension['type']) : 'text',
    text: item.text('text') ?? '',
    link: item.text('link'),
    rank: item.rank('rank') ?? index + 1,
  });
}

function readKnowledge(panel: Fields | undefined): KnowledgePanel | undefined {
  if (panel === undefined) return undefined;
  return nonEmpty<KnowledgePanel>({
    name: panel.text('name'),
    subtitle: panel.text('subtitle'),
    description: panel.text('description'),
    description_source: panel.text('description_source'),
    facts: panel.list('facts', (fact) => ({
      key: fact.text('key') ?? '',
      value: fact.list('value', (value) => ({ text: value.text('text') ?? '' })) ?? [],
    })),
  });
}

type Answer = NonNullable<PeopleAlsoAsk['answers']>[number];

const answerTypes: readonly string[] = [
  'answer',
  'ordered_list',
  'unordered_list',
  'table',
  'video',
] satisfies Answer['type'][];

function readQuestion(item: Fields, index: number): PeopleAlsoAsk {
  return present<PeopleAlsoAsk>({
    rank: item.rank('rank') ?? index + 1,
    global_rank: item.rank('global_rank'),
    question: item.text('question') ?? '',
    answer_source: item.text('answer_source'),
    answers: item.list('answers', (answer, place) => {
      const type = answer.text('type') ?? 'answer';
      return {
        rank: answer.rank('rank') ?? place + 1,
        type: answerTypes.includes(type) ? (type as Answer['type']) : 'answer',
        value: { text: answer.object('value')?.text('text') ?? '' },
      };
    }),
  });
}

/**
 * The specification does not show what is inside, so what has our shape is read, and the rest is left to the stored
 * body. An overview of another shape is still an overview: `{}`.
 */
function readAiOverview(overview: Fields | undefined): AiOverview | undefined {
  if (overview === undefined) return undefined;
  const references = (overview.array('references') ?? []).map(readReference).filter((found) => found !== undefined);
  const texts = readTexts(overview.array('texts') ?? []);
  return {
    ...(texts.length > 0 && { texts }),
    ...(references.length > 0 && { references }),
  };
}

type Reference = NonNullable<AiOverview['references']>[number];

function readReference(item: unknown, place: number): Reference | undefined {
  return ifShaped(() => {
    const fields = new Fields(item, 'reference');
    const href = fields.text('href') ?? fields.text('link');
    if (href === undefined) return undefined;
    return present<Reference>({
      index: fields.integer('index') ?? place,
      title: fields.text('title') ?? '',
      href,
      source: fields.text('source'),
      subtitle: fields.text('subtitle'),
    });
  });
}

function readTexts(items: readonly unknown[]): AiOverviewText[] {
  return items.map((item) => ifShaped(() => readText(item))).filter((text) => text !== undefined);
}

function readText(item: unknown): AiOverviewText | undefined {
  if (typeof item === 'string') return { type: 'paragraph', snippet: item };
  const fields = new Fields(item, 'text');
  const list = readTexts(fields.array('list') ?? []);
  if (list.length > 0) {
    const title = fields.text('title');
    return { type: 'list', ...(title !== undefined && { title }), list };
  }
  const snippet = fields.text('snippet') ?? fields.text('text');
  if (snippet === undefined) return undefined;
  const type = fields.text('type');
  if (type === 'code') return { type, snippet };
  const indexes = (fields.array('reference_indexes') ?? []).filter((index) => Number.isSafeInteger(index)) as number[];
  const kind = type === 'title' ? 'title' : 'paragraph';
  return { type: kind, snippet, ...(indexes.length > 0 && { reference_indexes: indexes }) };
}

function ifShaped<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof ShapeError) return undefined;
    throw error;
  }
}

/** The fields that are there, or undefined where none is. */
function nonEmpty<T extends object>(fields: Parameters<typeof present<T>>[0]): T | undefined {
  const found = present<T>(fields);
  return Object.keys(found).length === 0 ? undefined : found;
}

type ReadExtension = (item: Fields, index: number) => Extension;

/**
 * The results of a page; undefined for none. Throws ShapeError for another shape, and SERP_FAILED `unparseable` for an
 * ad among them, and a list in another order than its ranks.
 */
function readOrganicList(root: Fields, readExtension: ReadExtension): OrganicResult[] | undefined {
  const organic = root.list('organic', (item, index) => readOrganic(item, index, readExtension));
  if (organic === undefined) return undefined;
  if (isOutOfOrder(organic.map(({ rank }) => rank)))
    throw doubtful('its results are in another order than their ranks');
  return organic;
}

const destinationStates = ['host_only', 'hidden'] as const satisfies readonly DestinationState[];

function readOrganic(item: Fields, index: number, readExtension: ReadExtension): OrganicResult {
  if (isMarkedAd(item)) throw doubtful('one of its results is an ad by its own mark');
  return present<OrganicResult>({
    rank: item.rank('rank') ?? index + 1,
    global_rank: item.rank('global_rank'),
    title: item.text('title') ?? '',
    description: item.text('description'),
    link: destination(item),
    destination_state: destinationStates.find((state) => state === item.raw('destination_state')),
    display_link: item.text('display_link'),
    source: item.text('source'),
    extensions: item.list('extensions', readExtension),
    image: item.text('image'),
    duration: item.text('duration'),
    duration_sec: item.integer('duration_sec'),
  });
}

/** The page to which a redirect of an engine leads; any other address is kept as received. */
function destination(item: Fields): string {
  const { link, isAd } = resolveRedirect(webAddress(item, 'link'));
  if (isAd) throw doubtful('the link of one of its results is a click on an ad');
  return link;
}

function webAddress(item: Fields, name: string): string {
  const link = item.text(name);
  if (link === undefined || !/^https?:\/\//i.test(link) || !URL.canParse(link)) {
    throw item.problem(name, 'is not an http address');
  }
  return link;
}

/**
 * The query of the first tab, if tabs name queries and none of them is the requested one. On each of the 76 corpus
 * pages with tabs (Google, Bing), at least one tab searches for exactly the requested query; another may have a
 * corrected spelling. A tab whose query contains ours may be a refinement.
 */
export function otherQueryInTabs({ navigation = [] }: SerpPage, asked: string): string | undefined {
  const named = navigation.flatMap(({ href }) => queryIn(href) ?? []);
  const isOurs = (query: string): boolean => isSameQuery(query, asked) || normalise(query).includes(normalise(asked));
  return named.some(isOurs) ? undefined : named[0];
}

/** The query that a URL searches for. URLs of a search engine's own pages may lack a host. */
function queryIn(href: string | undefined): string | null {
  if (href === undefined || !URL.canParse(href, 'https://engine.invalid')) return null;
  const { pathname, searchParams } = new URL(href, 'https://engine.invalid');
  const query = pathname.endsWith('/search') ? searchParams.get('q') : null;
  return query?.trim() === '' ? null : query;
}
