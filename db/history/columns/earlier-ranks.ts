// The earlier ranks of a target, and the URLs that ranked, from columns: history would need a seek for each search.
import { rankCodes, rankOfCode } from '../../../src/tracker/rank-codes.ts';
import { PastRuns } from './past-runs.ts';
import type { ColumnPast, RunColumns } from './run-columns.ts';

/** Each takes 100 KB for 100,000 searches. Ranks further back are read from history. */
const rankRunsMax = 90;
/** Each takes 500 KB for 100,000 searches. */
const urlRunsMax = 20;

/** The columns of a target in one earlier run, by the number of each search. */
export interface RankedRun {
  readonly codes: Uint8Array | Uint16Array;
  readonly sources: readonly string[];
  /** By search, an index into `sources`; null: all checks have the only one. */
  readonly bySearch: Uint16Array | null;
  /** UTC milliseconds, of the first and the last check. */
  readonly earliest: number;
  readonly latest: number;
}

/** The earlier runs of a target, newest first, read as far as they are needed. */
export interface RankedRuns<Run extends RankedRun> {
  /** The newest run is at 0. Undefined: there is none. Null: columns do not hold it. */
  at(index: number): Run | undefined | null;
  /** The number of a search in the runs that were read; -1: none of them has it. */
  numberOf(search: number): number;
  /** UTC milliseconds, of the check; null: columns do not hold it. */
  checkedAt(run: Run, number: number): number | null;
}

/** The newest ranks of a search. */
export interface EarlierRanksQuery {
  /** As `numberOf` takes it. */
  readonly search: number;
  /** Of the checks. */
  readonly source: string;
  /** UTC milliseconds: ranks seen then or later do not count. */
  readonly before: number;
  /** Ranks to find. */
  readonly max: number;
}

/** The runs of a target for `findEarlierRanks`; `search` is the id of a search. */
export function pastRanks(columns: RunColumns, past: ColumnPast): PastRuns {
  return new PastRuns(columns, past, { runsMax: rankRunsMax, hasUrls: false });
}

/**
 * Writes exact ranks in complete checks, oldest first, so that they end before `end`, and returns where they begin.
 * Null: columns do not hold all of them, and history is read instead.
 */
export function findEarlierRanks<Run extends RankedRun>(
  runs: RankedRuns<Run>,
  { search, source, before, max }: EarlierRanksQuery,
  ranks: Uint16Array,
  end: number,
): number | null {
  let first = end;
  for (let at = 0; end - first < max; at += 1) {
    const run = runs.at(at);
    if (run === null) return null;
    if (run === undefined) break;
    const number = runs.numberOf(search);
    const rank = rankOfCode(run.codes[number] ?? 0);
    if (rank === null || run.earliest >= before) continue;
    if (run.sources[run.bySearch?.[number] ?? 0] !== source) continue;
    // part of the run was seen later: the moment of the check decides
    if (run.latest >= before) {
      const checkedAt = runs.checkedAt(run, number);
      if (checkedAt === null) return null;
      if (checkedAt >= before) continue;
    }
    first -= 1;
    ranks[first] = rank;
  }
  return first;
}

export class EarlierUrls {
  readonly #runs: PastRuns;

  constructor(columns: RunColumns, past: ColumnPast) {
    this.#runs = new PastRuns(columns, past, { runsMax: urlRunsMax, hasUrls: true });
  }

  /**
   * The URLs that ranked in the newest complete checks of a source, at most `max`, newest first; a null among them: not
   * found. Null instead of a list: columns do not hold all of them, and history is read instead.
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
      if (!isRanked && code !== rankCodes.not_found) continue;
      if (run.sources[run.bySearch?.[number] ?? 0] !== source) continue;
      urlIds.push(isRanked ? (run.urlIds[number] ?? null) : null);
    }
    return urlIds;
  }
}
