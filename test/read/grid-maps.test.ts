// Maps of a grid: their sums, and estimates that never become ranks.
import { describe, expect, it } from 'vitest';
import { resolveGrid } from '../../config/keyword-files/grid.ts';
import { type GridEntry, type GridRow, gridGroups, mapPoints, mapSums } from '../../src/read/grid-maps.ts';
import { gridPlaces } from '../../src/tracker/grid.ts';

const grid = resolveGrid({ center: '30,-97', size: 3, spacing: '2km' });

const entry = (
  index: number,
  { depth = 3, ...row }: Partial<GridRow> & { readonly depth?: number | null } = {},
  complete = true,
): GridEntry<GridRow> => ({
  row: {
    keyword: 'dentist',
    country: 'US',
    language: 'en',
    device: 'desktop',
    location: grid.points[index] ?? 'elsewhere',
    target: 'acme.com',
    status: 'ranked',
    rank: 1 + index,
    previousRank: 2 + index,
    changeClass: 'improved',
    ...row,
  },
  complete,
  depth,
  previousDepth: complete ? 3 : null,
});
const absent = { status: 'not_found', rank: null } as const;
const waiting = { status: 'deferred', rank: null, depth: null, previousRank: null } as const;
const mapOf = (entries: readonly GridEntry<GridRow>[]) => gridGroups(grid, entries)[0] ?? [];

it('points know where they are', () => {
  const places = [...gridPlaces(grid).values()];
  expect(places.map(({ direction }) => direction)).toEqual(['NW', 'N', 'NE', 'W', '', 'E', 'SW', 'S', 'SE']);
  expect(places[4]).toMatchObject({ row: 1, column: 1, latitude: 30, longitude: -97, kilometres: 0 });
  expect(places[2]?.kilometres).toBeCloseTo(2 * Math.SQRT2);
});

describe('the sums of a map', () => {
  it('count "not found" as depth x 10 + 1 in the average grid rank, and leave it out of the average rank', () => {
    const sums = mapSums(mapOf([entry(0), entry(1), entry(2, absent)]));
    expect(sums).toMatchObject({ checked: 3, found: 2, averageRank: 1.5, averageGridRank: 11.3333 });
    expect(sums.shareOfLocalVoice).toBe(66.6667);
  });

  it('leave out points without a complete check', () => {
    const sums = mapSums(
      mapOf([entry(0), entry(1, { status: 'incomplete', rank: null }, false), entry(2, waiting, false)]),
    );
    expect(sums).toMatchObject({ points: 3, checked: 1, averageRank: 1, averageGridRank: 1, shareOfLocalVoice: 100 });
  });

  it('compare only points with a comparable check before', () => {
    const entered = { rank: 2, previousRank: null, changeClass: 'entered' } as const;
    const first = { changeClass: 'first_check', previousRank: null } as const;
    const sums = mapSums(mapOf([entry(0, entered), entry(2), entry(4, first)]));
    expect(sums).toMatchObject({ checked: 3, comparable: 2, averageGridRankChange: 15, shareOfLocalVoiceChange: 100 });
  });

  it('are unknown where nothing was checked', () => {
    const sums = mapSums(mapOf([entry(0, waiting, false)]));
    expect(sums).toMatchObject({ checked: 0, averageRank: null, averageGridRank: null, shareOfLocalVoice: null });
  });
});

describe('a map', () => {
  it('is one keyword, device and target, with its points from north to south', () => {
    const groups = gridGroups(grid, [
      entry(4),
      entry(0),
      entry(1, { target: 'b.example' }),
      entry(2, { location: '@1,1,14z' }),
      entry(3, { location: undefined }),
    ]);
    expect(groups.map((group) => group.map(({ row }) => row.rank))).toEqual([[1, 5], [2]]);
  });

  it('estimates points that were not bought, beside their rank, which stays unknown', () => {
    const bought = [0, 2, 4, 6, 8].map((index) => entry(index, { rank: 4 }));
    const last = { rank: 9, ageDays: 1 };
    const entries = mapOf([...bought, entry(1, waiting, false), entry(3, { ...waiting, last }, false)]);
    const { points, estimated, estimateError } = mapPoints(entries);
    const byPlace = new Map(points.map((point) => [point.place.row * 3 + point.place.column, point]));
    expect(estimated).toBe(2);
    expect(estimateError).not.toBeNull();
    expect(byPlace.get(1)?.estimatedRank).toBeGreaterThan(3.9);
    expect(byPlace.get(3)?.estimatedRank).toBeGreaterThan(byPlace.get(1)?.estimatedRank ?? 99);
    expect([byPlace.get(1)?.row.rank, byPlace.get(3)?.row.rank]).toEqual([null, null]);
    expect(byPlace.get(0)?.estimatedRank).toBeNull();
    expect(mapSums(entries)).toMatchObject({ checked: 5, found: 5, averageGridRank: 4 });
  });

  it('never estimates a point whose check failed, nor from one', () => {
    const failed = entry(1, { status: 'failed', rank: null }, false);
    const bought = [0, 2, 4, 6].map((index) => entry(index));
    const { points } = mapPoints(mapOf([...bought, entry(8), failed, entry(3, waiting, false)]));
    expect(points.filter(({ estimatedRank }) => estimatedRank !== null).map(({ row }) => row.status)).toEqual([
      'deferred',
    ]);
    expect(mapPoints(mapOf([...bought, failed])).points.every((point) => point.estimatedRank === null)).toBe(true);
    expect(mapPoints(mapOf([...bought, failed, entry(3, waiting, false)]))).toMatchObject({
      estimated: 0,
      estimateError: null,
    });
  });
});
