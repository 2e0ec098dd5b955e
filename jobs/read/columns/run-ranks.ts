// The columns of ranks of a project's runs, by search, read once and kept.

import type { TrackedMetrics } from '../../../db/history/volumes.ts';
import type { ColumnRun, RankDetails, Ranks } from '../../../db/reads/rank-columns.ts';
import type { PagesOfRuns } from '../../../db/reads/reports/report-series.ts';
import { getOrInsert } from '../../../src/tracker/maps.ts';
import type { JobContext } from '../../context.ts';
import type { ProjectSearches } from './project-searches.ts';

/** Details of this many runs and targets stay in memory: 3 MB for 100,000 searches. */
const detailsMax = 8;
const metricsMax = 4;
/** What the list of projects shows of each is of so many dates. */
const sharedRanksMax = 32;

/** Details with the position of each search in them; -1: it has none. */
export interface PlacedDetails {
  readonly details: RankDetails;
  readonly positions: Int32Array;
}

/** What the noise of earlier ranks depends on, of one run and target. */
export interface RunSources {
  readonly names: readonly string[];
  /** By search, an index into `names`; null: all checks have the only one. */
  readonly bySearch: Uint16Array | null;
  /** UTC milliseconds: no ranking was seen earlier, or later. */
  readonly earliest: number;
  readonly latest: number;
}

/** What projects read alike, as of one version of history: a run has the columns of all projects that it checked. */
export class SharedColumns {
  readonly #store: JobContext['store'];
  readonly projects: number;
  readonly #ranks = new Map<string, Ranks>();
  readonly #details = new Map<string, RankDetails>();
  readonly #areOnce = new Map<string, boolean>();
  readonly pages: PagesOfRuns = new Map();
  #runs: readonly ColumnRun[] | undefined;

  constructor({ store, projects }: Pick<JobContext, 'store' | 'projects'>) {
    this.#store = store;
    this.projects = projects.size;
  }

  /** Every run that ended, newest moment first. */
  get runs(): readonly ColumnRun[] {
    this.#runs ??= this.#store.rankColumns.runs();
    return this.#runs;
  }

  /** Whether a service has metrics at most once for each keyword and month. */
  areOnce(service: string): boolean {
    return getOrInsert(this.#areOnce, service, () => this.#store.trackedMetrics.areOnce(service));
  }

  ranks(runId: number, targetId: number): Ranks | null {
    const key = `${runId} ${targetId}`;
    const like = [...this.#ranks.values()].at(-1);
    const read = this.#ranks.get(key) ?? this.#store.rankColumns.ranks(runId, targetId, { like });
    return read === null ? null : keepNewest(this.#ranks, key, read, this.projects === 1 ? 1 : sharedRanksMax);
  }

  details(runId: number, targetId: number): RankDetails | null {
    const key = `${runId} ${targetId}`;
    const read = this.#details.get(key) ?? this.#store.rankColumns.details(runId, targetId);
    return read === null ? null : keepNewest(this.#details, key, read, detailsMax);
  }
}

export class RunRanks {
  readonly searches: ProjectSearches;
  readonly #store: JobContext['store'];
  readonly columns: SharedColumns;
  /** Every run that ended, newest moment first. */
  readonly runs: readonly ColumnRun[];
  readonly #stamps: ReadonlyMap<number, string>;
  /** `RankColumns.among` of the searches. */
  readonly #among: string | null;
  /** Of a run without rankings of a target. */
  readonly #none: Uint16Array;
  readonly #codes: Map<string, Uint16Array>;
  readonly #sources: Map<string, RunSources>;
  readonly #incomplete: Map<string, ReadonlyMap<number, number>>;
  readonly #details: Map<string, PlacedDetails>;
  readonly #metrics: Map<string, readonly (TrackedMetrics | null)[]>;
  readonly #urls: Map<number, string>;
  readonly #warm = new Set<number>();

  /** `before`: an earlier reading of the same searches; what has not changed since is taken from it. */
  constructor(
    { store }: Pick<JobContext, 'store'>,
    columns: SharedColumns,
    searches: ProjectSearches,
    before?: RunRanks,
  ) {
    this.#store = store;
    this.columns = columns;
    this.searches = searches;
    this.runs = columns.runs;
    this.#stamps = new Map(columns.runs.map(({ id, stamp }) => [id, stamp]));
    this.#among = store.rankColumns.among(searches.ids, columns.projects);
    this.#none = before === undefined ? new Uint16Array(searches.all.length) : before.#none;
    const isSame = (key: string): boolean => {
      const id = Number.parseInt(key, 10);
      return this.stamp(id) !== undefined && this.stamp(id) === before?.stamp(id);
    };
    const kept = <Value>(values: ReadonlyMap<string, Value> = new Map()): Map<string, Value> =>
      new Map([...values].filter(([key]) => isSame(key)));
    const known = before?.known();
    this.#codes = kept(known?.codes);
    this.#sources = kept(known?.sources);
    this.#incomplete = kept(known?.incomplete);
    this.#details = kept(known?.details);
    this.#metrics = known?.metrics ?? new Map();
    this.#urls = known?.urls ?? new Map();
  }

  /** Of the columns of a run; undefined: there is no such run. */
  stamp(runId: number): string | undefined {
    return this.#stamps.get(runId);
  }

  /** What was read so far, by run and target. */
  known() {
    return {
      codes: this.#codes,
      sources: this.#sources,
      incomplete: this.#incomplete,
      details: this.#details,
      metrics: this.#metrics,
      urls: this.#urls,
    };
  }

  /** Whether a run has rankings of a target. */
  has(runId: number, targetId: number): boolean {
    return this.codes(runId, targetId) !== this.#none;
  }

  /** A code per search (`rankCodes`; 0: no ranking). */
  codes(runId: number, targetId: number): Uint16Array {
    const key = `${runId} ${targetId}`;
    return getOrInsert(this.#codes, key, () => this.#read(runId, targetId));
  }

  /** Null: the run has no rankings of the target. */
  details(runId: number, targetId: number): PlacedDetails | null {
    const key = `${runId} ${targetId}`;
    const read = this.#details.get(key) ?? this.#readDetails(runId, targetId);
    return read === null ? null : keepNewest(this.#details, key, read, detailsMax);
  }

  /** Null: the run has no rankings of the target. */
  sources(runId: number, targetId: number): RunSources | null {
    const key = `${runId} ${targetId}`;
    if (!this.has(runId, targetId)) return null;
    const read = this.#sources.get(key) ?? this.#store.rankColumns.seen(runId) ?? this.#readSources(runId, targetId);
    if (read !== null) this.#sources.set(key, read);
    return read;
  }

  /** The exact rank that an incomplete check of a run proves; null: none. */
  rankInIncomplete(runId: number, targetId: number, index: number): number | null {
    const key = `${runId} ${targetId}`;
    const ranks = getOrInsert(this.#incomplete, key, () => {
      const found = this.#store.rankColumns.ranksInIncomplete(runId, targetId);
      return new Map(found.map(({ searchId, rank }) => [searchId, rank]));
    });
    return ranks.get(this.searches.ids[index] ?? 0) ?? null;
  }

  /** Whether all earlier ranks of a target are in memory: rows then need not ask history one by one. */
  isWarm(targetId: number): boolean {
    return this.#warm.has(targetId);
  }

  /** Reads the columns of all runs of a target, one a step: between two steps, requests are answered. */
  *warm(targetId: number): Generator<void> {
    for (const run of this.runs) {
      this.sources(run.id, targetId);
      yield;
    }
    this.#warm.add(targetId);
  }

  /** Metrics of each search in a month, or the newest before it. */
  metrics(service: string, month: string): readonly (TrackedMetrics | null)[] {
    const key = `${service} ${this.#store.trackedMetrics.version(month)}`;
    const known = this.#metrics.get(key);
    if (known !== undefined) return known;
    const found: (TrackedMetrics | null)[] = [];
    const isOnce = this.columns.areOnce(service);
    let first = 0;
    for (const count of this.searches.batches) {
      const keywords = this.searches.all.slice(first, first + count).map(({ tracked }) => tracked.keyword);
      const { market } = this.searches.search(first);
      found.push(...this.#store.trackedMetrics.of({ market, keywords, month, isOnce }));
      first += count;
    }
    return keepNewest(this.#metrics, key, found, metricsMax);
  }

  /** The text of a URL. `columns`: others that are read with it if it is not known; 0: none. */
  url(id: number, columns: () => readonly Int32Array[]): string | null {
    const known = this.#urls.get(id);
    if (known !== undefined) return known;
    const unknown = new Set([id]);
    for (const column of columns()) {
      for (const other of column) if (other > 0 && !this.#urls.has(other)) unknown.add(other);
    }
    for (const [other, url] of this.#store.dailyRankings.urls([...unknown])) this.#urls.set(other, url);
    return this.#urls.get(id) ?? null;
  }

  #readDetails(runId: number, targetId: number): PlacedDetails | null {
    const ranks = this.#ranksOf(runId, targetId);
    const details =
      this.#among === null
        ? this.columns.details(runId, targetId)
        : this.#store.rankColumns.details(runId, targetId, this.#among);
    if (ranks === null || details === null) return null;
    return { details, positions: this.searches.positionsIn(ranks.searchIds) };
  }

  #readSources(runId: number, targetId: number): RunSources | null {
    const placed = this.#details.get(`${runId} ${targetId}`) ?? this.#readDetails(runId, targetId);
    return placed === null ? null : sourcesOf(placed);
  }

  /** Few searches are read for this project alone. */
  #ranksOf(runId: number, targetId: number): Ranks | null {
    if (this.#among === null) return this.columns.ranks(runId, targetId);
    return this.#store.rankColumns.ranks(runId, targetId, { among: this.#among });
  }

  #read(runId: number, targetId: number): Uint16Array {
    const found = this.#ranksOf(runId, targetId);
    if (found === null) return this.#none;
    const positions = this.searches.positionsIn(found.searchIds);
    return Uint16Array.from(positions, (position) => found.codes[position] ?? 0);
  }
}

function sourcesOf({ details, positions }: PlacedDetails): RunSources {
  const { names, column } = details.sources;
  return {
    names,
    bySearch: names.length <= 1 ? null : Uint16Array.from(positions, (position) => column[position] ?? names.length),
    earliest: details.checkedAt.reduce((least, at) => Math.min(least, at), Number.MAX_SAFE_INTEGER),
    latest: details.checkedAt.reduce((most, at) => Math.max(most, at), 0),
  };
}

function keepNewest<Value>(kept: Map<string, Value>, key: string, value: Value, max: number): Value {
  kept.delete(key);
  kept.set(key, value);
  for (const oldest of kept.keys()) {
    if (kept.size <= max) break;
    kept.delete(oldest);
  }
  return value;
}
