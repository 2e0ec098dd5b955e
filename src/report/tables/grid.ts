// grid.csv: one line per keyword, device, own target and point of the grid. grid-summary.csv: the sums of each map.

import type { Row } from '../../rows/row.ts';
import { provenPages } from '../../rows/sums.ts';
import { type Grid, type GridPlace, gridPlaces } from '../../tracker/grid.ts';
import { rowStatusText } from '../../tracker/observation.ts';
import { type CsvColumn, type CsvOptions, columnNotes, csvChunks } from '../formats/csv.ts';
import { checkDay } from '../formats/day-columns.ts';
import { type BufferedLines, createTableWriter } from '../formats/table-writer.ts';
import { localRankColumn, urlDescription } from '../formats/url-columns.ts';
import { type GridEntry, type GridRow, gridGroups, type MapSums, mapSums } from '../rows/grid-maps.ts';
import { locationColumn, searchColumns } from '../rows/search-columns.ts';

interface PointRow {
  readonly row: Row;
  readonly place: GridPlace;
}

const pointColumns: readonly CsvColumn<PointRow>[] = [
  ...searchColumns<PointRow>(({ row }) => row),
  { name: 'target', kind: 'text', description: 'Own target as configured', value: ({ row }) => row.target },
  { name: 'row', kind: 'number', description: 'Row of the point: 1 is the north', value: ({ place }) => place.row + 1 },
  { name: 'column', kind: 'number', description: 'Its column: 1 is the west', value: ({ place }) => place.column + 1 },
  { name: 'latitude', kind: 'number', description: 'Degrees north', value: ({ place }) => place.latitude },
  { name: 'longitude', kind: 'number', description: 'Degrees east', value: ({ place }) => place.longitude },
  {
    name: 'center_km',
    kind: 'number',
    description: 'Distance from the center of the grid, km',
    value: ({ place }) => Math.round(place.kilometres * 1000) / 1000,
  },
  { name: 'status', kind: 'text', description: rowStatusText, value: ({ row }) => row.status },
  {
    name: 'rank',
    kind: 'number',
    description: 'Rank at this point; empty unless ranked. Estimates are not in this file',
    value: ({ row }) => row.rank,
  },
  { name: 'previous_rank', kind: 'number', description: 'Rank in the baseline', value: ({ row }) => row.previousRank },
  {
    name: 'change',
    kind: 'number',
    description: 'previous_rank - rank: positive is better; empty unless both are ranked and comparable',
    value: ({ row }) => row.change,
  },
  {
    name: 'change_class',
    kind: 'text',
    description: 'improved, declined, unchanged, entered, dropped, first_check or not_comparable',
    value: ({ row }) => row.changeClass,
  },
  {
    name: 'depth',
    kind: 'number',
    description: 'Requested results pages; if not found, all of them were read',
    value: ({ row }) => row.depth,
  },
  { name: 'url', kind: 'text', description: urlDescription, value: ({ row }) => row.url },
  {
    name: 'checked_at',
    kind: 'date',
    description: 'When the pages were read, UTC',
    value: ({ row }) => row.checkedAt,
  },
  checkDay(({ row }) => row.checkedAt),
  { name: 'run_id', kind: 'number', description: 'Run of the check', value: ({ row }) => row.runId },
  localRankColumn(({ row }) => row.localRank),
  locationColumn(({ row }) => row),
];

/** Name, kind and meaning of each column, for the documentation. */
export const gridColumnNotes = () => columnNotes(pointColumns);

interface SumRow extends MapSums {
  readonly project: string;
  readonly map: GridRow;
  readonly runId: number;
}

function count(name: string, description: string, value: (row: SumRow) => number | null): CsvColumn<SumRow> {
  return { name, kind: 'number', description, value };
}

const sumColumns: readonly CsvColumn<SumRow>[] = [
  ...searchColumns<SumRow>(({ project, map: { keyword, country, language, device } }) => ({
    ...{ project, keyword, country, language, device },
  })),
  { name: 'target', kind: 'text', description: 'Own target as configured', value: ({ map }) => map.target },
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

/** Name, kind and meaning of each column, for the documentation. */
export const gridSumColumnNotes = () => columnNotes(sumColumns);

/** The tables of a grid, filled row by row. */
export interface GridTables {
  readonly points: BufferedLines;
  add(row: Row): void;
  /** Call once, after the last row. */
  sums(run: { readonly project: string; readonly runId: number }): { rows: number; chunks: Iterable<string> };
}

export function startGrid(grid: Grid, options: CsvOptions): GridTables {
  const places = gridPlaces(grid);
  const points = createTableWriter(pointColumns, options);
  const entries: GridEntry<GridRow>[] = [];
  return {
    points,
    add(row) {
      const place = row.location === undefined ? undefined : places.get(row.location);
      if (place === undefined) return;
      points.add({ row, place });
      const { complete } = row;
      const [depth, previousDepth] = [provenPages(row, row.depth), provenPages(row, row.previousDepth)];
      entries.push({ row: keptRow(row), complete, depth, previousDepth });
    },
    sums(run) {
      const rows = gridGroups(grid, entries.splice(0)).flatMap((group) =>
        group.slice(0, 1).map(({ row: map }) => ({ ...mapSums(group), ...run, map })),
      );
      return { rows: rows.length, chunks: csvChunks(sumColumns, rows, options) };
    },
  };
}

/** Without URLs and texts, which would take most of the memory. Sums need no older ranks. */
function keptRow(row: Row): GridRow {
  const { keyword, country, language, device, location, target, status, rank, previousRank, changeClass } = row;
  return { keyword, country, language, device, location, target, status, rank, previousRank, changeClass };
}
