// What a point of a map shows, and the same in words; where a target stands well and where not.

import type { GridPoint } from '../../read/records.ts';
import { sumOf } from '../../tracker/figures.ts';
import { day, missing, number, signed, statusText } from './words.ts';

export type GridMeasure = 'rank' | 'change';

/** Upper ends of the classes of ranks. */
export const rankClasses: readonly { readonly most: number; readonly kind: string; readonly label: string }[] = [
  { most: 3, kind: 'top', label: '1 to 3' },
  { most: 10, kind: 'near', label: '4 to 10' },
  { most: 20, kind: 'far', label: '11 to 20' },
  { most: Number.POSITIVE_INFINITY, kind: 'deep', label: '21 and more' },
];

interface PointMark {
  readonly text: string;
  /** Of its colour. */
  readonly kind: string;
}

const moves: Readonly<Record<string, PointMark>> = {
  entered: { text: 'new', kind: 'better' },
  dropped: { text: 'lost', kind: 'worse' },
  unchanged: { text: '0', kind: 'same' },
};

export function pointMark(point: GridPoint, measure: GridMeasure): PointMark {
  const { rank, status, estimatedRank, change, changeClass } = point;
  if (measure === 'change') {
    if (change !== null && change !== 0) return { text: signed(change), kind: change > 0 ? 'better' : 'worse' };
    return moves[changeClass] ?? { text: '?', kind: 'unknown' };
  }
  if (rank !== null) return { text: number(rank), kind: rankClasses.find(({ most }) => rank <= most)?.kind ?? 'deep' };
  if (status === 'not_found') return { text: missing, kind: 'absent' };
  if (estimatedRank === null) return { text: '?', kind: 'unknown' };
  return { text: `~${number(estimatedRank)}`, kind: 'estimated' };
}

/** `1.4 km NE`. */
export function whereText({ kilometres, direction }: Pick<GridPoint, 'kilometres' | 'direction'>): string {
  return kilometres === 0 ? 'Center' : `${number(kilometres, kilometres < 10 ? 1 : 0)} km ${direction}`;
}

export function rankWords({ rank, status, estimatedRank, last }: GridPoint): string {
  if (rank !== null) return `rank ${number(rank)}`;
  if (status !== 'deferred') return statusText(status);
  const before = last === undefined ? '' : `, ${last.rank ?? statusText('not_found')} on ${day(last.date)}`;
  return estimatedRank === null
    ? `not checked${before}`
    : `not checked${before}, estimated ${number(estimatedRank, 1)}`;
}

/** All of a point, for those who do not see it. */
export function pointLabel(point: GridPoint): string {
  const { change, changeClass, previousRank } = point;
  const isCompared = change !== null && previousRank !== null;
  const move = { entered: ', new', dropped: ', lost' }[changeClass as string] ?? '';
  return `${whereText(point)}: ${rankWords(point)}${isCompared ? `, before ${number(previousRank)}` : move}`;
}

const directionWords: Readonly<Record<string, string>> = {
  N: 'north',
  NE: 'northeast',
  E: 'east',
  SE: 'southeast',
  S: 'south',
  SW: 'southwest',
  W: 'west',
  NW: 'northwest',
};
const pointsMin = 3;

interface Side {
  readonly name: string;
  readonly averageRank: number;
}

/** Where it stands best and worst; "not found" counts as the rank after all that were read. Null: too few points. */
export function sidesOf(points: readonly GridPoint[]): { readonly best: Side; readonly worst: Side } | null {
  const known = points.flatMap(({ rank, status, depth, direction }) => {
    const value = rank ?? (status === 'not_found' && depth !== null ? depth * 10 + 1 : null);
    return value === null || direction === '' ? [] : [{ direction, value }];
  });
  const sides = [...Map.groupBy(known, ({ direction }) => direction)]
    .filter(([, of]) => of.length >= pointsMin)
    .map(([direction, of]) => ({
      name: directionWords[direction] ?? direction,
      averageRank: sumOf(of, ({ value }) => value) / of.length,
    }))
    .sort((a, b) => a.averageRank - b.averageRank);
  const [best, worst] = [sides[0], sides.at(-1)];
  if (best === undefined || worst === undefined || worst.averageRank - best.averageRank < 0.5) return null;
  return { best, worst };
}
