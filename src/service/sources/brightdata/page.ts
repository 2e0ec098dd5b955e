// Reads a page in Bright Data's format, with older and newer field names.
import type {
  AiOverviewText,
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
  feature,
  localResults,
  organicList,
  organicResult,
  overviewTexts,
  pageWith,
  panelLinks,
  resolveDestination,
  runningCount,
  tabsIn,
  textExtension,
  toOverview,
} from '../vendor-kit/elements.ts';
import { rejectOtherOrder } from '../vendor-kit/validator.ts';
import { listOrNothing, numberAt, numbered, objectAt, objectsAt, textsIn, wordsAt } from '../vendor-kit/values.ts';

/** The running count of an element, undefined where the page's numbers give no order. */
type Place = (item: Fields) => number | undefined;

const numberOf = (item: Fields) => numberAt(item, 'global_rank');

/**
 * Reads what the form has. Whether a page without organic results is an empty one is left to the caller. `isOrdered`:
 * `global_rank` is a place on the page.
 */
export function readPageForm(root: Fields, isOrdered: boolean): ReadPage {
  const counts = runningCount(isOrdered ? rankedNumbers(root) : []);
  const placeOf: Place = (item) => counts.get(numberOf(item) ?? Number.NaN);
  if (isOrdered) rejectOtherOrder(objectsAt(root, 'organic'), 'organic', ['global_rank']);
  const overview = objectAt(root, 'ai_overview');
  const serp = present<SerpPage>({
    organic: organicList(root, 'organic', (item, index) => readOrganic(item, index, placeOf)),
    knowledge: readKnowledge(objectAt(root, 'knowledge')),
    people_also_ask: numbered(objectsAt(root, 'people_also_ask').map((item) => readQuestion(item, placeOf))),
    related: numbered(objectsAt(root, 'related').flatMap((item) => readRelated(item, placeOf))),
    navigation: tabsIn(root),
    perspectives: listOrNothing([...objectsAt(root, 'perspectives'), ...listForums(root)].map(readPerspective)),
    ai_overview:
      overview === undefined ? undefined : toOverview(objectsAt(overview, 'texts'), objectsAt(overview, 'references')),
    images: numbered(objectsAt(root, 'images').flatMap(readImage)),
    top_ads: adsIn(objectsAt(root, 'top_ads'), 'referral_link'),
    bottom_ads: adsIn(objectsAt(root, 'bottom_ads'), 'referral_link'),
    overview: readEntity(objectAt(root, 'overview')),
    local_results: localResults(listItems(root, 'snack_pack')),
  });
  return pageWith(serp, besides(root));
}

/** The numbers of all elements that the vendor ranks: in the lists of the root object, and in its groups. */
function rankedNumbers(root: Fields): (number | undefined)[] {
  return root.names().flatMap((name) => {
    const group = objectAt(root, name);
    const listed = objectsAt(root, name).filter((item) => item.raw('rank') !== undefined);
    const grouped = [...(group === undefined ? [] : [group]), ...objectsAt(group, 'items')];
    return [...listed.map(numberOf), ...grouped.map(numberOf).filter((number) => number !== undefined)];
  });
}

/**
 * Features that the root object has no field for: the vendor's name, the feature's, and where an item has its address.
 */
const otherFeatures = [
  ['featured_snippets', 'featured_snippet', 'link'],
  ['perspectives', 'perspectives', 'link'],
  ['videos', 'video', 'link'],
  ['short_videos', 'short_videos', 'link'],
  ['shorts', 'short_videos', 'link'],
  ['snack_pack', 'local_pack', 'site'],
  ['top_stories', 'top_stories', 'link'],
  ['news', 'top_stories', 'link'],
  ['latest_posts', 'latest_posts', 'link'],
  ['top_pla', 'shopping', 'link'],
  ['bottom_pla', 'shopping', 'link'],
  ['jackpot_pla', 'shopping', 'link'],
  ['shopping', 'shopping', 'link'],
  ['popular_products', 'popular_products', 'link'],
  ['questions_and_answers', 'questions_and_answers', 'link'],
  ['twitter', 'twitter', 'link'],
  ['jobs', 'jobs', 'link'],
  ['recipes', 'recipes', 'link'],
  ['apps', 'app', 'link'],
  ['hotels_selection', 'hotels_pack', 'link'],
  ['flights', 'google_flights', 'link'],
] as const;

function besides(root: Fields): PageFeature[] {
  return [
    ...panelLinks(root.raw('knowledge'), root.raw('overview')),
    ...otherFeatures.flatMap(([name, type, address]) => feature(type, listItems(root, name), address)),
    ...feature('discussions_and_forums', listForums(root), 'link'),
  ];
}

/** The items of a box: a list, or a group that holds one. A group without items is one item itself. */
function listItems(root: Fields, name: string): readonly Fields[] {
  const group = objectAt(root, name);
  if (group === undefined || group.isEmpty()) return objectsAt(root, name);
  const items = objectsAt(group, 'items');
  return items.length > 0 ? items : [group];
}

function listForums(root: Fields): readonly Fields[] {
  return [...objectsAt(objectAt(root, 'forums'), 'items'), ...objectsAt(root, 'forums')];
}

function readOrganic(item: Fields, index: number, placeOf: Place): OrganicResult {
  const names = { link: ['link'], description: ['description'], displayLink: ['display_link'] };
  const result = organicResult(item, index, names, readExtensions(item));
  const seconds = numberAt(item, 'duration_sec');
  return present<OrganicResult>({
    ...result,
    global_rank: placeOf(item),
    image: pictureAt(item),
    duration: wordsAt(item, 'duration'),
    duration_sec: Number.isSafeInteger(seconds) ? seconds : undefined,
  });
}

/** The address of a picture; most pictures are sent as data. */
function pictureAt(item: Fields): string | undefined {
  const addresses = [wordsAt(item, 'image_url'), wordsAt(item, 'image'), wordsAt(item, 'thumbnail')];
  return addresses.find((address) => /^https?:/i.test(address ?? ''));
}

function readKnowledge(panel: Fields | undefined): KnowledgePanel | undefined {
  if (panel === undefined || panel.isEmpty()) return undefined;
  const facts = objectsAt(panel, 'facts').flatMap((fact) => {
    const key = wordsAt(fact, 'key', 'title', 'predicate');
    const texts = textsIn(fact.raw('value'));
    return key === undefined || texts.length === 0 ? [] : [{ key, value: texts.map((text) => ({ text })) }];
  });
  return present<KnowledgePanel>({
    name: wordsAt(panel, 'name', 'title'),
    subtitle: wordsAt(panel, 'subtitle'),
    description: wordsAt(panel, 'description'),
    description_source: wordsAt(panel, 'description_source'),
    facts: listOrNothing(facts),
  });
}

function readEntity(entity: Fields | undefined): SerpPage['overview'] {
  const [kgmid, title] = [wordsAt(entity, 'kgmid'), wordsAt(entity, 'title')];
  return kgmid === undefined && title === undefined
    ? undefined
    : present<NonNullable<SerpPage['overview']>>({ kgmid, title });
}

function readQuestion(item: Fields, placeOf: Place): Omit<PeopleAlsoAsk, 'rank'> {
  const answers = readAnswers(item);
  return present<Omit<PeopleAlsoAsk, 'rank'>>({
    global_rank: placeOf(item),
    question: wordsAt(item, 'question') ?? '',
    answer_source: resolveDestination(wordsAt(item, 'answer_link')) ?? wordsAt(item, 'answer_source'),
    answers: numbered(answers),
  });
}

/** A carousel of searches has no text, and one position for all of them. */
function readRelated(item: Fields, placeOf: Place): Omit<RelatedSearch, 'rank'>[] {
  const text = wordsAt(item, 'text');
  if (text === undefined) {
    return objectsAt(item, 'items').flatMap((each) => {
      const own = wordsAt(each, 'text');
      return own === undefined ? [] : [{ text: own, link: wordsAt(each, 'link') ?? '' }];
    });
  }
  return [
    present<Omit<RelatedSearch, 'rank'>>({ global_rank: placeOf(item), text, link: wordsAt(item, 'link') ?? '' }),
  ];
}

function readPerspective(item: Fields): Perspective {
  return present<Perspective>({
    title: wordsAt(item, 'title', 'text') ?? '',
    author: wordsAt(item, 'author'),
    source: wordsAt(item, 'source'),
  });
}

function readImage(item: Fields): Omit<ImageResult, 'rank'>[] {
  const link = resolveDestination(wordsAt(item, 'link'));
  if (link === undefined) return [];
  return [
    present<Omit<ImageResult, 'rank'>>({
      title: wordsAt(item, 'title', 'image_alt') ?? '',
      link,
      image: wordsAt(item, 'original_image') ?? pictureAt(item),
    }),
  ];
}

type Answer = Omit<NonNullable<PeopleAlsoAsk['answers']>[number], 'rank'>;

const answerTypes: ReadonlyMap<string, Answer['type']> = new Map([
  ['ordered_list', 'ordered_list'],
  ['unordered_list', 'unordered_list'],
  ['table', 'table'],
  ['video', 'video'],
]);

/** Most answers are loaded when a question is opened: without a text there is none. */
function readAnswers(question: Fields): Answer[] {
  return objectsAt(question, 'answers').flatMap((answer) => {
    const text = readAnswerText(answer);
    return text === '' ? [] : [{ type: answerTypes.get(wordsAt(answer, 'type') ?? '') ?? 'answer', value: { text } }];
  });
}

function readAnswerText(answer: Fields): string {
  const written = overviewTexts(objectsAt(answer, 'texts')).flatMap(linesOfBlock);
  if (written.length > 0) return written.join('\n');
  const value = objectAt(answer, 'value');
  const text = wordsAt(value, 'text', 'title') ?? wordsAt(answer, 'value', 'text');
  if (text !== undefined) return text;
  const rows = [answer.raw('items'), answer.raw('value'), value?.raw('items')].find((each) => Array.isArray(each));
  return readLines(rows).join('\n');
}

function linesOfBlock(block: AiOverviewText): string[] {
  if (block.type !== 'list') return [block.snippet];
  return [...(block.title === undefined ? [] : [block.title]), ...block.list.flatMap(linesOfBlock)];
}

/** A line an item; an item that is a list itself is the row of a table. */
function readLines(items: unknown): string[] {
  if (!Array.isArray(items)) return [];
  return items
    .map((item) => (Array.isArray(item) ? item.map(readCell).join(' ') : readCell(item)))
    .filter((line) => line.trim() !== '');
}

function readCell(cell: unknown): string {
  if (typeof cell === 'string') return cell.trim();
  if (typeof cell !== 'object' || cell === null || Array.isArray(cell)) return '';
  const { text, value } = cell as { readonly text?: unknown; readonly value?: unknown };
  if (typeof text === 'string') return text.trim();
  return value === undefined ? '' : readCell(value);
}

/**
 * The vendor's types that say something about the result. Of the others (`jump_to`, `google_books`, ...) nothing is
 * shown.
 */
const extensionTypes: ReadonlyMap<string, Extension['type']> = new Map([
  ['site_link', 'site_link'],
  ['text', 'text'],
  ['rating', 'rating'],
  ['reviews', 'reviews'],
  ['price', 'price'],
  ['fact', 'fact'],
  ['list', 'list'],
  ['question', 'question'],
  ['missing', 'missing'],
]);

function readExtensions(result: Fields): Omit<Extension, 'rank'>[] {
  return [
    ...objectsAt(result, 'extensions').flatMap(readExtension),
    ...textExtension('date', wordsAt(result, 'last_modified_date')),
  ];
}

function readExtension(item: Fields): Omit<Extension, 'rank'>[] {
  const type = extensionTypes.get(wordsAt(item, 'type') ?? '');
  const text = type === undefined ? undefined : readExtensionText(item);
  if (type === undefined || text === undefined) return [];
  const address = wordsAt(item, 'link');
  const link = resolveDestination(address);
  // "More results from ..." is a search of the engine, and no sitelink
  if (type === 'site_link' && address !== undefined && link === undefined) return [];
  return [present<Omit<Extension, 'rank'>>({ type, text, link })];
}

/** A fact is its key and what it is; a list its lines. */
function readExtensionText(item: Fields): string | undefined {
  const values = objectsAt(item, 'value').flatMap((each) => wordsAt(each, 'text') ?? []);
  const plain = item.raw('value');
  const lines = Array.isArray(plain) ? plain.filter((each) => typeof each === 'string') : [];
  const said = [...values, ...lines].join(', ');
  const key = wordsAt(item, 'key');
  if (key !== undefined && said !== '') return `${key}: ${said}`;
  const number = numberAt(item, 'value', 'rating', 'reviews', 'reviews_cnt', 'price');
  const text = wordsAt(item, 'text', 'title', 'question');
  if (text !== undefined) return text;
  if (said !== '') return said;
  return number === undefined ? key : String(number);
}
