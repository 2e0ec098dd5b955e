// A grid of coordinates around a center: each point is a location of every keyword of the market.
import { canonicalLocation, coordinateLocation, parseLocation } from '../../src/service/index.ts';
import type { Grid } from '../../src/tracker/grid.ts';

/** As written in the config, and valid. */
export interface WrittenGrid {
  /** `30.27,-97.74` */
  readonly center: string;
  /** Points of a side. */
  readonly size: number;
  /** `500m`, `1km` or `1mi`. */
  readonly spacing: string;
}

const kilometresPerUnit: Readonly<Record<string, number>> = { m: 0.001, km: 1, mi: 1.609_344 };
/** On a meridian; on a parallel times the cosine of the latitude. */
const kilometresPerDegree = 111.32;

export const spacingPattern = /^\d{1,4}(?:\.\d{1,3})?(?:m|km|mi)$/;

/** The points from north to south, each row from west to east. */
export function gridPoints({ center, size, spacing }: WrittenGrid): string[] {
  const middle = parseLocation(canonicalLocation(center) ?? '');
  if (middle.kind !== 'coordinate') throw new RangeError(`"${center}" is not a coordinate`);
  const degrees = spacingKm(spacing) / kilometresPerDegree;
  const { latitude, longitude, zoom } = middle;
  const offsets = Array.from({ length: size }, (_, index) => index - (size - 1) / 2);
  return offsets.flatMap((south) =>
    offsets.map((east) =>
      coordinateLocation(
        latitude - south * degrees,
        longitude + (east * degrees) / Math.cos((latitude * Math.PI) / 180),
        zoom,
      ),
    ),
  );
}

/** The grid of a project. */
export function resolveGrid(written: WrittenGrid): Grid {
  const middle = parseLocation(canonicalLocation(written.center) ?? '');
  const center = middle.kind === 'coordinate' ? `${middle.latitude},${middle.longitude}` : written.center;
  const { size, spacing } = written;
  return { center, size, spacing, spacingKm: spacingKm(spacing), points: gridPoints(written) };
}

function spacingKm(spacing: string): number {
  return Number.parseFloat(spacing) * (kilometresPerUnit[spacing.replace(/[\d.]/g, '')] ?? 1);
}
