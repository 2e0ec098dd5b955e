// Countries, and places inside them, as tools write them.
import { parseCountry } from '../../tracker/countries.ts';

export interface WrittenPlace {
  /** ISO 3166-1; null: not said. */
  readonly country: string | null;
  /** Inside the country, as written; null: the country as a whole. */
  readonly place: string | null;
}

/** `United Kingdom`, `Austin, Texas, United States`, `Boise, ID`. Null: neither a country nor parts of a place. */
export function parsePlace(written: string): WrittenPlace | null {
  const whole = parseCountry(written);
  if (whole !== null) return { country: whole, place: null };
  const parts = written
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const last = parts.at(-1) ?? '';
  if (parts.length < 2) return null;
  // behind a city, two letters are a state rather than a country: Boise, ID
  const isState = /^[a-z]{2}$/i.test(last) && !/^(us|uk)$/i.test(last);
  return { country: isState ? null : parseCountry(last), place: parts.join(', ') };
}

/** What cells with city, region or a whole place say together. Null: nothing beyond a country. */
export function placeInCells(cells: readonly string[], columns: readonly number[]): string | null {
  const said = columns.map((at) => cells[at] ?? '').filter((cell) => cell !== '' && cell !== '-');
  const place = said.join(', ');
  return place === '' || parseCountry(place) !== null ? null : place;
}
