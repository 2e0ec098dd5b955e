// A row of the keyword table over columns: numbers at once, everything else from history when it is needed.
import { rankOfCode } from '../../../db/history/columns/rank-columns.ts';
import { roundCents } from '../../../src/report/rows/row.ts';
import type { SummedRow } from '../../../src/report/rows/sums.ts';
import { estimatedClicks } from '../../../src/tracker/changes/visibility.ts';
import type { ChangeClass } from '../../../src/tracker/observation.ts';
import type { Target } from '../../../src/tracker/project.ts';
import type { KeywordRow } from '../../../src/workspace/records.ts';
import { type PartialRow, rowsInFull } from '../../../src/workspace/whole-rows.ts';
import type { TableRow } from '../table-row.ts';
import type { TargetColumns } from './target-columns.ts';

/** A row whose check is complete and compared: `TargetColumns.isPlain`. */
export class ColumnRow implements KeywordRow, SummedRow, TableRow, PartialRow {
  readonly #of: TargetColumns;
  readonly searchIndex: number;

  constructor(of: TargetColumns, searchIndex: number) {
    this.#of = of;
    this.searchIndex = searchIndex;
  }

  get row(): KeywordRow {
    return this;
  }
  get summed(): SummedRow {
    return this;
  }
  get own(): Target {
    return this.#of.own;
  }
  get [rowsInFull](): TargetColumns['inFull'] {
    return this.#of.inFull;
  }
  toJSON(): KeywordRow {
    return this.#whole;
  }

  get id(): string {
    return this.#of.searches.rowId(this.searchIndex, this.#of.own.value);
  }
  get keyword(): string {
    return this.#search.tracked.keyword;
  }
  get country(): string {
    return this.#search.market.country;
  }
  get language(): string {
    return this.#search.market.language;
  }
  get device(): string {
    return this.#search.market.device;
  }
  get target(): string {
    return this.#of.own.value;
  }
  get tags(): readonly string[] {
    return this.#search.tracked.tags;
  }

  get complete(): boolean {
    return true;
  }
  get status(): 'ranked' | 'not_found' {
    return this.rank === null ? 'not_found' : 'ranked';
  }
  get rank(): number | null {
    return rankOfCode(this.#of.codes[this.searchIndex] ?? 0);
  }
  get previousRank(): number | null {
    return rankOfCode(this.#of.previousCodes[this.searchIndex] ?? 0);
  }
  get change(): number | null {
    const { rank, previousRank } = this;
    return rank === null || previousRank === null ? null : previousRank - rank;
  }
  get changeClass(): ChangeClass {
    return this.#of.changeClass(this.searchIndex);
  }
  get depth(): number {
    return this.#of.depth(this.searchIndex);
  }
  get previousDepth(): number | null {
    return this.#of.previousDepths[this.searchIndex] || null;
  }
  get previousCheckedAt(): number | null {
    return this.#of.previousCheckedAt[this.searchIndex] || null;
  }
  get checkedAt(): string {
    return new Date(this.#of.checkedAt(this.searchIndex)).toISOString();
  }
  get serpFeatures(): readonly string[] {
    return this.#of.features(this.searchIndex);
  }
  get ownedFeatures(): readonly string[] {
    return this.#of.ownedFeatures(this.searchIndex);
  }
  get url(): string | null {
    return this.#of.url(this.searchIndex);
  }

  get searchVolume(): number | null {
    return this.#metrics?.searchVolume ?? null;
  }
  get cpc(): number | null {
    const micro = this.#metrics?.cpcMicroUsd ?? null;
    return micro === null ? null : micro / 1_000_000;
  }
  get competition(): number | null {
    return this.#metrics?.competition ?? null;
  }
  get intent(): string | null {
    return this.#metrics?.intent ?? null;
  }
  get estimatedClicks(): number | null {
    return roundCents(estimatedClicks(this.searchVolume, this.rank, this.#of.ctrCurve));
  }
  get estimatedClicksChange(): number | null {
    if (this.previousCheckedAt === null) return null;
    const [now, before] = [this.rank, this.previousRank].map((rank) =>
      estimatedClicks(this.searchVolume, rank, this.#of.ctrCurve),
    );
    return now == null || before == null ? null : roundCents(now - before);
  }

  get significance(): KeywordRow['significance'] {
    return this.#whole.significance;
  }
  get bandBest(): number | null {
    return this.#whole.bandBest;
  }
  get bandWorst(): number | null {
    return this.#whole.bandWorst;
  }
  get bestRank(): number | null {
    return this.#whole.bestRank;
  }
  get previousUrl(): string | null {
    return this.#whole.previousUrl;
  }
  get preferredUrl(): string | null {
    return this.#search.tracked.preferredUrl === undefined ? null : this.#whole.preferredUrl;
  }
  get urlIsPreferred(): boolean | null {
    return this.#search.tracked.preferredUrl === undefined ? null : this.#whole.urlIsPreferred;
  }
  get lostFeatures(): readonly string[] {
    return this.#of.hadFeatures(this.searchIndex) ? this.#whole.lostFeatures : [];
  }
  get date(): string | null {
    return this.#whole.date;
  }
  get previousDate(): string | null {
    return this.#whole.previousDate;
  }
  get source(): string | null {
    return this.#whole.source;
  }
  get runId(): number | null {
    return this.#whole.runId;
  }
  get note(): string | null {
    return this.#whole.note;
  }

  get #search() {
    return this.#of.searches.search(this.searchIndex);
  }
  get #metrics() {
    return this.#of.metrics[this.searchIndex] ?? null;
  }
  get #whole(): KeywordRow {
    return this.#of.wholeRow(this.searchIndex);
  }
}
