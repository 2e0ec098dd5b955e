// What came before the ranks of a run: the best rank so far, and the earlier ranks that decide the noise band.
import { columnCodes, rankOfCode } from '../../../db/history/columns/rank-columns.ts';
import type { ColumnRun } from '../../../db/history/columns/run-columns.ts';
import type { JobContext } from '../../context.ts';
import type { PlacedDetails, RunRanks } from './run-ranks.ts';

/**
 * So many rows are asked of history one by one, while the columns of earlier runs are not all in memory: a page of rows
 * is there sooner.
 */
const rowsOfHistoryMax = 5_000;

/** So many best ranks are found search by search, before those of all searches are: a page of rows needs few. */
const singleBestMax = 1_000;

/** A search with an earlier rank of it. */
export interface PastQuery {
  readonly index: number;
  readonly rank: number;
  /** Of the check; ranks of another source do not count. */
  readonly source: string;
  /** UTC milliseconds, when `rank` was seen; others seen then or later do not count. */
  readonly before: number;
  /** Of the answer. */
  readonly max: number;
}

interface EarlierRun {
  readonly id: number;
  readonly codes: Uint16Array;
  /** The number of each search's source; null: all have the same. */
  readonly bySearch: Uint16Array | null;
  /** Of the source. */
  readonly number: number;
  /** UTC milliseconds, of the first and the last check. */
  readonly earliest: number;
  readonly latest: number;
  /** Read where the moment of a check decides. */
  placed?: PlacedDetails | null;
}

/** Earlier runs with checks of a source, newest first, as far as they were needed. `nextRun`: of all runs. */
interface SourcePast {
  readonly runs: EarlierRun[];
  nextRun: number;
}

export class RankPast {
  readonly #store: Pick<JobContext, 'store'>['store'];
  readonly #ranks: RunRanks;
  readonly #moment: number;
  readonly #targetId: number;
  readonly #bySource = new Map<string, SourcePast>();
  /** The newest ranks of a search, at its end. */
  #found = new Uint16Array();
  #asked = 0;
  #bestAsked = 0;
  /** The runs up to this one; null: columns do not hold all of history. */
  #runs: readonly ColumnRun[] | null | undefined;
  /** Codes. */
  #best: Uint16Array | undefined;

  constructor(store: JobContext['store'], ranks: RunRanks, moment: number, targetId: number) {
    this.#store = store;
    this.#ranks = ranks;
    this.#moment = moment;
    this.#targetId = targetId;
  }

  /** Up to and including the run; null: it never ranked. */
  bestRank(index: number): number | null {
    if (this.#isRead()) {
      const code = this.#bestCode(index);
      if (code !== null) return rankOfCode(code);
    }
    const searchId = this.#ranks.searches.ids[index] ?? 0;
    return this.#store.rankings.bestRank(this.#targetId, searchId, this.#moment);
  }

  /**
   * Exact ranks in complete checks of earlier runs, oldest first, and `rank` as the last: the newest `max`. Valid until
   * the next call.
   */
  ranksUntil(query: PastQuery): ArrayLike<number> {
    const found = this.#isRead() ? this.#ranksInColumns(query) : null;
    if (found !== null) return found;
    const [searchId, targetId] = [this.#ranks.searches.ids[query.index] ?? 0, this.#targetId];
    const { source, before: checkedAt, max, rank: last } = query;
    const moment = this.#moment;
    return [...this.#store.rankings.ranksBefore({ targetId, searchId, moment, checkedAt, source, max: max - 1 }), last];
  }

  #isRead(): boolean {
    this.#asked += 1;
    return this.#asked > rowsOfHistoryMax || this.#ranks.isWarm(this.#targetId);
  }

  /** Null: a run that is needed is not whole in columns. */
  #ranksInColumns({ index, rank: last, source, before, max }: PastQuery): Uint16Array | null {
    if (this.#found.length !== max) this.#found = new Uint16Array(max);
    const found = this.#found;
    const past = this.#pastOf(source);
    let first = max - 1;
    found[first] = last;
    for (let at = 0; first > 0; at += 1) {
      const run = past.runs[at] ?? this.#nextRun(past, source);
      if (run === null) return null;
      if (run === undefined) break;
      const rank = rankOfCode(run.codes[index] ?? 0);
      if (rank === null || run.earliest >= before) continue;
      if (run.bySearch !== null && run.bySearch[index] !== run.number) continue;
      // part of the run was seen later: the moment of the check decides
      if (run.latest >= before && this.#checkedAt(run, index) >= before) continue;
      first -= 1;
      found[first] = rank;
    }
    return found.subarray(first);
  }

  #pastOf(source: string): SourcePast {
    const known = this.#bySource.get(source);
    if (known !== undefined) return known;
    const past: SourcePast = { runs: [], nextRun: 0 };
    this.#bySource.set(source, past);
    return past;
  }

  #checkedAt(run: EarlierRun, index: number): number {
    run.placed ??= this.#ranks.details(run.id, this.#targetId);
    return run.placed?.details.checkedAt[run.placed.positions[index] ?? -1] ?? 0;
  }

  /** The next run with checks of the source. Undefined: there is none. Null: columns do not hold all of it. */
  #nextRun(past: SourcePast, source: string): EarlierRun | null | undefined {
    for (;;) {
      const run = this.#ranks.runs[past.nextRun];
      if (run === undefined) return undefined;
      if (run.moment < this.#moment && !this.#ranks.isWhole(run.id)) return null;
      past.nextRun += 1;
      if (run.moment >= this.#moment || run.rowsByTarget?.has(this.#targetId) !== true) continue;
      const sources = this.#ranks.sources(run.id, this.#targetId);
      if (sources === null || !sources.names.includes(source)) continue;
      const { names, bySearch, earliest, latest } = sources;
      const codes = this.#ranks.codes(run.id, this.#targetId);
      const earlier = { id: run.id, codes, bySearch, number: names.indexOf(source), earliest, latest };
      past.runs.push(earlier);
      return earlier;
    }
  }

  /** 0: it never ranked. Null: history knows. */
  #bestCode(index: number): number | null {
    this.#runs ??= this.#runsUntil();
    if (this.#runs === null) return null;
    this.#bestAsked += 1;
    if (this.#best === undefined && this.#bestAsked <= singleBestMax) return this.#bestOf(this.#runs, index);
    this.#best ??= this.#readBest(this.#runs);
    return this.#best[index] ?? 0;
  }

  #runsUntil(): readonly ColumnRun[] | null {
    const runs = this.#ranks.runs.filter(({ moment }) => moment <= this.#moment);
    if (runs.some(({ rowsByTarget }) => rowsByTarget === null)) return null;
    return runs.filter(({ rowsByTarget }) => rowsByTarget?.has(this.#targetId));
  }

  /** Null: a check did not prove it, and history knows what it did prove. */
  #bestOf(runs: readonly ColumnRun[], index: number): number | null {
    let best = 0xffff;
    for (const { id } of runs) {
      const code = this.#ranks.codes(id, this.#targetId)[index] ?? 0;
      if (code === columnCodes.unproven) return null;
      if (code > columnCodes.notFollowed && code < best) best = code;
    }
    return best === 0xffff ? 0 : best;
  }

  #readBest(runs: readonly ColumnRun[]): Uint16Array {
    const ranks = this.#ranks;
    const best = new Uint16Array(ranks.searches.all.length).fill(0xffff);
    for (const run of runs) {
      const codes = ranks.codes(run.id, this.#targetId);
      let hasUnproven = false;
      for (let index = 0; index < codes.length; index += 1) {
        const code = codes[index] ?? 0;
        if (code === columnCodes.unproven) hasUnproven = true;
        else if (code > columnCodes.notFollowed && code < (best[index] ?? 0)) best[index] = code;
      }
      // an incomplete check may prove a rank, too
      if (!hasUnproven) continue;
      for (const { index, code } of ranks.codesInIncomplete(run.id, this.#targetId))
        best[index] = Math.min(best[index] ?? 0, code);
    }
    return best.map((code) => (code === 0xffff ? 0 : code));
  }
}
