// Rejects a page that answers another query than the requested one.
import { pageFailureMessages, ServiceError } from '../../model/errors.ts';
import { isSameQuery } from './query.ts';

export interface QueryEvidence {
  /** The page as it was received. */
  readonly html?: string;
  /** How the message begins that quotes the other query. */
  readonly shownBy?: string;
}

/** Throws SERP_FAILED `wrong_query` where one of the queries that the page names is another than the one asked. */
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
