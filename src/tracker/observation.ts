// One observation of a target: what history holds and reports compare.

/** `ok` and `incomplete` checks have rankings; the others have a reason. */
export type CheckStatus = 'ok' | 'incomplete' | 'failed' | 'deferred' | 'unknown_paid';

/**
 * Status of one tracked row in a report. `not_found`: on none of the pages down to the check's depth. `not_followed`: on none of the pages
 * read, which do not reach that depth, because the check ended once the targets that it followed were found.
 */
export type RowStatus = 'ranked' | 'not_found' | 'not_followed' | 'incomplete' | 'failed' | 'deferred' | 'unknown_paid';

/** The statuses as the documentation of a column lists them. */
export const rowStatusText = 'ranked, not_found, not_followed, incomplete, failed, deferred or unknown_paid';

export type ChangeClass =
  | 'improved'
  | 'declined'
  | 'unchanged'
  | 'entered'
  | 'dropped'
  | 'first_check'
  | 'not_comparable';

/** A proven place of one target in one check. */
export interface Observation {
  readonly status: 'ranked' | 'not_found';
  /** 1-based; null unless ranked. */
  readonly rank: number | null;
  readonly absoluteRank: number | null;
  readonly page: number | null;
  readonly url: string | null;
  /** Pages asked. */
  readonly depth: number;
  /** UTC milliseconds. */
  readonly checkedAt: number;
  /** `service/source` of the check; observations of different sources are not comparable. */
  readonly source: string;
}
