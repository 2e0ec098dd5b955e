// Where a target stood on each date of a page, all searches at once.

import { type RankedSearches, SearchPositions } from '../../../db/reads/rank-columns.ts';
import type { DatedRun } from '../../../db/reads/reports/report-series.ts';
import type { Store } from '../../../db/store.ts';
import type { RankDate } from '../../../src/read/sums/timeline.ts';
import { getOrInsert } from '../../../src/tracker/maps.ts';
import { isProvenCode, rankCodes } from '../../../src/tracker/rank-codes.ts';
import type { SeriesAxis } from './series-axis.ts';

interface RankDatesQuery {
  /** As `targetKey` makes it. */
  readonly target: string;
  /** Moments of runs: older ones do not count. Absent: all do. */
  readonly from?: number;
  /** `codes`: URLs and owned features are not read. */
  readonly what: 'codes' | 'all';
  /** Indices of dates; absent: all. */
  readonly dates?: readonly number[];
}

export class RankDates {
  /** 0: the search was never made. */
  readonly searchIds: Int32Array;
  readonly #store: Store;
  readonly #axis: SeriesAxis;
  readonly #gaps: Gaps;
  readonly #positions: SearchPositions;
  readonly #spanning: ReadonlySet<number>;
  /** Features joined by `|`, with their numbers. */
  readonly #owned = new Map([['', 0]]);
  readonly #among: string | null;
  #places: ReadonlyMap<number, number> | undefined;
  #like: RankedSearches | undefined;

  constructor(store: Store, axis: SeriesAxis, searchIds: Int32Array, gaps: Gaps = new Map()) {
    this.searchIds = searchIds;
    this.#store = store;
    this.#axis = axis;
    this.#gaps = gaps;
    this.#positions = new SearchPositions(searchIds);
    this.#spanning = new Set(axis.spanning);
    this.#among = store.rankColumns.among(searchIds);
  }

  /** Features joined by `|`, by their number in `owned`. */
  ownedNames(): readonly string[] {
    return [...this.#owned.keys()];
  }

  /** -1: not in the list. */
  placeOf(searchId: number): number {
    this.#places ??= new Map(Array.from(this.searchIds, (id, place) => [id, place]));
    return this.#places.get(searchId) ?? -1;
  }

  /** Newest first. Each is valid until the next is read. */
  *of({ target, from = 0, what, dates = [...this.#axis.dates.keys()] }: RankDatesQuery): Generator<RankDate> {
    const targetId = this.#store.names.knownTargetId(target);
    const { length } = this.searchIds;
    const columns = { codes: new Uint16Array(length), urlIds: new Int32Array(length), owned: new Uint16Array(length) };
    for (const date of dates.toSorted((a, b) => b - a)) {
      // in the order of history
      const runs = (this.#axis.dates[date]?.runs ?? [])
        .filter(({ moment }) => moment >= from)
        .sort((a, b) => a.moment - b.moment);
      columns.codes.fill(0);
      if (targetId !== null) this.#read(columns, runs, { targetId, what });
      for (const [searchId, code] of this.#gaps.get(date) ?? []) {
        const place = this.placeOf(searchId);
        if (place >= 0) columns.codes[place] ||= code;
      }
      yield { ...columns, date };
    }
  }

  /** Of several checks on a date, the last complete one counts; without one, the first. */
  #read(
    { codes, urlIds, owned }: Omit<RankDate, 'date'>,
    runs: readonly DatedRun[],
    { targetId, what }: { readonly targetId: number; readonly what: RankDatesQuery['what'] },
  ): void {
    const { rankColumns } = this.#store;
    const isOnly = runs.length === 1;
    const seen = isOnly ? null : new Float64Array(codes.length).fill(Number.NEGATIVE_INFINITY);
    const checks = new Float64Array(isOnly ? 0 : codes.length);
    for (const { id, moment, from, until } of runs) {
      const ranks = rankColumns.ranks(id, targetId, { like: this.#like, among: this.#among });
      if (ranks === null) continue;
      this.#like = ranks;
      const isSpanning = this.#spanning.has(moment);
      const details = isOnly && !isSpanning && what === 'codes' ? null : rankColumns.details(id, targetId, this.#among);
      const ownedIds = (details?.ownedFeatures.names ?? []).map((names) =>
        getOrInsert(this.#owned, names, () => this.#owned.size),
      );
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
}

/** Checks that are remembered for having read nothing. */
const gapsMax = 200_000;

/** Searches with the status of a failed or incomplete check, by date. The first of a search on a date counts. */
type Gaps = ReadonlyMap<number, readonly (readonly [searchId: number, code: number])[]>;

/** Beyond `gapsMax`, the oldest dates have none: such checks are shown as not made. */
export function readGaps(store: Store, dates: SeriesAxis['dates']): Gaps {
  const gaps = new Map<number, [number, number][]>();
  let left = gapsMax;
  for (const [date, { runs }] of [...dates.entries()].reverse()) {
    const found: [number, number][] = [];
    for (const run of runs) {
      const unread = store.reportSeries.unread(run, left);
      left -= unread.length;
      for (const { searchId, state } of unread) found.push([searchId, rankCodes[state]]);
    }
    if (found.length > 0) gaps.set(date, found);
  }
  return gaps;
}
