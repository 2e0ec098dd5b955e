// Places of the invented world: businesses of the sites that rank in an area, nearer ones first.
import { placeName, type SearchLocation } from '../../../model/results/location.ts';
import type { Spot } from '../world/drift.ts';
import { derive, hashText, unit } from '../world/random.ts';
import type { Place } from './page.ts';
import { places } from './parts.ts';
import type { Scene } from './scene.ts';

/** Degrees: coordinates within one such cell share their sites and businesses. */
const cellDegrees = 0.25;
/** Sites of the area with a business there, and how many of them a list shows. */
const pack = { businesses: 8, shown: 3 } as const;
export const map = { businesses: 40, shown: 20 } as const;
/** What a degree of distance costs, where the quality of a business is 0 to 1. */
const distancePenalty = 12;

/** The area of a location: a place itself, or the cell around a coordinate. */
export function areaOf(where: SearchLocation): string {
  if (where.kind === 'place') return where.name;
  return `@${Math.round(where.latitude / cellDegrees)},${Math.round(where.longitude / cellDegrees)}`;
}

/** Where a coordinate is in its area. Undefined: a place, which is its area. */
export function spotOf(where: SearchLocation): Spot | undefined {
  if (where.kind === 'place') return undefined;
  const fromMiddle = (degrees: number): number => degrees - middle(degrees);
  return { north: fromMiddle(where.latitude), east: fromMiddle(where.longitude) };
}

function middle(degrees: number): number {
  return Math.round(degrees / cellDegrees) * cellDegrees;
}

/** The list of places of a page. Without a location it is the same in the whole country. */
export function localPlaces(
  scene: Scene,
  where: SearchLocation | undefined,
  { businesses, shown }: { readonly businesses: number; readonly shown: number } = pack,
): Place[] {
  if (where === undefined) return places(scene);
  const area = hashText(areaOf(where));
  const hosts = new Map<string, string>();
  for (let at = 0; at < scene.ranking.length && hosts.size < businesses; at++) {
    const site = scene.ranking.at(at)?.site;
    if (site !== undefined) hosts.set(site.host, site.name);
  }
  return [...hosts]
    .map(([host, name]) => {
      const key = hashText(host, area);
      return { host, name, key, score: unit(derive(key, 3)) - distancePenalty * distance(key, where) };
    })
    .sort((a, b) => b.score - a.score)
    .slice(0, shown)
    .map(({ host, name, key }) => ({
      name: where.kind === 'place' ? `${name} ${placeName(where.name)}` : name,
      rating: (3.5 + 1.5 * unit(derive(key, 4))).toFixed(1),
      votes: 5 + Math.floor(900 * unit(derive(key, 5))),
      street: `${1 + Math.floor(200 * unit(derive(key, 6)))} Main Street`,
      cid: `1${String(Math.floor(1e17 * unit(key))).padStart(17, '0')}`,
      website: `https://${host}/`,
    }));
}

/** Degrees from the business to where the search is made. Searches for a place are made in its middle. */
function distance(key: number, where: SearchLocation): number {
  const [north, east] = [unit(derive(key, 1)) - 0.5, unit(derive(key, 2)) - 0.5].map((part) => part * cellDegrees);
  if (north === undefined || east === undefined) return 0;
  if (where.kind === 'place') return Math.hypot(north, east);
  return Math.hypot(middle(where.latitude) + north - where.latitude, middle(where.longitude) + east - where.longitude);
}
