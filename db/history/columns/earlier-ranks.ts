// The ranks of a target in the runs before a moment, from columns: its noise bands need no seek a search.
import { type RankDetails, type Ranks, rankOfCode } from './rank-columns.ts';
import type { ColumnPast, RunColumns } from './run-columns.ts';

/** Runs in memory: each takes 100 KB for 100,000 searches. Ranks further back are read from history. */
const runsMax = 90;
/** Of these, the moment of each check is in memory too: 800 KB for 100,000 searches. */
const timedRunsMax = 4;

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

/** The columns of one run, by the number of each search. */
interface EarlierRun {
  readonly id: number;
  readonly codes: Uint8Array | Uint16Array;
  readonly sources: readonly string[];
  /** By search, a place in `sources`; null: all checks have the only one. */
  readonly bySearch: Uint16Array | null;
  /** UTC milliseconds, of the first and the last check. */
  readonly earliest: number;
  readonly latest: number;
  /** By search, UTC milliseconds; absent: not read yet. */
  checkedAt?: Float64Array;
}

export class EarlierRanks {
  readonly #columns: RunColumns;
  readonly #past: ColumnPast;
  /** Newest first, as far as they were needed. */
  readonly #read: EarlierRun[] = [];
  #timed = 0;
  /** The newest run: mostly, others have the same searches, which then have the same numbers. */
  #like: Ranks | undefined;
  /** By the id of a search, one more than its number; 0: none of the runs that were read has it. */
  #numbers = new Int32Array();
  #count = 0;

  constructor(columns: RunColumns, past: ColumnPast) {
    this.#columns = columns;
    this.#past = past;
  }

  /**
   * Writes exact ranks in complete checks, oldest first, so that they end before `end`, and returns where they begin.
   * Null: columns do not hold all of them, and history is read instead.
   */
  find({ searchId, source, before, max }: EarlierRanksQuery, ranks: Uint16Array, end: number): number | null {
    let first = end;
    for (let at = 0; end - first < max; at += 1) {
      const run = this.#read[at] ?? this.#next();
      if (run === null) return null;
      if (run === undefined) break;
      const number = (this.#numbers[searchId] ?? 0) - 1;
      const rank = rankOfCode(run.codes[number] ?? 0);
      if (rank === null || run.earliest >= before) continue;
      if (run.sources[run.bySearch?.[number] ?? 0] !== source) continue;
      // part of the run was seen later: the moment of the check decides
      if (run.latest >= before) {
        const checkedAt = this.#checkedAt(run);
        if (checkedAt === null) return null;
        if ((checkedAt[number] ?? 0) >= before) continue;
      }
      first -= 1;
      ranks[first] = rank;
    }
    return first;
  }

  /** Undefined: there is no earlier run. Null: columns do not hold it, or too many are in memory. */
  #next(): EarlierRun | undefined | null {
    const { targetId, runIds, isWhole } = this.#past;
    const id = runIds[this.#read.length];
    if (id === undefined) return isWhole ? undefined : null;
    if (this.#read.length === runsMax) return null;
    const ranks = this.#columns.ranks(id, targetId, this.#like);
    const details = this.#columns.details(id, targetId);
    if (ranks === null || details === null) return null;
    const { names, column } = details.sources;
    const run = {
      id,
      codes: shortened(this.#byNumber(ranks, ranks.codes)),
      sources: names,
      bySearch: names.length <= 1 ? null : this.#byNumber(ranks, column),
      ...boundsOf(details),
    };
    this.#read.push(run);
    return run;
  }

  /** Null: too many are in memory. */
  #checkedAt(run: EarlierRun): Float64Array | null {
    if (run.checkedAt !== undefined) return run.checkedAt;
    if (this.#timed === timedRunsMax) return null;
    const ranks = this.#columns.ranks(run.id, this.#past.targetId, this.#like);
    const details = this.#columns.details(run.id, this.#past.targetId);
    if (ranks === null || details === null) return null;
    this.#timed += 1;
    run.checkedAt = this.#byNumber(ranks, details.checkedAt);
    return run.checkedAt;
  }

  /** A copy: what was unpacked with the column can be freed. */
  #byNumber<Column extends Uint16Array | Float64Array>(ranks: Ranks, column: Column): Column {
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

function boundsOf({ checkedAt }: RankDetails): Pick<EarlierRun, 'earliest' | 'latest'> {
  let earliest = Number.POSITIVE_INFINITY;
  let latest = 0;
  for (const at of checkedAt) {
    if (at < earliest) earliest = at;
    if (at > latest) latest = at;
  }
  return { earliest, latest };
}
