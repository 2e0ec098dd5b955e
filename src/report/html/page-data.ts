// The compact data of the report page, from which its script draws charts and the keyword table.
import type { ChangeClass, RowStatus } from '../../tracker/observation.ts';

export interface PageMarket {
  readonly country: string;
  readonly language: string;
  readonly device: string;
}

/** A value per date of the axis; null: unknown, which charts show as a gap. */
export type Series = readonly (number | null)[];

/** The dates of all charts: those on which a run of the project ended, oldest first. */
export interface PageAxis {
  readonly dates: readonly string[];
  /** The same dates as days since 1970. */
  readonly days: readonly number[];
  /** Indices of dates before which runs are missing: lines are interrupted there. */
  readonly breaks: readonly number[];
}

/** A target's line in a chart. */
export interface TargetSeries {
  readonly target: string;
  readonly isOwn: boolean;
  readonly values: Series;
  /** Number of rows of each value: those with a complete check and a known volume. */
  readonly of: Series;
}

interface PageCharts {
  /** Percent. Past dates use today's volumes, so that only ranks change it. Own targets first, then competitors. */
  readonly visibility: readonly TargetSeries[];
  /** Percent of the clicks of all domains on the pages; empty if not computed. */
  readonly shareOfVoice: readonly TargetSeries[];
  /** Of the first own target: rows per bucket, in the order of `buckets`. */
  readonly distribution: readonly Series[];
  /** Of the first own target: rows with a complete check. */
  readonly checked: Series;
  /** Number of rows tracked now. */
  readonly total: number;
}

/** The rows of the keyword table by column, which takes half the size of objects and parses faster. */
export interface PageRows {
  readonly keyword: readonly string[];
  /** Indices into `PageData.markets`, `targets`, `tags`, `urls`, `featureSets`, `notes`; -1 for none. */
  readonly market: readonly number[];
  readonly target: readonly number[];
  readonly tags: readonly (readonly number[])[];
  readonly status: readonly RowStatus[];
  readonly changeClass: readonly ChangeClass[];
  readonly rank: readonly (number | null)[];
  readonly previousRank: readonly (number | null)[];
  readonly change: readonly (number | null)[];
  readonly bestRank: readonly (number | null)[];
  readonly depth: readonly (number | null)[];
  readonly volume: readonly (number | null)[];
  readonly clicks: readonly (number | null)[];
  readonly clicksChange: readonly (number | null)[];
  readonly url: readonly number[];
  readonly previousUrl: readonly number[];
  readonly features: readonly number[];
  readonly owned: readonly number[];
  readonly checkedAt: readonly (string | null)[];
  readonly previousCheckedAt: readonly (string | null)[];
  readonly note: readonly number[];
  /** Packed by `packTrail`. */
  readonly trail: readonly string[];
  /** Alternating date and URL: where the ranking URL changed. */
  readonly urlSteps: readonly (readonly number[])[];
  /** Alternating date and feature set: where the owned features changed. */
  readonly ownedSteps: readonly (readonly number[])[];
  /**
   * The same for all shown features; `notRecorded` of trail.js if they are unknown. Dates before the first one are
   * unknown.
   */
  readonly shownSteps: readonly (readonly number[])[];
}

/** The JSON data in the page. */
export interface PageData {
  readonly axis: PageAxis;
  readonly charts: PageCharts;
  readonly targets: readonly string[];
  readonly markets: readonly PageMarket[];
  readonly tags: readonly string[];
  readonly urls: readonly string[];
  readonly featureSets: readonly (readonly string[])[];
  readonly notes: readonly string[];
  /** Notes, marked on the charts. */
  readonly marks: readonly { readonly date: string; readonly text: string }[];
  readonly rows: PageRows;
}

/** An unpacked row of the keyword table. */
export interface PageRow {
  readonly index: number;
  readonly keyword: string;
  readonly market: PageMarket;
  readonly target: string;
  readonly tags: readonly string[];
  readonly status: RowStatus;
  readonly changeClass: ChangeClass;
  readonly rank: number | null;
  readonly previousRank: number | null;
  readonly change: number | null;
  readonly bestRank: number | null;
  readonly depth: number | null;
  readonly volume: number | null;
  readonly clicks: number | null;
  readonly clicksChange: number | null;
  readonly url: string | null;
  readonly previousUrl: string | null;
  readonly features: readonly string[];
  readonly owned: readonly string[];
  readonly checkedAt: string | null;
  readonly previousCheckedAt: string | null;
  readonly note: string | null;
  readonly trail: readonly number[];
}
