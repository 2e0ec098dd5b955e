// Rejects a bought page without results that does not say that nothing was found.
import { ServiceError } from '../../../model/errors.ts';
import type { ReadPage } from '../../../model/results/serp.ts';

/** Features of an engine's page that says that nothing was found, or that nothing follows. */
const besideNothing: ReadonlySet<string> = new Set(['related_searches', 'paid']);

/**
 * Throws SERP_FAILED if a page without organic results shows elements that only appear beside results, such as related
 * questions: the vendor did not read the results, or the engine replaced them. Such a page does not prove that nothing
 * was found, even if the vendor's count says so.
 */
export function rejectMissingResults({ serp, features }: ReadPage): void {
  if (serp.organic === undefined && features.some(({ type }) => !besideNothing.has(type))) throw noResults();
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
