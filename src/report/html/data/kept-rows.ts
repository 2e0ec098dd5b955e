// The rows of the keyword table. Above the limit, rows with the most clicks are kept.

import { type ApiField, apiFields } from '../../../read/fields.ts';
import type { HistoryRow } from '../../../read/row.ts';
import type { PageRow } from './page-data.ts';

/** A row of the page. */
export interface KeptRow {
  readonly row: HistoryRow;
  /** Null: the search was never made. */
  readonly searchId: number | null;
}

/** Rows collect up to this multiple of the limit before the least are dropped: few sorts, little memory. */
const pruneAt = 1.25;

/** Collects rows. Keeps at most `max`, by size of traffic change, then traffic, then volume. */
export class KeptRows {
  readonly #max: number;
  #kept: KeptRow[] = [];
  /** The least of the kept rows, once rows were dropped: later rows must exceed it. */
  #least: HistoryRow | null = null;
  #total = 0;

  constructor(max: number) {
    this.#max = max;
  }

  add(row: HistoryRow, searchId: number | null = null): void {
    this.#total += 1;
    if (this.#least !== null && byWorth(row, this.#least) >= 0) return;
    this.#kept.push({ row: row.copy(), searchId });
    if (this.#kept.length < pruneAt * this.#max) return;
    this.#kept = this.#best();
    this.#least = this.#kept.at(-1)?.row ?? null;
  }

  /** Number of added rows, including dropped ones. */
  get total(): number {
    return this.#total;
  }

  /** The rows of the page, in its order. They are no longer kept here. Call once. */
  taken(): readonly KeptRow[] {
    const best = this.#best();
    this.#kept = [];
    return best;
  }

  #best(): KeptRow[] {
    return this.#kept.toSorted((a, b) => byWorth(a.row, b.row)).slice(0, this.#max);
  }
}

const held: readonly (keyof PageRow)[] = [
  ...apiFields.filter((name): name is Exclude<ApiField, 'id'> => name !== 'id'),
  'last',
  'incomplete',
  'complete',
  'isPlace',
  'previousDepth',
  'previousCheckedAt',
  'lastAgeDays',
];

/** The row as the page holds it: rows compute their values when they are read. */
export function pageRow(row: HistoryRow): PageRow {
  return Object.fromEntries(held.map((name) => [name, row[name]])) as unknown as PageRow; // by its names
}

function byWorth(a: HistoryRow, b: HistoryRow): number {
  return (
    size(b.estimatedClicksChange) - size(a.estimatedClicksChange) ||
    size(b.estimatedClicks) - size(a.estimatedClicks) ||
    size(b.searchVolume) - size(a.searchVolume) ||
    (a.rank ?? Number.MAX_SAFE_INTEGER) - (b.rank ?? Number.MAX_SAFE_INTEGER)
  );
}

function size(value: number | null): number {
  return value === null ? -1 : Math.abs(value);
}
