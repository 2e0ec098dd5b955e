// Places in the answers of vendors, in the names that they use.
import type { LocalResult } from '../../../model/results/serp.ts';
import type { Fields } from '../../../net/fields.ts';
import { numberAt, objectAt, wordsAt } from '../values.ts';
import { resolveDestination } from './elements.ts';

/**
 * Names of SerpApi, SearchApi, ValueSERP and HasData (`title`, `place_id`), Serper (`cid`, `category`), Bright Data
 * (`name`, `reviews_cnt`, `site`), DataForSEO (`cid`, `url`, an object `rating`). Sources: the samples of the vendors,
 * and where there is none their documentation of 2026-11. Paid places are left out.
 */
export function localResults(places: readonly Fields[]): LocalResult[] | undefined {
  const found = places.flatMap((place): Omit<LocalResult, 'rank'>[] => {
    const name = wordsAt(place, 'title', 'name');
    if (name === undefined || place.raw('sponsored') === true || place.raw('is_paid') === true) return [];
    const numbers = [wordsAt(place, 'cid', 'data_cid'), wordsAt(place, 'place_id', 'placeId')];
    // some vendors call the number an id
    const cid = numbers.find((number) => number !== undefined && /^\d{6,20}$/.test(number));
    const placeId = numbers.find((number) => number !== undefined && /^[A-Za-z][\w-]{10,}$/.test(number));
    const score = objectAt(place, 'rating');
    const facts = {
      place_id: placeId,
      cid,
      rating: numberAt(place, 'rating') ?? numberAt(score, 'value'),
      reviews: numberAt(place, 'reviews', 'reviews_cnt', 'ratingCount') ?? numberAt(score, 'votes_count'),
      category: wordsAt(place, 'type', 'category', 'subtitle'),
      address: wordsAt(place, 'address'),
      phone: wordsAt(place, 'phone', 'phoneNumber'),
      website: resolveDestination(
        wordsAt(place, 'website', 'site', 'url') ?? wordsAt(objectAt(place, 'links'), 'website'),
      ),
    };
    return [{ name, ...Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)) }];
  });
  return found.length === 0 ? undefined : found.map((place, index) => ({ rank: index + 1, ...place }));
}
