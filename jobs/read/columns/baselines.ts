// The checks that the ranks of a run compare with, from the columns of earlier runs.

import { boundsBefore } from '../../../db/history/checks/rankings.ts';
import type { ColumnRun, RankDetails } from '../../../db/reads/rank-columns.ts';
import type { Store } from '../../../db/store.ts';
import { changeClasses, compare, comparisonText, incomparable } from '../../../src/tracker/changes/change.ts';
import type { ChangeClass, Observation } from '../../../src/tracker/observation.ts';
import { isProvenCode, rankCodes, rankOfCode } from '../../../src/tracker/rank-codes.ts';
import { baselineWindow, type RowSource } from '../rows/report-rows.ts';
import type { PlacedDetails, RunRanks } from './run-ranks.ts';

/** Baselines further back are read from history. */
const baselineRunsMax = 12;

/** In place of a class: columns do not know all of the row. */
const notPlain = 255;

/** What one run proves of a target, by search. Values of searches without a proven ranking mean nothing. */
export class SeenRun {
  readonly details: RankDetails;
  /** Where each search is in the details; -1: it is not. */
  readonly #positions: Int32Array;
  readonly #codes: Uint16Array;
  readonly #store: Store;

  constructor(store: Store, { details, positions }: PlacedDetails, codes: Uint16Array) {
    this.details = details;
    this.#positions = positions;
    this.#codes = codes;
    this.#store = store;
  }

  isProven(index: number): boolean {
    return isProvenCode(this.#codes[index] ?? 0);
  }
  rank(index: number): number | null {
    return rankOfCode(this.#codes[index] ?? 0);
  }
  page(index: number): number | null {
    return this.details.pages[this.#at(index)] || null;
  }
  /** Pages that the ranking proves. */
  depth(index: number): number {
    return this.details.depths[this.#at(index)] ?? 0;
  }
  /** Pages: those that prove an absence, otherwise those requested. */
  shownDepth(index: number): number {
    return this.#codes[index] === rankCodes.not_found
      ? this.depth(index)
      : (this.details.checkDepths[this.#at(index)] ?? 0);
  }
  /** UTC milliseconds. */
  checkedAt(index: number): number {
    return this.details.checkedAt[this.#at(index)] ?? 0;
  }
  checkId(index: number): number {
    return this.details.checkIds[this.#at(index)] ?? 0;
  }
  /** 0: none. */
  urlId(index: number): number {
    return this.details.urlIds[this.#at(index)] ?? 0;
  }
  /** Empty: there is none; like `features` and `ownedFeatures`, which are joined by `|`. */
  source(index: number): string {
    return this.#text(this.details.sources, index);
  }
  features(index: number): string {
    return this.#text(this.details.features, index);
  }
  ownedFeatures(index: number): string {
    return this.#text(this.details.ownedFeatures, index);
  }

  /** For comparisons. `depth`: in pages. */
  observation(index: number, depth: number): Observation {
    return new ColumnObservation(this, index, depth);
  }

  resultsRead(index: number): number | null {
    return this.#store.rankings.resultsRead(this.checkId(index));
  }

  #text({ names, column }: RankDetails['features'], index: number): string {
    return names[column[this.#at(index)] ?? -1] ?? '';
  }
  /** Where the search is in the details. */
  #at(index: number): number {
    return this.#positions[index] ?? -1;
  }
}

/** Values are read when a comparison asks for them: of a hundred thousand pairs most differ in rank only. */
class ColumnObservation implements Observation {
  readonly absoluteRank = null;
  readonly url = null;
  readonly rank: number | null;
  readonly depth: number;
  readonly #run: SeenRun;
  readonly #index: number;

  constructor(run: SeenRun, index: number, depth: number) {
    this.#run = run;
    this.#index = index;
    this.rank = run.rank(index);
    this.depth = depth;
  }

  get status(): Observation['status'] {
    return this.rank === null ? 'not_found' : 'ranked';
  }
  get page(): number | null {
    return this.#run.page(this.#index);
  }
  get resultsRead(): number | null {
    return this.rank === null ? this.#run.resultsRead(this.#index) : null;
  }
  get checkedAt(): number {
    return this.#run.checkedAt(this.#index);
  }
  get source(): string {
    return this.#run.source(this.#index);
  }
}

/** Of runs of one moment, the one with the newest check that proves a rank or an absence; null: none does. */
function newestOf(runs: readonly SeenRun[], index: number, seenUntil: number): SeenRun | null {
  let newest: SeenRun | null = null;
  for (const run of runs) {
    if (!run.isProven(index) || run.checkedAt(index) > seenUntil) continue;
    if (newest === null || run.checkId(index) > newest.checkId(index)) newest = run;
  }
  return newest;
}

/** By search: the class of its change, and the run with the compared check. */
export class Baselines {
  readonly #classes: Uint8Array;
  /** By search, one more than an index into `#runs`; 0: nothing is compared. */
  readonly #runOf: Uint8Array;
  readonly #runs: SeenRun[] = [];
  readonly #source: RowSource;

  /** `now`: the run of `source`. Null: columns do not hold it, and no row is plain. */
  constructor(source: RowSource, ranks: RunRanks, targetId: number | null, now: SeenRun | null) {
    const { length } = ranks.searches.all;
    this.#classes = new Uint8Array(length).fill(notPlain);
    this.#runOf = new Uint8Array(length);
    this.#source = source;
    if (targetId !== null && now !== null) this.#compare(ranks, targetId, now);
  }

  /** The run with the compared check of a search; null: nothing is compared. */
  before(index: number): SeenRun | null {
    return this.#runs[(this.#runOf[index] ?? 0) - 1] ?? null;
  }

  /** Of the compared checks; 0: none. */
  urlIds(): Int32Array {
    return Int32Array.from(this.#runOf, (_, index) => this.before(index)?.urlId(index) ?? 0);
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
    const { from, until, seenUntil } = boundsBefore(source.runs[0].moment, baselineWindow(source));
    // numbers, in place: this loop takes each search of the table
    const open = new Int32Array(this.#classes.length);
    let count = 0;
    for (let index = 0; index < open.length; index += 1) {
      if (!now.isProven(index)) continue;
      open[count] = index;
      count += 1;
    }
    let left = baselineRunsMax;
    for (const [moment, runs] of Map.groupBy(ranks.runs, (run) => run.moment)) {
      if (moment > until) continue;
      if (moment < from || count === 0) break;
      const seen = runs.flatMap((run) => this.#seenIn(run, ranks, targetId) ?? []);
      if (left < seen.length) return;
      left -= seen.length;
      this.#runs.push(...seen);
      let kept = 0;
      for (let at = 0; at < count; at += 1) {
        const index = open[at] ?? 0;
        const before = newestOf(seen, index, seenUntil);
        if (before !== null) this.#set(index, now, before);
        else {
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

  /** Null: no report of the project compares with the run, or it has no rankings of the target. */
  #seenIn(run: ColumnRun, ranks: RunRanks, targetId: number): SeenRun | null {
    const { store, project } = this.#source;
    const details = run.suspectFor.has(project.id) ? null : ranks.details(run.id, targetId);
    return details === null ? null : new SeenRun(store, details, ranks.codes(run.id, targetId));
  }

  /** Of these, none was seen in the window: what was seen at any other time is not comparable. */
  #settleUnseen(ranks: RunRanks, targetId: number, unseen: readonly number[]): void {
    const { moment } = this.#source.runs[0];
    let open = unseen;
    let left = baselineRunsMax;
    for (const run of ranks.runs) {
      if (open.length === 0) return;
      if (run.moment >= moment || run.suspectFor.has(this.#source.project.id)) continue;
      if (!ranks.has(run.id, targetId)) continue;
      if (left === 0) return;
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

  /** Compares with a run of `#runs`, unless history may know a better check to compare with. */
  #set(index: number, now: SeenRun, before: SeenRun): void {
    const depth = now.shownDepth(index);
    if (before.depth(index) < depth || before.checkedAt(index) > now.checkedAt(index)) return;
    const compared = before.observation(index, before.depth(index));
    const { changeClass } = compare(compared, now.observation(index, depth));
    if (changeClass === 'not_comparable') return; // history knows why
    this.#classes[index] = changeClasses.indexOf(changeClass);
    this.#runOf[index] = this.#runs.indexOf(before) + 1;
  }
}
