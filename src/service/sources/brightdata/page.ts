// Reads a page in Bright Data's format, with older and newer field names.
import type {
  AiOverviewText,
  Extension,
  KnowledgePanel,
  PeopleAlsoAsk,
  ReadPage,
  RelatedSearch,
} from '../../model/results/serp.ts';
import type { Fields } from '../../net/fields.ts';
import {
  adsIn,
  destinationAt,
  factOf,
  feature,
  imageIn,
  localResults,
  organicList,
  organicResult,
  overviewTexts,
  pageWith,
  panelIn,
  panelLinks,
  pictureAt,
  questionsIn,
  resolveDestination,
  runningCount,
  searchesIn,
  tabsIn,
  textExtensions,
  toOverview,
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
  textsIn,
  wordsAt,
} from '../vendor-kit/values.ts';

const numberOf = (item: Fields) => numberAt(item, 'global_rank');
const resultNames = { link: ['link'], description: ['description'], displayLink: ['display_link'] };
const panelNames = {
  name: ['name', 'title'],
  subtitle: ['subtitle'],
  description: ['description'],
  description_source: ['description_source'],
};
const pictureNames = ['image_url', 'image', 'thumbnail'];
const forums = ['forums.items', 'forums'];

/** `isOrdered`: `global_rank` is a place on the page. */
export function readPage(root: Fields, isOrdered: boolean): ReadPage {
  const counts = runningCount(isOrdered ? rankedNumbers(root) : []);
  const placeOf = (item: Fields) => counts.get(numberOf(item) ?? Number.NaN);
  if (isOrdered) rejectOtherOrder(objectsAt(root, 'organic'), 'organic', ['global_rank']);
  const overview = objectAt(root, 'ai_overview');
  const entity = objectAt(root, 'overview');
  const serp = {
    organic: organicList(root, 'organic', (item, index) => {
      const seconds = numberAt(item, 'duration_sec');
      return {
        ...organicResult(item, index, resultNames, readExtensions(item)),
        global_rank: placeOf(item),
        image: pictureAt(item, ...pictureNames),
        duration: wordsAt(item, 'duration'),
        duration_sec: Number.isSafeInteger(seconds) ? seconds : undefined,
      };
    }),
    knowledge: readKnowledge(objectAt(root, 'knowledge')),
    people_also_ask: numbered(
      objectsAt(root, 'people_also_ask').map((item) => ({
        global_rank: placeOf(item),
        question: wordsAt(item, 'question') ?? '',
        answer_source: destinationAt(item, 'answer_link') ?? wordsAt(item, 'answer_source'),
        answers: numbered(readAnswers(item)),
      })),
    ),
    related: numbered(
      objectsAt(root, 'related').flatMap((item): Unranked<RelatedSearch>[] => {
        const text = wordsAt(item, 'text');
        if (text !== undefined) return [{ global_rank: placeOf(item), text, link: wordsAt(item, 'link') ?? '' }];
        // a carousel of searches has no text, and one position for all of them
        return searchesIn(item, ['items'], ['text']);
      }),
    ),
    navigation: tabsIn(root),
    perspectives: listOrNothing(
      objectsAt(root, 'perspectives', ...forums).map((item) => ({
        title: wordsAt(item, 'title', 'text') ?? '',
        author: wordsAt(item, 'author'),
        source: wordsAt(item, 'source'),
      })),
    ),
    ai_overview: overview && toOverview(objectsAt(overview, 'texts'), objectsAt(overview, 'references')),
    images: numbered(
      objectsAt(root, 'images').flatMap((item) => {
        const picture = wordsAt(item, 'original_image') ?? pictureAt(item, ...pictureNames);
        return imageIn(item, ['title', 'image_alt'], destinationAt(item, 'link'), picture);
      }),
    ),
    top_ads: adsIn(objectsAt(root, 'top_ads'), 'referral_link'),
    bottom_ads: adsIn(objectsAt(root, 'bottom_ads'), 'referral_link'),
    overview:
      wordsAt(entity, 'kgmid', 'title') === undefined
        ? undefined
        : { kgmid: wordsAt(entity, 'kgmid'), title: wordsAt(entity, 'title') },
    local_results: localResults(listItems(root, 'snack_pack')),
  };
  return pageWith(serp, [
    ...panelLinks(root, 'knowledge', 'overview'),
    ...questionsIn(objectsAt(root, 'people_also_ask')),
    ...otherFeatures.flatMap(([name, type, address]) => feature(type, listItems(root, name), address)),
    ...feature('discussions_and_forums', objectsAt(root, ...forums), 'link'),
  ]);
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

/** The items of a box: a list, or a group that holds one. A group without items is one item itself. */
function listItems(root: Fields, name: string): readonly Fields[] {
  const group = objectAt(root, name);
  if (group === undefined || group.isEmpty()) return objectsAt(root, name);
  const items = objectsAt(group, 'items');
  return items.length > 0 ? items : [group];
}

function readKnowledge(panel: Fields | undefined): KnowledgePanel | undefined {
  if (panel === undefined || panel.isEmpty()) return undefined;
  const facts = objectsAt(panel, 'facts').flatMap((fact) =>
    factOf(wordsAt(fact, 'key', 'title', 'predicate'), ...textsIn(fact.raw('value'))),
  );
  return panelIn(panel, panelNames, facts);
}

/** Answers to questions: a text, a list, a table, or a generated overview. */
type Answer = Unranked<NonNullable<PeopleAlsoAsk['answers']>[number]>;

const answerTypes: readonly string[] = ['ordered_list', 'unordered_list', 'table', 'video'] satisfies Answer['type'][];

/** Most answers are loaded when a question is opened: without a text there is none. */
function readAnswers(question: Fields): Answer[] {
  return objectsAt(question, 'answers').flatMap((answer) => {
    const text = readAnswerText(answer);
    const named = wordsAt(answer, 'type') ?? '';
    const type = answerTypes.includes(named) ? (named as Answer['type']) : 'answer';
    return text === '' ? [] : [{ type, value: { text } }];
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
const extensionTypes: readonly string[] = [
  'site_link',
  'text',
  'rating',
  'reviews',
  'price',
  'fact',
  'list',
  'question',
  'missing',
] satisfies Extension['type'][];

function readExtensions(result: Fields): Unranked<Extension>[] {
  return [
    ...objectsAt(result, 'extensions').flatMap(readExtension),
    ...textExtensions({ date: wordsAt(result, 'last_modified_date') }),
  ];
}

function readExtension(item: Fields): Unranked<Extension>[] {
  const type = wordsAt(item, 'type') ?? '';
  const text = extensionTypes.includes(type) ? readExtensionText(item) : undefined;
  if (text === undefined) return [];
  const address = wordsAt(item, 'link');
  const link = resolveDestination(address);
  // "More results from ..." is a search of the engine, and no sitelink
  if (type === 'site_link' && address !== undefined && link === undefined) return [];
  return [{ type: type as Extension['type'], text, link }];
}

/** A fact is its key and what it is; a list its lines. */
function readExtensionText(item: Fields): string | undefined {
  const values = objectsAt(item, 'value').flatMap((each) => wordsAt(each, 'text') ?? []);
  const said = [...values, ...textListAt(item, 'value')].join(', ');
  const key = wordsAt(item, 'key');
  if (key !== undefined && said !== '') return `${key}: ${said}`;
  const text = wordsAt(item, 'text', 'title', 'question') ?? (said === '' ? undefined : said);
  return text ?? numberText(item, 'value', 'rating', 'reviews', 'reviews_cnt', 'price') ?? key;
}
