// A row of the keyword table over columns: each fact is read when it is asked for.

import type { LastRanking, NotedRow } from '../../../src/rows/note.ts';
import { Row, type RowMetrics, type RowTable } from '../../../src/rows/row.ts';
import type { ClickNumbers } from '../../../src/tracker/clicks/clicks.ts';
import type { ChangeClass } from '../../../src/tracker/observation.ts';
import type { Market, Target } from '../../../src/tracker/project.ts';
import { rankOfCode } from '../../../src/tracker/rank-codes.ts';
import type { Significance } from '../../../src/tracker/signal/significance.ts';
import { keywordPlace } from '../../../src/workspace/keyword-filter.ts';
import type { TargetColumns } from './target-columns.ts';

/** A row with the place of its search among those of the project; -1: it has none. */
export type TableRow = Row & { readonly searchIndex: number };

/** A row whose check is complete and compared: `Baselines.isPlain`. */
export class ColumnRow extends Row {
  readonly #of: TargetColumns;
  readonly searchIndex: number;

  constructor(of: TargetColumns, searchIndex: number) {
    super();
    this.#of = of;
    this.searchIndex = searchIndex;
  }

  override get id(): string {
    return this.#of.searches.rowId(this.searchIndex, this.own.value);
  }
  get [keywordPlace](): number {
    return this.#of.searches.keywordPlace(this.keyword);
  }
  get table(): RowTable {
    return this.#of.table;
  }
  get own(): Target {
    return this.#of.own;
  }
  get keyword(): string {
    return this.#search.tracked.keyword;
  }
  get market(): Market {
    return this.#search.market;
  }
  get tags(): readonly string[] {
    return this.#search.tracked.tags;
  }
  get preferredUrl(): string | null {
    return this.#of.preferredUrl(this.searchIndex);
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
  /** Columns do not hold it. */
  get absoluteRank(): null {
    return null;
  }
  get page(): number | null {
    return this.#of.page(this.searchIndex);
  }
  get url(): string | null {
    return this.#of.url(this.searchIndex);
  }
  get depth(): number {
    return this.#of.depth(this.searchIndex);
  }
  get checkedAt(): number {
    return this.#of.checkedAt(this.searchIndex);
  }
  get source(): string | null {
    return this.#of.source(this.searchIndex) || null;
  }
  get runId(): number {
    return this.#of.runId;
  }
  get serpFeatures(): readonly string[] {
    return this.#of.features(this.searchIndex);
  }
  get ownedFeatures(): readonly string[] {
    return this.#of.ownedFeatures(this.searchIndex);
  }

  get previousRank(): number | null {
    return rankOfCode(this.#of.baselines.codes[this.searchIndex] ?? 0);
  }
  get previousUrl(): string | null {
    return this.#of.previousUrl(this.searchIndex);
  }
  get previousCheckedAt(): number | null {
    return this.#of.baselines.checkedAt[this.searchIndex] || null;
  }
  get previousDepth(): number | null {
    return this.#of.baselines.depths[this.searchIndex] || null;
  }
  get changeClass(): ChangeClass {
    return this.#of.baselines.changeClass(this.searchIndex);
  }
  get incomparable(): string | null {
    return this.#of.baselines.missing(this.searchIndex);
  }
  get judged(): Significance | null {
    return this.#of.judged(this.searchIndex);
  }
  get lostFeatures(): readonly string[] {
    return this.#of.lostFeatures(this.searchIndex);
  }

  get bestRank(): number | null {
    return this.#of.bestRank(this.searchIndex);
  }
  get metrics(): RowMetrics | null {
    return this.#of.metrics[this.searchIndex] ?? null;
  }
  get counted(): ClickNumbers | null {
    return this.#of.clicks(this.searchIndex);
  }
  /** Each of these rows was checked. */
  get lastRanking(): LastRanking | undefined {
    return undefined;
  }
  get noted(): NotedRow {
    return this.#of.noted(this.searchIndex);
  }

  get #search() {
    return this.#of.searches.search(this.searchIndex);
  }
}
