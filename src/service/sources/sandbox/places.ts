// The businesses of an area: sites that rank there, nearer ones first.
import { placeName, type SearchLocation } from '../../model/results/location.ts';
import type { LocalResult } from '../../model/results/serp.ts';
import { titleCase } from './phrases.ts';
import { below, derive, hashText, unit } from './random.ts';
import type { Ranking, Spot } from './world.ts';

/** Degrees: coordinates within one such cell share their sites and businesses. */
const cellDegrees = 0.25;
/** Sites of the area with a business there, and how many of them a list shows. */
export const localPack = { businesses: 8, shown: 3 };
export const wholeMap = { businesses: 40, shown: 20 };
/** What a degree of distance costs, where the quality of a business is 0 to 1. */
const distancePenalty = 12;

/** The area of a location, a place itself or the cell around a coordinate; and where in it the coordinate is. */
export function areaOf(where: SearchLocation): { area: string; spot?: Spot } {
  if (where.kind === 'place') return { area: where.name };
  const { latitude, longitude } = where;
  return {
    area: `@${Math.round(latitude / cellDegrees)},${Math.round(longitude / cellDegrees)}`,
    spot: { north: latitude - middle(latitude), east: longitude - middle(longitude) },
  };
}

function middle(degrees: number): number {
  return Math.round(degrees / cellDegrees) * cellDegrees;
}

/**
 * Businesses of the sites that rank in an area, nearer ones first. Searches for a place are made in its middle. Without
 * a location the list is the same in the whole country.
 */
export function listPlaces(
  ranking: Ranking,
  where: SearchLocation | undefined,
  { businesses, shown }: typeof wholeMap,
): LocalResult[] {
  if (where === undefined)
    return ['Umbrella', 'Corner', 'Central'].map((prefix, i) => {
      const key = derive(derive(ranking.searchKey, 70), i);
      return {
        rank: i + 1,
        name: `${prefix} ${titleCase(ranking.search.keyword)}`,
        cid: `1011004582974200${i}`,
        rating: Number((3.5 + 1.5 * unit(key)).toFixed(1)),
        reviews: 5 + below(key, 900),
        address: `${1 + below(derive(key, 1), 200)} Main Street`,
      };
    });
  const { area, spot = { north: 0, east: 0 } } = areaOf(where);
  const areaKey = hashText(area);
  const hosts = new Map<string, string>();
  for (let at = 0; at < ranking.length && hosts.size < businesses; at++) {
    const site = ranking.at(at)?.site;
    if (site !== undefined) hosts.set(site.host, site.name);
  }
  return [...hosts]
    .map(([host, name]) => {
      const key = hashText(host, areaKey);
      const [north, east] = [1, 2].map((part) => (unit(derive(key, part)) - 0.5) * cellDegrees);
      const distance = Math.hypot((north ?? 0) - spot.north, (east ?? 0) - spot.east);
      return { host, name, key, score: unit(derive(key, 3)) - distancePenalty * distance };
    })
    .sort((a, b) => b.score - a.score)
    .slice(0, shown)
    .map(({ host, name, key }, i) => ({
      rank: i + 1,
      name: where.kind === 'place' ? `${name} ${placeName(where.name)}` : name,
      cid: `1${String(Math.floor(1e17 * unit(key))).padStart(17, '0')}`,
      rating: Number((3.5 + 1.5 * unit(derive(key, 4))).toFixed(1)),
      reviews: 5 + Math.floor(900 * unit(derive(key, 5))),
      address: `${1 + Math.floor(200 * unit(derive(key, 6)))} Main Street`,
      website: `https://${host}/`,
    }));
}
