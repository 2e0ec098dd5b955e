// Rejects a page that answers another query than the requested one.
import { pageFailureMessages, ServiceError } from '../../model/errors.ts';
import { isSameQuery } from './query.ts';

export interface QueryEvidence {
  /** The page as received. */
  readonly html?: string;
  /** How the message that quotes the other query begins. */
  readonly shownBy?: string;
}

/** Throws SERP_FAILED `wrong_query` if one of the queries that the page names differs from the requested one. */
export function rejectOtherQuery(
  asked: string,
  searched: readonly (string | undefined)[],
  { html, shownBy = 'It was searched for' }: QueryEvidence = {},
): void {
  const other = searched.find((query) => query !== undefined && !isSameQuery(query, asked));
  if (other === undefined) return;
  throw new ServiceError('SERP_FAILED', `${pageFailureMessages.wrong_query} ${shownBy} "${other.slice(0, 80)}".`, {
    reason: 'wrong_query',
    ...(html !== undefined && { body: { contentType: 'text/html', text: html } }),
  });
}
