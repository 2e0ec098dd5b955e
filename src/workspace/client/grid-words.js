// What a point of a map shows: its text, its class, and the same in words.
import { day, number, signed, statusText } from './words.js';

/** @typedef {import('../records.ts').GridPoint} GridPoint */
/** @typedef {'rank' | 'change'} Measure */

/** Upper ends of the classes of ranks. @type {readonly (readonly [number, string, string])[]} */
export const rankClasses = [
  [3, 'top', '1 to 3'],
  [10, 'near', '4 to 10'],
  [20, 'far', '11 to 20'],
  [Number.POSITIVE_INFINITY, 'deep', '21 and more'],
];

/** @type {Record<string, readonly [string, string]>} */
const moves = { entered: ['new', 'better'], dropped: ['lost', 'worse'], unchanged: ['0', 'same'] };

/** Text and class of a point. @param {GridPoint} point @param {Measure} measure @returns {readonly [string, string]} */
export function pointMark(point, measure) {
  if (measure === 'change') {
    if (point.change !== null && point.change !== 0)
      return [signed(point.change), point.change > 0 ? 'better' : 'worse'];
    return moves[point.changeClass] ?? ['?', 'unknown'];
  }
  if (point.rank !== null) return [number(point.rank), rankClass(point.rank)];
  if (point.status === 'not_found') return ['–', 'absent'];
  return point.estimatedRank === null ? ['?', 'unknown'] : [`~${number(point.estimatedRank)}`, 'estimated'];
}

/** @param {number} rank */
function rankClass(rank) {
  return rankClasses.find(([most]) => rank <= most)?.[1] ?? 'deep';
}

/** `1.4 km NE`. @param {GridPoint} point */
export function whereText({ kilometres, direction }) {
  return kilometres === 0 ? 'Center' : `${number(kilometres, kilometres < 10 ? 1 : 0)} km ${direction}`;
}

/** The rank in words. @param {GridPoint} point */
export function rankWords({ rank, status, estimatedRank, last }) {
  if (rank !== null) return `rank ${number(rank)}`;
  if (status !== 'deferred') return statusText(status);
  const before =
    last === undefined ? '' : `, ${last.rank === null ? 'not found' : number(last.rank)} on ${day(last.date)}`;
  return estimatedRank === null
    ? `not checked${before}`
    : `not checked${before}, estimated ${number(estimatedRank, 1)}`;
}

/** All of a point, for readers who do not see it. @param {GridPoint} point */
export function pointLabel(point) {
  const { change, changeClass, previousRank } = point;
  const before =
    change !== null && previousRank !== null
      ? `, before ${number(previousRank)}`
      : changeClass === 'entered'
        ? ', new'
        : changeClass === 'dropped'
          ? ', lost'
          : '';
  return `${whereText(point)}: ${rankWords(point)}${before}`;
}
