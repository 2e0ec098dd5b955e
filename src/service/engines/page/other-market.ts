// Rejects a page that says itself that it was made for another country, language or place than the requested ones.
import { type PageBody, type PageFailureReason, pageFailureMessages, ServiceError } from '../../model/errors.ts';
import { decodeUule, parseLocation, type SearchLocation } from '../../model/results/location.ts';

interface AskedMarket {
  /** ISO 3166-1, upper case. Absent: that of `location`. */
  readonly country?: string;
  /** BCP 47. Absent: not compared. */
  readonly language?: string;
  readonly location?: string;
}

/** What a page says about its market, by any of its marks. Unknown codes and absent marks prove nothing. */
export interface ShownMarket {
  readonly countries: readonly (string | undefined)[];
  /** BCP 47; a region is that of the country, too. */
  readonly languages: readonly (string | undefined)[];
}

/**
 * Languages that all engines have for their pages. For others they use one of these, which proves nothing. Norwegian is
 * `no`.
 */
const known: ReadonlySet<string> = new Set(
  `af am ar az be bg bn bs ca cs cy da de el en es et eu fa fi fil fr ga gl gu he hi hr hu hy id is it ja ka kk km kn ko
  ky lo lt lv mk ml mn mr ms ne nl no pa pl pt ro ru si sk sl sq sr sv sw ta te th tr uk ur uz vi zh zu`.split(/\s+/),
);
/** Older codes, and the written standards of Norwegian. */
const sameLanguages: ReadonlyMap<string, string> = new Map([
  ['nb', 'no'],
  ['nn', 'no'],
  ['iw', 'he'],
  ['in', 'id'],
  ['tl', 'fil'],
  ['jp', 'ja'],
]);

/**
 * Throws SERP_FAILED `wrong_location` if the page names another country, and `wrong_query` if it names another
 * language.
 */
export function rejectOtherMarket(asked: AskedMarket, shown: ShownMarket, html: string): void {
  const language = asked.language ?? '';
  const country = asked.country ?? lastCountry(asked.location);
  if (country !== undefined) {
    const regions = shown.languages.map(regionOf).filter((region) => region !== regionOf(language));
    const other = [...shown.countries, ...regions].find((code) => code !== undefined && isOtherCountry(code, country));
    if (other !== undefined) reject('wrong_location', `It names the country "${other}" instead of "${country}".`, html);
  }
  const other = shown.languages.find((each) => each !== undefined && isOtherLanguage(each, language));
  if (other !== undefined) reject('wrong_query', `It is in the language "${other}" instead of "${language}".`, html);
}

function reject(reason: PageFailureReason, how: string, text: string): never {
  const body = { contentType: 'text/html', text } as const;
  throw new ServiceError('SERP_FAILED', `${pageFailureMessages[reason]} ${how}`, { reason, body });
}

function isOtherCountry(shown: string, asked: string): boolean {
  const code = shown.toUpperCase() === 'UK' ? 'GB' : shown.toUpperCase();
  return code !== asked.toUpperCase() && /^[A-Z]{2}$/.test(code) && nameOf(code, 'en') !== undefined;
}

/** Scripts are compared where both name one, by themselves or by a region: `zh-TW` is not `zh-CN`. */
function isOtherLanguage(shown: string, asked: string): boolean {
  const [one, other] = [primaryLanguage(shown), primaryLanguage(asked)];
  if (!known.has(one) || !known.has(other)) return false;
  return one !== other || (/[-_]/.test(shown) && /[-_]/.test(asked) && scriptOf(shown) !== scriptOf(asked));
}

/** One language has several codes. */
export function primaryLanguage(language: string): string {
  const [first = ''] = language.toLowerCase().split(/[-_]/);
  return sameLanguages.get(first) ?? first;
}

function scriptOf(language: string): string | undefined {
  try {
    return new Intl.Locale(language.replaceAll('_', '-')).maximize().script;
  } catch {
    return undefined;
  }
}

/** Portuguese and Chinese have a region in every country. */
function regionOf(language: string | undefined): string | undefined {
  return /^(?!pt|zh)[a-z]{2,3}[-_]([a-z]{2})$/i.exec(language ?? '')?.[1]?.toUpperCase();
}

/** `United States` in `Austin,Texas,United States`. */
function lastCountry(location: string | undefined): string | undefined {
  const place = parseLocation(location ?? '');
  return place.kind === 'place' ? countryNamed(place.name.split(',').at(-1) ?? '', 'en') : undefined;
}

const codes: readonly string[] = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'].flatMap((first, _, letters) =>
  letters.map((second) => first + second),
);
const namesByLanguage = new Map<string, ReadonlyMap<string, string>>();

/** The code of a country by its name in a language. */
export function countryNamed(name: string, language: string): string | undefined {
  if (!known.has(primaryLanguage(language))) return undefined;
  const names = namesByLanguage.get(language) ?? new Map(codes.map((code) => [nameOf(code, language) ?? '', code]));
  namesByLanguage.set(language, names);
  return name === '' ? undefined : names.get(name);
}

function nameOf(code: string, language: string): string | undefined {
  // obsolete codes have the name of their successor
  if (new Intl.Locale(`und-${code}`).region !== code) return undefined;
  return new Intl.DisplayNames(language, { type: 'region', fallback: 'none' }).of(code);
}

interface AskedPlace {
  readonly location?: string;
  readonly language?: string;
}

/**
 * Throws SERP_FAILED `wrong_location` if a location that the page or the vendor's echo names is another one. Places are
 * compared with places, and coordinates with coordinates. Of `shownIn: 'footer'` only English words are: other
 * languages translate names.
 */
export function rejectOtherPlace(
  { location, language = 'en' }: AskedPlace,
  named: readonly (string | undefined)[],
  { shownIn, body }: { readonly shownIn: 'footer' | 'echo'; readonly body?: PageBody },
): void {
  if (location === undefined || (shownIn === 'footer' && !/^en\b/.test(language))) return;
  const asked = parseLocation(location);
  const other = named.find((place) => place !== undefined && isElsewhere(asked, place));
  if (other === undefined) return;
  const message = `${pageFailureMessages.wrong_location} It names "${other.slice(0, 80)}" instead of "${location}".`;
  throw new ServiceError('SERP_FAILED', message, { reason: 'wrong_location', ...(body !== undefined && { body }) });
}

/** The location in the address of a page: Google's `uule`, or the middle of a map. Undefined if it names none. */
export function placeInAddress(address: string | undefined): string | undefined {
  const url = URL.parse(address ?? '');
  const uule = url?.searchParams.get('uule') ?? undefined;
  if (uule !== undefined) return decodeUule(uule);
  return /\/maps\/search\/[^/]*\/(@-?[\d.]+,-?[\d.]+)/.exec(url?.pathname ?? '')?.[1];
}

/** Degrees, some 50 m: vendors round coordinates. */
const nearDegrees = 0.0005;

function isElsewhere(asked: SearchLocation, named: string): boolean {
  const shown = parseLocation(named);
  if (asked.kind === 'place') return shown.kind === 'place' && isOtherPlace(asked.name, shown.name);
  if (shown.kind === 'place') return false;
  return (
    Math.abs(asked.latitude - shown.latitude) > nearDegrees || Math.abs(asked.longitude - shown.longitude) > nearDegrees
  );
}

/**
 * Whether a named place is certainly another one: none of its parts is the city, region or postcode that was asked for.
 * `Downtown, Austin, TX` is Austin. A region is not compared with abbreviations.
 */
export function isOtherPlace(asked: string, named: string): boolean {
  const wanted = partsOf(asked);
  const parts = partsOf(named);
  const [first = ''] = wanted;
  if (parts.length === 0 || parts.every((part) => /^(?:unknown|n\/?a|none)$/.test(part))) return false;
  // a country in which nothing is asked for says nothing
  if (parts.length === 1 && parts[0] === wanted.at(-1)) return wanted.length > 1;
  const isRegion = wanted.length <= 2;
  if (isRegion && parts.some((part) => /^[a-z]{2,3}$/.test(part))) return false;
  return !parts.some((part) => part === first || (part.includes(first) && isWithin(part, first)));
}

/** `78701 austin` contains `austin` as whole words. */
function isWithin(text: string, words: string): boolean {
  return ` ${text} `.includes(` ${words} `);
}

/** Lower case, without accents and punctuation. */
function partsOf(name: string): string[] {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(',')
    .map((part) => part.replace(/[^\p{L}\p{N}]+/gu, ' ').trim())
    .filter((part) => part !== '');
}
