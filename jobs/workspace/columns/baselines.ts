// The checks that the ranks of a run compare with, from the columns of earlier runs.

import { boundsBefore } from '../../../db/history/checks/rankings.ts';
import type { RankDetails } from '../../../db/history/columns/run-columns.ts';
import { changeClasses, compare, comparisonText, incomparable } from '../../../src/tracker/changes/change.ts';
import type { ChangeClass, Observation } from '../../../src/tracker/observation.ts';
import { isProvenCode, rankCodes, rankOfCode } from '../../../src/tracker/rank-codes.ts';
import { pageOfRank } from '../../../src/tracker/signal/sightings.ts';
import { baselineWindow, type RowSource } from '../../report/rows/report-rows.ts';
import type { PlacedDetails, RunRanks } from './run-ranks.ts';

/** Baselines further back are read from history. */
const baselineRunsMax = 12;

/** In place of a class: columns do not know all of the row. */
const notPlain = 255;

/** The columns of one run, by search. */
export interface SeenRun extends PlacedDetails {
  readonly codes: Uint16Array;
}

/** By search: the class of its change, and what the compared check says. */
export class Baselines {
  readonly codes: Uint16Array;
  readonly depths: Uint16Array;
  readonly checkedAt: Float64Array;
  readonly checkIds: Float64Array;
  readonly urlIds: Int32Array;
  /** Features that showed the target, joined by `|`; only where there are any. */
  readonly owned = new Map<number, string>();
  readonly #classes: Uint8Array;
  readonly #source: RowSource;

  /** `now`: the run of `source`. Null: columns do not hold it, and no row is plain. */
  constructor(source: RowSource, ranks: RunRanks, targetId: number | null, now: SeenRun | null) {
    const { length } = ranks.searches.all;
    this.codes = new Uint16Array(length);
    this.depths = new Uint16Array(length);
    this.checkedAt = new Float64Array(length);
    this.checkIds = new Float64Array(length);
    this.urlIds = new Int32Array(length);
    this.#classes = new Uint8Array(length).fill(notPlain);
    this.#source = source;
    if (targetId !== null && now !== null) this.#compare(ranks, targetId, now);
  }

  /** Whether columns know all that is needed to filter, sort and sum the row. */
  isPlain(index: number): boolean {
    return this.#classes[index] !== notPlain;
  }

  changeClass(index: number): ChangeClass {
    return changeClasses[this.#classes[index] ?? 0] ?? 'first_check';
  }

  /** Why a search has nothing to compare with; null: it has, or was never seen before. */
  missing(index: number): string | null {
    if (this.changeClass(index) !== 'not_comparable') return null;
    return incomparable.noBaseline(comparisonText(this.#source.comparison));
  }

  /** Walks back over earlier runs until each search has its newest proven ranking within the window. */
  #compare(ranks: RunRanks, targetId: number, now: SeenRun): void {
    const source = this.#source;
    const { codes: current } = now;
    const { from, until, seenUntil } = boundsBefore(source.runs[0].moment, baselineWindow(source));
    // numbers, in place: this loop takes each search of the table
    const open = new Int32Array(current.length);
    let count = 0;
    for (let index = 0; index < current.length; index += 1) {
      if (!isProvenCode(current[index] ?? 0)) continue;
      open[count] = index;
      count += 1;
    }
    let left = baselineRunsMax;
    for (const run of ranks.runs) {
      if (run.moment > until || run.suspectFor.has(source.project.id)) continue;
      if (run.moment < from || count === 0) break;
      if (!ranks.isWhole(run.id)) return;
      if (run.rowsByTarget?.has(targetId) !== true) continue;
      if (left === 0) return;
      left -= 1;
      const before = ranks.details(run.id, targetId);
      if (before === null) return;
      const codes = ranks.codes(run.id, targetId);
      const sources = sameTexts(before.details.sources, now.details.sources);
      let kept = 0;
      for (let at = 0; at < count; at += 1) {
        const index = open[at] ?? 0;
        const position = before.positions[index] ?? -1;
        if (isProvenCode(codes[index] ?? 0) && (before.details.checkedAt[position] ?? 0) <= seenUntil) {
          this.#set(index, now, before, codes[index] ?? 0, sources);
        } else {
          open[kept] = index;
          kept += 1;
        }
      }
      count = kept;
    }
    const unseen = [...open.subarray(0, count)];
    // nothing was seen before: without a window that is a first check
    if (source.comparison.kind === 'previous') this.#setAll(unseen, 'first_check');
    else this.#settleUnseen(ranks, targetId, unseen);
  }

  /** Of these, none was seen in the window: what was seen at any other time is not comparable. */
  #settleUnseen(ranks: RunRanks, targetId: number, unseen: readonly number[]): void {
    const { moment } = this.#source.runs[0];
    let open = unseen;
    let left = baselineRunsMax;
    for (const run of ranks.runs) {
      if (open.length === 0) return;
      if (run.moment >= moment || run.suspectFor.has(this.#source.project.id)) continue;
      if (left === 0 || !ranks.isWhole(run.id)) return;
      if (run.rowsByTarget?.has(targetId) !== true) continue;
      left -= 1;
      const codes = ranks.codes(run.id, targetId);
      const { seen = [], rest = [] } = Object.groupBy(open, (index) =>
        isProvenCode(codes[index] ?? 0) ? 'seen' : 'rest',
      );
      this.#setAll(seen, 'not_comparable');
      open = rest;
    }
    this.#setAll(open, 'first_check');
  }

  #setAll(indices: readonly number[], changeClass: ChangeClass): void {
    const at = changeClasses.indexOf(changeClass);
    for (const index of indices) this.#classes[index] = at;
  }

  /** `sources`: the number of each source of the earlier run in the current one. */
  #set(index: number, current: SeenRun, before: PlacedDetails, previousCode: number, sources: Int32Array): void {
    const { details } = current;
    const now = current.positions[index] ?? -1;
    const then = before.positions[index] ?? -1;
    const depth = depthIn(current, index);
    const previousDepth = before.details.depths[then] ?? 0;
    const previousCheckedAt = before.details.checkedAt[then] ?? 0;
    const isSameSource = sources[before.details.sources.column[then] ?? -1] === details.sources.column[now];
    // another earlier check may be the better one to compare with: history knows
    if (!isSameSource || previousDepth < depth || previousCheckedAt > (details.checkedAt[now] ?? 0)) return;
    const rank = rankOfCode(current.codes[index] ?? 0);
    const previousRank = rankOfCode(previousCode);
    const changeClass =
      classOfLike(rank, previousRank, depth === previousDepth) ??
      this.#classOf(
        observation(details, now, rank, depth),
        observation(before.details, then, previousRank, previousDepth),
      );
    if (changeClass === 'not_comparable') return; // history knows why
    this.#classes[index] = changeClasses.indexOf(changeClass);
    const owned = textOf(before.details.ownedFeatures, then);
    if (owned !== '') this.owned.set(index, owned);
    this.checkIds[index] = before.details.checkIds[then] ?? 0;
    this.urlIds[index] = before.details.urlIds[then] ?? 0;
    this.codes[index] = previousCode;
    this.depths[index] = previousDepth;
    this.checkedAt[index] = previousCheckedAt;
  }

  #classOf(now: SeenObservation, before: SeenObservation): ChangeClass {
    const read = ({ checkId, ...seen }: SeenObservation, isNeeded: boolean): Observation => ({
      ...seen,
      resultsRead: isNeeded ? this.#source.store.rankings.resultsRead(checkId) : null,
    });
    if (isCovered(now, before)) return now.rank === null ? 'dropped' : 'entered';
    const isMoved = now.rank !== null || before.rank !== null;
    return compare(read(before, isMoved && before.rank === null), read(now, isMoved && now.rank === null)).changeClass;
  }
}

/** The class of two ranks, or of two absences of the same depth; null: more than that decides. */
function classOfLike(rank: number | null, previousRank: number | null, isSameDepth: boolean): ChangeClass | null {
  if (rank === null && previousRank === null) return isSameDepth ? 'unchanged' : null;
  if (rank === null || previousRank === null) return null;
  if (rank === previousRank) return 'unchanged';
  return rank < previousRank ? 'improved' : 'declined';
}

/** Of each text, its number in the other column; -1: it is not there. */
function sameTexts(texts: RankDetails['sources'], other: RankDetails['sources']): Int32Array {
  return Int32Array.from(texts.names, (name) => other.names.indexOf(name));
}

/** Pages: those that prove an absence, otherwise those requested. */
export function depthIn({ codes, details, positions }: SeenRun, index: number): number {
  const column = codes[index] === rankCodes.not_found ? details.depths : details.checkDepths;
  return column[positions[index] ?? -1] ?? 0;
}

interface SeenObservation extends Omit<Observation, 'resultsRead'> {
  readonly checkId: number;
}

/** Whether the pages of the absence reach the page of the rank: no count of results then changes the class. */
function isCovered(now: SeenObservation, before: SeenObservation): boolean {
  const [ranked, absent] = now.rank === null ? [before, now] : [now, before];
  if (ranked.rank === null || absent.rank !== null || ranked.page === null) return false;
  return Math.max(ranked.page, pageOfRank(ranked.rank)) <= absent.depth;
}

/** Empty: there is none. */
export function textOf(texts: RankDetails['features'] | undefined, position: number): string {
  return texts?.names[texts.column[position] ?? -1] ?? '';
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
