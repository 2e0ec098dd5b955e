// Which pairs of sightings prove whether a rank changed.
import { describe, expect, it } from 'vitest';
import { intervalsOf, pageOfRank, type Sighting } from '../../../src/tracker/signal/sightings.ts';

const dayMs = 86_400_000;
const seen = (day: number, rank: number | null, depth = 3, source = 'a/b'): Sighting => ({
  checkedAt: day * dayMs,
  rank,
  depth,
  resultsRead: null,
  source,
});

describe('the intervals of a sighting history', () => {
  it.each<[string, Sighting[], [number, boolean][]]>([
    [
      'irregular gaps count in days',
      [seen(1, 5), seen(2, 5), seen(9, 7)],
      [
        [1, false],
        [7, true],
      ],
    ],
    ['a drop within the pages read is a change', [seen(1, 5), seen(2, null)], [[1, true]]],
    ['a shallow absence below a deep rank is passed over', [seen(1, 25), seen(2, null, 1), seen(4, 25)], [[3, false]]],
    [
      'a deep absence says nothing against a shallow one',
      [seen(1, null, 3), seen(2, null, 1), seen(3, null, 3)],
      [[2, false]],
    ],
    ['an entry beyond the earlier depth is not a change', [seen(1, null, 1), seen(2, 25)], []],
    [
      'two tools that look by turns have intervals of their own',
      [seen(1, 5), seen(2, 8, 3, 'c/d'), seen(3, 6), seen(4, 8, 3, 'c/d'), seen(5, 6)],
      [
        [2, true],
        [2, false],
        [2, false],
      ],
    ],
    ['sources do not compare', [seen(1, 5), seen(2, 9, 3, 'c/d'), seen(3, 9, 3, 'c/d')], [[1, false]]],
  ])('%s', (_, history, expected) => {
    expect(intervalsOf(history).map(({ days, changed }) => [days, changed])).toEqual(expected);
  });
});

it('a page has ten ranks', () => {
  expect([1, 10, 11, 100].map(pageOfRank)).toEqual([1, 1, 2, 10]);
});
