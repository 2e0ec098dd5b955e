// What a source does not sell of a search: one rule for its own calls, and for the config before anything is bought.
import { type LocationKind, parseLocation } from './results/location.ts';

/** What a source refuses in every run. Absent: no limit is known. */
export interface SearchLimits {
  /** The last page of a search. */
  readonly pagesMax?: number;
  readonly devices?: readonly ('desktop' | 'mobile')[];
  /** ISO 3166-1, upper case. */
  readonly countries?: readonly string[];
  /** BCP 47; one without a region stands for all of its regions. */
  readonly languages?: readonly string[];
  /** Locations inside a country; absent: none. */
  readonly locations?: readonly LocationKind[];
  readonly keyword?: KeywordLimits;
}

export interface KeywordLimits {
  readonly charactersMax: number;
  readonly wordsMax?: number;
}

/** A search as a source is asked for it; metrics and AI answers have neither page, device nor location. */
export interface LimitedSearch {
  readonly keyword: string;
  /** ISO 3166-1, upper case. */
  readonly country: string;
  /** BCP 47. */
  readonly language: string;
  readonly device?: 'desktop' | 'mobile';
  /** 1-based. */
  readonly page?: number;
  readonly location?: string | undefined;
}

/** The goods of a source as messages name them: `pages`, and the texts that it is asked for. */
export interface Goods {
  readonly what: string;
  readonly texts: 'keywords' | 'prompts';
}

export const pageGoods: Goods = { what: 'pages', texts: 'keywords' };
export const metricsGoods: Goods = { what: 'keyword metrics', texts: 'keywords' };

export function answerGoods(engine: string): Goods {
  return { what: `answers of ${engine}`, texts: 'prompts' };
}

/** Why a source does not sell a search. */
export interface Refusal {
  readonly of: 'page' | 'device' | 'country' | 'language' | 'location' | 'keyword';
  /** After the name of the source: `has no pages for QA`. */
  readonly words: string;
  /** What to do instead, beside another source: `track another country there`. */
  readonly remedy: string;
}

/** Undefined: a source with these limits takes the search. */
export function refusalOf(limits: SearchLimits, asked: LimitedSearch, { what, texts }: Goods): Refusal | undefined {
  const { pagesMax, devices, countries, languages, locations, keyword: limit } = limits;
  const { keyword, country, language, device, page = 1, location } = asked;
  if (pagesMax !== undefined && page > pagesMax)
    return {
      of: 'page',
      words: `sells ${pagesMax} pages of a search`,
      remedy: `write a depth of ${pagesMax} at most`,
    };
  if (device !== undefined && devices?.includes(device) === false)
    return { of: 'device', words: `has no ${device} ${what}`, remedy: `track ${devices.join(' and ')} only` };
  if (countries?.includes(country) === false)
    return { of: 'country', words: `has no ${what} for ${country}`, remedy: 'track another country there' };
  if (languages !== undefined && !hasLanguage(languages, language))
    return {
      of: 'language',
      words: `has no ${what} in the language ${language}`,
      remedy: 'track another language there',
    };
  const kind = location === undefined ? undefined : parseLocation(location).kind;
  if (kind !== undefined && locations?.includes(kind) !== true) {
    const where = kind === 'place' ? 'places inside a country' : 'coordinates';
    return { of: 'location', words: `has no ${what} for ${where}`, remedy: 'track the country as a whole there' };
  }
  if (limit === undefined || isTextTaken(limit, keyword)) return undefined;
  return {
    of: 'keyword',
    words: `has no ${what} of ${texts} with more than ${keywordLimitText(limit)}`,
    remedy: `write a shorter ${texts === 'prompts' ? 'prompt' : 'keyword'}`,
  };
}

/**
 * Why none of several sources takes the search, such as those of a chain; undefined: one does. Of several reasons, the
 * depth, because a search of fewer pages is sold.
 */
export function refusalOfAll(parts: readonly SearchLimits[], asked: LimitedSearch, goods: Goods): Refusal | undefined {
  const refusals = parts.map((limits) => refusalOf(limits, asked, goods));
  if (refusals.includes(undefined)) return undefined;
  const depths = parts.flatMap(({ pagesMax }, at) => (refusals[at]?.of === 'page' ? (pagesMax ?? []) : []));
  return depths.length === 0 ? refusals[0] : refusalOf({ pagesMax: Math.max(...depths) }, asked, goods);
}

/** The same of a page of any search. */
export function refusalOfPage(parts: readonly SearchLimits[], page: number, goods = pageGoods): Refusal | undefined {
  const depths = parts.map(({ pagesMax }) => (pagesMax === undefined ? {} : { pagesMax }));
  return refusalOfAll(depths, { keyword: '', country: '', language: '', page }, goods);
}

function hasLanguage(languages: readonly string[], language: string): boolean {
  return languages.includes(language) || languages.includes(language.split('-')[0] ?? '');
}

export function isTextTaken(limit: KeywordLimits | undefined, text: string): boolean {
  const { charactersMax, wordsMax = Number.POSITIVE_INFINITY } = limit ?? { charactersMax: Number.POSITIVE_INFINITY };
  // most are short: neither their characters nor their words need to be counted
  const isShort = text.length <= charactersMax || [...text].length <= charactersMax;
  return isShort && (text.length < 2 * wordsMax || text.trim().split(/\s+/u).length <= wordsMax);
}

/** `80 characters and 10 words` */
export function keywordLimitText({ charactersMax, wordsMax }: KeywordLimits): string {
  return `${charactersMax} characters${wordsMax === undefined ? '' : ` and ${wordsMax} words`}`;
}
