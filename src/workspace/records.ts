// Shapes of the read API. Dates are local to the project (`2026-11-20`), moments ISO 8601; null means missing.

import type { SerpPlace } from '../report/html/data/row-details.ts';
import type { MapSums } from '../report/rows/grid-maps.ts';
import type { ApiField } from '../rows/fields.ts';
import type { Row } from '../rows/row.ts';
import type { SummedRow, WholeSums } from '../rows/sums.ts';
import type { AttributionGrouping, AttributionLine } from '../tracker/causes/attribution.ts';
import type { Bucket } from '../tracker/changes/visibility.ts';
import type { ClickChanges, ClickFacts, ClickHour, ClickNumbers, DayClicks } from '../tracker/clicks/clicks.ts';
import type { KnownFault } from '../tracker/clicks/known-faults.ts';
import type { Grid, GridPlace } from '../tracker/grid.ts';
import type { RowStatus } from '../tracker/observation.ts';
import type { DollarRange } from '../tracker/page-price.ts';
import type { NamedMarket, Project } from '../tracker/project.ts';

export interface ProjectOverview {
  readonly project: string;
  /** Search engine, as `bing`; null: Google. */
  readonly engine: string | null;
  /** Null: nothing was checked yet. */
  readonly date: string | null;
  readonly keywords: number;
  /** Rows with a complete check on the date, of all rows. */
  readonly checked: number;
  readonly total: number;
  readonly averageRank: number | null;
  readonly top3: number | null;
  readonly top10: number | null;
  /** Percent. */
  readonly visibility: number | null;
  /** Points of visibility, against 1, 7 and 30 days before; null where there is no check to compare with. */
  readonly visibilityChange: Readonly<Record<'day' | 'week' | 'month', number | null>>;
  /** Of the checked rows those in these changes; a change over less than half of them is null. */
  readonly visibilityChangeOver: Readonly<Record<'day' | 'week' | 'month', number>>;
  /** Visibility of the first own target in the newest 90 days, on at most 30 dates, evenly chosen, oldest first. */
  readonly sparkline: readonly (number | null)[];
  /** Alerts of the newest 7 days; null: they are not shared with the reader, like `spend` and prices. */
  readonly alerts: number | null;
  /** The date of the server in the time zone of the config, whose month `spend` is of. */
  readonly today: string;
  readonly spend: readonly SpendSum[];
  /** Spend of its runs this month. A purchase that several projects share counts for each. */
  readonly ownSpend: readonly Omit<SpendSum, 'cap'>[];
  /** Micro-USD of a page, from the lowest list price of its source to the highest; null: free, or none is known. */
  readonly pageMicroUsd: DollarRange | null;
  /** The newest run is suspect, for this reason. */
  readonly suspect: string | null;
  /** Every source of the newest date only simulates. */
  readonly isSimulated: boolean;
  /** Of several databases, which one has it, from 1. Each has a budget. Absent: there is one. */
  readonly database?: number;
}

/** What was spent in the current month, against the cap. */
interface SpendSum {
  readonly currency: 'serp_credit' | 'micro_usd';
  readonly spent: number;
  /** Of `spent`. */
  readonly spentToday: number;
  /** Null: no cap. The budget is shared by all projects. */
  readonly cap: number | null;
}

export interface ProjectFacts extends ProjectClicks, Pick<Project, 'grid'> {
  readonly project: string;
  /** Search engine, as `bing`; null: Google. */
  readonly engine: string | null;
  readonly timezone: string;
  readonly targets: readonly string[];
  readonly competitors: readonly string[];
  readonly tags: readonly string[];
  readonly markets: readonly NamedMarket[];
  /** Features that were seen, for filters. */
  readonly features: readonly string[];
  /** Dates with checks, oldest first. */
  readonly dates: readonly string[];
  readonly ctrCurve: string;
  /** First and last day of the newest export of queries; absent: none is stored. */
  readonly clickExport?: { readonly from: string; readonly to: string; readonly faults?: readonly KnownFault[] };
  readonly views: readonly SavedView[];
  /** Columns of the page's keyword table, where a report template chose them. */
  readonly columns?: readonly string[];
}

/** A named query string of the keyword table, from the config. */
export interface SavedView {
  readonly name: string;
  readonly query: string;
}

/** One tracked row: keyword, market and own target, as it stood on a date. Its fields: `src/rows/fields.ts`. */
export interface KeywordRow
  extends NamedMarket,
    Pick<Row, Exclude<ApiField, keyof NamedMarket | 'last' | 'incomplete'>>,
    SummedRow {
  readonly last?: Row['last'];
  readonly incomplete?: Row['incomplete'];
  /** In pages of rows, not in exports. */
  readonly trend?: RankTrend;
}

/** Ranks over the dates of report.html, or the newest dates of a table; null: not known. */
export interface RankTrend {
  readonly dates: readonly string[];
  readonly ranks: readonly (number | 'not_found' | null)[];
}

/** Sums over rows. Rows without a complete check are in no average: `checked` of `total` says so. */
export interface Summary extends WholeSums, ClickSums {
  readonly date: string | null;
  readonly compare: string;
  /** Own targets whose rows are in the sums: none of them can match a result of another. */
  readonly targets: readonly string[];
}

export interface Segment extends Summary {
  /** The value: a tag, `US en mobile`, ... Rows without a tag: empty. */
  readonly segment: string;
}

/** One value per date; null: nothing was checked. A week or month shows its last date with checks. */
export interface SeriesAnswer {
  readonly dates: readonly string[];
  readonly averageRank: readonly (number | null)[];
  readonly visibility: readonly (number | null)[];
  readonly estimatedClicks: readonly (number | null)[];
  readonly checked: readonly number[];
  /** Rows per bucket. */
  readonly buckets: Readonly<Record<Bucket, readonly number[]>>;
  readonly notes: readonly NoteRecord[];
}

/** Its clicks are those of the page for all queries, tracked or not; `pagesFrom` of the project says what they are. */
export interface LandingPage extends ClickSums {
  readonly url: string;
  readonly target: string;
  readonly keywords: number;
  readonly averageRank: number;
  readonly top10: number;
  readonly estimatedClicks: number | null;
  readonly searchVolume: number | null;
  readonly improved: number;
  readonly declined: number;
  /** Keywords for which this URL ranks and another one is preferred. */
  readonly notPreferred: number;
}

/** Own pages that took turns in the rank of a keyword, by date. */
export interface CannibalizationAnswer {
  readonly dates: readonly string[];
  /** Per date: rows whose ranking page is known. */
  readonly ranked: readonly number[];
  /** Per date: how often another page ranked than before, since the date before it. */
  readonly flips: readonly number[];
  /** Rows with a flip; `rows` has the 500 with the most. */
  readonly total: number;
  readonly rows: readonly PageTurns[];
}

export interface PageTurns
  extends Pick<
      KeywordRow,
      'id' | 'keyword' | 'country' | 'language' | 'device' | 'location' | 'target' | 'rank' | 'url'
    >,
    Pick<KeywordRow, 'preferredUrl' | 'searchVolume'> {
  readonly flips: number;
  /** The pages that ranked, on the most dates first. `last`: the newest date. */
  readonly pages: readonly {
    readonly url: string;
    readonly dates: number;
    readonly bestRank: number | null;
    readonly last: string;
  }[];
  /** Per date of the answer: an index in `pages`; null: no page is known. */
  readonly turns: readonly (number | null)[];
}

/** The change of clicks and visibility between two dates, as effects that add up. */
export interface AttributionAnswer {
  /** Of the tables that are compared; null: nothing was checked. */
  readonly from: string | null;
  readonly to: string | null;
  readonly by: AttributionGrouping;
  readonly ctrCurve: string;
  /** Own targets whose rows are in it: none of them can match a result of another. */
  readonly targets: readonly string[];
  /** Null: no row has a volume. */
  readonly total: AttributionLine | null;
  /** Only by competitor: rows whose rank changed, and those of them whose stored pages were compared. */
  readonly pages?: { readonly moved: number; readonly read: number };
  /** What Search Console counted over whole weeks up to `to`, against as many before; null: no days are stored. */
  readonly measured: Omit<ClickChanges, 'rows' | 'rowsTotal'> | null;
  readonly rowsTotal: number;
  /** By the size of their change of clicks. */
  readonly rows: readonly AttributionLine[];
}

export interface KeywordHistory extends ClickHistory {
  readonly row: KeywordRow;
  /** Own target first, then other own targets, then competitors. */
  readonly lines: readonly {
    readonly target: string;
    readonly isOwn: boolean;
    readonly points: readonly RankPoint[];
  }[];
  readonly volumes: readonly VolumeRow[];
  readonly notes: readonly NoteRecord[];
}

export interface RankPoint {
  readonly date: string;
  readonly checkedAt: string | null;
  readonly status: RowStatus;
  readonly rank: number | null;
  readonly url: string | null;
  /** Null: not known. */
  readonly depth: number | null;
  readonly serpFeatures: readonly string[];
  readonly ownedFeatures: readonly string[];
  /** False: features were not recorded; absent: they were, if the pages were read. */
  readonly featuresKnown?: boolean;
  readonly note: string | null;
}

/** A check with what was bought for it. */
export interface CheckRecord {
  readonly runId: number;
  readonly checkId: number;
  readonly date: string | null;
  readonly status: string;
  readonly reason: string | null;
  readonly depth: number;
  readonly pagesRead: number;
  readonly pagesReused: number;
  readonly source: string | null;
  readonly purchases: readonly {
    readonly page: number | null;
    readonly attempt: number;
    readonly state: string;
    /** Credits. */
    readonly charged: number;
    readonly openedAt: string;
    readonly errorCode: string | null;
    readonly message: string | null;
  }[];
}

export interface VolumeRow {
  readonly keyword: string;
  readonly country: string;
  readonly language: string;
  readonly month: string;
  readonly searchVolume: number | null;
  readonly cpc: number | null;
  readonly competition: number | null;
  readonly source: string;
}

export interface RunRecord {
  readonly runId: number;
  readonly kind: string;
  readonly state: string;
  readonly projects: readonly string[];
  readonly slot: string;
  readonly openedAt: string;
  readonly closedAt: string | null;
  readonly checks: Readonly<Record<string, number>>;
  /** By all projects of the run; unknown outcomes count as spent. */
  readonly creditsSpent: number;
  readonly microUsdSpent: number;
  readonly reason: string | null;
  readonly suspectReason: string | null;
  readonly remark: string | null;
  readonly discardedAt: string | null;
}

/** What was spent on a day, as the ledger has it; of a project, its part. */
export interface SpendDay {
  readonly date: string;
  readonly service: string;
  readonly currency: 'serp_credit' | 'micro_usd';
  readonly spent: number;
  /** Outcome unknown: counted as spent until reconciled. */
  readonly unknown: number;
  /** The part of `spent` and `unknown` that paid for purchases which several projects share. */
  readonly shared: number;
  readonly purchases: number;
}

export interface AlertRecord {
  readonly project: string;
  readonly rule: string;
  readonly subject: string;
  readonly text: string;
  readonly channel: string;
  readonly state: string;
  readonly runId: number;
  readonly createdAt: string;
}

export interface NoteRecord {
  readonly date: string;
  readonly text: string;
  /** Null: all projects. */
  readonly project: string | null;
  /** Only of a note about one keyword, or about keywords with one tag. */
  readonly keyword?: string;
  readonly tag?: string;
  /** Only of an announced update, with its last date; without one it goes on. */
  readonly confirmed?: true;
  readonly until?: string;
}

export interface CompetitorSeries {
  readonly dates: readonly string[];
  readonly targets: readonly CompetitorLine[];
  /**
   * Which target passed which: it ranked below the other one in the first check of the dates, and ranks above it in the
   * last one. The most searches first.
   */
  readonly passes: readonly { readonly target: string; readonly passed: string; readonly searches: number }[];
  /** Of these dates; a server adds confirmed and suspected updates. */
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

/** The sums of one map: a keyword, device and target over all points. */
export interface GridSums extends MapSums, Pick<KeywordRow, 'keyword' | 'country' | 'language' | 'device' | 'target'> {
  /** Of the row of its first point; names the map. */
  readonly id: string;
  /** Newest local date of its checks; null: none. */
  readonly date: string | null;
}

/** A point of a map: row 1 is the northernmost, column 1 the westernmost. */
export interface GridPoint
  extends GridPlace,
    Pick<KeywordRow, 'keyword' | 'country' | 'language' | 'device' | 'target' | 'status' | 'rank' | 'depth' | 'url'>,
    Pick<KeywordRow, 'date' | 'previousRank' | 'previousDate' | 'change' | 'changeClass'> {
  /** Of a point that was not checked. */
  readonly last?: NonNullable<KeywordRow['last']>;
  /** Of its row. */
  readonly id: string;
  readonly location: string;
  /** Of a point that was not checked, estimated from the others: never a rank. */
  readonly estimatedRank: number | null;
}

export interface GridMapAnswer extends GridSums {
  readonly grid: Omit<Grid, 'points'>;
  readonly compare: string;
  readonly estimated: number;
  /** Mean absolute error of the estimates in ranks, by leave-one-out over the checked points; null: no estimates. */
  readonly estimateError: number | null;
  readonly mapPoints: readonly GridPoint[];
  /** By date, over the points with a complete check. Null: none. */
  readonly series: {
    readonly dates: readonly string[];
    readonly averageRank: readonly (number | null)[];
    readonly shareOfLocalVoice: readonly (number | null)[];
    readonly checked: readonly number[];
  };
}

export interface StoredSerpView extends NamedMarket {
  readonly keyword: string;
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

/** Null: nothing is reported. Rare queries are hidden. */
interface ClickSums {
  readonly measuredClicks: number | null;
  readonly impressions: number | null;
}

interface ProjectClicks {
  /** What these sums are made of; absent: the project has no clicks. */
  readonly clicks?: ClickFacts;
}

interface ClickHistory {
  /** By day, as the search engine counted; absent: the project has no clicks, or this is a file. */
  readonly clicks?: readonly DayClicks[];
}

/** Reads measured clicks. Throws NotFound and InvalidQuery. */
export interface ClickReader {
  changes(query: ClickChangesQuery): ClickChanges;
  /** The newest 24 hours with those a week before, partial ones included; empty: none are stored. */
  hours(project: string): ClickHour[];
  /** Queries with at least so many impressions that are not tracked, most impressions first. */
  untracked(project: string, impressionsMin: number): UntrackedQuery[];
  /** Tracked keywords without reported impressions. */
  silent(project: string): SilentKeyword[];
}

export type ClickChangesBy = 'query' | 'page' | 'country' | 'device';

export interface ClickChangesQuery {
  readonly project: string;
  readonly by: ClickChangesBy;
  /** Last day. Default: the newest final one. */
  readonly to?: string;
  /** Of each period: 1 to 240. */
  readonly days: number;
}

/** A query of the newest 28 final days, as it could be tracked. */
export interface UntrackedQuery extends ClickNumbers {
  readonly query: string;
  readonly country: string;
  readonly language: string;
  /** Those with impressions that the project tracks in this country. */
  readonly devices: readonly string[];
  readonly brand: boolean;
  /** At worst, in a month of 31 days. */
  readonly creditsPerMonth: number;
}

/** A tracked keyword for which nothing is reported on these devices: no impressions, or it is a hidden query. */
export interface SilentKeyword {
  readonly keyword: string;
  readonly country: string;
  readonly language: string;
  readonly devices: readonly string[];
  readonly tags: readonly string[];
  readonly creditsPerMonth: number;
}
