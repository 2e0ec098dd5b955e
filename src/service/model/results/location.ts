// Where inside a country a search is made: a place of Google's geo targets, or a coordinate; and Google's `uule`.

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

/** Accuracy of a coordinate: 150 m, in the unit of Google's own script, which multiplies metres by 620. */
const radius = 93_000;
/** Microseconds. Captured addresses with old moments work. Fixed, because one search has one address. */
const timestamp = 1_738_341_497_586_000;

/**
 * A place is its canonical name in a protocol buffer: fields 1 = 2, 2 = 32 and 4 = name in every published capture. A
 * coordinate is text, as Google's own script writes it into the cookie of the same name, and as public captures of
 * addresses have it. Captures read in 2026-11.
 */
export function encodeUule(location: string): string {
  const asked = parseLocation(location);
  return asked.kind === 'place' ? encodePlace(asked.name) : encodeCoordinate(asked.latitude, asked.longitude);
}

function encodePlace(name: string): string {
  const bytes = new TextEncoder().encode(name);
  const length = bytes.length < 128 ? [bytes.length] : [(bytes.length & 127) | 128, bytes.length >> 7];
  const message = [0x08, 2, 0x10, 32, 0x22, ...length, ...bytes];
  return `w+${Buffer.from(message).toString('base64').replaceAll('=', '')}`;
}

function encodeCoordinate(latitude: number, longitude: number): string {
  const [north, east] = [latitude, longitude].map((degrees) => Math.round(degrees * 1e7));
  const place = `latlng{\nlatitude_e7:${north}\nlongitude_e7:${east}\n}`;
  const text = `role:1\nproducer:12\nprovenance:6\ntimestamp:${timestamp}\n${place}\nradius:${radius}\n`;
  return `a+${Buffer.from(text).toString('base64')}`;
}

/** The location that the parameter names. Undefined where it names none that we can read, such as a Google number. */
export function decodeUule(text: string): string | undefined {
  const form = /^([wa])[+ ]([\w+/ -]+)=*$/.exec(text);
  if (form?.[2] === undefined) return undefined;
  const bytes = Buffer.from(form[2].replaceAll(' ', '+'), 'base64');
  return form[1] === 'w' ? decodePlace(bytes) : decodeCoordinate(bytes.toString());
}

function decodePlace(bytes: Buffer): string | undefined {
  const head = [0x08, 2, 0x10, 32, 0x22];
  if (!head.every((byte, index) => bytes[index] === byte)) return undefined;
  const [first = 0, second = 0] = bytes.subarray(head.length);
  const isLong = first >= 128;
  const length = isLong ? (first & 127) | (second << 7) : first;
  const name = bytes.subarray(head.length + (isLong ? 2 : 1));
  return name.length === length ? canonicalLocation(name.toString()) : undefined;
}

function decodeCoordinate(text: string): string | undefined {
  const degrees = (name: string) =>
    Number(new RegExp(`${name}_e7: ?(-?\\d{1,10})`).exec(text)?.[1] ?? Number.NaN) / 1e7;
  const [latitude, longitude] = [degrees('latitude'), degrees('longitude')];
  return Number.isNaN(latitude) || Number.isNaN(longitude) ? undefined : coordinateLocation(latitude, longitude);
}
