// Rejects a page that was made for another place than the requested one.
import { type PageBody, pageFailureMessages, ServiceError } from '../../model/errors.ts';
import { parseLocation } from '../../model/results/location.ts';

interface AskedPlace {
  readonly location?: string | undefined;
  readonly language?: string;
}

/**
 * Throws SERP_FAILED `wrong_location` if a place that the page or the vendor's echo names is another one. Coordinates
 * are not compared: nothing names them. Of `shownIn: 'footer'` only English words are: other languages translate names.
 */
export function rejectOtherPlace(
  { location, language = 'en' }: AskedPlace,
  named: readonly (string | undefined)[],
  { shownIn, body }: { readonly shownIn: 'footer' | 'echo'; readonly body?: PageBody },
): void {
  if (location === undefined || (shownIn === 'footer' && !/^en\b/.test(language))) return;
  const asked = parseLocation(location);
  if (asked.kind === 'coordinate') return;
  const other = named.find((place) => place !== undefined && isOtherPlace(asked.name, place));
  if (other === undefined) return;
  const message = `${pageFailureMessages.wrong_location} It names "${other.slice(0, 80)}" instead of "${asked.name}".`;
  throw new ServiceError('SERP_FAILED', message, { reason: 'wrong_location', ...(body !== undefined && { body }) });
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
