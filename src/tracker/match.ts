// Matches targets against the pages that were read, and says only what those pages prove.
import type { Target } from './project.ts';

/** One organic result as ranks need it. */
export interface RankedUrl {
  readonly url: string;
  /** Place among all elements over the pages read from page 1; null where it cannot be known. */
  readonly absoluteRank: number | null;
}

/** One page of a check as far as ranks are concerned. */
export interface PageOfRanks {
  /** 1-based. */
  readonly page: number;
  readonly organic: readonly RankedUrl[];
}

/**
 * A target's place in one check. `ranked` and `notFound` are exact. `seen` is a sighting without an exact rank: pages before
 * it were not read. `unproven` says that the pages which would decide are missing.
 */
export type TargetOutcome =
  | {
      readonly kind: 'ranked';
      readonly organicRank: number;
      readonly absoluteRank: number | null;
      readonly page: number;
      readonly url: string;
    }
  | { readonly kind: 'notFound'; readonly depth: number }
  | { readonly kind: 'seen'; readonly page: number; readonly url: string }
  | { readonly kind: 'unproven' };

/** What was read of a check. */
export interface PagesRead {
  /** In page order; failed and unread pages are missing. */
  readonly pages: readonly PageOfRanks[];
  /** The engine said that nothing follows this page; null where it did not say so. */
  readonly endsAfterPage: number | null;
  /** Pages asked. */
  readonly depth: number;
}

export type MatchTargets = (read: PagesRead, targets: readonly Target[]) => TargetOutcome[];
