// Maps of a grid: the rows of one keyword, device and target at all points, with averages and estimates. Pure.

import { sumOf } from '../tracker/figures.ts';
import { fitGridField, type Grid, type GridPlace, gridPlaces, type SeenRank } from '../tracker/grid.ts';
import type { ChangeClass, RowStatus } from '../tracker/observation.ts';
import type { NamedMarket } from '../tracker/project.ts';
import { cappedRank } from './row-sums.ts';

/** What a map needs of a row. */
export interface GridRow extends NamedMarket {
  readonly keyword: string;
  readonly target: string;
  readonly status: RowStatus;
  readonly rank: number | null;
  readonly previousRank: number | null;
  readonly changeClass: ChangeClass;
  /** Of a point that was not checked: its newest rank. */
  readonly last?: { readonly rank: number | null; readonly ageDays: number } | undefined;
}

/** A row with what its sums need. `complete`: its check proves the rank, or that there is none. */
export interface GridEntry<Row extends GridRow> {
  readonly row: Row;
  readonly complete: boolean;
  /** Pages that prove an absence; null: there is no check. */
  readonly depth: number | null;
  /** The same of the compared check. */
  readonly previousDepth: number | null;
}

interface MapPoint<Row extends GridRow> {
  readonly place: GridPlace;
  readonly row: Row;
  /** Of a point that was not checked, estimated from the others: never a rank. Null: checked, or no estimate. */
  readonly estimatedRank: number | null;
}

/** Sums over the checked points. Null: none was checked. */
export interface MapSums {
  readonly points: number;
  readonly checked: number;
  /** Checked points where the target ranks. */
  readonly found: number;
  /** Over points where the target ranks: ARP, average rank position. */
  readonly averageRank: number | null;
  /** Over all checked points, "not found" as depth x 10 + 1: AGR, average grid rank, or ATRP. */
  readonly averageGridRank: number | null;
  /** Share of the checked points where the target ranks in the top 3: SoLV. Percent. */
  readonly shareOfLocalVoice: number | null;
  /** Points with a comparable check before, and the changes over these. Positive is better. */
  readonly comparable: number;
  readonly averageGridRankChange: number | null;
  readonly shareOfLocalVoiceChange: number | null;
}

/** The points of a map, with estimates for those that were not checked. */
interface MapPoints<Row extends GridRow> {
  readonly points: readonly MapPoint<Row>[];
  /** Points with an estimate. */
  readonly estimated: number;
  /** Mean absolute error of estimates in ranks, by leave-one-out over the checked points; null: no estimates. */
  readonly estimateError: number | null;
}

/** A top rank: the local pack shows three. */
const topMax = 3;
/** Older ranks are of no use for estimates. */
const ageDaysMax = 30;

/** An entry at its point. */
export type PlacedEntry<Entry> = Entry & { readonly place: GridPlace };

/**
 * The entries that are points of the grid, one group per keyword, device and target: a map. Maps keep the order of the
 * entries; points are from north to south, each row from west to east.
 */
export function gridGroups<Entry extends GridEntry<GridRow>>(
  grid: Grid,
  entries: Iterable<Entry>,
): PlacedEntry<Entry>[][] {
  const places = gridPlaces(grid);
  const groups = new Map<string, PlacedEntry<Entry>[]>();
  for (const entry of entries) {
    const { keyword, country, language, device, location, target } = entry.row;
    const place = location === undefined ? undefined : places.get(location);
    if (place === undefined) continue;
    const key = [keyword.toLowerCase(), country, language, device, target].join('\n');
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [{ ...entry, place }]);
    else group.push({ ...entry, place });
  }
  return [...groups.values()].map((group) =>
    group.sort((a, b) => a.place.row - b.place.row || a.place.column - b.place.column),
  );
}

/** The points of a map, in the order of its entries. */
export function mapPoints<Row extends GridRow>(entries: readonly PlacedEntry<GridEntry<Row>>[]): MapPoints<Row> {
  const missing = entries.filter(({ row }) => row.status === 'deferred');
  const field = missing.length === 0 ? null : fitGridField(seenRanks(entries));
  const points = entries.map(({ row, place }) => {
    const isEstimated = field !== null && row.status === 'deferred';
    const estimatedRank = isEstimated ? rounded(field.estimate(place.row, place.column), 1) : null;
    return { place, row, estimatedRank };
  });
  const estimateError = field === null ? null : rounded(field.error, 2);
  return { points, estimated: field === null ? 0 : missing.length, estimateError };
}

/** Ranks of the date, and older ones of points that were not checked. */
function seenRanks<Row extends GridRow>(entries: readonly PlacedEntry<GridEntry<Row>>[]): SeenRank[] {
  const depth = Math.max(1, ...entries.flatMap((entry) => (entry.complete ? (entry.depth ?? 1) : [])));
  return entries.flatMap(({ row, complete, depth: pages, place }) => {
    const at = { row: place.row, column: place.column };
    if (complete) return [{ ...at, rank: cappedRank(row.rank, pages ?? depth), ageDays: 0 }];
    const { last } = row;
    if (row.status !== 'deferred' || last === undefined || last.ageDays > ageDaysMax) return [];
    return [{ ...at, rank: cappedRank(last.rank, depth), ageDays: Math.max(1, last.ageDays) }];
  });
}

/** The sums of a map. */
export function mapSums(entries: readonly GridEntry<GridRow>[]): MapSums {
  const checked = entries.filter(({ complete }) => complete);
  const ranks = checked.flatMap(({ row }) => row.rank ?? []);
  const capped = checked.map(({ row, depth }) => cappedRank(row.rank, depth ?? 1));
  const both = checked.filter(({ row, previousDepth }) => previousDepth !== null && isComparable(row.changeClass));
  const gained = both.map(
    ({ row, depth, previousDepth }) =>
      cappedRank(row.previousRank, previousDepth ?? 1) - cappedRank(row.rank, depth ?? 1),
  );
  const topGained = both.map(({ row }) => 100 * (+isTop(row.rank) - +isTop(row.previousRank)));
  return {
    points: entries.length,
    checked: checked.length,
    found: ranks.length,
    averageRank: mean(ranks),
    averageGridRank: mean(capped),
    shareOfLocalVoice: mean(checked.map(({ row }) => (isTop(row.rank) ? 100 : 0))),
    comparable: both.length,
    averageGridRankChange: mean(gained),
    shareOfLocalVoiceChange: mean(topGained),
  };
}

function isComparable(changeClass: ChangeClass): boolean {
  return changeClass !== 'first_check' && changeClass !== 'not_comparable';
}

function isTop(rank: number | null): boolean {
  return rank !== null && rank <= topMax;
}

function mean(values: readonly number[]): number | null {
  const sum = sumOf(values);
  return values.length === 0 ? null : rounded(sum / values.length, 4);
}

/** Without -0. */
function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits)) + 0;
}
