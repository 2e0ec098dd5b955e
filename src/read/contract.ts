// The read API: what `rankledger view`, its page and the MCP server ask of history.

import type { AnswerSample } from '../tracker/answers/answers.ts';
import type { AttributionGrouping } from '../tracker/causes/attribution.ts';
import type { KeywordCauses } from '../tracker/causes/cause-text.ts';
import type { ChangeSummary } from '../tracker/causes/change-summary.ts';
import type { ClickChanges, ClickHour } from '../tracker/clicks/clicks.ts';
import type { NamedMarket } from '../tracker/project.ts';
import type { RangeField, SortField } from './fields.ts';
import type { LazyRows, ListRows } from './lazy-rows.ts';
import type {
  AlertRecord,
  AnswerRecord,
  AttributionAnswer,
  CannibalizationAnswer,
  CheckRecord,
  CompetitorSeries,
  clickKinds,
  DiscoveredDomain,
  GridMapAnswer,
  GridPoint,
  GridSums,
  KeywordHistory,
  KeywordRow,
  LandingPage,
  NoteRecord,
  ProjectFacts,
  ProjectOverview,
  RunRecord,
  Segment,
  SeriesAnswer,
  SilentKeyword,
  SpendDay,
  StoredSerpView,
  Summary,
  UntrackedQuery,
  VolumeRow,
} from './records.ts';

/** Reads history. Writes and buys nothing. Unknown names throw NotFound, wrong values InvalidQuery. */
export interface HistoryReader {
  /**
   * Names the state of the history, for ETags: it changes with every run that ends, every note, discarded run and
   * config. Cheap.
   */
  version(): string;
  /** Reads what later questions need, in steps of some milliseconds; absent: nothing is to be read. */
  warm?(): Iterable<void>;
  /** `project`: only this one. */
  projects(project?: string): ProjectOverview[];
  /** By its id, or an earlier one. For one answer: history may change after it. */
  of(project: string): ProjectReader;
  runs(query: PeriodQuery): LazyRows<Dated, RunRecord>;
  spend(query: PeriodQuery): SpendDay[];
  alerts(query: PeriodQuery): LazyRows<Dated, AlertRecord>;
  notes(query: PeriodQuery): NoteRecord[];
}

/** Reads the history of one project. What of it clients may see: `src/workspace/scoped-reader.ts`. */
export interface ProjectReader {
  facts(): ProjectFacts;
  /** All rows of the filter, sorted. The caller pages. */
  keywords(query: KeywordQuery): readonly KeywordRow[];
  /** A page of these rows as plain objects, each with `trend`. */
  withTrends(query: KeywordQuery, rows: readonly KeywordRow[]): readonly object[];
  summary(query: KeywordQuery): Summary;
  /** One summary per value, in the order of their number of keywords. */
  segments(query: KeywordQuery, by: SegmentKind): Segment[];
  series(query: SeriesQuery): SeriesAnswer;
  landingPages(query: KeywordQuery): LandingPage[];
  /** Rows for which several own pages took turns. InvalidQuery: too many rows and dates. */
  cannibalization(query: SeriesQuery): CannibalizationAnswer;
  competitors(query: CompetitorQuery): CompetitorSeries;
  /** Other domains on the same pages, by estimated clicks; at most 100. InvalidQuery: too many searches. */
  discovered(query: KeywordQuery): ListRows<DiscoveredDomain>;
  /** The history of one row: its ranks, those of the competitors in the same search, features and volumes. */
  keyword(query: KeywordHistoryQuery): KeywordHistory;
  /** Why one row changed: between any two dates. */
  causes(query: KeywordHistoryQuery): KeywordCauses;
  /** The same of all rows of the filter that moved beyond their noise, by their change in estimated clicks. */
  changeCauses(query: KeywordQuery): ListRows<KeywordCauses>;
  /** What made the rows of the filter change. */
  changeSummary(query: KeywordQuery): ChangeSummary;
  /** What the change of all rows of the filter is made of: effects that add up. */
  attribution(query: AttributionQuery): AttributionAnswer;
  /** The checks of one search with their purchases, newest first. */
  checks(query: KeywordHistoryQuery): ListRows<CheckRecord>;
  /** The newest stored results of a search that were seen on or before the date. Null: none are stored. */
  serp(query: SerpQuery): StoredSerpView | null;
  /** Dates on which results of a search are stored, newest first. */
  serpDates(query: Omit<SerpQuery, 'date'>): string[];
  clickChanges(query: ClickChangesQuery): ClickChanges;
  /** The newest 24 hours with those a week before, partial ones included; empty: none are stored. */
  clickHours(): ClickHour[];
  /** Queries with at least so many impressions that are not tracked, most impressions first. */
  untrackedQueries(impressionsMin: number): UntrackedQuery[];
  /** Tracked keywords without reported impressions. */
  silentKeywords(): SilentKeyword[];
  /** Maps of the grid with the rows of the filter, like `gridPoints`; none without a grid. */
  gridSums(query: KeywordQuery): GridSums[];
  gridPoints(query: KeywordQuery): GridPoint[];
  /** The whole map with this row; null: it is not a point of the grid. */
  gridMap(query: KeywordHistoryQuery): GridMapAnswer | null;
  volumes(): ListRows<VolumeRow>;
  /** AI answers by period, engine, prompt and target. */
  answers(query: Period): AnswerRecord[];
  /** AI answers with their texts, newest period first. */
  answerTexts(query: AnswerTextQuery): ListRows<AnswerSample>;
}

/** What a row is read by, and ordered by in a list of several databases: UTC milliseconds. */
export interface Dated {
  readonly id: number;
  readonly at: number;
}

export type ClickChangesBy = (typeof clickKinds)[number];

export interface ClickChangesQuery {
  readonly by: ClickChangesBy;
  /** Last day. Default: the newest final one. */
  readonly to?: string | undefined;
  /** Of each period. */
  readonly days: number;
}

/** No project, keyword, target or page of that name. Answered with 404. */
export class NotFound extends Error {
  override readonly name = 'NotFound';
}

/** A parameter has a value that it cannot have. Answered with 400; the message names the parameter. */
export class InvalidQuery extends Error {
  override readonly name = 'InvalidQuery';
}

/** The regular expressions of a client have taken the time that it has. Answered with 429 over HTTP. */
export class ExpressionsUsedUp extends InvalidQuery {
  readonly retryAfterMs = 10_000;

  constructor() {
    super('Your regular expressions have used up their time; search for words, or write simpler ones');
  }
}

export interface KeywordQuery {
  /** Rows as they stood on this date. Default: the newest. */
  readonly date?: string;
  /** `previous`, `7d`, `last-month` or a date. Default: `previous`. */
  readonly compare?: string;
  readonly filter: KeywordFilter;
  readonly sort: readonly SortKey[];
}

/** A condition with alternatives: one of `any` (empty: no condition), and none of `none`. */
export interface Choice {
  readonly any: readonly string[];
  readonly none: readonly string[];
}

/** Both ends inclusive. A row without the number does not match. */
export interface Range {
  readonly min: number | null;
  readonly max: number | null;
}

/** Empty: every row. All conditions must hold. `keyword-filter.ts` parses and applies it. */
export interface KeywordFilter {
  /** Words that the keyword contains, in any order; `/.../` is a regular expression. */
  readonly text?: string;
  /** Part of the ranking URL; `/.../` is a regular expression. */
  readonly url?: string;
  /** Each must hold: so tags can be combined by and, or, not. */
  readonly tags?: readonly Choice[];
  /** `US`, `US en`, `US en mobile`. */
  readonly market?: Choice;
  readonly country?: Choice;
  readonly location?: Choice;
  readonly device?: Choice;
  readonly target?: Choice;
  readonly status?: Choice;
  readonly changeClass?: Choice;
  /** `noise`, `likely`, `certain`. */
  readonly significance?: Choice;
  readonly intent?: Choice;
  /** Rank bucket: `1`, `2-3`, `4-10`, ..., `not_found`, `unknown`. */
  readonly bucket?: Choice;
  /** Names of SERP features: shown on the page; in which the target is shown; which the target had and lost. */
  readonly feature?: Choice;
  readonly ownedFeature?: Choice;
  readonly lostFeature?: Choice;
  /** Competitors by their rank against our best target: now, or since the compared check. */
  readonly above?: Choice;
  readonly below?: Choice;
  readonly passedBy?: Choice;
  readonly passed?: Choice;
  readonly ranges?: { readonly [Field in RangeField]?: Range };
  /** Another URL ranks than `preferredUrl` says: true or false. */
  readonly otherUrl?: boolean;
}

/** Rows without the value come last, in either direction. */
export interface SortKey {
  readonly column: SortField;
  readonly descending: boolean;
}

export const segmentKinds = ['tag', 'market', 'device', 'country', 'target', 'intent', 'view'] as const;
export type SegmentKind = (typeof segmentKinds)[number];

export const granularities = ['day', 'week', 'month'] as const;
export type Granularity = (typeof granularities)[number];

/** Without a period: the newest 90 dates. */
export interface SeriesQuery extends KeywordQuery, Period {
  readonly granularity: Granularity;
}

export interface CompetitorQuery extends SeriesQuery {
  /** Reads stored pages of the dates as well. Default: false. */
  readonly hasShare?: boolean;
}

/** `filter`: of the rows on the later date. */
export interface AttributionQuery extends Pick<KeywordQuery, 'filter'> {
  readonly by: AttributionGrouping;
  /** Default: the date that the config compares `to` with. */
  readonly from?: string;
  /** Default: the newest. */
  readonly to?: string;
}

/** The row as it stood on the date, with the comparison of `KeywordQuery`. */
export interface KeywordHistoryQuery extends Pick<KeywordQuery, 'date' | 'compare'>, Period {
  readonly id: string;
}

export interface SerpQuery extends NamedMarket {
  readonly keyword: string;
  /** Default: the newest. */
  readonly date?: string;
}

/** Local dates, both inclusive. */
export interface Period {
  readonly from?: string;
  readonly to?: string;
}

/** Absent: all projects. */
export interface PeriodQuery extends Period {
  readonly project?: string;
}

/** Absent: of all engines, prompts, countries, languages. */
export interface AnswerTextQuery extends Period {
  readonly engine?: string;
  readonly prompt?: string;
  readonly country?: string;
  readonly language?: string;
}
