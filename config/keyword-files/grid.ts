// A grid of coordinates around a center: each point is a location of every keyword of the market.
import { canonicalLocation, coordinateLocation, parseLocation } from '../../src/service/terms.ts';
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

/** Beyond it, maps of search engines end. */
const latitudeMax = 85;

/** Why a grid cannot be searched; undefined: it can. */
export function gridComplaint(written: WrittenGrid): string | undefined {
  const { center, size, spacing } = written;
  if (spacingKm(spacing) < 0.001) return `points ${spacing} apart are the same point; space them by 1m or more`;
  const { latitude, degrees } = measured(center, spacing);
  const height = (size - 1) * degrees;
  const width = height / Math.cos((latitude * Math.PI) / 180);
  if (Math.abs(latitude) + height / 2 <= latitudeMax && width < 180) return undefined;
  return `${size} points ${spacing} apart reach beyond ${latitudeMax} degrees of latitude or half around the globe; choose a smaller size or spacing`;
}

/** The points from north to south, each row from west to east. */
export function gridPoints({ center, size, spacing }: WrittenGrid): string[] {
  const { latitude, longitude, zoom, degrees } = measured(center, spacing);
  const offsets = Array.from({ length: size }, (_, index) => index - (size - 1) / 2);
  return offsets.flatMap((south) =>
    offsets.map((east) => {
      const there = longitude + (east * degrees) / Math.cos((latitude * Math.PI) / 180);
      return coordinateLocation(latitude - south * degrees, withinHalfTurn(there), zoom);
    }),
  );
}

/** The center, and the spacing in degrees of latitude. */
function measured(center: string, spacing: string) {
  const middle = parseLocation(canonicalLocation(center) ?? '');
  if (middle.kind !== 'coordinate') throw new RangeError(`"${center}" is not a coordinate`);
  return { ...middle, degrees: spacingKm(spacing) / kilometresPerDegree };
}

/** East of 180 degrees, longitudes go on from -180. */
function withinHalfTurn(longitude: number): number {
  if (longitude > 180) return longitude - 360;
  return longitude < -180 ? longitude + 360 : longitude;
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
