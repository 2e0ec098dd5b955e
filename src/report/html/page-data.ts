// What the page is told: facts that are written out as text, and the compact data that its script draws charts and the keyword table from.
import type { ChangeClass, RowStatus } from '../../tracker/observation.ts';

/** One market, as the columns of a table name it. */
export interface PageMarket {
  readonly country: string;
  readonly language: string;
  readonly device: string;
}

/** A value for each date of the axis; null where nothing is known, which charts show as a gap. */
export type Line = readonly (number | null)[];

/** The dates that everything over time is drawn against: those on which a run of the project ended, oldest first. */
export interface PageAxis {
  readonly dates: readonly string[];
  /** The same as days since 1970. */
  readonly days: readonly number[];
  /** Indices of dates before which runs are missing: lines are interrupted there. */
  readonly breaks: readonly number[];
}

/** A target's line in a chart. */
export interface TargetLine {
  readonly target: string;
  readonly isOwn: boolean;
  readonly values: Line;
  /** Of how many rows each value is: those with a complete check and a known volume. */
  readonly of: Line;
}

export interface PageCharts {
  /** Percent; past dates with today's volumes, so that ranks alone move it. Own targets first, then competitors. */
  readonly visibility: readonly TargetLine[];
  /** Percent of the clicks of all domains seen; empty where it was not reckoned. */
  readonly shareOfVoice: readonly TargetLine[];
  /** Of the first own target: rows in each bucket, in the order of `buckets`. */
  readonly distribution: readonly Line[];
  /** Of the first own target: rows with a complete check. */
  readonly checked: Line;
  /** Rows that are tracked now. */
  readonly total: number;
}

/** The rows of the keyword table, a list a column: half the size of objects, and read faster. */
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
  /** As `packTrail` packs it. */
  readonly trail: readonly string[];
  /** Date and URL, date and URL: where another page began to rank. */
  readonly urlSteps: readonly (readonly number[])[];
  /** Date and feature set: where the features that show the target changed. */
  readonly ownedSteps: readonly (readonly number[])[];
  /** The same of all features that the pages showed; `notRecorded` of trail.js where nothing is known of them. Dates before the first one are unknown. */
  readonly shownSteps: readonly (readonly number[])[];
}

/** What stands in the page as JSON. */
export interface PageData {
  readonly axis: PageAxis;
  readonly charts: PageCharts;
  readonly targets: readonly string[];
  readonly markets: readonly PageMarket[];
  readonly tags: readonly string[];
  readonly urls: readonly string[];
  readonly featureSets: readonly (readonly string[])[];
  readonly notes: readonly string[];
  /** What happened when: marked on the charts. */
  readonly marks: readonly { readonly date: string; readonly text: string }[];
  readonly rows: PageRows;
}

/** A row of the keyword table as it is shown. */
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
