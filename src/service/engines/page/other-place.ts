// Rejects a page that was made for another place than the requested one.
import { type PageBody, pageFailureMessages, ServiceError } from '../../model/errors.ts';
import { parseLocation, type SearchLocation } from '../../model/results/location.ts';
import { decodeUule } from '../../model/results/uule.ts';

interface AskedPlace {
  readonly location?: string | undefined;
  readonly language?: string | undefined;
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
