// Checks lists of results, from any vendor or provider: no links into the engine, no ads, no result twice.
import { ServiceError } from '../model/errors.ts';
import type { SerpPage } from '../model/results/serp.ts';
import { readLinkOf } from './links.ts';

/** How far below itself a result may be again; on a recorded page of 97 results, two are, 15 and 26 results below. */
const repeatDistance = 10;
/** A longer list is of several pages, and one of them may begin with the last result of the page before it. */
const onePageMax = 10;
/** So many leading results that are the ads of the page, in their order, are ads. One site may be first as both. */
const repeatedAdsMin = 2;

/**
 * The page without results that lead into the engine itself, such as its image search: pages read from HTML leave them
 * out, too. `engines`: whose page it is; absent: the usual engine's. Throws SERP_FAILED `unparseable` for a list that
 * names a result twice, or begins with the ads above it.
 */
export function withCheckedList(page: SerpPage, engines: readonly string[] = []): SerpPage {
  const { organic, ...others } = page;
  if (organic === undefined) return page;
  const kept = organic.filter(({ link }) => {
    const { destination, isOpaque } = readLinkOf(engines, link);
    return destination !== undefined || isOpaque === true;
  });
  if (repeats(kept.map(({ link, title }) => `${link} ${title}`))) throw doubtful('it lists a result twice');
  const ads = (page.top_ads ?? []).map(({ link }) => placeOf(link));
  const leading = kept.findIndex(({ link }, nth) => placeOf(link) !== ads[nth]);
  if ((leading === -1 ? kept.length : leading) >= repeatedAdsMin) throw doubtful('its first results are its ads');
  if (kept.length === organic.length) return page;
  return kept.length === 0 ? others : { ...others, organic: kept.map((result, nth) => ({ ...result, rank: nth + 1 })) };
}

function repeats(results: readonly string[]): boolean {
  const seen = new Map<string, number>();
  return results.some((result, nth) => {
    const distance = nth - (seen.get(result) ?? Number.NEGATIVE_INFINITY);
    seen.set(result, nth);
    return distance < repeatDistance && (distance > 1 || results.length <= onePageMax);
  });
}

/** Without the query, in which ads have their tracking. */
function placeOf(link: string): string {
  const url = URL.parse(link);
  return url === null ? link : `${url.host}${url.pathname.replace(/\/$/, '')}`;
}

export function doubtful(why: string): ServiceError {
  return new ServiceError('SERP_FAILED', `The page proves no ranks: ${why}.`, { reason: 'unparseable' });
}
