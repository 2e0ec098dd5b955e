// The columns of a target in the runs before a moment, newest first, by search: read as far as they are needed.
import { comparableSource } from '../../src/tracker/changes/change.ts';
import { rankCodes, rankOfCode } from '../../src/tracker/rank-codes.ts';
import type { ColumnPast, RankColumns, RankDetails, RankedSearches } from './rank-columns.ts';

/** Of these runs, the moment of each check is in memory: 800 KB for 100,000 searches. */
const timedRunsMax = 4;

/** The columns of one run, by the number of each search. */
interface PastRun {
  readonly id: number;
  readonly codes: Uint8Array | Uint16Array;
  /** 0: none. Empty where URLs were not asked for. */
  readonly urlIds: Int32Array;
  readonly sources: readonly string[];
  /** By search, an index into `sources`; null: all checks have the only one. */
  readonly bySearch: Uint16Array | null;
  /** UTC milliseconds, of the first and the last check. */
  readonly earliest: number;
  readonly latest: number;
  /** By search, UTC milliseconds; absent: not read yet. */
  checkedAt?: Float64Array;
}

type Details = Omit<PastRun, 'id' | 'codes' | 'checkedAt'>;

interface PastRunsOptions {
  /** Runs in memory. */
  readonly runsMax: number;
  readonly hasUrls: boolean;
}

export class PastRuns {
  readonly #columns: RankColumns;
  readonly #past: ColumnPast;
  readonly #options: PastRunsOptions;
  /** Newest first. */
  readonly #read: PastRun[] = [];
  #timed = 0;
  /** The newest run. Most other runs have the same searches, so that their columns need no renumbering. */
  #like: RankedSearches | undefined;
  /** By the id of a search, one more than its number; 0: none of the runs that were read has it. */
  #numbers = new Int32Array();
  #count = 0;

  constructor(columns: RankColumns, past: ColumnPast, options: PastRunsOptions) {
    this.#columns = columns;
    this.#past = past;
    this.#options = options;
  }

  /** The newest run is at 0. Undefined: there is none. Null: columns do not hold it, or too many are in memory. */
  at(index: number): PastRun | undefined | null {
    return this.#read[index] ?? this.#next();
  }

  /** The number of a search in the runs that were read; -1: none of them has it. */
  numberOf(searchId: number): number {
    return (this.#numbers[searchId] ?? 0) - 1;
  }

  /** UTC milliseconds; null: the moments of too many runs are in memory. */
  checkedAt(run: PastRun, number: number): number | null {
    run.checkedAt ??= this.#readMoments(run);
    return run.checkedAt === undefined ? null : (run.checkedAt[number] ?? 0);
  }

  #readMoments(run: PastRun): Float64Array | undefined {
    if (this.#timed === timedRunsMax) return undefined;
    const ranks = this.#columns.ranks(run.id, this.#past.targetId, this.#like);
    const details = this.#columns.details(run.id, this.#past.targetId);
    if (ranks === null || details === null) return undefined;
    this.#timed += 1;
    return this.#byNumber(ranks, details.checkedAt);
  }

  #next(): PastRun | undefined | null {
    const { targetId, runIds, isWhole } = this.#past;
    const id = runIds[this.#read.length];
    if (id === undefined) return isWhole ? undefined : null;
    if (this.#read.length === this.#options.runsMax) return null;
    const ranks = this.#columns.ranks(id, targetId, this.#like);
    if (ranks === null) return null;
    const details = this.#seen(id) ?? this.#detailed(id, ranks);
    if (details === null) return null;
    const run = { id, codes: shortened(this.#byNumber(ranks, ranks.codes)), ...details };
    this.#read.push(run);
    return run;
  }

  /** Without details of each search; null: these are needed. The bounds may be wider than those of the target. */
  #seen(id: number): Details | null {
    const seen = this.#options.hasUrls ? null : this.#columns.seen(id);
    if (seen === null) return null;
    const { source, earliest, latest } = seen;
    return { urlIds: new Int32Array(), sources: [source], bySearch: null, earliest, latest };
  }

  #detailed(id: number, ranks: RankedSearches): Details | null {
    const details = this.#columns.details(id, this.#past.targetId);
    if (details === null) return null;
    const { names, column } = details.sources;
    return {
      urlIds: this.#options.hasUrls ? this.#byNumber(ranks, details.urlIds) : new Int32Array(),
      sources: names,
      bySearch: names.length <= 1 ? null : this.#byNumber(ranks, column),
      ...boundsOf(details),
    };
  }

  /** A copy: what was unpacked with the column can be freed. */
  #byNumber<Column extends Uint16Array | Int32Array | Float64Array>(ranks: RankedSearches, column: Column): Column {
    const { searchIds } = ranks;
    if (this.#like?.searchIds === searchIds) return column.slice() as Column; // of its own kind
    const numbers = this.#numbersOf(searchIds);
    this.#like ??= ranks;
    const placed = new (column.constructor as new (length: number) => Column)(this.#count); // of the same kind
    for (let position = 0; position < searchIds.length; position += 1)
      placed[(numbers[searchIds[position] ?? 0] ?? 0) - 1] = column[position] ?? 0;
    return placed;
  }

  /** Numbers searches that no run had before. */
  #numbersOf(searchIds: Int32Array): Int32Array {
    const most = searchIds.at(-1) ?? 0;
    if (most >= this.#numbers.length) {
      const longer = new Int32Array(most + 1);
      longer.set(this.#numbers);
      this.#numbers = longer;
    }
    for (const id of searchIds) {
      if (this.#numbers[id] !== 0) continue;
      this.#count += 1;
      this.#numbers[id] = this.#count;
    }
    return this.#numbers;
  }
}

/** Ranks of few pages fit into bytes. */
function shortened(codes: Uint16Array): Uint8Array | Uint16Array {
  return codes.every((code) => code <= 0xff) ? Uint8Array.from(codes) : codes;
}

function boundsOf({ checkedAt }: RankDetails): Pick<PastRun, 'earliest' | 'latest'> {
  let earliest = Number.POSITIVE_INFINITY;
  let latest = 0;
  for (const at of checkedAt) {
    if (at < earliest) earliest = at;
    if (at > latest) latest = at;
  }
  return { earliest, latest };
}

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
interface EarlierRanksQuery {
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
export function pastRanks(columns: RankColumns, past: ColumnPast): PastRuns {
  return new PastRuns(columns, past, { runsMax: rankRunsMax, hasUrls: false });
}

/** Whether labels compare with this one. */
function comparableWith(source: string): (label: string | undefined) => boolean {
  const comparable = comparableSource(source);
  return (label) => label !== undefined && (label === source || comparableSource(label) === comparable);
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
  const isSource = comparableWith(source);
  let first = end;
  for (let at = 0; end - first < max; at += 1) {
    const run = runs.at(at);
    if (run === null) return null;
    if (run === undefined) break;
    const number = runs.numberOf(search);
    const rank = rankOfCode(run.codes[number] ?? 0);
    if (rank === null || run.earliest >= before) continue;
    if (!isSource(run.sources[run.bySearch?.[number] ?? 0])) continue;
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

  constructor(columns: RankColumns, past: ColumnPast) {
    this.#runs = new PastRuns(columns, past, { runsMax: urlRunsMax, hasUrls: true });
  }

  /**
   * The URLs that ranked in the newest complete checks of a source, at most `max`, newest first; a null among them: not
   * found. Null instead of a list: columns do not hold all of them, and history is read instead.
   */
  find(searchId: number, source: string, max: number): (number | null)[] | null {
    const urlIds: (number | null)[] = [];
    const isSource = comparableWith(source);
    for (let at = 0; urlIds.length < max; at += 1) {
      const run = this.#runs.at(at);
      if (run === null) return null;
      if (run === undefined) break;
      const number = this.#runs.numberOf(searchId);
      const code = run.codes[number] ?? 0;
      const isRanked = rankOfCode(code) !== null;
      if (!isRanked && code !== rankCodes.not_found) continue;
      if (!isSource(run.sources[run.bySearch?.[number] ?? 0])) continue;
      urlIds.push(isRanked ? (run.urlIds[number] ?? null) : null);
    }
    return urlIds;
  }
}
