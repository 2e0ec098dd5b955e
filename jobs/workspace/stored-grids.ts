// Reads maps of grids from history.
import type { GridReader } from '../../src/workspace/contract.ts';
import { gridPoints, gridSums } from '../../src/workspace/sums/grids.ts';
import type { ProjectHistory } from './project-history.ts';

export function storedGrids(historyOf: (project: string) => ProjectHistory): GridReader {
  return {
    sums(query) {
      const history = historyOf(query.project);
      return gridSums(history.project.grid, history.rows(query));
    },
    points(query) {
      const history = historyOf(query.project);
      return gridPoints(history.project.grid, history.rows(query));
    },
    map: ({ project, id, ...query }) => historyOf(project).gridMap(id, query),
  };
}
