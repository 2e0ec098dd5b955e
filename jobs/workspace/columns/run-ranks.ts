// The columns of ranks of a project's runs, by search, read once and kept.
import type { RankDetails } from '../../../db/history/columns/rank-columns.ts';
import type { ColumnRun } from '../../../db/history/columns/run-columns.ts';
import type { TrackedMetrics } from '../../../db/reads/reports/tracked-rows.ts';
import type { JobContext } from '../../context.ts';
import type { ProjectSearches } from './project-searches.ts';

/** Details of this many runs and targets stay in memory: 3 MB for 100,000 searches. */
const detailsMax = 8;
const metricsMax = 4;

/** Details with the position of each search in them; -1: it has none. */
export interface PlacedDetails {
  readonly details: RankDetails;
  readonly positions: Int32Array;
}

export class RunRanks {
  readonly searches: ProjectSearches;
  /** Every run that ended, newest moment first. */
  readonly runs: readonly ColumnRun[];
  readonly #store: JobContext['store'];
  readonly #byRun: ReadonlyMap<number, ColumnRun>;
  /** Moments at which several runs read: their order matters, and columns do not have it. */
  readonly #sharedMoments: ReadonlySet<number>;
  readonly #codes = new Map<string, Uint16Array>();
  readonly #details = new Map<string, PlacedDetails>();
  readonly #metrics = new Map<string, readonly (TrackedMetrics | null)[]>();
  readonly #urls = new Map<number, string>();

  constructor({ store }: Pick<JobContext, 'store'>, searches: ProjectSearches) {
    this.#store = store;
    this.searches = searches;
    this.runs = store.runColumns.runs();
    this.#byRun = new Map(this.runs.map((run) => [run.id, run]));
    const ofMoment = Map.groupBy(this.runs, ({ moment }) => moment);
    this.#sharedMoments = new Set([...ofMoment].filter(([, runs]) => runs.length > 1).map(([moment]) => moment));
  }

  /** Whether columns hold all rankings of the run's moment, and no other run has that moment. */
  isWhole(runId: number): boolean {
    const run = this.#byRun.get(runId);
    return run !== undefined && run.rowsByTarget !== null && !this.#sharedMoments.has(run.moment);
  }

  /** A code per search (`columnCodes`; 0: no ranking). Only for a run that is whole. */
  codes(runId: number, targetId: number): Uint16Array {
    const key = `${runId} ${targetId}`;
    const known = this.#codes.get(key);
    if (known !== undefined) return known;
    const codes = this.#read(runId, targetId);
    this.#codes.set(key, codes);
    return codes;
  }

  /** Only for a run that is whole, and has rankings of the target. */
  details(runId: number, targetId: number): PlacedDetails | null {
    const key = `${runId} ${targetId}`;
    const known = this.#details.get(key);
    if (known !== undefined) return known;
    const ranks = this.#store.runColumns.ranks(runId, targetId);
    const details = this.#store.runColumns.details(runId, targetId);
    if (ranks === null || details === null) return null;
    return keepNewest(
      this.#details,
      key,
      { details, positions: this.searches.positionsIn(ranks.searchIds) },
      detailsMax,
    );
  }

  /** Metrics of each search in a month, or the newest before it. */
  metrics(service: string, month: string): readonly (TrackedMetrics | null)[] {
    const key = `${service} ${month}`;
    const known = this.#metrics.get(key);
    if (known !== undefined) return known;
    const found: (TrackedMetrics | null)[] = [];
    let first = 0;
    for (const count of this.searches.batches) {
      const keywords = this.searches.all.slice(first, first + count).map(({ tracked }) => tracked.keyword);
      const { market } = this.searches.search(first);
      found.push(...this.#store.trackedRows.metrics({ market, keywords, month }));
      first += count;
    }
    return keepNewest(this.#metrics, key, found, metricsMax);
  }

  /** The text of a URL; `more`: others that are likely to be asked next. */
  url(id: number, more: () => Iterable<number>): string | null {
    const known = this.#urls.get(id);
    if (known !== undefined) return known;
    const unknown = [...new Set(more())].filter((other) => other > 0 && !this.#urls.has(other));
    for (const [other, url] of this.#store.dailyRankings.urls([id, ...unknown])) this.#urls.set(other, url);
    return this.#urls.get(id) ?? null;
  }

  #read(runId: number, targetId: number): Uint16Array {
    const codes = new Uint16Array(this.searches.all.length);
    const found = this.#byRun.get(runId)?.rowsByTarget?.has(targetId)
      ? this.#store.runColumns.ranks(runId, targetId)
      : null;
    if (found === null) return codes;
    const positions = this.searches.positionsIn(found.searchIds);
    for (let index = 0; index < codes.length; index += 1) {
      const position = positions[index] ?? -1;
      if (position >= 0) codes[index] = found.codes[position] ?? 0;
    }
    return codes;
  }
}

function keepNewest<Value>(kept: Map<string, Value>, key: string, value: Value, max: number): Value {
  kept.set(key, value);
  for (const oldest of kept.keys()) {
    if (kept.size <= max) break;
    kept.delete(oldest);
  }
  return value;
}
