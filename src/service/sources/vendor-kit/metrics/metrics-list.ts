// Assembles the list of keywords for a metrics request.
import { type KeywordMetrics, keywordKey } from '../../../model/results/keyword-data.ts';
import type { MetricsRequest } from '../../../model/source.ts';
import { type AskedMetrics, namedIn, roomIn } from './asked-metrics.ts';

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
