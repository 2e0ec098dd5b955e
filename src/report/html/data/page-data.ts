// The data of the report page, from which its script draws charts and the keyword table.

import type { AnswerRecord, KeywordRow, StoredSerpView } from '../../../read/records.ts';
import type { WholeSums } from '../../../read/row-sums.ts';
import type { Series } from '../../../read/sums/timeline.ts';
import type { AnswerSample } from '../../../tracker/answers/answers.ts';
import type { KeywordCauses } from '../../../tracker/causes/cause-text.ts';
import type { ChangeSummary } from '../../../tracker/causes/change-summary.ts';
import type { ReportTemplate } from '../../../tracker/changes/client-reports.ts';
import type { ClickChanges, ClickFacts } from '../../../tracker/clicks/clicks.ts';
import type { Grid } from '../../../tracker/grid.ts';

/** The dates of all charts: those on which a run of the project ended, oldest first. */
interface PageAxis {
  readonly dates: readonly string[];
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

/** Where a value changed, oldest date first: it holds until the next one. Unknown before the first. */
export type Steps<Value> = readonly (readonly [date: number, value: Value])[];

/** A row of the page: its id is its place. */
export type PageRow = Omit<KeywordRow, 'id' | 'trend'>;

/** What was seen of a row over the dates of the axis. */
export interface RowHistory {
  /** One for each date, see src/tracker/rank-codes.ts. */
  readonly codes: readonly number[];
  /** Ranking URLs; null: not recorded. */
  readonly urls: Steps<string | null>;
  readonly owned: Steps<readonly string[]>;
  /** All SERP features; null: not recorded. */
  readonly shown: Steps<readonly string[] | null>;
}

/** What the page knows of its first rows alone: they are worth the most clicks. */
interface RowDetails {
  /** Competitors, and by row the rank codes of each. */
  readonly rivals: { readonly targets: readonly string[]; readonly codes: readonly (readonly (readonly number[])[])[] };
  /** Months, oldest first, and by row a search volume for each. */
  readonly volumes: { readonly months: readonly string[]; readonly rows: readonly (readonly (number | null)[])[] };
  /** The stored results of each search on the date, then in its baseline. */
  readonly serps: readonly StoredSerpView[];
}

/** A target or competitor over the same checks. */
export interface CompetitorSummary {
  readonly target: string;
  readonly isOwn: boolean;
  /** Percent. */
  readonly visibility: number | null;
  readonly visibilityChange: number | null;
  /** Percent; null if not computed. */
  readonly shareOfVoice: number | null;
  readonly shareOfVoiceChange: number | null;
  /** Rows in the share, and rows in which the target was not followed to the depth. */
  readonly shareCount: number;
  readonly notFollowed: number;
  /** Number of rows in both changes. */
  readonly comparable: number;
  readonly averageRank: number | null;
  /** Null if nothing was checked, like `top10`. */
  readonly top3: number | null;
  readonly top10: number | null;
  readonly ranked: number;
  readonly checked: number;
  /**
   * Searches in which our best target ranks above it; `losses`: below it. Null for own targets, and if nothing was
   * checked.
   */
  readonly wins: number | null;
  readonly losses: number | null;
}

/** Sums of rows of a target. `segment`: a market, a tag, or empty. */
export interface PageSums extends WholeSums {
  readonly target: string;
  readonly by: 'project' | 'market' | 'tag';
  readonly segment: string;
}

/** What the page shows: one project on one date, against one baseline. */
export interface PageProject {
  readonly name: string;
  readonly engine: string | null;
  readonly timezone: string;
  /** Local date of the newest run; where it was late, the day on which its pages were read. */
  readonly date: string;
  readonly compare: string;
  readonly ctrCurve: string;
  /** The rates of a measured curve; absent: the curve is built in. */
  readonly ctrRates?: readonly number[];
  /** Columns of the keyword table that the template chose, besides the keyword. Null: the usual ones. */
  readonly columns: ReportTemplate['columns'];
  readonly competitors: readonly string[];
  /** Pairs of own targets that a result can belong to at once: sums take one of them. */
  readonly overlaps: readonly (readonly [string, string])[];
  /** Absent: the project has none. */
  readonly grid?: Grid;
  /** Saved views: named queries of the keyword table. */
  readonly views: readonly { readonly name: string; readonly query: string }[];
  /** Own targets and competitors on the date. */
  readonly standings: readonly CompetitorSummary[];
  /** Of all rows of each own target, of its markets and of its tags. */
  readonly sums: readonly PageSums[];
}

/** What the search engine counted over the newest weeks. */
export interface PageClicks {
  readonly facts: ClickFacts;
  /** Of ranking pages. */
  readonly pages: readonly { readonly url: string; readonly clicks: number; readonly impressions: number | null }[];
  /** Why they changed: the largest changes. */
  readonly changes: { readonly query: ClickChanges; readonly page: ClickChanges };
}

/** AI answers and AI overviews. */
export interface PageAnswers {
  readonly rows: readonly AnswerRecord[];
  /** Of the newest period, with their texts. */
  readonly samples: readonly AnswerSample[];
}

/** The JSON data in the page. */
export interface PageData {
  /** The largest change in estimated clicks first. */
  readonly rows: readonly PageRow[];
  /** In the order of the rows. */
  readonly histories: readonly RowHistory[];
  /** Why the largest changes happened, by the ids of rows in the file; absent: none is beyond noise. */
  readonly causes?: readonly KeywordCauses[];
  /** What made the project change; absent: it is not known. */
  readonly changeSummary?: ChangeSummary;
  readonly project: PageProject;
  readonly axis: PageAxis;
  readonly charts: PageCharts;
  /** Notes, marked on the charts. */
  readonly marks: readonly { readonly date: string; readonly text: string }[];
  readonly details: RowDetails;
  /** Absent: the project has none. */
  readonly clicks?: PageClicks;
  /** Absent: no prompts, and no page shows an AI overview. */
  readonly answers?: PageAnswers;
}
