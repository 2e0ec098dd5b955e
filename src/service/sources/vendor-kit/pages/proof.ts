// Rejects a bought page without results that does not say that nothing was found.
import { ServiceError } from '../../../model/errors.ts';
import type { ReadPage } from '../../../model/results/serp.ts';
import type { PageRequest } from '../../../model/source.ts';
import type { Fields } from '../../../net/fields.ts';
import { numberAt, objectAt, wordsAt } from '../values.ts';

/** Features of an engine's page that says that nothing was found, or that nothing follows. */
const besideNothing: ReadonlySet<string> = new Set(['related_searches', 'paid']);

/**
 * Throws SERP_FAILED if a page without organic results shows elements that only appear beside results, such as related
 * questions, a next page or a count of results: the vendor did not read the results, or the engine replaced them. Such
 * a page does not prove that nothing was found, even if the vendor says so.
 */
export function rejectMissingResults({ serp, features }: ReadPage, root: Fields, { page }: PageRequest): void {
  if (serp.organic !== undefined) return;
  const hasNext = ['pagination', 'serpapi_pagination'].some(
    (name) => wordsAt(objectAt(root, name), 'next') !== undefined,
  );
  const counted = page === 1 ? (numberAt(objectAt(root, 'search_information'), 'total_results') ?? 0) : 0;
  if (hasNext || counted > 0 || features.some(({ type }) => !besideNothing.has(type))) throw noResults();
}

/**
 * A page without results and without the vendor's statement that nothing was found: the caller decides with its
 * knowledge of the search.
 */
export function unproven(read: ReadPage): ReadPage {
  return { ...read, doubts: [...(read.doubts ?? []), 'empty_unproven'] };
}

/** A page without any organic result that does not say that nothing was found. */
export function noResults(): ServiceError {
  const message = 'The page has no organic result and does not say that nothing was found.';
  return new ServiceError('SERP_FAILED', message, { reason: 'no_organic_results' });
}
