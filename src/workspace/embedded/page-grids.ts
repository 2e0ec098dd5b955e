// The maps of the grid that report.html holds: those of its date.
import type { PageData } from '../../report/html/data/page-data.ts';
import { rankCodes } from '../../report/html/data/trail.ts';
import type { GridReader, KeywordQuery } from '../contract.ts';
import type { KeywordRow } from '../records.ts';
import { gridMap, gridPoints, gridSums } from '../sums/grids.ts';
import { trailOf } from './page-rows.ts';

export function pageGridReader(
  data: PageData,
  rowsOf: (query: Omit<KeywordQuery, 'sort'>) => readonly KeywordRow[],
): GridReader {
  const { axis, project } = data;
  return {
    sums: (query) => gridSums(project.grid, rowsOf(query)),
    points: (query) => gridPoints(project.grid, rowsOf(query)),
    map({ id, ...query }) {
      const trails = new Map<KeywordRow, readonly number[]>();
      return gridMap(project.grid, rowsOf({ ...query, filter: {} }), id, {
        compare: project.compare,
        dates: axis.dates,
        codeAt(entry, at) {
          const trail = trails.get(entry) ?? trailOf(data, entry.id);
          trails.set(entry, trail);
          return trail[at] ?? rankCodes.none;
        },
      });
    },
  };
}
