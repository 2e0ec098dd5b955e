// One observation of a target: what history stores and reports compare.

/** `ok` and `incomplete` checks have rankings; the others have a reason. */
export type CheckStatus = 'ok' | 'incomplete' | 'failed' | 'deferred' | 'unknown_paid';

/**
 * Status of one tracked row in a report. `not_found`: on none of the pages down to the depth of the check.
 * `not_followed`: on none of the pages read; the check ended before its depth, when it had found the targets it
 * followed.
 */
export type RowStatus = (typeof rowStatuses)[number];

export const rowStatuses = [
  'ranked',
  'not_found',
  'not_followed',
  'incomplete',
  'failed',
  'deferred',
  'unknown_paid',
] as const;

/** The statuses, for column documentation. */
export const rowStatusText = 'ranked, not_found, not_followed, incomplete, failed, deferred or unknown_paid';

export type ChangeClass =
  | 'improved'
  | 'declined'
  | 'unchanged'
  | 'entered'
  | 'dropped'
  | 'first_check'
  | 'not_comparable';

/** A proven ranking of one target in one check. */
export interface Observation {
  readonly status: 'ranked' | 'not_found';
  /** 1-based; null unless ranked. */
  readonly rank: number | null;
  readonly absoluteRank: number | null;
  readonly page: number | null;
  readonly url: string | null;
  /** Requested pages. */
  readonly depth: number;
  /**
   * For an absence: how many organic results its pages hold, which is the rank down to which it is proven. Null for a
   * rank, if the engine said that nothing follows, and for rankings of other tools, which have no archived pages:
   * `depth` decides then.
   */
  readonly resultsRead: number | null;
  /** UTC milliseconds. */
  readonly checkedAt: number;
  /** `service/source` of the check; observations of different sources are not comparable. */
  readonly source: string;
}

/** `noise`: inside the band. `likely`: outside it. `certain`: far outside it, or confirmed by a second look. */
export type SignificanceClass = (typeof significances)[number];

export const significances = ['noise', 'likely', 'certain'] as const;

/** Where a target stood in one check, as stored in history. */
export interface DatedRanking {
  readonly moment: number;
  readonly checkId: number;
  /** UTC milliseconds; null where the moment of its run says the date. */
  readonly checkedAt: number | null;
  /** Null together with `urlId`: not found. Null with a `urlId`: seen, without an exact rank. */
  readonly rank: number | null;
  readonly urlId: number | null;
  /** Feature names joined by `|`; null: none. */
  readonly ownedFeatures: string | null;
  /** Not found on the pages read, which do not reach the check's depth. */
  readonly isNotFollowed: boolean;
}
