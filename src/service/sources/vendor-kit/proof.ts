// Rejects a sold page that shows no results and does not say that nothing was found.
import { ServiceError } from '../../model/errors.ts';
import type { ReadPage } from '../../model/serp.ts';

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
 * A page that lists nothing, where the vendor does not say that nothing was found: its caller decides with what it
 * knows of the search.
 */
export function unproven(read: ReadPage): ReadPage {
  return { ...read, doubts: [...(read.doubts ?? []), 'empty_unproven'] };
}

/** A page without any organic result that does not say that nothing was found. */
export function noResults(): ServiceError {
  const message = 'The page has no organic result and does not say that nothing was found.';
  return new ServiceError('SERP_FAILED', message, { reason: 'no_organic_results' });
}
