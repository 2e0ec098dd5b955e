// The keywords that one metrics request names: the requested one, and others that the caller wants beside it.
import { ServiceError } from '../../../model/errors.ts';
import { keywordKey } from '../../../model/results/keyword-data.ts';
import type { MetricsRequest } from '../../../model/source.ts';

/** The requested keyword with other wanted keywords: each once, and no more than fit. */
export interface AskedMetrics extends MetricsRequest {
  readonly wanted: readonly string[];
}

/** The asked keyword and the wanted ones. */
export function namedIn({ keyword, wanted }: AskedMetrics): readonly string[] {
  return [keyword, ...wanted];
}

/** How many related keywords still fit. */
export function roomIn({ limit, wanted }: AskedMetrics): number {
  return limit - 1 - wanted.length;
}

/** The request with the wanted keywords that may be added: each once, as many as the limit allows. */
export function withWanted(
  request: MetricsRequest,
  wanted: readonly string[],
  takes: (keyword: string) => boolean,
): AskedMetrics {
  const byKey = new Map(wanted.filter(takes).map((keyword) => [keywordKey(keyword), keyword]));
  byKey.delete(keywordKey(request.keyword));
  return { ...request, wanted: [...byKey.values()].slice(0, request.limit - 1) };
}

/** The vendor may reject one of several keywords; then the requested one is sent alone. */
export async function togetherOrAlone<Answer>(
  asked: AskedMetrics,
  fetch: (asked: AskedMetrics) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await fetch(asked);
  } catch (error) {
    const isRefused = error instanceof ServiceError && error.code === 'INVALID_REQUEST' && error.charged === 'no';
    if (!isRefused || asked.wanted.length === 0) throw error;
    return await fetch({ ...asked, wanted: [] });
  }
}
