// Resolves written locations against Google's table of geo targets: the packaged part, or an imported whole.
import { existsSync, readFileSync } from 'node:fs';
import { canonicalLocation, parseLocation } from '../../src/service/index.ts';
import { nearestWord } from '../document/nearest-word.ts';
import { largerPlaces, stateNames } from './larger-places.ts';

/** One row of the table. */
export interface GeoTarget {
  /** Google's criteria id; null in the packaged part. */
  readonly id: number | null;
  /** `Austin,Texas,United States`. */
  readonly canonicalName: string;
  /** ISO 3166-1. */
  readonly country: string;
  /** `City`, `State`, `Postal Code`, ... */
  readonly type: string;
}

/** What a written location means, or what is wrong with it. */
export type ResolvedLocation =
  | { readonly location: string | undefined }
  | { readonly complaint: string; readonly hint?: string };

/** Of an imported table: name of the file beside the database. */
export const locationsFileName = 'locations.csv';

const namesShown = 4;
const importHint = 'import the whole table with `rankledger locations import`, or write a coordinate: @30.27,-97.74';

/** Loads the table when the first place is looked up. */
export class GeoTargets {
  readonly #file: string;
  readonly #known = new Map<string, ResolvedLocation>();
  #byFirstPart: Map<string, GeoTarget[]> | undefined;

  /** `file`: of an imported table, which need not exist. */
  constructor(file: string) {
    this.#file = file;
  }

  /** `none` is the country as a whole, for keywords of a market with a location. */
  resolve(written: string, country: string): ResolvedLocation {
    const key = `${country} ${written}`;
    const known = this.#known.get(key) ?? this.#resolve(written, country);
    this.#known.set(key, known);
    return known;
  }

  /** Targets whose name begins with the written parts, in one country or in all. */
  find(written: string, country?: string): readonly GeoTarget[] {
    const wanted = partsOf(written);
    const [first = ''] = wanted;
    return (this.#table().get(first) ?? []).filter(
      (target) => (country === undefined || target.country === country) && isMeant(target, wanted),
    );
  }

  #resolve(written: string, country: string): ResolvedLocation {
    if (written.trim().toLowerCase() === 'none') return { location: undefined };
    const location = canonicalLocation(written);
    if (location === undefined) {
      const complaint = `"${written}" is neither a place nor a coordinate`;
      return { complaint, hint: 'write "Austin, Texas" or @30.27,-97.74,14z' };
    }
    if (parseLocation(location).kind === 'coordinate') return { location };
    const found = this.find(location, country);
    const exact = found.filter(({ canonicalName }) => sameText(canonicalName, location));
    const meant = exact.length === 1 ? exact : found;
    const [target, ...others] = meant;
    if (target === undefined) return this.#unknown(location, country);
    if (others.length === 0) return { location: target.canonicalName };
    const names = meant.slice(0, namesShown).map(({ canonicalName }) => canonicalName);
    return {
      complaint: `"${written}" is ${meant.length} places in ${country}`,
      hint: `write one of ${names.join('; ')}`,
    };
  }

  #unknown(location: string, country: string): ResolvedLocation {
    const complaint = `no place "${location}" is known in ${country}`;
    const [elsewhere] = this.find(location);
    if (elsewhere !== undefined)
      return { complaint, hint: `it is in ${elsewhere.country}: ${elsewhere.canonicalName}` };
    const [first = '', ...rest] = partsOf(location);
    const names = [...this.#table()].flatMap(([name, targets]) =>
      targets.some((target) => target.country === country && isMeant(target, [name, ...rest])) ? [name] : [],
    );
    const near = nearestWord(first, names);
    const [meant] = near === undefined ? [] : this.find([near, ...rest].join(','), country);
    return { complaint, hint: meant === undefined ? importHint : `did you mean ${meant.canonicalName}?` };
  }

  #table(): ReadonlyMap<string, GeoTarget[]> {
    if (this.#byFirstPart !== undefined) return this.#byFirstPart;
    this.#byFirstPart = new Map();
    for (const target of existsSync(this.#file) ? readGeoTargets(readFileSync(this.#file, 'utf8')) : packaged()) {
      const names = [partsOf(target.canonicalName)[0] ?? '', ...(target.id === null ? [] : [String(target.id)])];
      for (const name of names) {
        const targets = this.#byFirstPart.get(name);
        if (targets === undefined) this.#byFirstPart.set(name, [target]);
        else targets.push(target);
      }
    }
    return this.#byFirstPart;
  }
}

/** The rows of Google's own CSV, without those that Google has withdrawn. Other columns and orders are skipped. */
export function* readGeoTargets(csv: string): Generator<GeoTarget> {
  const lines = csv.replace(/^\uFEFF/, '').split(/\r?\n/);
  const header = cellsOf(lines[0] ?? '').map((name) => name.toLowerCase());
  const [id, name, country, type, status] = [
    'criteria id',
    'canonical name',
    'country code',
    'target type',
    'status',
  ].map((column) => header.indexOf(column));
  const at = (cells: readonly string[], index = -1): string => cells[index] ?? '';
  for (const line of lines.slice(1)) {
    const cells = cellsOf(line);
    const canonicalName = canonicalLocation(at(cells, name));
    if (canonicalName === undefined || !/^[A-Z]{2}$/.test(at(cells, country))) continue;
    if (status !== -1 && at(cells, status) !== 'Active') continue;
    const number = Number(at(cells, id));
    yield {
      id: Number.isInteger(number) && number > 0 ? number : null,
      canonicalName,
      country: at(cells, country),
      type: at(cells, type),
    };
  }
}

/** A line of a CSV file without line breaks in cells, as Google writes it. */
function cellsOf(line: string): string[] {
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/g)].map(([, quoted, plain = '']) =>
    quoted === undefined ? plain : quoted.replaceAll('""', '"'),
  );
}

function* packaged(): Generator<GeoTarget> {
  for (const [country, { name, regions }] of Object.entries(largerPlaces)) {
    for (const line of regions.trim().split('\n')) {
      const [region = '', cities = ''] = line.split(': ');
      yield { id: null, canonicalName: `${region},${name}`, country, type: country === 'US' ? 'State' : 'Region' };
      for (const city of cities.split(', ')) {
        yield { id: null, canonicalName: `${city},${region},${name}`, country, type: 'City' };
      }
    }
  }
}

/** Whether the written parts are the first part of the name and later ones in order: `Austin, Texas`, `Austin, TX`. */
function isMeant({ canonicalName, id }: GeoTarget, wanted: readonly string[]): boolean {
  if (wanted.length === 1 && wanted[0] === String(id)) return true;
  const parts = partsOf(canonicalName);
  let from = 0;
  return wanted.every((part, index) => {
    const state = stateNames.get(part.toUpperCase())?.toLowerCase();
    const at = parts.findIndex((each, place) => place >= from && (each === part || (index > 0 && each === state)));
    if (at === -1 || (index === 0 && at !== 0)) return false;
    from = at + 1;
    return true;
  });
}

function sameText(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function partsOf(name: string): string[] {
  return name.split(',').map((part) => part.trim().toLowerCase());
}
