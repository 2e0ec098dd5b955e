// The earlier ranks of a target, and the URLs that ranked, from columns: without a seek a search.
import { PastRuns } from './past-runs.ts';
import { columnCodes, rankOfCode } from './rank-columns.ts';
import type { ColumnPast, RunColumns } from './run-columns.ts';

/** Each takes 100 KB for 100,000 searches. Ranks further back are read from history. */
const rankRunsMax = 90;
/** Each takes 500 KB for 100,000 searches. */
const urlRunsMax = 20;

/** The newest ranks of a search. */
export interface EarlierRanksQuery {
  readonly searchId: number;
  /** Of the checks. */
  readonly source: string;
  /** UTC milliseconds: ranks seen then or later do not count. */
  readonly before: number;
  /** Of the answer. */
  readonly max: number;
}

export class EarlierRanks {
  readonly #runs: PastRuns;

  constructor(columns: RunColumns, past: ColumnPast) {
    this.#runs = new PastRuns(columns, past, { runsMax: rankRunsMax, hasUrls: false });
  }

  /**
   * Writes exact ranks in complete checks, oldest first, so that they end before `end`, and returns where they begin.
   * Null: columns do not hold all of them, and history is read instead.
   */
  find({ searchId, source, before, max }: EarlierRanksQuery, ranks: Uint16Array, end: number): number | null {
    let first = end;
    for (let at = 0; end - first < max; at += 1) {
      const run = this.#runs.at(at);
      if (run === null) return null;
      if (run === undefined) break;
      const number = this.#runs.numberOf(searchId);
      const rank = rankOfCode(run.codes[number] ?? 0);
      if (rank === null || run.earliest >= before) continue;
      if (run.sources[run.bySearch?.[number] ?? 0] !== source) continue;
      // part of the run was seen later: the moment of the check decides
      if (run.latest >= before) {
        const checkedAt = this.#runs.checkedAt(run);
        if (checkedAt === null) return null;
        if ((checkedAt[number] ?? 0) >= before) continue;
      }
      first -= 1;
      ranks[first] = rank;
    }
    return first;
  }
}

export class EarlierUrls {
  readonly #runs: PastRuns;

  constructor(columns: RunColumns, past: ColumnPast) {
    this.#runs = new PastRuns(columns, past, { runsMax: urlRunsMax, hasUrls: true });
  }

  /**
   * The URLs that ranked in the newest complete checks of a source, at most `max`, newest first; null: not found. Null
   * alone: columns do not hold all of them, and history is read instead.
   */
  find(searchId: number, source: string, max: number): (number | null)[] | null {
    const urlIds: (number | null)[] = [];
    for (let at = 0; urlIds.length < max; at += 1) {
      const run = this.#runs.at(at);
      if (run === null) return null;
      if (run === undefined) break;
      const number = this.#runs.numberOf(searchId);
      const code = run.codes[number] ?? 0;
      const isRanked = rankOfCode(code) !== null;
      if (!isRanked && code !== columnCodes.notFound) continue;
      if (run.sources[run.bySearch?.[number] ?? 0] !== source) continue;
      urlIds.push(isRanked ? (run.urlIds[number] ?? null) : null);
    }
    return urlIds;
  }
}
