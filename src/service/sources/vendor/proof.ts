// Why a page that a vendor has sold proves nothing: it is another query's, or shows no results without saying so. It knows no vendor.
import { isSameQuery } from '../../engines/page/query.ts';
import { ServiceError } from '../../errors.ts';
import type { ReadPage } from '../../serp.ts';

/** Throws SERP_FAILED `wrong_query` where any of the queries that the vendor names as searched for is another than the one asked. */
export function refuseOtherQuery(asked: string, ...searched: readonly (string | undefined)[]): void {
  const other = searched.find((query) => query !== undefined && !isSameQuery(query, asked));
  if (other === undefined) return;
  const message = `The page is another query's. It was searched for "${other.slice(0, 80)}".`;
  throw new ServiceError('SERP_FAILED', message, { reason: 'wrong_query' });
}

/** What an engine shows on a page of its own that says that nothing was found, or that nothing follows. */
const besideNothing: ReadonlySet<string> = new Set(['related_searches', 'paid']);

/**
 * Throws SERP_FAILED where a page without organic results shows what stands beside results only, such as questions that people ask: the vendor did not
 * read the results, or the engine put others in their place. Either way the page does not prove that nothing was found, whatever the vendor's count says.
 */
export function refuseMissingResults({ serp, features }: ReadPage): void {
  if (serp.organic === undefined && features.some(({ type }) => !besideNothing.has(type))) throw noResults();
}

/** A page that lists nothing, where the vendor does not say that nothing was found: its caller decides with what it knows of the search. */
export function unproven(read: ReadPage): ReadPage {
  return { ...read, doubts: [...(read.doubts ?? []), 'empty_unproven'] };
}

/** A page without any organic result that does not say that nothing was found. */
export function noResults(): ServiceError {
  const message = 'The page has no organic result and does not say that nothing was found.';
  return new ServiceError('SERP_FAILED', message, { reason: 'no_organic_results' });
}
