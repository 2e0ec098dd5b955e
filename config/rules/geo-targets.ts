// Resolves written locations against a table of geo targets: the packaged larger places, or an imported whole.

import { readFileSync, statSync } from 'node:fs';
import Papa from 'papaparse';
import { canonicalLocation, parseLocation } from '../../src/service/terms.ts';
import { getOrInsert } from '../../src/tracker/maps.ts';
import { nearestWord } from '../document/problems.ts';

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
    return getOrInsert(this.#known, key, () => this.#resolve(written, country));
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
    const exact = found.filter(({ canonicalName }) => canonicalName.toLowerCase() === location.toLowerCase());
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
    for (const target of statSync(this.#file, { throwIfNoEntry: false })?.isFile() === true
      ? readGeoTargets(readFileSync(this.#file, 'utf8'))
      : packaged()) {
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
  const transformHeader = (name: string): string => name.toLowerCase();
  const { data } = Papa.parse<Record<string, string>>(csv.replace(/^\uFEFF/, ''), {
    delimiter: ',',
    header: true,
    transformHeader,
  });
  for (const row of data) {
    const { 'country code': country = '', 'target type': type = '', status = 'Active' } = row;
    const canonicalName = canonicalLocation(row['canonical name'] ?? '');
    if (canonicalName === undefined || !/^[A-Z]{2}$/.test(country) || status !== 'Active') continue;
    const number = Number(row['criteria id']);
    yield { id: Number.isInteger(number) && number > 0 ? number : null, canonicalName, country, type };
  }
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

function partsOf(name: string): string[] {
  return name.split(',').map((part) => part.trim().toLowerCase());
}

/** By country: its name in the table, and lines `region: city, city`. A region alone is a place too. */
const largerPlaces: Readonly<Record<string, { readonly name: string; readonly regions: string }>> = {
  US: {
    name: 'United States',
    regions: `
Alabama: Birmingham, Huntsville, Montgomery, Mobile
Alaska: Anchorage
Arizona: Phoenix, Tucson, Mesa, Chandler, Gilbert, Glendale, Scottsdale, Tempe
Arkansas: Little Rock
California: Los Angeles, San Diego, San Jose, San Francisco, Fresno, Sacramento, Long Beach, Oakland, Bakersfield, Anaheim, Santa Ana, Riverside, Irvine, Stockton, Fremont
Colorado: Denver, Colorado Springs, Aurora, Fort Collins, Boulder
Connecticut: Bridgeport, New Haven, Stamford, Hartford
Delaware: Wilmington, Dover
District of Columbia: Washington
Florida: Jacksonville, Miami, Tampa, Orlando, St. Petersburg, Hialeah, Tallahassee, Fort Lauderdale
Georgia: Atlanta, Augusta, Columbus, Savannah
Hawaii: Honolulu
Idaho: Boise
Illinois: Chicago, Aurora, Naperville, Rockford, Springfield
Indiana: Indianapolis, Fort Wayne, Evansville
Iowa: Des Moines, Cedar Rapids
Kansas: Wichita, Overland Park, Kansas City
Kentucky: Louisville, Lexington
Louisiana: New Orleans, Baton Rouge, Shreveport
Maine: Portland
Maryland: Baltimore, Columbia
Massachusetts: Boston, Worcester, Springfield, Cambridge
Michigan: Detroit, Grand Rapids, Ann Arbor, Lansing
Minnesota: Minneapolis, Saint Paul
Mississippi: Jackson
Missouri: Kansas City, St. Louis, Springfield
Montana: Billings
Nebraska: Omaha, Lincoln
Nevada: Las Vegas, Henderson, Reno
New Hampshire: Manchester
New Jersey: Newark, Jersey City, Paterson
New Mexico: Albuquerque, Santa Fe
New York: New York, Buffalo, Rochester, Yonkers, Syracuse, Albany
North Carolina: Charlotte, Raleigh, Greensboro, Durham, Winston-Salem
North Dakota: Fargo
Ohio: Columbus, Cleveland, Cincinnati, Toledo, Akron, Dayton
Oklahoma: Oklahoma City, Tulsa
Oregon: Portland, Salem, Eugene
Pennsylvania: Philadelphia, Pittsburgh, Allentown
Rhode Island: Providence
South Carolina: Charleston, Columbia
South Dakota: Sioux Falls
Tennessee: Nashville, Memphis, Knoxville, Chattanooga
Texas: Houston, San Antonio, Dallas, Austin, Fort Worth, El Paso, Arlington, Corpus Christi, Plano, Lubbock, Laredo, Irving, Frisco
Utah: Salt Lake City, Provo
Vermont: Burlington
Virginia: Virginia Beach, Norfolk, Chesapeake, Richmond, Arlington
Washington: Seattle, Spokane, Tacoma, Vancouver, Bellevue
West Virginia: Charleston
Wisconsin: Milwaukee, Madison, Green Bay
Wyoming: Cheyenne`,
  },
  GB: {
    name: 'United Kingdom',
    regions: `
England: London, Birmingham, Manchester, Liverpool, Leeds, Sheffield, Bristol, Newcastle upon Tyne, Nottingham, Leicester
Scotland: Glasgow, Edinburgh, Aberdeen, Dundee
Wales: Cardiff, Swansea
Northern Ireland: Belfast`,
  },
  CA: {
    name: 'Canada',
    regions: `
Ontario: Toronto, Ottawa, Mississauga, Hamilton
Quebec: Montreal, Quebec City
British Columbia: Vancouver, Victoria
Alberta: Calgary, Edmonton
Manitoba: Winnipeg
Nova Scotia: Halifax`,
  },
  AU: {
    name: 'Australia',
    regions: `
New South Wales: Sydney, Newcastle, Wollongong
Victoria: Melbourne, Geelong, Ballarat, Bendigo
Queensland: Brisbane, Cairns, Townsville, Toowoomba
South Australia: Adelaide
Western Australia: Perth
Tasmania: Hobart, Launceston
Northern Territory: Darwin
Australian Capital Territory: Canberra`,
  },
  DE: {
    name: 'Germany',
    regions: `
Berlin: Berlin
Hamburg: Hamburg
Bavaria: Munich, Nuremberg, Augsburg
North Rhine-Westphalia: Cologne, Dusseldorf, Dortmund, Essen, Bonn
Hesse: Frankfurt
Baden-Wurttemberg: Stuttgart, Karlsruhe, Mannheim
Saxony: Leipzig, Dresden
Lower Saxony: Hanover
Bremen: Bremen`,
  },
};

/** Postal abbreviations of the states of the US. */
const abbreviations =
  'AL Alabama|AK Alaska|AZ Arizona|AR Arkansas|CA California|CO Colorado|CT Connecticut|DE Delaware|DC District of Columbia|FL Florida|GA Georgia|HI Hawaii|ID Idaho|IL Illinois|IN Indiana|IA Iowa|KS Kansas|KY Kentucky|LA Louisiana|ME Maine|MD Maryland|MA Massachusetts|MI Michigan|MN Minnesota|MS Mississippi|MO Missouri|MT Montana|NE Nebraska|NV Nevada|NH New Hampshire|NJ New Jersey|NM New Mexico|NY New York|NC North Carolina|ND North Dakota|OH Ohio|OK Oklahoma|OR Oregon|PA Pennsylvania|RI Rhode Island|SC South Carolina|SD South Dakota|TN Tennessee|TX Texas|UT Utah|VT Vermont|VA Virginia|WA Washington|WV West Virginia|WI Wisconsin|WY Wyoming';

const stateNames: ReadonlyMap<string, string> = new Map(
  abbreviations.split('|').map((entry) => [entry.slice(0, 2), entry.slice(3)]),
);
