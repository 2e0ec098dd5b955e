// What every answer of a vendor must fulfil: it is of the requested search, in order, fresh, and proves what it lacks.

import { otherSearch } from '../../engines/other-search.ts';
import { placeInAddress, primaryLanguage, rejectOtherPlace } from '../../engines/page/other-market.ts';
import { rejectOtherQuery } from '../../engines/page/query.ts';
import { pageFailureMessages, ServiceError } from '../../model/errors.ts';
import { isOutOfOrder } from '../../model/results/list-order.ts';
import type { ReadPage } from '../../model/results/serp.ts';
import type { PageRequest } from '../../model/source.ts';
import { dayMs } from '../../model/time/clock.ts';
import { Fields, ShapeError } from '../../net/fields.ts';
import { numberAt, objectAt, valueAt, wordsAt } from './values.ts';

/**
 * Where an answer repeats its search, as paths such as `search_parameters.q`. What it does not repeat proves nothing.
 */
export interface Echo {
  /** Texts that must be the requested query. */
  readonly queries: readonly string[];
  /** How the vendor writes a keyword in its requests; an echo in that form counts, too. */
  readonly encode?: (keyword: string) => string;
  /** Texts that name the location. */
  readonly places?: readonly string[];
  /** Where the texts are from; names in the footer of the page are in its language. Default: `echo`. */
  readonly placesFrom?: 'footer';
  /**
   * The object with parameters of the search (`gl`, `hl`, `device`, `start` and the like), or where each of them may
   * be; `isMobile` is the device as a boolean.
   */
  readonly parameters?: string | Readonly<Record<string, readonly string[]>>;
  /** Names of the engine among these parameters. Default: Google's. */
  readonly engine?: RegExp;
  /** The number of the page. */
  readonly page?: string;
  /** The address that the engine received, and which parts of it are compared. */
  readonly address?: string;
  readonly addressNames?: readonly ('place' | 'market' | 'query')[];
}

/** Throws SERP_FAILED for an answer to another search than the requested one. */
export function rejectOtherSearch(root: Fields, asked: PageRequest, echo: Echo, pageSize?: number): void {
  const { queries, encode, places = [], placesFrom: shownIn = 'echo', parameters, page } = echo;
  const address = echo.address === undefined ? undefined : wordsAt(root, echo.address);
  const inAddress = echoInAddress(address);
  const compares = (part: 'place' | 'market' | 'query') => echo.addressNames?.includes(part) === true;
  const textsAt = (paths: readonly string[]) => paths.map((path) => wordsAt(root, path));
  rejectOtherPlace(asked, [...textsAt(places), compares('place') ? placeInAddress(address) : undefined], { shownIn });
  if (parameters !== undefined) rejectOtherMarket(asked, parametersAt(root, parameters), pageSize, echo.engine);
  if (compares('market')) rejectOtherMarket(asked, inAddress);
  if (page !== undefined) rejectOtherPage(asked, numberAt(root, page));
  const named = [...textsAt(queries), compares('query') ? wordsAt(inAddress, 'q') : undefined];
  rejectOtherQuery(
    asked.keyword,
    named.map((query) => (query === encode?.(asked.keyword) ? undefined : query)),
  );
}

function parametersAt(root: Fields, parameters: NonNullable<Echo['parameters']>): Fields | undefined {
  if (typeof parameters === 'string') return objectAt(root, parameters);
  const named = Object.entries(parameters).map(([name, paths]) => {
    return [name, paths.map((path) => valueAt(root, path)).find((value) => value !== undefined)] as const;
  });
  const { isMobile, ...echo }: Record<string, unknown> = Object.fromEntries(named);
  return new Fields(
    { ...(typeof isMobile === 'boolean' && { device: isMobile ? 'mobile' : 'desktop' }), ...echo },
    'echo',
  );
}

/** Vendors write the United Kingdom in two ways. */
const sameCountry: ReadonlyMap<string, string> = new Map([['uk', 'gb']]);

/**
 * Throws SERP_FAILED if `echo`, the parameters of the search that the vendor repeats in its answer, names another
 * country (`gl`), language (`hl`), device, `page` or beginning (`start`), or a search of pictures, news and the like.
 * Parameters that it does not repeat prove nothing.
 */
export function rejectOtherMarket(
  asked: PageRequest,
  echo: Fields | undefined,
  pageSize = 10,
  named = /^google(?:_light|_maps|_search)?$/,
): void {
  const country = wordsAt(echo, 'gl')?.toLowerCase();
  const device = wordsAt(echo, 'device')?.toLowerCase();
  const wanted = { country: asked.country.toLowerCase(), device: asked.mobile ? 'mobile' : 'desktop' };
  if (country !== undefined && (sameCountry.get(country) ?? country) !== wanted.country) {
    reject('wrong_location', `It was searched in "${country.slice(0, 80)}" instead of "${wanted.country}".`);
  }
  rejectOtherLanguage(asked, wordsAt(echo, 'hl'));
  if (device !== undefined && ['desktop', 'mobile', 'tablet'].includes(device) && device !== wanted.device) {
    reject('wrong_query', `It was searched on ${device} instead of ${wanted.device}.`);
  }
  rejectOtherPage(asked, numberAt(echo, 'page'));
  const start = numberAt(echo, 'start');
  if (start !== undefined && start !== (asked.page - 1) * pageSize)
    reject('wrong_query', `It begins at ${start}, which is not page ${asked.page}.`);
  const engine = wordsAt(echo, 'engine')?.toLowerCase();
  if (engine !== undefined && !named.test(engine))
    reject('wrong_query', `It was searched with ${engine.slice(0, 80)}.`);
  const kind = ['tbm', 'type', 'search_type'].map((name) => wordsAt(echo, name)?.toLowerCase() ?? '');
  const other = kind.find((each) => otherKinds.has(each));
  if (other !== undefined) reject('wrong_query', `It was searched for ${other}.`);
  const parameters = ['udm', 'tbm', 'tbs', 'chips', 'ibp'].map((name) => [name, wordsAt(echo, name) ?? ''] as const);
  const changed = otherSearch('google', parameters);
  if (changed !== undefined) reject('wrong_query', `It is another search: ${changed.slice(0, 80)}.`);
  const domain = wordsAt(echo, 'google_domain')?.toLowerCase();
  const ofDomain = domain === undefined ? undefined : countryOfDomain(domain);
  if (ofDomain !== undefined && ofDomain !== wanted.country)
    reject('wrong_location', `It was searched at ${domain?.slice(0, 80)} instead of in "${wanted.country}".`);
}

/** `google.co.in` is of India; undefined for `google.com`, which serves every country. */
function countryOfDomain(domain: string): string | undefined {
  const code = /^(?:www\.)?google\.(?:com?\.)?([a-z]{2})$/.exec(domain)?.[1];
  return code === undefined ? undefined : (sameCountry.get(code) ?? code);
}

/** A region of the language is not compared. */
function rejectOtherLanguage({ language }: PageRequest, named: string | undefined): void {
  if (named !== undefined && primaryLanguage(named) !== primaryLanguage(language))
    reject('wrong_query', `It was searched in the language "${named.slice(0, 80)}" instead of "${language}".`);
}

/** Throws SERP_FAILED if the answer says that the engine ignored the last words of a long keyword. */
export function rejectCutQuery(root: Fields): void {
  const information = ['search_information', 'searchInformation'].find((name) => objectAt(root, name) !== undefined);
  const names = ['query_words_ignored_from', 'word_limitation', 'queryWordsIgnoredFrom', 'wordLimitation'];
  const cut = wordsAt(root, ...names.map((name) => `${information}.${name}`));
  if (cut !== undefined) reject('wrong_query', `The engine ignored words of it: ${cut.slice(0, 80)}.`);
}

/** Throws SERP_FAILED for another page than the requested one. */
function rejectOtherPage(asked: PageRequest, page: number | undefined): void {
  if (page !== undefined && page !== asked.page)
    reject('wrong_query', `It is page ${page} instead of page ${asked.page}.`);
}

/** The parameters in the address of the page that the vendor says it fetched. */
function echoInAddress(address: string | undefined): Fields {
  return new Fields(Object.fromEntries(URL.parse(address ?? '')?.searchParams ?? []), 'address');
}

/** Searches other than that of the web, in the names of vendors and of the engine. */
const otherKinds: ReadonlySet<string> = new Set(
  'images news videos shopping scholar patents autocomplete isch nws vid shop bks'.split(' '),
);

function reject(reason: 'wrong_location' | 'wrong_query', how: string): never {
  throw new ServiceError('SERP_FAILED', `${pageFailureMessages[reason]} ${how}`, { reason });
}

/** Features of an engine's page that says that nothing was found, or that nothing follows. */
const besideNothing: ReadonlySet<string> = new Set(['related_searches', 'paid']);

/**
 * Throws SERP_FAILED if a page without organic results shows elements that only appear beside results, such as related
 * questions, a next page or a count of results: the vendor did not read the results, or the engine replaced them. Such
 * a page does not prove that nothing was found, even if the vendor says so.
 */
export function rejectMissingResults({ serp, features }: ReadPage, root: Fields, { page }: PageRequest): void {
  if (serp.organic !== undefined) return;
  const hasNext = wordsAt(root, 'pagination.next', 'serpapi_pagination.next') !== undefined;
  const counted = page === 1 ? (numberAt(root, 'search_information.total_results') ?? 0) : 0;
  if (hasNext || counted > 0 || features.some(({ type }) => !besideNothing.has(type))) throw noResults();
}

/**
 * A page without results and without the vendor's statement that nothing was found: the caller decides with its
 * knowledge of the search.
 */
export function unproven(read: ReadPage): ReadPage {
  return { ...read, doubts: [...(read.doubts ?? []), 'empty_unproven'] };
}

/**
 * Throws ShapeError for the last page of an answer that ends before the last page asked for: it may be cut, and is
 * bought alone. `isFull`: it has as many results as a page holds.
 */
export function rejectCutPage(
  page: number,
  { last, asked, isFull = false }: { readonly last: number; readonly asked: number; readonly isFull?: boolean },
): void {
  if (page === last && last < asked && !isFull) throw new ShapeError('the last of several pages may be incomplete');
}

/** A page without any result that does not say that nothing was found. */
export function noResults(what: 'organic result' | 'place' = 'organic result'): ServiceError {
  const message = `The page has no ${what} and does not say that nothing was found.`;
  return new ServiceError('SERP_FAILED', message, { reason: 'no_organic_results' });
}

/** Numbers of results among their kind, in the names of all vendors. */
const positionNames: readonly string[] = ['position', 'rank', 'pos', 'rank_group'];

/**
 * Throws ShapeError for a list in another order than the numbers of its items: one of both is wrong, and ranks are
 * counted by the list.
 */
export function rejectOtherOrder(
  items: readonly Fields[],
  list: string,
  names: readonly string[] = positionNames,
): void {
  for (const name of names) {
    const numbers = items.flatMap((item) => numberAt(item, name) ?? []);
    if (isOutOfOrder(numbers)) throw new ShapeError(`${list} is in another order than its own numbers (${name})`);
  }
}

/** Clocks and time zones differ by less, and no vendor keeps pages for longer to answer from them. */
const ageMsMax = dayMs;

/** UTC milliseconds. `isExact`: the answer names the time zone. */
interface Moment {
  readonly at: number;
  readonly isExact: boolean;
}

/**
 * When the page was fetched, in the names of all vendors: `created_at` of SerpApi, SearchApi, ValueSERP and Oxylabs,
 * `timestamp` of Bright Data, `datetime` of DataForSEO. Undefined if the answer does not say.
 */
function madeAt(root: Fields): Moment | undefined {
  const metadata = ['search_metadata', 'general', 'results', 'tasks.result'];
  const names = ['created_at', 'timestamp', 'datetime'];
  const written = wordsAt(root, ...metadata.flatMap((part) => names.map((name) => `${part}.${name}`)));
  const [, moment, zone] =
    /^(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?) ?(Z|UTC|[+-]\d\d:\d\d)?$/.exec(written ?? '') ?? [];
  if (moment === undefined) return undefined;
  const at = Date.parse(`${moment.replace(' ', 'T')}${zone === undefined || zone === 'UTC' ? 'Z' : zone}`);
  return Number.isNaN(at) ? undefined : { at, isExact: zone !== undefined };
}

/** When the engine was queried, UTC milliseconds: before `now` if the vendor answers from a cache or a queue. */
export function observedAt(root: Fields, now: number, keptMs = ageMsMax): number {
  const made = madeAt(root);
  return made?.isExact === true && made.at <= now && made.at > now - keptMs ? made.at : now;
}

/** Throws SERP_FAILED for a page that was fetched long before or after its request, such as one from a cache. */
export function rejectOldPage(root: Fields, receivedAt: number | undefined): void {
  const made = madeAt(root);
  if (receivedAt === undefined || made === undefined || Math.abs(made.at - receivedAt) <= ageMsMax) return;
  const [fetched, received] = [made.at, receivedAt].map((at) => new Date(at).toISOString());
  const message = `${pageFailureMessages.stale_page} It was fetched at ${fetched} and received at ${received}.`;
  throw new ServiceError('SERP_FAILED', message, { reason: 'stale_page' });
}
