// Where inside a country a search is made: a place of Google's table of geo targets, or a coordinate.

/** A location as sources receive it, taken apart. */
export type SearchLocation =
  | { readonly kind: 'place' /** Canonical name: `Austin,Texas,United States`. */; readonly name: string }
  | { readonly kind: 'coordinate'; readonly latitude: number; readonly longitude: number; readonly zoom: number };

export type LocationKind = SearchLocation['kind'];
export const locationKinds: readonly LocationKind[] = ['place', 'coordinate'];

const charactersMax = 200;
const zoomDefault = 14;
/** Six decimals are a tenth of a metre. */
const decimals = 6;

const coordinate = /^@?\s*(-?\d{1,2}(?:\.\d{1,15})?)\s*,\s*(-?\d{1,3}(?:\.\d{1,15})?)(?:\s*,\s*(\d{1,2})z)?$/;

/**
 * The one spelling of a location: `@30.27,-97.74,14z`, or a name without blanks around its commas. Undefined for text
 * that cannot be one. Whether a place exists is not checked.
 */
export function canonicalLocation(text: string): string | undefined {
  const written = text.trim();
  const match = coordinate.exec(written);
  if (match !== null) {
    const [latitude, longitude, zoom] = [Number(match[1]), Number(match[2]), Number(match[3] ?? zoomDefault)];
    const isOnEarth = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 && zoom >= 3 && zoom <= 21;
    return isOnEarth ? coordinateLocation(latitude, longitude, zoom) : undefined;
  }
  if (written.startsWith('@') || written.length > charactersMax || /\p{Cc}/u.test(written)) return undefined;
  const parts = written.split(',').map((part) => part.trim().replace(/\s+/g, ' '));
  return parts.every((part) => /[\p{L}\p{N}]/u.test(part)) ? parts.join(',') : undefined;
}

/** The location of a coordinate in degrees. */
export function coordinateLocation(latitude: number, longitude: number, zoom = zoomDefault): string {
  const [north, east] = [latitude, longitude].map((degrees) => String(Number(degrees.toFixed(decimals)) + 0));
  return `@${north},${east},${zoom}z`;
}

/** A canonical location, taken apart. */
export function parseLocation(location: string): SearchLocation {
  const match = coordinate.exec(location);
  if (match === null) return { kind: 'place', name: location };
  return {
    kind: 'coordinate',
    latitude: Number(match[1]),
    longitude: Number(match[2]),
    zoom: Number(match[3] ?? zoomDefault),
  };
}

/** `Austin`: the first part of a canonical name. */
export function placeName(name: string): string {
  return name.split(',', 1)[0] ?? name;
}
