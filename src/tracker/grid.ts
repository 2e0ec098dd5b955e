// A grid of points around a center: where each point is, and ranks of points that were not bought.

import { sumOf } from './figures.ts';

/** The grid of a project's market. */
export interface Grid {
  /** `30.2672,-97.7431` */
  readonly center: string;
  /** Points of a side. */
  readonly size: number;
  /** As written: `1km`. */
  readonly spacing: string;
  readonly spacingKm: number;
  /** Canonical locations from north to south, each row from west to east. */
  readonly points: readonly string[];
}

/** A point of a grid: row 0 is the northernmost, column 0 the westernmost. */
export interface GridPlace {
  readonly row: number;
  readonly column: number;
  readonly latitude: number;
  readonly longitude: number;
  /** From the center. */
  readonly kilometres: number;
  /** `NE`, `S`; empty in the center. */
  readonly direction: string;
}

const directions = ['N', 'NE', 'E', 'SE', 'S', 'SW', 'W', 'NW'];

/** The points by their location. */
export function gridPlaces({ points, size, spacingKm }: Grid): ReadonlyMap<string, GridPlace> {
  return new Map(
    points.map((location, index) => {
      const [row, column] = [Math.floor(index / size), index % size];
      const [north, east] = [(size - 1) / 2 - row, column - (size - 1) / 2];
      const [latitude = 0, longitude = 0] = location.slice(1).split(',').map(Number.parseFloat);
      const kilometres = Math.hypot(north, east) * spacingKm;
      const eighths = Math.round((Math.atan2(east, north) / Math.PI) * 4 + directions.length) % directions.length;
      const direction = kilometres === 0 ? '' : (directions[eighths] ?? '');
      return [location, { row, column, latitude, longitude, kilometres, direction }];
    }),
  );
}

/** `7 x 7 points, 1km apart` */
export function gridText({ size, spacing }: Pick<Grid, 'size' | 'spacing'>): string {
  return `${size} x ${size} points, ${spacing} apart`;
}

/** A rank that was seen at a point. */
export interface SeenRank {
  readonly row: number;
  readonly column: number;
  /** "Not found" counts as depth x 10 + 1. */
  readonly rank: number;
  /** 0: seen on the date of the map. */
  readonly ageDays: number;
}

interface GridField {
  /** The expected rank at a point, not rounded. */
  estimate(row: number, column: number): number;
  /**
   * Mean absolute error in ranks: each rank of the date is estimated from the others (leave-one-out). A point with an
   * older rank is estimated better than that.
   */
  readonly error: number;
}

/** Fewer ranks of the date say nothing about the others. */
export const seenMin = 5;
/** In spacings: candidates for how far ranks are alike. The one with the smallest leave-one-out error is taken. */
const lengths = [1, 2, 4, 8];
/** Variance of a rank's own jitter, and what each day of age adds, where the variance between far points is 1. */
const jitter = 0.05;
const perDay = 0.05;
/** Variance of the unknown mean: so large that any mean is as likely. */
const meanVariance = 100;

/** Null: too few ranks of the date. */
export function fitGridField(seen: readonly SeenRank[]): GridField | null {
  if (seen.filter(({ ageDays }) => ageDays === 0).length < seenMin) return null;
  const values = seen.map(({ rank }) => Math.log(rank));
  const mean = sumOf(values) / values.length;
  const centred = values.map((value) => value - mean);
  const fits = lengths.map((length) => fieldOf(seen, centred, mean, length));
  const best = fits.reduce((a, b) => (b.error < a.error ? b : a));
  const estimate = (row: number, column: number): number =>
    Math.exp(
      mean +
        seen.reduce((sum, other, index) => {
          const covariance = meanVariance + likeness(other, { row, column }, best.length);
          return sum + covariance * (best.weights[index] ?? 0);
        }, 0),
    );
  return { estimate, error: best.error };
}

type Position = Pick<SeenRank, 'row' | 'column'>;

/** How alike changes and ranks of two points are: 1 at the same point, less with distance. `length` in spacings. */
export function likeness(a: Position, b: Position, length: number): number {
  return Math.exp(-Math.hypot(a.row - b.row, a.column - b.column) / length);
}

function fieldOf(seen: readonly SeenRank[], centred: readonly number[], mean: number, length: number) {
  const covariance = seen.map((a, i) =>
    seen.map((b, j) => meanVariance + likeness(a, b, length) + (i === j ? jitter + perDay * a.ageDays : 0)),
  );
  const inverse = inverted(covariance);
  const weights = inverse.map((row) => sumOf(row.map((each, index) => each * (centred[index] ?? 0))));
  let [sum, count] = [0, 0];
  seen.forEach(({ rank, ageDays }, index) => {
    if (ageDays > 0) return;
    // leave-one-out in closed form: Rasmussen and Williams 2006, Gaussian Processes, section 5.4.2
    const left = (centred[index] ?? 0) - (weights[index] ?? 0) / (inverse[index]?.[index] ?? 1);
    sum += Math.abs(Math.exp(mean + left) - rank);
    count += 1;
  });
  return { length, weights, error: sum / count };
}

/** The inverse of a positive definite matrix, by Gauss-Jordan elimination. */
function inverted(matrix: readonly (readonly number[])[]): number[][] {
  const size = matrix.length;
  const rows = matrix.map((row, index) =>
    Float64Array.from({ length: 2 * size }, (_, at) => row[at] ?? +(at === size + index)),
  );
  for (let pivot = 0; pivot < size; pivot += 1) {
    const line = rows[pivot] ?? new Float64Array();
    const divisor = line[pivot] ?? 1;
    for (let at = pivot; at < 2 * size; at += 1) line[at] = (line[at] ?? 0) / divisor;
    for (const row of rows) {
      const factor = row === line ? 0 : (row[pivot] ?? 0);
      if (factor === 0) continue;
      for (let at = pivot; at < 2 * size; at += 1) row[at] = (row[at] ?? 0) - factor * (line[at] ?? 0);
    }
  }
  return rows.map((row) => [...row.subarray(size)]);
}
