// The searches of a project: their keys, their number, and those at the points of its grid.
import type { Grid } from './grid.ts';
import { marketName, type Search, type TrackedKeyword } from './project.ts';

/** The key of a search in maps. */
export function searchKey({ keyword, market }: Search): string {
  return `${keyword}\0${market.service}\0${marketName(market)}`;
}

/** Equal for spellings of one keyword: search engines ignore case and spaces. */
export function foldKeyword(keyword: string): string {
  return keyword.normalize('NFC').replace(/\s+/g, ' ').trim().toLowerCase();
}

/** How many searches these keywords make. */
export function countSearches(keywords: readonly Pick<TrackedKeyword, 'devices'>[]): number {
  return keywords.reduce((sum, { devices }) => sum + devices.length, 0);
}

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
