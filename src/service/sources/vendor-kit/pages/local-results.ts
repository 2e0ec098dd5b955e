// Places in the answers of vendors, in the names that they use.
import type { LocalResult } from '../../../model/results/serp.ts';
import type { Fields } from '../../../net/fields.ts';
import { numberAt, objectAt, wordsAt } from '../values.ts';
import { resolveDestination } from './elements.ts';

/** Types of elements of DataForSEO, which are no categories of businesses. */
const elementTypes = /^(?:local_pack|maps_search|maps_paid_item)$/;

/** Paid places are in no list: they are neither ranked nor counted. */
export function isPaidPlace(place: Fields): boolean {
  const isPaid = ['sponsored', 'is_paid'].some((name) => place.raw(name) === true);
  return isPaid || wordsAt(place, 'type') === 'maps_paid_item';
}

/**
 * Names of SerpApi, SearchApi, ValueSERP and HasData (`title`, `place_id`), Serper (`cid`, `category`), Bright Data
 * (`name`, `reviews_cnt`, `site`, `map_id`), DataForSEO (`cid`, `url`, an object `rating`). Sources: the samples of the
 * vendors, and where there is none their documentation of 2026-11. Paid places are left out.
 */
export function localResults(
  places: readonly Fields[],
  websiteIn: readonly string[] = ['website', 'site', 'url'],
): LocalResult[] | undefined {
  const found = places.flatMap((place): Omit<LocalResult, 'rank'>[] => {
    const name = wordsAt(place, 'title', 'name');
    if (name === undefined || isPaidPlace(place)) return [];
    const ids = wordsAt(place, 'place_id', 'placeId', 'map_id_encoded');
    const numbers = [wordsAt(place, 'cid', 'data_cid'), ids, secondNumber(wordsAt(place, 'data_id', 'map_id', 'fid'))];
    // some vendors call the number an id
    const cid = numbers.find((number) => number !== undefined && /^\d{6,20}$/.test(number));
    const placeId = numbers.find((number) => number !== undefined && /^[A-Za-z][\w-]{10,}$/.test(number));
    const score = objectAt(place, 'rating');
    const facts = {
      place_id: placeId,
      cid,
      rating: numberAt(place, 'rating') ?? numberAt(score, 'value'),
      reviews: numberAt(place, 'reviews', 'reviews_cnt', 'ratingCount') ?? numberAt(score, 'votes_count'),
      category: ['type', 'category', 'subtitle']
        .map((field) => wordsAt(place, field))
        .find((text) => text !== undefined && !elementTypes.test(text)),
      address: wordsAt(place, 'address'),
      phone: wordsAt(place, 'phone', 'phoneNumber'),
      website: resolveDestination(wordsAt(place, ...websiteIn) ?? wordsAt(objectAt(place, 'links'), 'website')),
    };
    return [{ name, ...Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)) }];
  });
  return found.length === 0 ? undefined : found.map((place, index) => ({ rank: index + 1, ...place }));
}

/** Google's other id, `0x89c259a8e1682bf5:0xea388e8841a2955e`, holds the number of the place in its second half. */
function secondNumber(id: string | undefined): string | undefined {
  const half = /^0x[\da-f]{1,16}:(0x[\da-f]{1,16})$/i.exec(id ?? '')?.[1];
  return half === undefined ? undefined : BigInt(half).toString();
}
