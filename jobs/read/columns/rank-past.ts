// What came before the ranks of a run: the best rank so far, and the earlier ranks that decide the noise band.

import { sharedTexts } from '../../../db/connection/batches.ts';
import type { ColumnRun } from '../../../db/reads/rank-columns.ts';
import { comparableSource } from '../../../src/tracker/changes/change.ts';
import { rankCodes, rankOfCode } from '../../../src/tracker/rank-codes.ts';
import type { JobContext } from '../../context.ts';
import type { PlacedDetails, RunRanks, RunSources } from './run-ranks.ts';

/**
 * The first rows are read from history one by one while the columns of earlier runs are not all in memory: a page of
 * rows then needs no wait for the columns.
 */
const rowsOfHistoryMax = 5_000;

/** The first best ranks are found search by search: a page of rows needs few. Then those of all searches are read. */
const singleBestMax = 1_000;

/** Greater than the code of any rank. */
const neverRanked = 0xffff;

/** A search, and its rank with which the ranks found end. */
export interface PastQuery {
  readonly index: number;
  readonly rank: number;
  /** Of the check; ranks of another source do not count. */
  readonly source: string;
  /** UTC milliseconds, when `rank` was seen; others seen then or later do not count. */
  readonly before: number;
  /** Ranks to find, `rank` included. */
  readonly max: number;
}

interface EarlierRun extends RunSources {
  readonly id: number;
  readonly codes: Uint16Array;
  /** Read where the moment of a check decides. */
  placed?: PlacedDetails | null;
}

export class RankPast {
  readonly #store: Pick<JobContext, 'store'>['store'];
  readonly #ranks: RunRanks;
  readonly #moment: number;
  readonly #targetId: number;
  /** Newest first, read as far as they were needed. */
  readonly #earlier: EarlierRun[] = [];
  /** Index of the next run to read, among all runs. */
  #next = 0;
  /** Equal sources as one text: comparing them takes half of the time. */
  readonly #shared = sharedTexts();
  /** The newest ranks of a search, at its end. */
  #found = new Uint16Array();
  #asked = 0;
  #bestAsked = 0;
  /** Those up to this one. */
  readonly #runs: readonly ColumnRun[];
  /** Codes of all searches; absent: not read yet. */
  #best: Uint16Array | undefined;

  constructor(store: JobContext['store'], ranks: RunRanks, moment: number, targetId: number) {
    this.#store = store;
    this.#ranks = ranks;
    this.#moment = moment;
    this.#targetId = targetId;
    this.#runs = ranks.runs.filter((run) => run.moment <= moment);
  }

  /** Up to and including the run; null: it never ranked. */
  bestRank(index: number): number | null {
    const code = this.#isRead() ? this.#bestCode(index) : null;
    if (code !== null) return code === neverRanked ? null : rankOfCode(code);
    const searchId = this.#ranks.searches.ids[index] ?? 0;
    return this.#store.rankings.bestRank(this.#targetId, searchId, this.#moment);
  }

  /**
   * Exact ranks in complete checks of earlier runs, oldest first, and `rank` as the last: the newest `max`. Runs of one
   * moment come in the order in which they were opened. Valid until
   * the next call.
   */
  ranksUntil(query: PastQuery): ArrayLike<number> {
    if (this.#isRead()) return this.#ranksInColumns(query);
    const [searchId, targetId] = [this.#ranks.searches.ids[query.index] ?? 0, this.#targetId];
    const { source, before: checkedAt, max, rank: last } = query;
    const moment = this.#moment;
    return [...this.#store.rankings.ranksBefore({ targetId, searchId, moment, checkedAt, source, max: max - 1 }), last];
  }

  #isRead(): boolean {
    this.#asked += 1;
    return this.#asked > rowsOfHistoryMax || this.#ranks.isWarm(this.#targetId);
  }

  #ranksInColumns({ index, rank: last, source: label, before, max }: PastQuery): Uint16Array {
    if (this.#found.length !== max) this.#found = new Uint16Array(max);
    const source = this.#shared(label);
    const comparable = comparableSource(source);
    let first = max - 1;
    this.#found[first] = last;
    for (let at = 0; first > 0; at += 1) {
      const run = this.#earlier[at] ?? this.#readNext();
      if (run === undefined) break;
      const rank = rankOfCode(run.codes[index] ?? 0);
      if (rank === null || run.earliest >= before) continue;
      const from = run.names[run.bySearch?.[index] ?? 0];
      if (from === undefined || (from !== source && comparableSource(from) !== comparable)) continue;
      // part of the run was seen later: the moment of the check decides
      if (run.latest >= before && this.#checkedAt(run, index) >= before) continue;
      first -= 1;
      this.#found[first] = rank;
    }
    return this.#found.subarray(first);
  }

  #checkedAt(run: EarlierRun, index: number): number {
    run.placed ??= this.#ranks.details(run.id, this.#targetId);
    return run.placed?.details.checkedAt[run.placed.positions[index] ?? -1] ?? 0;
  }

  /** Undefined: there is none. */
  #readNext(): EarlierRun | undefined {
    for (;;) {
      const run = this.#ranks.runs[this.#next];
      if (run === undefined) return undefined;
      this.#next += 1;
      const sources = run.moment < this.#moment ? this.#ranks.sources(run.id, this.#targetId) : null;
      if (sources === null) continue;
      const codes = this.#ranks.codes(run.id, this.#targetId);
      const earlier = { ...sources, id: run.id, codes, names: sources.names.map(this.#shared) };
      this.#earlier.push(earlier);
      return earlier;
    }
  }

  /** Null: history knows. */
  #bestCode(index: number): number | null {
    this.#bestAsked += 1;
    if (this.#best === undefined && this.#bestAsked <= singleBestMax) return this.#bestOf(this.#runs, index);
    this.#best ??= this.#readBest(this.#runs);
    return this.#best[index] ?? neverRanked;
  }

  /** Null: a check did not prove it, and history knows what it did prove. */
  #bestOf(runs: readonly ColumnRun[], index: number): number | null {
    let best = neverRanked;
    for (const { id } of runs) {
      const code = this.#ranks.codes(id, this.#targetId)[index] ?? 0;
      if (code === rankCodes.incomplete) return null;
      if (code > rankCodes.not_followed && code < best) best = code;
    }
    return best;
  }

  #readBest(runs: readonly ColumnRun[]): Uint16Array {
    const ranks = this.#ranks;
    const best = new Uint16Array(ranks.searches.all.length).fill(neverRanked);
    for (const run of runs) {
      const codes = ranks.codes(run.id, this.#targetId);
      let hasUnproven = false;
      for (let index = 0; index < codes.length; index += 1) {
        const code = codes[index] ?? 0;
        if (code === rankCodes.incomplete) hasUnproven = true;
        else if (code > rankCodes.not_followed && code < (best[index] ?? 0)) best[index] = code;
      }
      // an incomplete check may prove a rank, too
      if (!hasUnproven) continue;
      for (const { index, code } of ranks.codesInIncomplete(run.id, this.#targetId))
        best[index] = Math.min(best[index] ?? 0, code);
    }
    return best;
  }
}
