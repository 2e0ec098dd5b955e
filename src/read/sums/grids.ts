// Maps of a grid in the shape of the read API; in the server and in report.html.

import { sumOf } from '../../tracker/figures.ts';
import type { Grid } from '../../tracker/grid.ts';
import { rankCodes, rankOfCode } from '../../tracker/rank-codes.ts';
import { type GridEntry, gridGroups, mapPoints, mapSums, type PlacedEntry } from '../grid-maps.ts';
import type { GridMapAnswer, GridPoint, GridSums, KeywordRow } from '../records.ts';
import { provenPages } from '../row-sums.ts';

/** What a map over time is made from. */
interface GridHistory<Entry> {
  readonly compare: string;
  /** Oldest first, up to that of the map. */
  readonly dates: readonly string[];
  /** The code of a row on a date, as trails have it. */
  readonly codeAt: (entry: Entry, date: number) => number;
}

const topMax = 3;

/** The sums of every map of these rows. */
export function gridSums(grid: Grid | undefined, entries: readonly KeywordRow[]): GridSums[] {
  return groupsOf(grid, entries).map(sumsOf);
}

/** The points of every map of these rows. */
export function gridPoints(grid: Grid | undefined, entries: readonly KeywordRow[]): GridPoint[] {
  return groupsOf(grid, entries).flatMap((group) => mapPoints(group).points.map(pointOf));
}

/** The map with the row of this id. Null: it is not a point of the grid. */
export function gridMap<Entry extends KeywordRow>(
  grid: Grid | undefined,
  entries: readonly Entry[],
  id: string,
  { compare, dates, codeAt }: GridHistory<Entry>,
): GridMapAnswer | null {
  if (grid === undefined) return null;
  const group = groupsOf(grid, entries).find((each) => each.some(({ row }) => row.id === id));
  if (group === undefined) return null;
  const { center, size, spacing, spacingKm } = grid;
  const { points, estimated, estimateError } = mapPoints(group);
  const byDate = dates.map((_, date) => daySums(group.map(({ row }) => codeAt(row, date))));
  return {
    ...sumsOf(group),
    grid: { center, size, spacing, spacingKm },
    compare,
    estimated,
    estimateError,
    mapPoints: points.map(pointOf),
    series: {
      dates,
      averageRank: byDate.map(({ averageRank }) => averageRank),
      shareOfLocalVoice: byDate.map(({ share }) => share),
      checked: byDate.map(({ checked }) => checked),
    },
  };
}

type MapEntry<Entry extends KeywordRow> = PlacedEntry<GridEntry<Entry>>;

function groupsOf<Entry extends KeywordRow>(grid: Grid | undefined, entries: readonly Entry[]): MapEntry<Entry>[][] {
  if (grid === undefined) return [];
  const points = entries.map((row) => {
    const [depth, previousDepth] = [provenPages(row, row.depth), provenPages(row, row.previousDepth)];
    return { row, complete: row.complete, depth, previousDepth };
  });
  return gridGroups(grid, points);
}

function sumsOf(group: readonly MapEntry<KeywordRow>[]): GridSums {
  const { id = '', keyword = '', country = '', language = '', device = '', target = '' } = group[0]?.row ?? {};
  const date = group.map(({ row }) => row.date).reduce((a, b) => (b > a ? b : a), '');
  return { id, keyword, country, language, device, target, date: date || null, ...mapSums(group) };
}

function pointOf({ place, row, estimatedRank }: ReturnType<typeof mapPoints<KeywordRow>>['points'][number]): GridPoint {
  const { id, keyword, country, language, device, target, location = '', status, rank, depth, url } = row;
  const { date, previousRank, previousDate, change, changeClass, last } = row;
  return {
    id,
    keyword,
    country,
    language,
    device,
    target,
    location,
    ...place,
    row: place.row + 1,
    column: place.column + 1,
    status,
    rank,
    estimatedRank,
    depth,
    url,
    date,
    previousRank,
    previousDate,
    change,
    changeClass,
    last,
  };
}

/** Sums of the points on a date. Which pages an absence was proven on is not kept in trails. */
function daySums(codes: readonly number[]) {
  const ranks = codes.flatMap((code) => rankOfCode(code) ?? []);
  const checked = ranks.length + codes.filter((code) => code === rankCodes.not_found).length;
  const top = ranks.filter((rank) => rank <= topMax).length;
  return {
    checked,
    averageRank: ranks.length === 0 ? null : sumOf(ranks) / ranks.length,
    share: checked === 0 ? null : (100 * top) / checked,
  };
}
