// The page of a map search: its list of places, and nothing else.
import { ServiceError } from '../../../model/errors.ts';
import { parseLocation } from '../../../model/results/location.ts';
import type { ReadPage } from '../../../model/results/serp.ts';
import type { Fields } from '../../../net/fields.ts';
import { wordsAt } from '../values.ts';
import { feature } from './features.ts';
import { isPaidPlace, localResults } from './local-results.ts';
import { rejectOtherOrder, unproven } from './validator.ts';

/** What the answer says beside its places. */
export interface MapAnswer {
  /** The vendor says that nothing was found. */
  readonly saysEmpty: boolean;
  /** The list itself is there, and may be empty. */
  readonly hasList: boolean;
  /** Where an item has the address of its website; default: as in the lists of results pages. */
  readonly websiteIn?: readonly string[];
}

/**
 * Throws ShapeError for an unpaid place without a name, as it would move all others up, and SERP_FAILED for an answer
 * without places that is no empty list either.
 */
export function readMapPage(places: readonly Fields[], { saysEmpty, hasList, websiteIn }: MapAnswer): ReadPage {
  const nameless = places.find((place) => !isPaidPlace(place) && wordsAt(place, 'title', 'name') === undefined);
  if (nameless !== undefined) throw nameless.problem('title', 'is missing');
  rejectOtherOrder(places, 'The list of places', ['position', 'rank', 'rank_group']);
  const listed = localResults(places, websiteIn);
  if (listed !== undefined) {
    const links = feature('local_pack', places, 'website', 'url', 'link');
    return { serp: { local_results: listed }, features: links };
  }
  if (saysEmpty) return { serp: {}, features: [] };
  if (hasList) return unproven({ serp: {}, features: [] });
  const message = 'The page has no place and does not say that nothing was found.';
  throw new ServiceError('SERP_FAILED', message, { reason: 'no_organic_results' });
}

/** `@30.27,-97.74,14z`: the middle of the map, for vendors that take nothing else. Undefined for a whole country. */
export function mapMiddle(location: string | undefined): string | undefined {
  return location !== undefined && parseLocation(location).kind === 'coordinate' ? location : undefined;
}
