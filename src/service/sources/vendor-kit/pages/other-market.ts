// Rejects a page that a vendor says it fetched for another country, device, page or search than the requested one.
import { otherSearch } from '../../../engines/other-search.ts';
import { primaryLanguage } from '../../../engines/page/other-market.ts';
import { pageFailureMessages, ServiceError } from '../../../model/errors.ts';
import type { PageRequest } from '../../../model/source.ts';
import { Fields } from '../../../net/fields.ts';
import { numberAt, objectAt, wordsAt } from '../values.ts';

/** Vendors write the United Kingdom in two ways. */
const sameCountry: ReadonlyMap<string, string> = new Map([['uk', 'gb']]);

/**
 * Throws SERP_FAILED if `echo`, the parameters of the search that the vendor repeats in its answer, names another
 * country (`gl`), language (`hl`), device, `page` or beginning (`start`), or a search of pictures, news and the like.
 * Parameters that it does not repeat prove nothing.
 */
export function rejectOtherMarket(asked: PageRequest, echo: Fields | undefined, pageSize = 10): void {
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
  if (engine !== undefined && !/^google(?:_light|_maps|_search)?$/.test(engine))
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
  const information = objectAt(root, 'search_information') ?? objectAt(root, 'searchInformation');
  const names = ['query_words_ignored_from', 'word_limitation', 'queryWordsIgnoredFrom', 'wordLimitation'];
  const cut = wordsAt(information, ...names);
  if (cut !== undefined) reject('wrong_query', `The engine ignored words of it: ${cut.slice(0, 80)}.`);
}

/** Throws SERP_FAILED for another page than the requested one. */
export function rejectOtherPage(asked: PageRequest, page: number | undefined): void {
  if (page !== undefined && page !== asked.page)
    reject('wrong_query', `It is page ${page} instead of page ${asked.page}.`);
}

/** The parameters in the address of the page that the vendor says it fetched. */
export function echoInAddress(address: string | undefined): Fields {
  return new Fields(Object.fromEntries(URL.parse(address ?? '')?.searchParams ?? []), 'address');
}

/** Searches other than that of the web, in the names of vendors and of the engine. */
const otherKinds: ReadonlySet<string> = new Set(
  'images news videos shopping scholar patents autocomplete isch nws vid shop bks'.split(' '),
);

function reject(reason: 'wrong_location' | 'wrong_query', how: string): never {
  throw new ServiceError('SERP_FAILED', `${pageFailureMessages[reason]} ${how}`, { reason });
}
