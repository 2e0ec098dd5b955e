// The shapes of answers about competitors.
import type { NoteRecord } from './records.ts';

export interface CompetitorSeries {
  readonly dates: readonly string[];
  readonly targets: readonly CompetitorLine[];
  /**
   * Which target passed which: it ranked below the other one in the first check of the dates, and ranks above it in the
   * last one. The most searches first.
   */
  readonly passes: readonly { readonly target: string; readonly passed: string; readonly searches: number }[];
  /** Of these dates, suspected updates included; absent in a file, whose charts have their own. */
  readonly notes?: readonly NoteRecord[];
}

interface CompetitorLine {
  readonly target: string;
  readonly isOwn: boolean;
  /** Percent, per date. */
  readonly visibility: readonly (number | null)[];
  /** Rows of each value: those with a complete check and a known volume. */
  readonly visibilityOver: readonly (number | null)[];
  /**
   * From the first to the last date with a value, over rows with a complete check on both, percentage points; null: no
   * such row. Absent in a file, whose standings have their own.
   */
  readonly visibilityChange?: number | null;
  /** Rows of the change: those with a known volume. */
  readonly visibilityChangeOver?: number;
  /** Percent of the clicks of all domains on the same pages, per date; null unless asked. Some dates are left out. */
  readonly shareOfVoice: readonly (number | null)[] | null;
  /** Rows of each value, where they are known. */
  readonly shareOver?: readonly (number | null)[];
  readonly averageRank: number | null;
  readonly top10: number | null;
  /** Searches in which our best target ranks above it, and below it; null for own targets. */
  readonly wins: number | null;
  readonly losses: number | null;
}

/** A domain on the same pages that is neither a target nor a competitor. As in discovered-competitors.csv. */
export interface DiscoveredDomain {
  readonly domain: string;
  /** Percent. */
  readonly shareOfVoice: number | null;
  readonly estimatedClicks: number | null;
  readonly keywords: number;
  readonly top3: number;
  readonly top10: number;
  readonly averageRank: number;
  /** The search that is worth most clicks to it. */
  readonly exampleKeyword: string;
  readonly exampleMarket: string;
  readonly exampleRank: number;
  readonly exampleUrl: string | null;
}
