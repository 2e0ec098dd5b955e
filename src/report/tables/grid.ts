// grid.csv: one line per keyword, device, own target and point of the grid. grid-summary.csv: the sums of each map.

import { type GridEntry, type GridRow, gridGroups, type MapSums, mapSums } from '../../read/grid-maps.ts';
import type { Row } from '../../read/row.ts';
import { provenPages } from '../../read/row-sums.ts';
import { rounded } from '../../tracker/figures.ts';
import { type Grid, type GridPlace, gridPlaces } from '../../tracker/grid.ts';
import { columnsOf, fieldColumns, searchFields } from '../formats/columns.ts';
import type { CsvColumn } from '../formats/csv.ts';
import type { TableRows } from '../formats/table-writer.ts';

interface PointRow {
  readonly row: Row;
  readonly place: GridPlace;
}

const { number } = columnsOf<PointRow>();
const rowOf = ({ row }: PointRow): Row => row;

export const gridColumns: readonly CsvColumn<PointRow>[] = [
  ...fieldColumns(rowOf, ...searchFields, 'target'),
  number('row', 'Row of the point: 1 is the north', ({ place }) => place.row + 1),
  number('column', 'Its column: 1 is the west', ({ place }) => place.column + 1),
  number('latitude', 'Degrees north', ({ place }) => place.latitude),
  number('longitude', 'Degrees east', ({ place }) => place.longitude),
  number('center_km', 'Distance from the center of the grid, km', ({ place }) => rounded(place.kilometres, 3)),
  ...fieldColumns(rowOf, 'status'),
  number('rank', 'Rank at this point; empty unless ranked. Estimates are not in this file', ({ row }) => row.rank),
  ...fieldColumns(rowOf, 'previousRank', 'change', 'changeClass', 'depth', 'url', 'checkedAt', 'date', 'runId'),
  ...fieldColumns(rowOf, 'localRank', 'location'),
];

interface SumRow extends MapSums {
  readonly project: string;
  readonly map: GridRow;
  readonly runId: number;
}

const { number: count } = columnsOf<SumRow>();

export const gridSumColumns: readonly CsvColumn<SumRow>[] = [
  ...fieldColumns(({ project, map }: SumRow) => ({ ...map, project }), ...searchFields, 'target'),
  count('points', 'Points of the grid', ({ points }) => points),
  count('checked', 'Of these with a complete check: all other columns count only these', ({ checked }) => checked),
  count('found', 'Checked points where the target ranks', ({ found }) => found),
  count('average_rank', 'Average rank where it ranks (ARP)', ({ averageRank }) => averageRank),
  count(
    'average_grid_rank',
    'Average position, counting "not found" as depth x 10 + 1 (AGR, ATRP)',
    ({ averageGridRank }) => averageGridRank,
  ),
  count(
    'average_grid_rank_change',
    'Its change over comparable points: positive is better',
    (row) => row.averageGridRankChange,
  ),
  count(
    'share_of_local_voice',
    'Percent of checked points where the target ranks in the top 3 (SoLV)',
    ({ shareOfLocalVoice }) => shareOfLocalVoice,
  ),
  count(
    'share_of_local_voice_change',
    'Its change over comparable points, in percentage points',
    (row) => row.shareOfLocalVoiceChange,
  ),
  count('comparable', 'Checked points with a comparable baseline', ({ comparable }) => comparable),
  count('run_id', 'Run of the report', ({ runId }) => runId),
];

export function startGrid(grid: Grid): TableRows<Row, PointRow> {
  const places = gridPlaces(grid);
  return {
    add(row) {
      const place = row.location === undefined ? undefined : places.get(row.location);
      return place === undefined ? [] : [{ row, place }];
    },
  };
}

export function startGridSums(grid: Grid, run: Pick<SumRow, 'project' | 'runId'>): TableRows<Row, SumRow> {
  const places = gridPlaces(grid);
  const entries: GridEntry<GridRow>[] = [];
  return {
    add(row) {
      const [depth, previousDepth] = [provenPages(row, row.depth), provenPages(row, row.previousDepth)];
      if (row.location !== undefined && places.has(row.location))
        entries.push({ row: keptRow(row), complete: row.complete, depth, previousDepth });
      return [];
    },
    rest: () =>
      gridGroups(grid, entries).flatMap((group) =>
        group.slice(0, 1).map(({ row: map }) => ({ ...mapSums(group), ...run, map })),
      ),
  };
}

/** Without URLs and texts, which would take most of the memory. Sums need no older ranks. */
function keptRow(row: Row): GridRow {
  const { keyword, country, language, device, location, target, status, rank, previousRank, changeClass } = row;
  return { keyword, country, language, device, location, target, status, rank, previousRank, changeClass };
}
