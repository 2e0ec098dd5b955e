// Keyword metrics: the specification's response objects, and the price of a list.
import { withoutStrayMarks } from './invisible-marks.ts';

export type CompetitionLevel = 'low' | 'medium' | 'high';
export type Intent = 'commercial' | 'informational' | 'navigational' | 'transactional';

/** Metrics of one keyword. An unknown metric is null, never 0. */
export interface KeywordMetrics {
  keyword: string;
  /** Searches a month. */
  search_volume: number | null;
  /** USD a click. */
  cpc: number | null;
  /** Integer, 0 to 100. */
  competition: number | null;
  competition_level: CompetitionLevel | null;
  /** Lower case. */
  country: string;
  language: string;
  intent: Intent | null;
  related_keywords: string[] | null;
}

export interface KeywordDataResponse {
  success: true;
  result_count: number;
  /** USD. */
  cost: number;
  /** By search volume, highest first; ties by keyword. */
  data: KeywordMetrics[];
}

/**
 * The price of `resultCount` results, in micro-USD: max(10000, 300 n). Source: specification, Limits 2: max(0.01,
 * result_count / 100 x 0.03) USD.
 */
export function keywordDataCostMicroUsd(resultCount: number): number {
  return Math.max(10_000, 300 * resultCount);
}

/** Level of a competition index: low to 33, medium to 66, high above. */
export function competitionLevel(competition: number): CompetitionLevel {
  if (competition <= 33) return 'low';
  return competition <= 66 ? 'medium' : 'high';
}

/** USD as a provider writes it, a float, in integer micro-USD. */
export function toMicroUsd(usd: number): number {
  return Math.round(usd * 1_000_000);
}

/**
 * The normal form of a keyword: keywords that differ only in case, spacing or invisible characters are the same search.
 */
export function keywordKey(keyword: string): string {
  return withoutStrayMarks(keyword).normalize('NFC').trim().replace(/\s+/gu, ' ').toLowerCase();
}
