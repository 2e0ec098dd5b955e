// The searches that a project makes at the points of its grid.
import type { Grid } from './grid.ts';
import { countSearches, type TrackedKeyword } from './project.ts';

/** A grid in numbers. */
export interface GridSearches {
  readonly size: number;
  readonly spacing: string;
  readonly points: number;
  readonly keywords: number;
  readonly searches: number;
}

export function keywordsAtPoints(
  keywords: readonly TrackedKeyword[],
  points: ReadonlySet<string>,
): readonly TrackedKeyword[] {
  return keywords.filter(({ location }) => location !== undefined && points.has(location));
}

/** `atPoints`: the keywords at its points, each once a point. */
export function gridSearches({ size, spacing, points }: Grid, atPoints: readonly TrackedKeyword[]): GridSearches {
  const count = new Set(points).size;
  return { size, spacing, points: count, keywords: atPoints.length / count, searches: countSearches(atPoints) };
}
