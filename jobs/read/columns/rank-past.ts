// What came before the ranks of a run: the best rank so far, and the earlier ranks that decide the noise band.

import { sharedTexts } from '../../../db/connection/batches.ts';
import { comparableSource } from '../../../src/tracker/changes/change.ts';
import { rankCodes, rankOfCode } from '../../../src/tracker/rank-codes.ts';
import type { JobContext } from '../../context.ts';
import type { PlacedDetails, RunRanks, RunSources } from './run-ranks.ts';

/**
 * The first rows are read from history one by one while the columns of earlier runs are not all in memory: a page of
 * rows then needs no wait for the columns.
 */
const rowsOfHistoryMax = 5_000;

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
  /** Codes of the runs up to this one, each with its id; absent: not read yet. */
  #codes: readonly { readonly id: number; readonly codes: Uint16Array }[] | undefined;

  constructor(store: JobContext['store'], ranks: RunRanks, moment: number, targetId: number) {
    this.#store = store;
    this.#ranks = ranks;
    this.#moment = moment;
    this.#targetId = targetId;
  }

  /** Up to and including the run; null: it never ranked. */
  bestRank(index: number): number | null {
    const [ranks, targetId] = [this.#ranks, this.#targetId];
    if (!this.#isRead()) return this.#store.rankings.bestRank(targetId, ranks.searches.ids[index] ?? 0, this.#moment);
    this.#codes ??= ranks.runs
      .filter(({ id, moment }) => moment <= this.#moment && ranks.has(id, targetId))
      .map(({ id }) => ({ id, codes: ranks.codes(id, targetId) }));
    let best: number | null = null;
    for (const { id, codes } of this.#codes) {
      const code = codes[index] ?? 0;
      // an incomplete check may prove a rank, too
      const rank = code === rankCodes.incomplete ? ranks.rankInIncomplete(id, targetId, index) : rankOfCode(code);
      if (rank !== null && (best === null || rank < best)) best = rank;
    }
    return best;
  }

  /**
   * Exact ranks in complete checks of earlier runs, oldest first, and `rank` as the last: the newest `max`. Runs of one
   * moment come in the order in which they were opened. Valid until the next call.
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
}
