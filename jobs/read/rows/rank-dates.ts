// Where a target stood on each date of the page: from columns of ranks, or from rankings where columns lack some.

import { type ColumnRun, type RankedSearches, SearchPositions } from '../../../db/reads/rank-columns.ts';
import type { DatedRun } from '../../../db/reads/reports/report-series.ts';
import type { Store } from '../../../db/store.ts';
import { Interned } from '../../../src/read/interned.ts';
import { buildTrail } from '../../../src/read/sums/timeline.ts';
import type { RankDate } from '../../../src/report/html/data/row-trails.ts';
import type { Project } from '../../../src/tracker/project.ts';
import { isProvenCode, rankCodes } from '../../../src/tracker/rank-codes.ts';
import { inBatches } from './search-batches.ts';
import type { SeriesAxis } from './series-axis.ts';

/** Searches times dates whose rankings are read at once. */
const cellsMax = 1_500_000;
/** Reading one ranking takes as long as reading this many rows of columns. */
const rowsPerRanking = 24;

interface RankDatesQuery {
  /** As `targetKey` makes it. */
  readonly target: string;
  /** Of the oldest run that counts. */
  readonly from: number;
  /** `codes`: URLs and owned features are not read. */
  readonly what: 'codes' | 'all';
  /** Indices of dates; absent: all. */
  readonly dates?: readonly number[];
}

interface Scope {
  readonly context: { readonly store: Store };
  readonly project: Project;
}

export class RankDates {
  /** Ascending. */
  readonly searchIds: Int32Array;
  readonly #scope: Scope;
  readonly #axis: SeriesAxis;
  readonly #gaps: Gaps;
  readonly #positions: SearchPositions;
  readonly #spanning: ReadonlySet<number>;
  /** Runs that have their moment alone. */
  readonly #whole: ReadonlyMap<number, ColumnRun>;
  readonly #owned = new Interned<string>();
  #incomplete: ReadonlySet<number> | undefined;
  #like: RankedSearches | undefined;

  constructor(scope: Scope, axis: SeriesAxis, gaps: Gaps, searchIds: Int32Array) {
    this.searchIds = searchIds;
    this.#scope = scope;
    this.#axis = axis;
    this.#gaps = gaps;
    this.#positions = new SearchPositions(searchIds);
    this.#spanning = new Set(axis.spanning);
    this.#whole = wholeRuns(scope.context.store.rankColumns.runs(axis.firstMoment(0) ?? 0));
    this.#owned.idOf('');
  }

  /** Features joined by `|`, by their number in `owned`. */
  ownedNames(): readonly string[] {
    return this.#owned.list();
  }

  /** -1: not in the list. */
  placeOf(searchId: number): number {
    let [low, high] = [0, this.searchIds.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.searchIds[middle] ?? 0) < searchId) low = middle + 1;
      else high = middle;
    }
    return this.searchIds[low] === searchId ? low : -1;
  }

  /** Newest first. Each is valid until the next is read. */
  *of(query: RankDatesQuery): Generator<RankDate> {
    const targetId = this.#scope.context.store.names.knownTargetId(query.target);
    const columns = this.#empty(0);
    const read = new Map<number, RankDate>();
    const dates = query.dates ?? [...this.#axis.dates.keys()];
    for (const date of dates.toSorted((a, b) => b - a)) {
      const runs = this.#runsOn(date, query.from);
      const isHeld = targetId === null || this.#areHeld(runs, targetId);
      if (!isHeld && !read.has(date)) {
        read.clear();
        for (const each of this.#readRankings(query, this.#datesNotHeld(date, query.from, targetId)))
          read.set(each.date, each);
      }
      columns.codes.fill(0);
      const found = read.get(date) ?? { ...columns, date };
      if (isHeld && targetId !== null) this.#readColumns(found, runs, { targetId, what: query.what });
      for (const [searchId, code] of this.#gaps.get(date) ?? []) {
        const place = this.placeOf(searchId);
        if (place >= 0) found.codes[place] ||= code;
      }
      yield found;
    }
  }

  #empty(date: number): RankDate {
    const { length } = this.searchIds;
    return { date, codes: new Uint16Array(length), urlIds: new Int32Array(length), owned: new Uint16Array(length) };
  }

  /** In the order of history. */
  #runsOn(date: number, from: number): DatedRun[] {
    const runs = this.#axis.dates[date]?.runs ?? [];
    return runs.filter(({ moment }) => moment >= from).sort((a, b) => a.moment - b.moment);
  }

  #areHeld(runs: readonly DatedRun[], targetId: number): boolean {
    const rowsMax = rowsPerRanking * this.searchIds.length;
    return runs.every(({ id }) => {
      const run = this.#whole.get(id);
      return run !== undefined && this.#scope.context.store.rankColumns.count(run.moment, targetId) <= rowsMax;
    });
  }

  /** The date and those before it that are read with it. */
  #datesNotHeld(date: number, from: number, targetId: number): number[] {
    const dates = [date];
    const datesMax = Math.max(1, Math.floor(cellsMax / Math.max(1, this.searchIds.length)));
    for (let before = date - 1; before >= 0 && dates.length < datesMax; before -= 1) {
      if (this.#areHeld(this.#runsOn(before, from), targetId)) break;
      dates.push(before);
    }
    return dates;
  }

  /** Of several checks on a date, the last complete one counts; without one, the first. */
  #readColumns(
    { codes, urlIds, owned }: RankDate,
    runs: readonly DatedRun[],
    { targetId, what }: { readonly targetId: number; readonly what: RankDatesQuery['what'] },
  ): void {
    const { rankColumns } = this.#scope.context.store;
    const isOnly = runs.length === 1;
    const seen = isOnly ? null : new Float64Array(codes.length).fill(Number.NEGATIVE_INFINITY);
    const checks = new Float64Array(isOnly ? 0 : codes.length);
    for (const { id, moment, from, until } of runs) {
      const ranks = rankColumns.ranks(id, targetId, this.#like);
      if (ranks === null) continue;
      this.#like = ranks;
      const isSpanning = this.#spanning.has(moment);
      const details = isOnly && !isSpanning && what === 'codes' ? null : rankColumns.details(id, targetId);
      const ownedIds = (details?.ownedFeatures.names ?? []).map((names) => this.#owned.idOf(names));
      const positions = this.#positions.in(ranks.searchIds);
      for (let place = 0; place < codes.length; place += 1) {
        const at = positions[place] ?? -1;
        if (at < 0) continue;
        const checkedAt = details?.checkedAt[at] ?? 0;
        if (isSpanning && (checkedAt < from || checkedAt > until)) continue;
        const code = ranks.codes[at] ?? 0;
        if (!isProvenCode(code)) {
          codes[place] ||= code;
          continue;
        }
        if (seen !== null) {
          const [seenAt, checkId] = [isSpanning ? checkedAt : moment, details?.checkIds[at] ?? 0];
          const otherAt = seen[place] ?? 0;
          if (seenAt < otherAt || (seenAt === otherAt && checkId < (checks[place] ?? 0))) continue;
          seen[place] = seenAt;
          checks[place] = checkId;
        }
        codes[place] = code;
        if (details === null) continue;
        urlIds[place] = details.urlIds[at] ?? 0;
        owned[place] = ownedIds[details.ownedFeatures.column[at] ?? 0] ?? 0;
      }
    }
  }

  /** 100,000 searches take seconds. */
  #readRankings({ target, from }: RankDatesQuery, dates: readonly number[]): RankDate[] {
    const { reportSeries } = this.#scope.context.store;
    const axis = this.#axis;
    const read = dates.map((date) => this.#empty(date));
    const moments = dates.flatMap((date) => this.#runsOn(date, from).map(({ moment }) => moment));
    const [first, last] = [moments.reduce((a, b) => Math.min(a, b)), moments.reduce((a, b) => Math.max(a, b))];
    this.#incomplete ??= new Set(
      axis.dates.flatMap(({ runs }) => runs.flatMap(({ id }) => reportSeries.incomplete(id))),
    );
    const isComplete = (checkId: number) => this.#incomplete?.has(checkId) !== true;
    for (const { market, keywords } of inBatches(this.#scope.project)) {
      const words = keywords.map(({ keyword }) => keyword);
      const query = { target, market, keywords: words, from: first, until: last, spanning: axis.spanning };
      for (const { searchId, rankings } of reportSeries.of(query)) {
        const place = searchId === null ? -1 : this.placeOf(searchId);
        if (place < 0) continue;
        const dateOf = (ranking: (typeof rankings)[number]) => axis.indexOf(ranking);
        const trail = buildTrail(rankings, dateOf, axis.dates.length, isComplete);
        for (const each of read) {
          each.codes[place] = trail.codes[each.date] ?? 0;
          each.urlIds[place] = lastUntil(each.date, trail.urlSteps) ?? 0;
          each.owned[place] = this.#owned.idOf(lastUntil(each.date, trail.ownedSteps) ?? '');
        }
      }
    }
    return read;
  }
}

/** On dates without a value: the one before, which starts no step. */
function lastUntil<Value>(date: number, steps: readonly (readonly [number, Value])[]): Value | undefined {
  return steps.findLast(([since]) => since <= date)?.[1];
}

/** Runs that have their moment alone. */
function wholeRuns(runs: readonly ColumnRun[]): ReadonlyMap<number, ColumnRun> {
  const ofMoment = Map.groupBy(runs, ({ moment }) => moment);
  const whole = runs.filter(({ moment }) => ofMoment.get(moment)?.length === 1);
  return new Map(whole.map((run) => [run.id, run]));
}

/** Checks that are remembered for having read nothing. */
const gapsMax = 200_000;

/** Searches with the status of a failed or incomplete check, by date. The first of a search on a date counts. */
type Gaps = ReadonlyMap<number, readonly (readonly [searchId: number, code: number])[]>;

/** Beyond `gapsMax`, the oldest dates have none: such checks are shown as not made. */
export function readGaps({ context }: Pick<Scope, 'context'>, dates: SeriesAxis['dates']): Gaps {
  const gaps = new Map<number, [number, number][]>();
  let left = gapsMax;
  for (const [date, { runs }] of [...dates.entries()].reverse()) {
    const found: [number, number][] = [];
    for (const run of runs) {
      const unread = context.store.reportSeries.unread(run, left);
      left -= unread.length;
      for (const { searchId, state } of unread) found.push([searchId, rankCodes[state]]);
    }
    if (found.length > 0) gaps.set(date, found);
  }
  return gaps;
}
