// Brings a source's keyword metrics into the promised form: unique, sorted, with the requested keyword among them.
import {
  competitionLevel,
  type KeywordDataResponse,
  type KeywordMetrics,
  keywordDataCostMicroUsd,
  keywordKey,
} from '../model/results/keyword-data.ts';
import type { MetricsRequest } from '../model/source.ts';

/**
 * The response for what a source knows. Duplicates (case and spacing aside) keep their first row; the asked keyword is
 * always part of a list that is not empty, with unknown metrics where the source said nothing of it; at most `limit`
 * rows; by volume, highest first, ties by keyword. A value that is not a number becomes null: unknown, never 0.
 */
export function keywordDataResponse(
  request: MetricsRequest,
  known: readonly Partial<KeywordMetrics>[],
): KeywordDataResponse {
  const rows = new Map<string, KeywordMetrics>();
  for (const row of known) {
    const key = keywordKey(row.keyword ?? '');
    if (key !== '' && !rows.has(key)) rows.set(key, normalRow(row, request));
  }
  const askedKey = keywordKey(request.keyword);
  const asked = { ...(rows.get(askedKey) ?? normalRow({}, request)), keyword: request.keyword };
  rows.delete(askedKey);
  const others = [...rows.values()].sort(byVolume).slice(0, request.limit - 1);
  const data = known.length === 0 ? [] : [asked, ...others].sort(byVolume);
  return { success: true, result_count: data.length, cost: keywordDataCostMicroUsd(data.length) / 1_000_000, data };
}

function normalRow(row: Partial<KeywordMetrics>, request: MetricsRequest): KeywordMetrics {
  const volume = amount(row.search_volume);
  const competition = amount(row.competition);
  // More than the whole is another scale.
  const index = competition === null || competition > 100 ? null : Math.round(competition);
  const related = row.related_keywords ?? [];
  return {
    keyword: (row.keyword ?? request.keyword).trim(),
    search_volume: volume === null ? null : Math.round(volume),
    cpc: amount(row.cpc),
    competition: index,
    competition_level: index === null ? (row.competition_level ?? null) : competitionLevel(index),
    country: request.country.toLowerCase(),
    language: request.language,
    intent: row.intent ?? null,
    related_keywords: related.length === 0 ? null : [...related],
  };
}

function amount(value: number | null | undefined): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}

function byVolume(a: KeywordMetrics, b: KeywordMetrics): number {
  const difference = (b.search_volume ?? -1) - (a.search_volume ?? -1);
  if (difference !== 0) return difference;
  if (a.keyword === b.keyword) return 0;
  return a.keyword < b.keyword ? -1 : 1;
}
