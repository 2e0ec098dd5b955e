// The compact data of the report page, from which its script draws charts and the keyword table.

import type { Headline } from '../../../rows/headline.ts';
import type { AnswerSample } from '../../../tracker/answers/answer-sample.ts';
import type { ReportTemplate } from '../../../tracker/changes/report-template.ts';
import type { Bucket } from '../../../tracker/changes/visibility.ts';
import type { ClickChanges } from '../../../tracker/clicks/attribution.ts';
import type { ClickFacts } from '../../../tracker/clicks/matching.ts';
import type { Grid } from '../../../tracker/grid.ts';
import type { ChangeClass, RowStatus, SignificanceClass } from '../../../tracker/observation.ts';
import type { PackedAnswers } from './packed-answers.ts';
import type { RowDetails } from './row-details.ts';

export interface PageMarket {
  readonly country: string;
  readonly language: string;
  readonly device: string;
  readonly location?: string | undefined;
}

/** A value per date of the axis; null: unknown, which charts show as a gap. */
export type Series = readonly (number | null)[];

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

/** The rows of the keyword table by column, which takes half the size of objects and parses faster. */
export interface PageRows {
  readonly keyword: readonly string[];
  /** Indices into the lists of `PageData`: `markets`, `targets`, `tags`, `urls`, `minutes`, ...; -1 for none. */
  readonly market: readonly number[];
  readonly target: readonly number[];
  readonly tags: readonly (readonly number[])[];
  readonly status: readonly RowStatus[];
  readonly changeClass: readonly ChangeClass[];
  readonly significance: readonly (SignificanceClass | null)[];
  readonly bandBest: readonly (number | null)[];
  readonly bandWorst: readonly (number | null)[];
  readonly rank: readonly (number | null)[];
  readonly previousRank: readonly (number | null)[];
  readonly change: readonly (number | null)[];
  readonly bestRank: readonly (number | null)[];
  readonly depth: readonly (number | null)[];
  readonly volume: readonly (number | null)[];
  readonly clicks: readonly (number | null)[];
  readonly clicksChange: readonly (number | null)[];
  /** US dollars. */
  readonly cpc: readonly (number | null)[];
  readonly competition: readonly (number | null)[];
  readonly intent: readonly number[];
  readonly source: readonly number[];
  readonly runId: readonly (number | null)[];
  /** 1: the check proves the ranking, so that the row counts in sums. */
  readonly complete: readonly (0 | 1)[];
  readonly url: readonly number[];
  readonly previousUrl: readonly number[];
  readonly preferredUrl: readonly number[];
  /** 1: that URL ranks; 0: another one does; -1: not known. */
  readonly urlIsPreferred: readonly (-1 | 0 | 1)[];
  readonly features: readonly number[];
  readonly owned: readonly number[];
  /** Features that showed the target in the baseline, and no longer do. */
  readonly lost: readonly number[];
  readonly checkedAt: readonly number[];
  readonly previousCheckedAt: readonly number[];
  readonly note: readonly number[];
  /** Of rows that were not checked: the newest rank, when it was read, and its age in days. */
  readonly last: readonly (readonly [rank: number | null, checkedAt: number, ageDays: number] | null)[];
  /** Packed by `packTrail`. */
  readonly trail: readonly string[];
  /** Alternating date and URL: where the ranking URL changed. */
  readonly urlSteps: readonly (readonly number[])[];
  /** Alternating date and feature set: where the owned features changed. */
  readonly ownedSteps: readonly (readonly number[])[];
  /**
   * The same for all shown features; `notRecorded` of trail.ts if they are unknown. Dates before the first one are
   * unknown.
   */
  readonly shownSteps: readonly (readonly number[])[];
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
export interface PageSums extends Headline {
  readonly target: string;
  readonly by: 'project' | 'market' | 'tag';
  readonly segment: string;
  readonly buckets: Readonly<Record<Bucket, number>>;
  readonly changes: Readonly<Record<ChangeClass, number>>;
}

/** What the page shows: one project on one date, against one baseline. */
export interface PageProject {
  readonly name: string;
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
  /** Of rows by their index in the columns; rows without numbers are left out. */
  readonly rows: readonly (readonly [
    row: number,
    clicks: number,
    impressions: number | null,
    position: number | null,
  ])[];
  /** Of ranking pages, by their index in `urls`. */
  readonly pages: readonly (readonly [url: number, clicks: number, impressions: number | null])[];
  /** Why they changed: the largest changes. */
  readonly changes: { readonly query: ClickChanges; readonly page: ClickChanges };
}

/** AI answers and AI overviews. */
export interface PageAnswers {
  readonly rows: PackedAnswers;
  /** Of the newest period, with their texts. */
  readonly samples: readonly AnswerSample[];
}

/** The JSON data in the page. */
export interface PageData {
  readonly project: PageProject;
  readonly axis: PageAxis;
  readonly charts: PageCharts;
  readonly targets: readonly string[];
  /** Those of the targets that are places; absent: none. */
  readonly places?: readonly string[];
  readonly markets: readonly PageMarket[];
  readonly tags: readonly string[];
  readonly urls: readonly string[];
  readonly featureSets: readonly (readonly string[])[];
  readonly intents: readonly string[];
  readonly sources: readonly string[];
  readonly notes: readonly string[];
  /** `2026-11-20 06:00`, UTC. */
  readonly minutes: readonly string[];
  /** Notes, marked on the charts. */
  readonly marks: readonly { readonly date: string; readonly text: string }[];
  readonly details: RowDetails;
  /** Absent: the project has none. */
  readonly clicks?: PageClicks;
  /** Absent: no prompts, and no page shows an AI overview. */
  readonly answers?: PageAnswers;
  readonly rows: PageRows;
}
