// What the grids of projects take of a plan: one sum per grid instead of a line per point.
import type { Market, Project } from '../../src/tracker/project.ts';
import { type GridSearches, gridSearches, keywordsAtPoints } from '../../src/tracker/searches.ts';
import type { CheckPlan } from '../run/fixed-plan.ts';

/** The grid of a project in a plan. A search that projects share counts for each. */
export interface PlannedGrid extends GridSearches {
  readonly project: string;
  /** Of its searches: those that the plan checks. */
  readonly checks: number;
  readonly creditsExpected: number;
  readonly creditsWorstCase: number;
}

interface Sum {
  checks: number;
  creditsExpected: number;
  creditsWorstCase: number;
}

export class GridSums {
  readonly #projects: readonly Project[];
  readonly #points: ReadonlyMap<string, ReadonlySet<string>>;
  readonly #sums = new Map<string, Sum>();

  constructor(projects: readonly Project[]) {
    this.#projects = projects.filter(({ grid }) => grid !== undefined);
    this.#points = new Map(this.#projects.map(({ id, grid }) => [id, new Set(grid?.points)]));
  }

  /** Whether a search is made at a point of the project's grid. */
  has(project: string, { location }: Market): boolean {
    return location !== undefined && this.#points.get(project)?.has(location) === true;
  }

  add({ projects, search, pagesExpected, pagesWorstCase }: CheckPlan): void {
    for (const project of projects) {
      if (!this.has(project, search.market)) continue;
      const sum = this.#sums.get(project) ?? { checks: 0, creditsExpected: 0, creditsWorstCase: 0 };
      this.#sums.set(project, sum);
      sum.checks += 1;
      sum.creditsExpected += pagesExpected;
      sum.creditsWorstCase += pagesWorstCase;
    }
  }

  found(): { readonly grids?: readonly PlannedGrid[] } {
    const grids = this.#projects.flatMap(({ id, grid, keywords }): PlannedGrid[] => {
      const points = this.#points.get(id);
      if (grid === undefined || points === undefined) return [];
      const sum = this.#sums.get(id) ?? { checks: 0, creditsExpected: 0, creditsWorstCase: 0 };
      return [{ project: id, ...gridSearches(grid, keywordsAtPoints(keywords, points)), ...sum }];
    });
    return grids.length === 0 ? {} : { grids };
  }
}
