// The shapes of answers about stored results pages.
import type { SerpPlace } from '../report/html/data/row-details.ts';

export interface StoredSerpView {
  readonly keyword: string;
  readonly country: string;
  readonly language: string;
  readonly device: string;
  readonly location?: string | undefined;
  readonly date: string;
  readonly checkedAt: string;
  readonly source: string;
  readonly runId: number;
  readonly pages: number;
  readonly results: readonly SerpResult[];
  /** In page order. */
  readonly features: readonly SerpFeature[];
  /** The unpaid local results of page 1. Pages bought before places were kept have none. */
  readonly places: readonly SerpPlace[];
}

interface SerpFeature {
  readonly page: number;
  readonly type: string;
  readonly urls: readonly string[];
  /** The own targets and competitors that it shows. */
  readonly targets: readonly string[];
  readonly isOwn: boolean;
}

export interface SerpResult {
  /** Organic rank over all pages. Null if a page before it is missing. */
  readonly rank: number | null;
  readonly page: number;
  readonly url: string;
  /** The own target or competitor that it belongs to. */
  readonly target: string | null;
  readonly isOwn: boolean;
}
