// A grid of points around a center: where each point is, and which locations are points.

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
