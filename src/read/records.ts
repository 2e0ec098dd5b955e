// The records of the read API. Dates are local to the project (`2026-11-20`), moments ISO 8601; null means missing.
import * as z from 'zod/mini';
import type { AnswerSample } from '../tracker/answers/answers.ts';
import { type AttributionLine, attributionGroupings } from '../tracker/causes/attribution.ts';
import type { KeywordCauses } from '../tracker/causes/cause-text.ts';
import { causeKinds } from '../tracker/causes/causes.ts';
import type { ChangeSummary } from '../tracker/causes/change-summary.ts';
import { changeClasses } from '../tracker/changes/change.ts';
import { buckets } from '../tracker/changes/visibility.ts';
import type { ClickChange, ClickChanges, ClickFacts, ClickHour, DayClicks } from '../tracker/clicks/clicks.ts';
import type { Grid } from '../tracker/grid.ts';
import { rowStatuses, significances } from '../tracker/observation.ts';
import { devices, type NamedMarket } from '../tracker/project.ts';
import { type ApiField, apiFields, type Field, fields as rowFields } from './fields.ts';
import type { Row } from './row.ts';
import type { SummedRow } from './row-sums.ts';

const text = z.string();
const number = z.number();
const count = z.int();
const flag = z.boolean();
const date = z.iso.date();
const moment = z.iso.datetime();
const status = z.enum(rowStatuses);
const changeClass = z.enum(changeClasses);
const currency = z.enum(['serp_credit', 'micro_usd']);
const orNull = z.nullable;

const list = <Of extends z.ZodMiniType>(of: Of) => z.readonly(z.array(of));
const values = list(orNull(number));

/** A value for each name. */
function forEach<Name extends string, Of extends z.ZodMiniType>(names: readonly Name[], of: Of) {
  return z.strictObject(Object.fromEntries(names.map((name) => [name, of])) as Record<Name, Of>); // of each name
}

const market = {
  country: text,
  language: text,
  device: z.enum(devices) as z.ZodMiniType<string>, // as markets are typed
  location: z.optional(text),
};
const search = { keyword: text, ...market };

/** What was spent in the current month, against the cap. */
const spendSum = {
  currency,
  spent: number,
  /** Of `spent`. */
  spentToday: number,
};

export const projectOverview = z.strictObject({
  project: text,
  /** Search engine, as `bing`; null: Google. */
  engine: orNull(text),
  /** Null: nothing was checked yet. */
  date: orNull(date),
  keywords: count,
  /** Rows with a complete check on the date, of all rows. */
  checked: count,
  total: count,
  averageRank: orNull(number),
  top3: orNull(count),
  top10: orNull(count),
  /** Percent. */
  visibility: orNull(number),
  /** Points of visibility, against 1, 7 and 30 days before; null where there is no check to compare with. */
  visibilityChange: forEach(['day', 'week', 'month'], orNull(number)),
  /** Of the checked rows those in these changes; a change over less than half of them is null. */
  visibilityChangeOver: forEach(['day', 'week', 'month'], count),
  /** Visibility of the first own target in the newest 90 days, on at most 30 dates, evenly chosen, oldest first. */
  sparkline: values,
  /** Alerts of the newest 7 days; null: they are not shared with the reader, like `spend` and prices. */
  alerts: orNull(count),
  /** The date of the server in the time zone of the config, whose month `spend` is of. */
  today: date,
  /** `cap` null: none. The budget is shared by all projects. */
  spend: list(z.strictObject({ ...spendSum, cap: orNull(number) })),
  /** Spend of its runs this month. A purchase that several projects share counts for each. */
  ownSpend: list(z.strictObject(spendSum)),
  /** Micro-USD of a page, from the lowest list price of its source to the highest; null: free, or none is known. */
  pageMicroUsd: orNull(z.strictObject({ least: number, most: number })),
  /** The newest run is suspect, for this reason. */
  suspect: orNull(text),
  /** Every source of the newest date only simulates. */
  isSimulated: flag,
  /** Of several databases, which one has it, from 1. Each has a budget. Absent: there is one. */
  database: z.optional(count),
});
export type ProjectOverview = z.output<typeof projectOverview>;

const fault = z.strictObject({ from: date, to: date, metric: z.literal('impressions'), text, source: text });

const counted = z.strictObject({ clicks: count, impressions: count });
const clickFacts = z.strictObject({
  ...{ property: text, from: date, to: date, days: count, freshDays: count },
  ...{ clicks: count, impressions: orNull(count), hiddenClicks: count, hiddenImpressions: orNull(count) },
  pagesFrom: z.enum(['pages', 'shown-queries']),
  alone: z.optional(z.strictObject({ query: counted, page: counted })),
  faults: z.optional(list(fault)),
}) satisfies z.ZodMiniType<ClickFacts>;

const gridFacts = { center: text, size: count, spacing: text, spacingKm: number };
const grid = z.strictObject({ ...gridFacts, points: list(text) }) satisfies z.ZodMiniType<Grid>;

/** A named query string of the keyword table, from the config. */
const savedView = z.strictObject({ name: text, query: text });
export type SavedView = z.output<typeof savedView>;

export const projectFacts = z.strictObject({
  project: text,
  /** Search engine, as `bing`; null: Google. */
  engine: orNull(text),
  timezone: text,
  targets: list(text),
  competitors: list(text),
  tags: list(text),
  markets: list(z.strictObject(market)),
  /** Features that were seen, for filters. */
  features: list(text),
  /** Dates with checks, oldest first. */
  dates: list(date),
  ctrCurve: text,
  /** What sums of clicks are made of; absent: the project has no clicks. */
  clicks: z.optional(clickFacts),
  /** First and last day of the newest export of queries; absent: none is stored. */
  clickExport: z.optional(z.strictObject({ from: date, to: date, faults: z.optional(list(fault)) })),
  views: list(savedView),
  /** Columns of the page's keyword table, where a report template chose them. */
  columns: z.optional(list(text)),
  grid: z.optional(grid),
});
export type ProjectFacts = z.output<typeof projectFacts>;

/** Ranks over the dates of report.html, or the newest dates of a table; null: not known. */
const rankTrend = z.strictObject({
  dates: list(date),
  ranks: list(orNull(z.union([count, z.literal('not_found')]))),
});
export type RankTrend = z.output<typeof rankTrend>;

/** One tracked row: keyword, market and own target, as it stood on a date. Its fields: `src/read/fields.ts`. */
export interface KeywordRow
  extends NamedMarket,
    Pick<Row, Exclude<ApiField, keyof NamedMarket | 'last' | 'incomplete'>>,
    SummedRow {
  readonly last?: Row['last'];
  readonly incomplete?: Row['incomplete'];
  /** In pages of rows, not in exports. */
  readonly trend?: RankTrend;
}

const kinds = { text, record: text, number, boolean: flag, moment, day: date, list: list(text) };

function fieldSchema(name: ApiField): z.ZodMiniType {
  const { kind, about, values: vocabulary, always }: Field = rowFields[name];
  const of = vocabulary === undefined ? kinds[kind] : z.enum(vocabulary);
  const isSure = always === true || kind === 'list' || name === 'date';
  return (name === 'location' ? z.optional(text) : isSure ? of : orNull(of)).check(z.describe(about));
}

/** As it is written: rows compute each field when it is read. */
export const keywordRow = z.strictObject({
  ...Object.fromEntries(apiFields.map((name) => [name, fieldSchema(name)])),
  last: z.optional(z.strictObject({ rank: orNull(count), date, ageDays: count })),
  incomplete: z.optional(z.literal(true)),
  trend: z.optional(rankTrend),
}) as unknown as z.ZodMiniType<KeywordRow>; // of the same table of fields

/** Some fields of the row, in this order. */
function rowFieldsOf<const Name extends Exclude<ApiField, 'last' | 'incomplete'>>(...names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, fieldSchema(name)])) as {
    [Of in Name]: z.ZodMiniType<KeywordRow[Of]>;
  }; // of the same table of fields
}

export const ranking = z.strictObject({
  ...rowFieldsOf('date', 'id', 'keyword', 'country', 'language', 'device', 'target', 'status', 'rank', 'url', 'depth'),
  ...rowFieldsOf('checkedAt', 'source', 'runId', 'note'),
  location: orNull(text),
});

/** Null: nothing is reported. Rare queries are hidden. */
const clickSums = { measuredClicks: orNull(count), impressions: orNull(count) };

const whole = {
  total: count,
  /** Rows with a complete check. */
  checked: count,
  /** Rows in the changes. */
  comparable: count,
  older: count,
  olderDaysMax: orNull(count),
  averageRank: orNull(number),
  averageRankChange: orNull(number),
  top3: orNull(count),
  top3Change: orNull(count),
  top10: orNull(count),
  top10Change: orNull(count),
  visibility: orNull(number),
  visibilityChange: orNull(number),
  visibilityOver: count,
  estimatedClicks: orNull(number),
  estimatedClicksChange: orNull(number),
  buckets: forEach(buckets, count),
  changes: forEach(changeClasses, count),
  /** Own targets whose rows are in the sums: none of them can match a result of another. */
  targets: list(text),
  ...clickSums,
};

/** Sums over rows. Rows without a complete check are in no average: `checked` of `total` says so. */
export const summary = z.strictObject({ date: orNull(date), compare: text, ...whole });
export type Summary = z.output<typeof summary>;

/** `segment`: a tag, `US en mobile`, ... Rows without a tag: empty. */
export const segment = z.strictObject({ segment: text, ...summary.shape });
export type Segment = z.output<typeof segment>;

export const note = z.strictObject({
  date,
  text,
  /** Null: all projects. */
  project: orNull(text),
  /** Only of a note about one keyword, or about keywords with one tag. */
  keyword: z.optional(text),
  tag: z.optional(text),
  /** Only of an announced update, with its last date; without one it goes on. */
  confirmed: z.optional(z.literal(true)),
  until: z.optional(text),
});
export type NoteRecord = z.output<typeof note>;

/** One value per date; null: nothing was checked. A week or month shows its last date with checks. */
export const series = z.strictObject({
  dates: list(date),
  averageRank: values,
  visibility: values,
  estimatedClicks: values,
  checked: list(count),
  /** Rows per bucket. */
  buckets: forEach(buckets, list(count)),
  notes: list(note),
});
export type SeriesAnswer = z.output<typeof series>;

/** Its clicks are those of the page for all queries, tracked or not; `pagesFrom` of the project says what they are. */
export const landingPage = z.strictObject({
  ...{ url: text, target: text, keywords: count, averageRank: number, top10: count },
  ...{ estimatedClicks: orNull(number), searchVolume: orNull(number), improved: count, declined: count },
  /** Keywords for which this URL ranks and another one is preferred. */
  notPreferred: count,
  ...clickSums,
});
export type LandingPage = z.output<typeof landingPage>;

const pageTurns = z.strictObject({
  id: text,
  ...search,
  ...{
    target: text,
    rank: orNull(number),
    url: orNull(text),
    preferredUrl: orNull(text),
    searchVolume: orNull(number),
  },
  flips: count,
  /** The pages that ranked, on the most dates first. `last`: the newest date. */
  pages: list(z.strictObject({ url: text, dates: count, bestRank: orNull(number), last: date })),
  /** Per date of the answer: an index in `pages`; null: no page is known. */
  turns: list(orNull(count)),
});
export type PageTurns = z.output<typeof pageTurns>;

/** Own pages that took turns in the rank of a keyword, by date. */
export const cannibalization = z.strictObject({
  dates: list(date),
  /** Per date: rows whose ranking page is known. */
  ranked: list(count),
  /** Per date: how often another page ranked than before, since the date before it. */
  flips: list(count),
  /** Rows with a flip; `rows` has the 500 with the most. */
  total: count,
  rows: list(pageTurns),
});
export type CannibalizationAnswer = z.output<typeof cannibalization>;

/** One row per keyword and each of its pages. */
export const turnRow = z.strictObject({
  ...{ ...search, target: text, rank: orNull(number), searchVolume: orNull(number) },
  /** Changes of page of the keyword. */
  changes: count,
  url: text,
  ranksNow: flag,
  isPreferred: orNull(flag),
  /** Dates on which the page ranked. */
  dates: count,
  bestRank: orNull(number),
  lastDate: date,
});
export type TurnRow = z.output<typeof turnRow>;

export const attributionLine = z.strictObject({
  ...{ name: text, keywords: count, clicksBefore: orNull(number), clicksAfter: orNull(number) },
  ...{ rankEffect: number, featureEffect: number, demandEffect: number, trackingEffect: number },
  ...{ visibilityBefore: orNull(number), visibilityAfter: orNull(number), visibilityRankEffect: orNull(number) },
  ...{ visibilityFeatureEffect: orNull(number), visibilityDemandEffect: orNull(number) },
  visibilityTrackingEffect: orNull(number),
}) satisfies z.ZodMiniType<AttributionLine>;

export const clickChange = z.strictObject({
  ...{ name: text, clicks: number, previousClicks: number, change: number },
  ...{ demand: number, newOrLost: number, rank: number, rate: number },
  ...{ impressions: orNull(number), previousImpressions: orNull(number) },
  ...{ averagePosition: orNull(number), previousPosition: orNull(number) },
}) satisfies z.ZodMiniType<ClickChange>;

const clickPeriod = z.strictObject({ from: date, to: date, stored: count });
const {
  name: _,
  impressions,
  previousImpressions,
  averagePosition,
  previousPosition,
  ...clickEffects
} = clickChange.shape;

const clickSides = {
  property: text,
  curve: text,
  period: clickPeriod,
  previous: clickPeriod,
  total: z.strictObject(clickEffects),
  hiddenChange: number,
  types: z.optional(
    list(
      z.strictObject({
        type: z.enum(['web', 'image', 'video', 'news', 'discover', 'googleNews']),
        ...{ clicks: number, previousClicks: orNull(number), change: orNull(number) },
        ...{ impressions, previousImpressions, averagePosition, previousPosition },
      }),
    ),
  ),
  faults: z.optional(list(fault)),
};

export const clickChanges = z.strictObject({
  rowsTotal: z.optional(count),
  ...clickSides,
  rows: list(clickChange),
}) satisfies z.ZodMiniType<ClickChanges>;

/** The change of clicks and visibility between two dates, as effects that add up. */
export const attribution = z.strictObject({
  /** Of the tables that are compared; null: nothing was checked. */
  from: orNull(date),
  to: orNull(date),
  by: z.enum(attributionGroupings),
  ctrCurve: text,
  /** Own targets whose rows are in it: none of them can match a result of another. */
  targets: list(text),
  /** Null: no row has a volume. */
  total: orNull(attributionLine),
  /** Only by competitor: rows whose rank changed, and those of them whose stored pages were compared. */
  pages: z.optional(z.strictObject({ moved: count, read: count })),
  /** What Search Console counted over whole weeks up to `to`, against as many before; null: no days are stored. */
  measured: orNull(z.strictObject(clickSides)),
  rowsTotal: count,
  /** By the size of their change of clicks. */
  rows: list(attributionLine),
});
export type AttributionAnswer = z.output<typeof attribution>;

const rankPoint = z.strictObject({
  date,
  checkedAt: orNull(moment),
  status,
  rank: orNull(count),
  url: orNull(text),
  /** Null: not known. */
  depth: orNull(count),
  serpFeatures: list(text),
  ownedFeatures: list(text),
  /** False: features were not recorded; absent: they were, if the pages were read. */
  featuresKnown: z.optional(flag),
  note: orNull(text),
});
export type RankPoint = z.output<typeof rankPoint>;

export const volume = z.strictObject({
  ...{ keyword: text, country: text, language: text, month: text },
  ...{ searchVolume: orNull(number), cpc: orNull(number), competition: orNull(number), source: text },
});
export type VolumeRow = z.output<typeof volume>;

const dayClicks = z.strictObject({
  ...{ date, isFinal: flag, clicks: count, impressions: orNull(count), averagePosition: orNull(number) },
  fault: z.optional(text),
}) satisfies z.ZodMiniType<DayClicks>;

export const keywordHistory = z.strictObject({
  row: keywordRow,
  /** Own target first, then other own targets, then competitors. */
  lines: list(z.strictObject({ target: text, isOwn: flag, points: list(rankPoint) })),
  volumes: list(volume),
  notes: list(note),
  /** By day, as the search engine counted; absent: the project has no clicks, or this is a file. */
  clicks: z.optional(list(dayClicks)),
});
export type KeywordHistory = z.output<typeof keywordHistory>;

const cause = z.strictObject({
  ...{ kind: z.enum(causeKinds), strength: number, certainty: z.enum(['certain', 'likely', 'possible']) },
  ...{ places: z.optional(number), site: z.optional(text), url: z.optional(text), previousUrl: z.optional(text) },
  ...{ rank: z.optional(orNull(number)), previousRank: z.optional(orNull(number)), feature: z.optional(text) },
  ...{ before: z.optional(text), after: z.optional(text), name: z.optional(text), moved: z.optional(number) },
  scope: z.optional(z.enum(['project', 'market', 'device', 'tag', 'page'])),
  ...{ turns: z.optional(count), compared: z.optional(count), score: z.optional(number), date: z.optional(text) },
  ...{ text: z.optional(text), volume: z.optional(number), previousVolume: z.optional(number) },
  ...{ month: z.optional(text), previousMonth: z.optional(text), days: z.optional(number) },
  ...{ impressions: z.optional(number), previousImpressions: z.optional(number) },
  ...{ lastDay: z.optional(text), previousLastDay: z.optional(text), sentence: text, evidence: text },
});

export const causes = z.strictObject({
  ...{ project: text, id: text, ...search, target: text, from: orNull(date), to: date },
  ...{ rank: orNull(count), previousRank: orNull(count), changeClass, significance: orNull(z.enum(significances)) },
  ...{ places: orNull(number), isAtLeast: flag, causes: list(cause), unknown: list(text) },
}) satisfies z.ZodMiniType<KeywordCauses>;

export const changeSummary = z.strictObject({
  sentences: list(z.strictObject({ text, link: text, evidence: text })),
  total: orNull(attributionLine),
}) satisfies z.ZodMiniType<ChangeSummary>;

/** A check with what was bought for it. */
export const check = z.strictObject({
  ...{ runId: count, status: text, reason: orNull(text), depth: count, pagesRead: count, pagesReused: count },
  source: orNull(text),
  purchases: list(
    z.strictObject({
      ...{ page: orNull(count), attempt: count, state: text },
      /** Credits. */
      charged: number,
      ...{ openedAt: moment, errorCode: orNull(text), message: orNull(text) },
    }),
  ),
  ...{ checkId: count, date: orNull(date) },
});
export type CheckRecord = z.output<typeof check>;

export const run = z.strictObject({
  ...{ runId: count, kind: text, state: text, openedAt: moment, closedAt: orNull(moment), projects: list(text) },
  checks: z.record(text, count),
  ...{ reason: orNull(text), suspectReason: orNull(text) },
  /** What needs attention although the run went on without it. */
  remark: orNull(text),
  /** When an operator discarded it; null if it counts. */
  discardedAt: orNull(moment),
  /** The first of its slots; empty if it has none. */
  slot: text,
  /** By all projects of the run; unknown outcomes count as spent. */
  creditsSpent: number,
  microUsdSpent: number,
  /** Of a run of second looks: the run whose changes they are at. */
  confirms: z.optional(count),
});
export type RunRecord = z.output<typeof run>;

/** What was spent on a day, as the ledger has it; of a project, its part. */
export const spendDay = z.strictObject({
  ...{ date, service: text, currency, spent: number },
  /** Outcome unknown: counted as spent until reconciled. */
  unknown: number,
  /** The part of `spent` and `unknown` that paid for purchases which several projects share. */
  shared: number,
  purchases: count,
});
export type SpendDay = z.output<typeof spendDay>;

export const alert = z.strictObject({
  ...{ project: text, rule: text, subject: text, text, channel: text, state: text, runId: count, createdAt: moment },
});
export type AlertRecord = z.output<typeof alert>;

const competitorLine = z.strictObject({
  target: text,
  isOwn: flag,
  /** Percent, per date. */
  visibility: values,
  /** Rows of each value: those with a complete check and a known volume. */
  visibilityOver: list(orNull(count)),
  /**
   * From the first to the last date with a value, over rows with a complete check on both, percentage points; null: no
   * such row. Absent in a file, whose standings have their own.
   */
  visibilityChange: z.optional(orNull(number)),
  /** Rows of the change: those with a known volume. */
  visibilityChangeOver: z.optional(count),
  /** Percent of the clicks of all domains on the same pages, per date; null unless asked. Some dates are left out. */
  shareOfVoice: orNull(values),
  /** Rows of each value, where they are known. */
  shareOver: z.optional(list(orNull(count))),
  averageRank: orNull(number),
  top10: orNull(count),
  /** Searches in which our best target ranks above it, and below it; null for own targets. */
  wins: orNull(count),
  losses: orNull(count),
});

export const competitors = z.strictObject({
  dates: list(date),
  targets: list(competitorLine),
  /**
   * Which target passed which: it ranked below the other one in the first check of the dates, and ranks above it in the
   * last one. The most searches first.
   */
  passes: list(z.strictObject({ target: text, passed: text, searches: count })),
  /** Of these dates; a server adds confirmed and suspected updates. */
  notes: z.optional(list(note)),
});
export type CompetitorSeries = z.output<typeof competitors>;

/** A domain on the same pages that is neither a target nor a competitor. As in discovered-competitors.csv. */
export const discovered = z.strictObject({
  domain: text,
  /** Percent. */
  shareOfVoice: orNull(number),
  ...{ estimatedClicks: orNull(number), keywords: count, top3: count, top10: count, averageRank: number },
  /** The search that is worth most clicks to it. */
  ...{ exampleKeyword: text, exampleMarket: text, exampleRank: count, exampleUrl: orNull(text) },
});
export type DiscoveredDomain = z.output<typeof discovered>;

const mapSums = {
  ...{ points: count, checked: count, found: count, averageRank: orNull(number), averageGridRank: orNull(number) },
  ...{ shareOfLocalVoice: orNull(number), comparable: count, averageGridRankChange: orNull(number) },
  shareOfLocalVoiceChange: orNull(number),
};
const { location: __, ...mapSearch } = search;

/** The sums of one map: a keyword, device and target over all points. `id`: of the row of its first point. */
export const gridSums = z.strictObject({
  ...{ id: text, ...mapSearch, target: text },
  /** Newest local date of its checks; null: none. */
  date: orNull(date),
  ...mapSums,
});
export type GridSums = z.output<typeof gridSums>;

/** A point of a map: row 1 is the northernmost, column 1 the westernmost. `id`: of its row. */
export const gridPoint = z.strictObject({
  ...{ id: text, ...mapSearch, target: text, location: text, row: count, column: count, latitude: number },
  ...{ longitude: number, kilometres: number, direction: text, status, rank: orNull(count) },
  /** Of a point that was not checked, estimated from the others: never a rank. */
  estimatedRank: orNull(number),
  ...{ depth: orNull(count), url: orNull(text), date, previousRank: orNull(count), previousDate: orNull(date) },
  ...{ change: orNull(count), changeClass },
  /** Of a point that was not checked. */
  last: z.optional(z.strictObject({ rank: orNull(count), date, ageDays: count })),
});
export type GridPoint = z.output<typeof gridPoint>;

export const gridMap = z.strictObject({
  ...gridSums.shape,
  grid: z.strictObject(gridFacts),
  compare: text,
  estimated: count,
  /** Mean absolute error of the estimates in ranks, by leave-one-out over the checked points; null: no estimates. */
  estimateError: orNull(number),
  mapPoints: list(gridPoint),
  /** By date, over the points with a complete check. Null: none. */
  series: z.strictObject({ dates: list(date), averageRank: values, shareOfLocalVoice: values, checked: list(count) }),
});
export type GridMapAnswer = z.output<typeof gridMap>;

export const serpResult = z.strictObject({
  /** Organic rank over all pages. Null if a page before it is missing. */
  rank: orNull(count),
  page: count,
  url: text,
  /** The own target or competitor that it belongs to. */
  target: orNull(text),
  isOwn: flag,
});
export type SerpResult = z.output<typeof serpResult>;

const storedSerp = z.strictObject({
  ...{ ...search, date, checkedAt: moment, source: text, runId: count, pages: count },
  results: list(serpResult),
  /** In page order. `targets`: the own targets and competitors that it shows. */
  features: list(z.strictObject({ page: count, type: text, urls: list(text), targets: list(text), isOwn: flag })),
  /** The unpaid local results of page 1. Pages bought before places were kept have none. */
  places: list(
    z.strictObject({
      ...{ name: text, placeId: z.optional(text), cid: z.optional(text), address: z.optional(text) },
      ...{ website: z.optional(text), rank: count, category: z.optional(text), phone: z.optional(text) },
      ...{ rating: z.optional(number), reviews: z.optional(count), target: orNull(text), isOwn: flag },
    }),
  ),
});
export type StoredSerpView = z.output<typeof storedSerp>;

export const serp = z.strictObject({ serp: orNull(storedSerp) });
export const serpDates = z.strictObject({ dates: list(date) });

const percentOrNull = orNull(number);
const shareChanges = ['new', 'lost', 'up', 'down', 'same'] as const;

/** AI answers to one prompt, or to all prompts of an engine, and what they show of one target. Shares in percent. */
export const answerRecord = z.strictObject({
  ...{ period: date, engine: text, prompt: orNull(text), country: orNull(text), language: orNull(text) },
  ...{ device: orNull(text), location: orNull(text), target: text, isOwn: flag, asked: count },
  /** Of AI overviews: those with links. */
  answers: count,
  /** Answers with a link to the target, and the bounds of their share at 95 %; null: no answers. */
  ...{ cited: orNull(count), citedShare: percentOrNull, citedLow: percentOrNull, citedHigh: percentOrNull },
  /** Answers that name the target. */
  ...{ mentioned: orNull(count), mentionedShare: percentOrNull },
  ...{ mentionedLow: percentOrNull, mentionedHigh: percentOrNull },
  /** The period that is compared with; null: none of the same source. */
  previousPeriod: orNull(date),
  previousCitedShare: percentOrNull,
  /** new, lost, up or down: more than chance explains; else same; null: nothing to compare with. */
  citationChange: orNull(z.enum(shareChanges)),
  mentionChange: orNull(z.enum(shareChanges)),
  /** Those that most answers cite first. */
  citedPages: list(text),
  /** Checks that show an AI overview, of `asked`; null: of assistants. */
  ...{ shown: orNull(count), shownShare: percentOrNull, shownLow: percentOrNull, shownHigh: percentOrNull },
  presenceChange: orNull(z.enum(shareChanges)),
});
export type AnswerRecord = z.output<typeof answerRecord>;

export const answerSample = z.strictObject({
  ...{ period: date, engine: text, prompt: text, country: text, language: text, sample: count, observedAt: moment },
  ...{ source: text, model: orNull(text), text },
  citations: list(z.strictObject({ url: text, title: orNull(text), target: orNull(text), isOwn: flag })),
  mentions: list(text),
}) satisfies z.ZodMiniType<AnswerSample>;

export const clickHour = z.strictObject({
  ...{ hour: text, isFinal: flag, clicks: count, impressions: count },
  ...{ previousClicks: orNull(count), previousImpressions: orNull(count) },
}) satisfies z.ZodMiniType<ClickHour>;

/** A query of the newest 28 final days, as it could be tracked. */
export const untrackedQuery = z.strictObject({
  ...{ query: text, country: text, language: text },
  /** Those with impressions that the project tracks in this country. */
  devices: list(text),
  ...{ brand: flag, clicks: count, impressions: orNull(count), averagePosition: orNull(number) },
  /** At worst, in a month of 31 days. */
  creditsPerMonth: number,
});
export type UntrackedQuery = z.output<typeof untrackedQuery>;

/** A tracked keyword for which nothing is reported on these devices: no impressions, or it is a hidden query. */
export const silentKeyword = z.strictObject({
  ...{ keyword: text, country: text, language: text, devices: list(text), tags: list(text), creditsPerMonth: number },
});
export type SilentKeyword = z.output<typeof silentKeyword>;

export const clickKinds = ['query', 'page', 'country', 'device'] as const;

/** What this reader may do and see. `scope` null: everything. */
export const access = z.strictObject({
  mayEdit: flag,
  scope: orNull(z.strictObject({ project: text, tag: z.optional(text), view: z.optional(text) })),
});
export type Access = z.output<typeof access>;

export const failure = z.strictObject({ error: z.strictObject({ message: text }) });

/** `preview`: of the change as it would be now. */
export const conflict = z.strictObject({ ...failure.shape, preview: z.optional(z.looseObject({})) });
