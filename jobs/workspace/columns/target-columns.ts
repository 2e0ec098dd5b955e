// The rows of one target on one date from columns: rank, baseline and change, for rows of which columns know all.

import { boundsBefore } from '../../../db/history/checks/rankings.ts';
import type { RankDetails } from '../../../db/history/columns/rank-columns.ts';
import { columnCodes, rankOfCode } from '../../../db/history/columns/rank-columns.ts';
import type { TrackedMetrics } from '../../../db/reads/reports/tracked-rows.ts';
import { compare } from '../../../src/tracker/changes/change.ts';
import type { ChangeClass, Observation } from '../../../src/tracker/observation.ts';
import type { Target } from '../../../src/tracker/project.ts';
import { targetKey } from '../../../src/tracker/targets/target.ts';
import type { KeywordRow } from '../../../src/workspace/records.ts';
import { baselineWindow, type RowSource } from '../../report/rows/report-rows.ts';
import type { ProjectSearches } from './project-searches.ts';
import type { RunRanks } from './run-ranks.ts';

/** Baselines further back are read from history. */
const baselineRunsMax = 12;
const readAhead = 500;

const classes: readonly ChangeClass[] = ['improved', 'declined', 'unchanged', 'entered', 'dropped', 'first_check'];
/** In place of a class: columns do not know all of the row. */
const notPlain = 255;

export interface TargetColumnsQuery {
  readonly source: RowSource;
  readonly own: Target;
  readonly ranks: RunRanks;
  readonly ctrCurve: string;
  /** By search. */
  readonly metrics: readonly (TrackedMetrics | null)[];
  /** Reads rows from history, in this order. */
  readonly inFull: (searchIndices: readonly number[], own: Target) => KeywordRow[];
}

export class TargetColumns {
  readonly own: Target;
  readonly searches: ProjectSearches;
  readonly ctrCurve: string;
  readonly metrics: readonly (TrackedMetrics | null)[];
  readonly codes: Uint16Array;
  readonly previousCodes: Uint16Array;
  readonly previousDepths: Uint16Array;
  readonly previousCheckedAt: Float64Array;
  readonly #classes: Uint8Array;
  readonly #details: RankDetails | null;
  readonly #positions: Int32Array;
  readonly #query: TargetColumnsQuery;
  readonly #whole = new Map<number, KeywordRow>();
  readonly #hadFeatures: Uint8Array;
  #lastRead = Number.NEGATIVE_INFINITY;
  readonly #lists = new Map<string, readonly string[]>();

  constructor(query: TargetColumnsQuery) {
    const { source, own, ranks, ctrCurve, metrics } = query;
    const [run] = source.runs;
    const { searches } = ranks;
    const length = searches.all.length;
    const targetId = source.store.names.knownTargetId(targetKey(own));
    const read = targetId === null || !ranks.isWhole(run.id) ? null : ranks.details(run.id, targetId);
    this.own = own;
    this.searches = searches;
    this.ctrCurve = ctrCurve;
    this.metrics = metrics;
    this.#query = query;
    this.codes = read === null || targetId === null ? new Uint16Array(length) : ranks.codes(run.id, targetId);
    this.#details = read?.details ?? null;
    this.#positions = read?.positions ?? new Int32Array(length).fill(-1);
    this.previousCodes = new Uint16Array(length);
    this.previousDepths = new Uint16Array(length);
    this.previousCheckedAt = new Float64Array(length);
    this.#hadFeatures = new Uint8Array(length);
    this.#classes = new Uint8Array(length).fill(notPlain);
    if (targetId !== null && read !== null) this.#compare(targetId, read.details);
  }

  /** Whether columns know all that is needed to filter, sort and sum the row. */
  isPlain(index: number): boolean {
    return this.#classes[index] !== notPlain;
  }

  changeClass(index: number): ChangeClass {
    return classes[this.#classes[index] ?? 0] ?? 'first_check';
  }

  /** Pages: those that prove an absence, otherwise those requested. */
  depth(index: number): number {
    const position = this.#positions[index] ?? -1;
    const isAbsent = this.codes[index] === columnCodes.notFound;
    return (isAbsent ? this.#details?.depths[position] : this.#details?.checkDepths[position]) ?? 0;
  }

  checkedAt(index: number): number {
    return this.#details?.checkedAt[this.#positions[index] ?? -1] ?? 0;
  }

  features(index: number): readonly string[] {
    return this.#list(this.#details?.features, index);
  }

  ownedFeatures(index: number): readonly string[] {
    return this.#list(this.#details?.ownedFeatures, index);
  }

  url(index: number): string | null {
    const id = this.#details?.urlIds[this.#positions[index] ?? -1] ?? 0;
    return id === 0 ? null : this.#query.ranks.url(id, () => this.#details?.urlIds ?? []);
  }

  readonly inFull = (indices: readonly number[]): KeywordRow[] => this.#query.inFull(indices, this.own);

  /** Everything of a row, from history. Rows that are read one after the other are read together. */
  wholeRow(index: number): KeywordRow {
    const known = this.#whole.get(index);
    if (known !== undefined) return known;
    const isNext = index > this.#lastRead && index - this.#lastRead < readAhead;
    const last = isNext ? Math.min(index + readAhead, this.codes.length) : index + 1;
    const indices: number[] = [];
    for (let next = index; next < last; next += 1) if (this.isPlain(next)) indices.push(next);
    for (const [at, row] of this.inFull(indices).entries()) this.#whole.set(indices[at] ?? -1, row);
    this.#lastRead = last - 1;
    const row = this.#whole.get(index);
    if (row === undefined) throw new RangeError(`no row ${index}`);
    return row;
  }

  /** Whether the target was in a SERP feature in the compared check. */
  hadFeatures(index: number): boolean {
    return this.#hadFeatures[index] === 1;
  }

  #list(texts: RankDetails['features'] | undefined, index: number): readonly string[] {
    const text = texts?.names[texts.column[this.#positions[index] ?? -1] ?? -1] ?? '';
    const known = this.#lists.get(text);
    if (known !== undefined) return known;
    const list = text === '' ? [] : text.split('|');
    this.#lists.set(text, list);
    return list;
  }

  /** Walks back over earlier runs until each search has its newest proven ranking within the window. */
  #compare(targetId: number, details: RankDetails): void {
    const { source, ranks } = this.#query;
    const { from, until, seenUntil } = boundsBefore(source.runs[0].moment, baselineWindow(source));
    let open: number[] = [];
    for (let index = 0; index < this.codes.length; index += 1) if (isProven(this.codes[index])) open.push(index);
    let left = baselineRunsMax;
    for (const run of ranks.runs) {
      if (run.moment > until) continue;
      if (run.moment < from || open.length === 0) break;
      if (!ranks.isWhole(run.id)) return;
      if (run.rowsByTarget?.has(targetId) !== true) continue;
      if (left === 0) return;
      left -= 1;
      const before = ranks.details(run.id, targetId);
      if (before === null) return;
      const codes = ranks.codes(run.id, targetId);
      open = open.filter((index) => {
        const position = before.positions[index] ?? -1;
        if (!isProven(codes[index]) || (before.details.checkedAt[position] ?? 0) > seenUntil) return true;
        this.#setBaseline(index, details, before, codes[index] ?? 0);
        return false;
      });
    }
    // nothing was seen before: without a window that is a first check
    if (source.comparison.kind === 'previous')
      for (const index of open) this.#classes[index] = classes.indexOf('first_check');
  }

  #setBaseline(
    index: number,
    details: RankDetails,
    before: { readonly details: RankDetails; readonly positions: Int32Array },
    previousCode: number,
  ): void {
    const [now, then] = [this.#positions[index] ?? -1, before.positions[index] ?? -1];
    const code = this.codes[index] ?? 0;
    const depth = this.depth(index);
    const previousDepth = before.details.depths[then] ?? 0;
    const previousCheckedAt = before.details.checkedAt[then] ?? 0;
    const isSameSource =
      before.details.sources.names[before.details.sources.column[then] ?? -1] ===
      details.sources.names[details.sources.column[now] ?? -1];
    // another earlier check may be the better one to compare with: history knows
    if (!isSameSource || previousDepth < depth || previousCheckedAt > (details.checkedAt[now] ?? 0)) return;
    const [rank, previousRank] = [rankOfCode(code), rankOfCode(previousCode)];
    const changeClass = this.#classOf(
      observation(details, now, rank, depth),
      observation(before.details, then, previousRank, previousDepth),
    );
    const at = classes.indexOf(changeClass);
    if (at < 0) return;
    this.#classes[index] = at;
    const { ownedFeatures } = before.details;
    this.#hadFeatures[index] = ownedFeatures.names[ownedFeatures.column[then] ?? -1] === '' ? 0 : 1;
    this.previousCodes[index] = previousCode;
    this.previousDepths[index] = previousDepth;
    this.previousCheckedAt[index] = previousCheckedAt;
  }

  #classOf(now: SeenObservation, before: SeenObservation): ChangeClass {
    if (now.rank !== null && before.rank !== null) {
      if (now.rank === before.rank) return 'unchanged';
      return now.rank < before.rank ? 'improved' : 'declined';
    }
    const read = ({ checkId, ...seen }: SeenObservation, isNeeded: boolean): Observation => ({
      ...seen,
      resultsRead: isNeeded ? this.#query.source.store.rankings.resultsRead(checkId) : null,
    });
    const isMoved = now.rank !== null || before.rank !== null;
    return compare(read(before, isMoved && before.rank === null), read(now, isMoved && now.rank === null)).changeClass;
  }
}

interface SeenObservation extends Omit<Observation, 'resultsRead'> {
  readonly checkId: number;
}

function observation(details: RankDetails, position: number, rank: number | null, depth: number): SeenObservation {
  return {
    status: rank === null ? 'not_found' : 'ranked',
    rank,
    absoluteRank: null,
    page: details.pages[position] || null,
    url: null,
    depth,
    checkedAt: 0,
    source: '',
    checkId: details.checkIds[position] ?? 0,
  };
}

function isProven(code: number | undefined): boolean {
  return code === columnCodes.notFound || rankOfCode(code ?? 0) !== null;
}
