// The list of keywords of a metrics request: what is asked, and what is returned.
import { ServiceError } from '../../../model/errors.ts';
import { type KeywordMetrics, keywordKey } from '../../../model/results/keyword-data.ts';
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

/** Metrics of one keyword; absent fields are unknown. */
export type KnownMetrics = Partial<KeywordMetrics> & { readonly keyword: string };

/** Names of related keywords beside a keyword; a list of them is the answer. */
const relatedMax = 20;

/**
 * The requested keyword with the names of related ones, the wanted keywords, known or not, and as many related ones as
 * fit, best first; empty if nothing was wanted and nothing is known. `measured` is the vendor's data on the named
 * keywords.
 */
export function orderMetrics(
  asked: AskedMetrics,
  measured: readonly KnownMetrics[],
  related: readonly KnownMetrics[],
): readonly KnownMetrics[] {
  const byKey = new Map(measured.map((row) => [keywordKey(row.keyword), row]));
  const [own, ...wanted] = namedIn(asked).map((keyword) => ({ ...byKey.get(keywordKey(keyword)), keyword }));
  const named = new Set(namedIn(asked).map(keywordKey));
  const others = related.filter(({ keyword }) => !named.has(keywordKey(keyword))).slice(0, roomIn(asked));
  const names = others.slice(0, relatedMax).map(({ keyword }) => keyword);
  const isKnown = Object.entries(own ?? {}).some(([name, value]) => name !== 'keyword' && value != null);
  if (!isKnown && wanted.length === 0 && others.length === 0) return [];
  const first = { ...own, keyword: asked.keyword, related_keywords: names.length === 0 ? null : names };
  return [first, ...wanted, ...others];
}

/** At most `limit` rows, with null for unknown values. */
export function toRows(known: readonly KnownMetrics[], { country, language, limit }: MetricsRequest): KeywordMetrics[] {
  return known.slice(0, limit).map((row) => ({
    search_volume: null,
    cpc: null,
    competition: null,
    competition_level: null,
    intent: null,
    related_keywords: null,
    ...row,
    country: country.toLowerCase(),
    language,
  }));
}
