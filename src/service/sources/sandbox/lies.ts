// Sources that sell wrong pages, planted to try how they are found: the ranking of a lie in place of the true one.
import * as z from 'zod';
import { dayMs } from '../../model/time/clock.ts';
import { plantedFeatures } from './events.ts';
import { derive, unit } from './random.ts';
import type { Ranking, Search, World } from './world.ts';

/** What a source may do wrong. */
const kinds = ['stale', 'frozen', 'place', 'device', 'featureless', 'padded', 'shuffled', 'partial'] as const;

/** Options of a sandbox. */
export const lieOptions = {
  lie: z
    .enum(kinds)
    .optional()
    .describe(
      'Sells wrong pages, to try how `mode: best` finds such a source. stale: of a week ago; frozen: of the first such day; place: of another country; device: of the other device; featureless: without features; padded: with invented results; shuffled: in another order; partial: shuffled for half of the keywords. Default: none.',
    ),
  lieFrom: z.iso.date().optional().describe('Date in UTC from which `lie` holds. Default: always.'),
};

export interface Lie {
  readonly lie?: (typeof kinds)[number] | undefined;
  readonly lieFrom?: string;
}

const staleDays = 7;
/** A keyword that no other search has. */
const padding = 'padding of a source';
/** Every so many results one is invented. */
const paddedEvery = 4;

/** The ranking that a source sells on a day. Pages still name the search that was asked for. */
export function soldRanking(world: World, search: Search, day: number, { lie, lieFrom }: Lie): Ranking {
  const from = lieFrom === undefined ? 0 : Date.parse(`${lieFrom}T00:00:00Z`) / dayMs;
  const rank = (other: Partial<Search>, onDay = day): Ranking => ({
    ...wrap(world.rank({ ...search, ...other }, onDay)),
    search,
    day: onDay,
  });
  if (lie === undefined || day < from) return world.rank(search, day);
  switch (lie) {
    case 'stale':
      return rank({}, day - staleDays);
    case 'frozen':
      return rank({}, from);
    case 'place':
      return rank({ country: search.country === 'ZA' ? 'IE' : 'ZA' });
    case 'device':
      return rank({ mobile: !search.mobile });
    case 'featureless':
      return { ...rank({}), features: new Map(plantedFeatures.map((name) => [name, false])) };
    case 'padded':
      return padded(rank({}), world.rank({ ...search, keyword: padding }, day));
    case 'shuffled':
      return shuffled(rank({}));
    case 'partial': {
      const ranking = rank({});
      return unit(derive(ranking.searchKey, 7)) < 0.5 ? ranking : shuffled(ranking);
    }
  }
}

/** A ranking is an object with methods of its class. */
function wrap(ranking: Ranking): Ranking {
  const { topic, length, searchKey, features, search, day } = ranking;
  return { topic, length, searchKey, features, search, day, at: (index) => ranking.at(index) };
}

function padded(ranking: Ranking, other: Ranking): Ranking {
  const isOther = (index: number): boolean => index % paddedEvery === paddedEvery - 1;
  return {
    ...ranking,
    at: (index) => {
      const before = Math.floor(index / paddedEvery);
      return isOther(index) ? (other.at(before) ?? ranking.at(index)) : ranking.at(index - before);
    },
  };
}

/** Each ten results in the order of their keys. */
function shuffled(ranking: Ranking): Ranking {
  return {
    ...ranking,
    at: (index) => {
      const first = Math.floor(index / 10) * 10;
      const size = Math.min(10, ranking.length - first);
      const order = Array.from({ length: Math.max(0, size) }, (_, at) => first + at);
      order.sort((a, b) => unit(derive(ranking.searchKey, 600 + a)) - unit(derive(ranking.searchKey, 600 + b)));
      const found = order[index - first];
      return found === undefined ? undefined : ranking.at(found);
    },
  };
}
