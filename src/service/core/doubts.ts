// Doubts about a page, and the failure that they become if no earlier page of the search can settle them.
import { isDecoy } from '../engines/relevance.ts';
import { type PageBody, pageFailureMessages, ServiceError } from '../model/errors.ts';
import type { ReadPage } from '../model/results/serp.ts';

/**
 * The page with the doubt `decoy_page` added where its results have nothing to do with the query. Every page of every
 * source passes here once.
 */
export function withDoubts(read: ReadPage, keyword: string): ReadPage {
  if (!isDecoy(read.serp.organic ?? [], keyword)) return read;
  return { ...read, doubts: [...(read.doubts ?? []), 'decoy_page'] };
}

/** SERP_FAILED with the first doubt as its reason; undefined for a page without doubts. */
export function doubtFailure({ doubts = [] }: ReadPage, body?: PageBody): ServiceError | undefined {
  const [reason] = doubts;
  if (reason === undefined) return undefined;
  const facts = { reason, ...(body !== undefined && { body }) };
  return new ServiceError('SERP_FAILED', pageFailureMessages[reason], facts);
}
