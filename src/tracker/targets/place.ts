// Places: targets that rank in the list of local results of a page, and how they are recognised there. Pure.

import type { Target } from '../project.ts';

/** A place as a page or vendor lists it. Absent fields are unknown. */
export interface ListedPlace {
  readonly name: string;
  /** Google's place id, `ChIJ...`. */
  readonly placeId?: string;
  /** Google's number of the place. */
  readonly cid?: string;
  readonly address?: string;
  readonly website?: string;
}

/** What identifies a tracked place. `name` and `address` are normalised (`normalise`). */
export type PlaceIdentity =
  | { readonly by: 'cid'; readonly cid: string }
  | { readonly by: 'placeId'; readonly placeId: string }
  | { readonly by: 'name'; readonly name: string; readonly address: string };

/** `unknown`: the list does not say enough to prove that the place is absent. */
export type PlaceFinding = { readonly index: number } | 'absent' | 'unknown';

/** Whether the target ranks in local results, whose clicks no curve estimates and whose ranks no organic ones meet. */
export function isPlace({ match }: Pick<Target, 'match'>): boolean {
  return match === 'place';
}

const cid = /^(?:cid:)?(\d{5,20})$/;
const placeId = /^[A-Za-z0-9_-]{20,}$/;

/**
 * Reads `cid:123...`, a place id (`ChIJ...`), or `Name, Address`, whose name ends at the first comma. Null: none of
 * these.
 */
export function parsePlace(value: string): PlaceIdentity | null {
  const text = value.trim();
  const number = cid.exec(text)?.[1];
  if (number !== undefined) return { by: 'cid', cid: number };
  if (placeId.test(text)) return { by: 'placeId', placeId: text };
  const comma = text.indexOf(',');
  if (comma === -1) return null;
  const [name, address] = [normalise(text.slice(0, comma)), normalise(text.slice(comma + 1))];
  return name === '' || address === '' ? null : { by: 'name', name, address };
}

/** One string for all spellings of a place. */
export function placeKey(place: PlaceIdentity): string {
  if (place.by === 'cid') return `cid:${place.cid}`;
  return place.by === 'placeId' ? `id:${place.placeId}` : `${place.name}, ${place.address}`;
}

/**
 * Finds a place in a list. Ids are compared exactly. A name must be equal, and one of the two addresses must begin with
 * the other, because lists often show the street alone. Places without the id or address that decides make an absence
 * `unknown`.
 */
export function findPlace(list: readonly ListedPlace[], wanted: PlaceIdentity): PlaceFinding {
  let isUnknown = false;
  for (const [index, listed] of list.entries()) {
    const isIt = isListed(listed, wanted);
    if (isIt === true) return { index };
    isUnknown ||= isIt === null;
  }
  return isUnknown ? 'unknown' : 'absent';
}

/** The address of a place on Google Maps by its cid or place id; without an id its website; null: it has none. */
export function placeUrl(place: ListedPlace): string | null {
  if (place.cid !== undefined) return `https://maps.google.com/?cid=${place.cid}`;
  if (place.placeId !== undefined) return `https://www.google.com/maps/place/?q=place_id:${place.placeId}`;
  return place.website ?? null;
}

/** Null: the listed place does not say. */
function isListed(listed: ListedPlace, wanted: PlaceIdentity): boolean | null {
  if (wanted.by === 'cid') return listed.cid === undefined ? null : listed.cid === wanted.cid;
  if (wanted.by === 'placeId') return listed.placeId === undefined ? null : listed.placeId === wanted.placeId;
  if (normalise(listed.name) !== wanted.name) return false;
  if (listed.address === undefined) return null;
  const address = normalise(listed.address);
  return beginsWithWords(address, wanted.address) || beginsWithWords(wanted.address, address);
}

function beginsWithWords(text: string, start: string): boolean {
  return start !== '' && (text === start || text.startsWith(`${start} `));
}

/** Words in lower case, without marks, punctuation and accents. */
function normalise(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}+/gu, '')
    .replace(/['’]/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
