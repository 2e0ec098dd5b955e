// The keyword tables and rank trails of one project, kept in memory until its history changes.

import { InvalidQuery, type KeywordQuery, NotFound } from '../../src/read/contract.ts';
import { filterRows, keywordPlace, withTarget } from '../../src/read/keyword-filter.ts';
import type { GridMapAnswer, Summary } from '../../src/read/records.ts';
import type { RecentRanks } from '../../src/read/row.ts';
import type { DatedSums } from '../../src/read/sums/code-sums.ts';
import { gridMap } from '../../src/read/sums/grids.ts';
import { trendOf } from '../../src/read/sums/series.ts';
import { summarize, summedRows } from '../../src/read/sums/summaries.ts';
import { type KeywordCauses, keywordCauses } from '../../src/tracker/causes/cause-text.ts';
import type { ChangeSummary } from '../../src/tracker/causes/change-summary.ts';
import { type Comparison, comparisonHint, comparisonName, parseComparison } from '../../src/tracker/changes/change.ts';
import { type Note, notesOf } from '../../src/tracker/changes/note.ts';
import { changeWeight } from '../../src/tracker/changes/visibility.ts';
import { getOrInsert } from '../../src/tracker/maps.ts';
import type { Project } from '../../src/tracker/project.ts';
import { rankCodes } from '../../src/tracker/rank-codes.ts';
import { addDays, isDate, localDate, startOfDay } from '../../src/tracker/schedule/local-time.ts';
import { isPlace, overlappingTargets, targetKey } from '../../src/tracker/targets/target.ts';
import { ProjectClicks } from '../clicks/project-clicks.ts';
import { curveOf } from '../clicks/site-curve.ts';
import type { JobContext } from '../context.ts';
import { againstCompetitors } from './against-competitors.ts';
import { isBeyondNoise } from './causes/explain-changes.ts';
import { CauseReader, Changes } from './causes/read-causes.ts';
import { columnRows, type TableRow } from './columns/column-rows.ts';
import { ProjectSearches, trailKey } from './columns/project-searches.ts';
import { RankSums } from './columns/rank-sums.ts';
import { RankTrails } from './columns/rank-trails.ts';
import { RunRanks, type SharedColumns } from './columns/run-ranks.ts';
import { findSuspicion, type RowSource, reportRows } from './rows/report-rows.ts';
import type { SerpScope } from './rows/report-scope.ts';
import type { HistorySettings } from './settings.ts';

/** Tables of this many dates and comparisons stay in memory: one of 100,000 rows takes some 100 MB. */
const tablesMax = 4;
/** A chart without a period shows these newest dates. */
const datesShown = 90;
/** Ranks of competitors that are read ahead, two bytes each. */
const warmCellsMax = 50_000_000;
const rowsPerStep = 1_000;
/** Of the line in a row. */
const trendDates = 30;

type TableQuery = Pick<KeywordQuery, 'date' | 'compare'>;

export class ProjectHistory {
  readonly project: Project;
  readonly #context: JobContext;
  readonly #columns: SharedColumns;
  readonly #settings: HistorySettings;
  readonly #tables = new Map<string, KeywordTable>();
  readonly #visibilityChanges = new Map<string, Pick<Summary, 'visibilityChange' | 'comparable'>>();
  readonly #causes = new WeakMap<KeywordTable, CauseReader>();
  /** Of all rows of a table. */
  readonly #summaries = new WeakMap<KeywordTable, ChangeSummary>();
  /** What every table without a date shows. */
  #newestRun: TableRun | null | undefined;
  #trails: RankTrails | undefined;
  #rankSums: RankSums | undefined;
  /** The rows of the newest filter: a page of rows, its sums and its chart are asked one after the other. */
  #filtered: { readonly of: object; readonly filter: string; readonly rows: readonly TableRow[] } | undefined;

  readonly #overlaps: readonly (readonly [string, string])[];

  /** Read before history changed; null: never. */
  readonly #before: RunRanks | null;

  constructor(
    context: JobContext,
    settings: HistorySettings,
    { project, columns, before }: { project: Project; columns: SharedColumns; before?: ProjectHistory },
  ) {
    this.project = project;
    this.#columns = columns;
    this.#overlaps = overlappingTargets(project.targets);
    this.#context = context;
    const { clock, store } = context;
    const today = localDate(clock.now(), project.timezone);
    this.#settings = {
      ...settings,
      notes: notesOf(settings.notes, project),
      ctrCurve: curveOf(store, project, settings.ctrCurve, today),
    };
    this.#before = before === undefined ? null : (before.#trails?.ranks ?? before.#before);
  }

  /** A measured curve by its name. */
  get ctrCurve(): string {
    return this.#settings.ctrCurve;
  }

  /** That of the config. */
  get comparison(): Comparison {
    return this.#settings.comparison;
  }

  /** Throws InvalidQuery. */
  table({ date, compare }: TableQuery): KeywordTable {
    if (date !== undefined && !isDate(date)) throw new InvalidQuery(`date: "${date}" is not a date such as 2026-11-20`);
    const comparison = this.comparisonOf(compare);
    const key = `${date ?? ''}\n${comparisonName(comparison)}`;
    const table = this.#tables.get(key) ?? this.#readTable(date, comparison);
    this.#tables.delete(key);
    this.#tables.set(key, table);
    // the table that pages open with stays: others are looked at and left
    const first = `\n${comparisonName(this.#settings.comparison)}`;
    for (const oldest of this.#tables.keys()) {
      if (this.#tables.size <= tablesMax) break;
      if (oldest !== first) this.#tables.delete(oldest);
    }
    return table;
  }

  /**
   * Of the newest date, over the rows of a target with a comparable check; percentage points. The table is not kept:
   * only its sum is needed.
   */
  visibilityChange(target: string, days: number): Pick<Summary, 'visibilityChange' | 'comparable'> {
    const key = `${target}\n${days}`;
    const known = this.#visibilityChanges.get(key);
    if (known !== undefined) return known;
    const { rows, date } = this.#readTable(undefined, { kind: 'days', days });
    const own = rows.filter((row) => row.target === target);
    const change = summarize(own, { ctrCurve: this.ctrCurve, date, compare: `${days}d` });
    this.#visibilityChanges.set(key, change);
    return change;
  }

  #readTable(date: string | undefined, comparison: Comparison): KeywordTable {
    const { ctrCurve, toleranceMs, notes } = this.#settings;
    const { trails } = this;
    const { project } = this;
    if (date === undefined && this.#newestRun === undefined) this.#newestRun = findTableRun(this.#context, project);
    const run = date === undefined ? this.#newestRun : findTableRun(this.#context, project, date);
    if (run == null) return empty;
    const query = { project, comparison, notes, ctrCurve, toleranceMs, recent: trails };
    return readKeywordTable(this.#context, trails.ranks, run, query);
  }

  /** The rows of a filter, in the order of the config. Throws InvalidQuery. */
  rows(query: TableQuery & Pick<KeywordQuery, 'filter'>): readonly TableRow[] {
    const { rows } = this.table(query);
    const wanted = withTarget(
      query.filter,
      this.project.targets.map(({ value }) => value),
    );
    const filter = JSON.stringify(wanted);
    if (this.#filtered?.of === rows && this.#filtered.filter === filter) return this.#filtered.rows;
    const filtered = againstCompetitors(filterRows(rows, wanted), wanted, this);
    this.#filtered = { of: rows, filter, rows: filtered };
    return filtered;
  }

  /** The rows that sums may take together: no result counts for two targets. */
  summedRows(query: TableQuery & Pick<KeywordQuery, 'filter'>): readonly TableRow[] {
    const targets = this.project.targets.map(({ value }) => value);
    return summedRows(this.rows(query), targets, this.#overlaps);
  }

  /** The run of a table, with its stored pages. Null: nothing was checked. Throws InvalidQuery. */
  serpScope(query: TableQuery): SerpScope | null {
    const { source } = this.table(query);
    const { toleranceMs, notes } = this.#settings;
    const comparison = this.comparisonOf(query.compare);
    const settings = { comparison, notes, toleranceMs };
    return source === null ? null : { context: this.#context, settings, project: this.project, ...source };
  }

  /** A row as it stood on the date of the query. Throws NotFound and InvalidQuery. */
  row(id: string, query: TableQuery = {}): TableRow {
    const found = this.table(query).byId().get(id);
    if (found === undefined) throw new NotFound(`no keyword "${id}" in ${this.project.id}`);
    return found;
  }

  /** The rows of the filter that moved beyond their noise, the largest change of clicks first. */
  movedRows(query: TableQuery & Pick<KeywordQuery, 'filter'>): TableRow[] {
    const weights = new Map(
      this.rows(query).flatMap((row) => (isBeyondNoise(row) ? [[row, changeWeight(row, this.ctrCurve)]] : [])),
    );
    return [...weights.keys()].sort((a, b) => (weights.get(b) ?? 0) - (weights.get(a) ?? 0));
  }

  /** Why rows of the table of this query changed, in their order. */
  causes(rows: readonly TableRow[], query: TableQuery): KeywordCauses[] {
    const explanations = this.#causeReader(query).of(rows).values();
    return rows.map((row) => {
      const { value } = explanations.next();
      if (value === undefined) throw new Error('each row is explained');
      return keywordCauses(row, value);
    });
  }

  /** What made the project change: read once for all rows of a table. `read`: reads it. */
  changeSummary(query: KeywordQuery, read: () => ChangeSummary): ChangeSummary {
    if (Object.keys(query.filter).length > 0) return read();
    const table = this.table(query);
    return getOrInsert(this.#summaries, table, read);
  }

  #causeReader(query: TableQuery): CauseReader {
    const table = this.table(query);
    const known = this.#causes.get(table);
    if (known !== undefined) return known;
    const { notes } = this.#settings;
    const date = table.date ?? localDate(this.#context.clock.now(), this.project.timezone);
    const source = { context: this.#context, project: this.project, notes, suspect: table.suspect, date };
    const reader = new CauseReader(source, () => Changes.of(table.rows));
    this.#causes.set(table, reader);
    return reader;
  }

  /** Sums of rows of the table of this query. */
  summarize(rows: readonly TableRow[], query: TableQuery): Summary {
    const { date } = this.table(query);
    const compare = comparisonName(this.comparisonOf(query.compare));
    return summarize(rows, { ctrCurve: this.#settings.ctrCurve, date, compare });
  }

  /** The sums of these rows by date. Rows that were never checked have no codes. */
  *sumsOf(rows: Iterable<TableRow>): Generator<DatedSums> {
    for (const [own, group] of Map.groupBy(rows, (row) => row.own)) {
      const searchIndices = Int32Array.from(group, ({ searchIndex }) => searchIndex);
      const volumes = group.map(({ searchVolume }) => (isPlace(own) ? null : searchVolume));
      yield* this.rankSums.of(searchIndices, volumes)(own);
    }
  }

  /** Volumes are those of the newest table. */
  get rankSums(): RankSums {
    if (this.#rankSums !== undefined) return this.#rankSums;
    const volumes: (number | null)[] = new Array(this.trails.ranks.searches.all.length).fill(null);
    for (const { searchVolume, searchIndex } of this.table({}).rows)
      if (searchIndex >= 0) volumes[searchIndex] = searchVolume;
    this.#rankSums = new RankSums(this.trails, volumes);
    return this.#rankSums;
  }

  /** The map of the grid with this row; null: it is not a point. Throws NotFound and InvalidQuery. */
  gridMap(id: string, query: TableQuery): GridMapAnswer | null {
    const { location } = this.row(id, query);
    if (location === undefined) return null;
    const { rows, date } = this.table(query);
    const { trails } = this;
    const dates = trails.dates.filter((each) => date === null || each <= date);
    return gridMap(this.project.grid, rows, id, {
      compare: comparisonName(this.comparisonOf(query.compare)),
      dates,
      codeAt: ({ own, searchIndex }, at) => trails.of(own).column(at)[searchIndex] ?? rankCodes.none,
    });
  }

  /** The rows as plain objects, with their ranks on the newest dates up to that of their table. */
  withTrends(rows: readonly TableRow[], date: string | undefined): object[] {
    const { trails } = this;
    const until = date === undefined ? trails.dates.length : trails.dates.findLastIndex((each) => each <= date) + 1;
    const from = Math.max(0, until - trendDates);
    const dates = trails.dates.slice(from, until);
    const targets = new Map(this.project.targets.map((target) => [target.value, trails.of(target)]));
    return rows.map((row) => {
      const codes = dates.map((_, at) => targets.get(row.target)?.column(from + at)[row.searchIndex] ?? rankCodes.none);
      return { ...row.toJSON(), trend: trendOf(dates, codes) };
    });
  }

  /** Reads what later questions need, in steps of some milliseconds. */
  *warm(): Generator<void> {
    this.table({});
    yield;
    const { ranks } = this.trails;
    for (const target of this.project.targets) {
      const targetId = this.#context.store.names.knownTargetId(targetKey(target));
      if (targetId !== null) yield* ranks.warm(targetId);
    }
    for (const [index, row] of this.table({}).rows.entries()) {
      void [row.judged, row.bestRank, row.url, (row as { readonly [keywordPlace]?: number })[keywordPlace]];
      if (index % rowsPerStep === 0) yield;
    }
    this.table({}).byId();
    yield* this.#warmSums();
  }

  /** Sums of all dates; those of competitors perhaps only of the dates that a chart shows without a period. */
  *#warmSums(): Generator<void> {
    const { targets, competitors } = this.project;
    const { dates, ranks } = this.trails;
    const cells = dates.length * ranks.searches.all.length * competitors.length;
    const from = cells <= warmCellsMax ? 0 : Math.max(0, dates.length - datesShown);
    for (const target of [...targets, ...competitors]) {
      const first = targets.includes(target) ? 0 : from;
      for (let date = dates.length - 1; date >= first; date -= 1) {
        this.rankSums.ofAll(target, date);
        yield;
      }
    }
  }

  get trails(): RankTrails {
    this.#trails ??= this.#readTrails();
    return this.#trails;
  }

  #readTrails(): RankTrails {
    const before = this.#before;
    const ranks =
      before === null || before.searches.isBehind()
        ? new RunRanks(this.#context, this.#columns, new ProjectSearches(this.#context, this.project))
        : new RunRanks(this.#context, this.#columns, before.searches, before);
    return new RankTrails(this.#context.store, this.project, ranks, this.#context.clock.now());
  }

  comparisonOf(written: string | undefined): Comparison {
    if (written === undefined || written === '') return this.#settings.comparison;
    const comparison = parseComparison(written);
    if (comparison === null) throw new InvalidQuery(`compare: "${written}" is not ${comparisonHint}`);
    return comparison;
  }
}

// The keyword table of a project on a date, with the numbers of its report of that date.

/** All rows of a project as they stood on a date. */
export interface KeywordTable {
  /** Of the run that it shows. Null: nothing was checked on or before the date. */
  readonly date: string | null;
  readonly runId: number | null;
  readonly suspect: string | null;
  /** What it was read from. Null: nothing. */
  readonly source: Pick<SerpScope, 'runs' | 'slot'> | null;
  readonly rows: readonly TableRow[];
  /** Null: the project has none. */
  readonly clicks: ProjectClicks | null;
  readonly byId: () => ReadonlyMap<string, TableRow>;
}

interface KeywordTableQuery {
  readonly recent: RecentRanks;
  readonly project: Project;
  readonly comparison: Comparison;
  readonly notes: readonly Note[];
  readonly ctrCurve: string;
  readonly toleranceMs?: number;
}

const empty: KeywordTable = {
  date: null,
  runId: null,
  suspect: null,
  source: null,
  rows: [],
  clicks: null,
  byId: () => new Map(),
};

/** A run with the backfills that filled it in, and the clicks of its date. */
interface TableRun extends Pick<SerpScope, 'runs' | 'slot'>, Pick<KeywordTable, 'suspect' | 'clicks'> {}

/** The newest run on or before the date. Null: there is none. `date`: default is today. */
function findTableRun(
  { store, clock }: Pick<JobContext, 'store' | 'clock'>,
  project: Project,
  date?: string,
): TableRun | null {
  const until =
    date === undefined ? clock.now() : Math.min(clock.now(), startOfDay(addDays(date, 1), project.timezone) - 1);
  const [oldest, ...others] = store.reportRuns.latestWithBackfills(project.id, until);
  if (oldest === undefined) return null;
  const runs = [oldest, ...others] as const;
  const slot = store.runs.slotsOf((others.at(-1) ?? oldest).id).find((slot) => slot.project === project.id);
  if (slot === undefined) return null;
  const clicks = project.isPart
    ? null
    : ProjectClicks.until(store.clicks, project, date ?? localDate(until, project.timezone));
  return { runs, slot, suspect: findSuspicion({ store, project, runs }), clicks };
}

function readKeywordTable(
  { store }: Pick<JobContext, 'store'>,
  ranks: RunRanks,
  { runs, slot, suspect, clicks }: TableRun,
  query: KeywordTableQuery,
): KeywordTable {
  const [oldest, ...others] = runs;
  const source = { store, ...(clicks === null ? {} : { clicks }), runs, slot, ...query };
  const rows = others.length === 0 ? columnRows(source, ranks) : [...historyRows(source, ranks)];
  let byId: Map<string, TableRow> | undefined;
  return {
    date: newestDate(rows, slot.timezone) ?? slot.localDate,
    runId: (others.at(-1) ?? oldest).id,
    suspect,
    source: { runs, slot },
    rows,
    clicks,
    byId: () => {
      byId ??= new Map(rows.map((row) => [row.id, row]));
      return byId;
    },
  };
}

function* historyRows(source: RowSource, { searches }: RunRanks): Generator<TableRow> {
  for (const row of reportRows(source)) {
    yield Object.assign(row, { searchIndex: searches.indexOf(trailKey(row.keyword, row)) ?? -1 });
  }
}

function newestDate(rows: readonly TableRow[], timezone: string): string | null {
  let newest: number | null = null;
  for (const { checkedAt } of rows) {
    if (checkedAt !== null && (newest === null || checkedAt > newest)) newest = checkedAt;
  }
  return newest === null ? null : localDate(newest, timezone);
}
