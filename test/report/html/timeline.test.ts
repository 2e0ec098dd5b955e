// Rankings by date, and sums over them: which check of a date counts, and where nothing is known.

import { describe, expect, it } from 'vitest';
import { buildTrail, TargetTimeline } from '../../../src/read/sums/timeline.ts';
import { buckets } from '../../../src/tracker/changes/visibility.ts';
import type { DatedRanking } from '../../../src/tracker/observation.ts';
import { codeOfRank, rankCodes, rankOfCode } from '../../../src/tracker/rank-codes.ts';

const ranking = (moment: number, rank: number | null, more: Partial<DatedRanking> = {}): DatedRanking => ({
  moment,
  checkId: moment,
  checkedAt: null,
  rank,
  urlId: rank === null ? null : 1,
  ownedFeatures: null,
  isNotFollowed: false,
  ...more,
});
const dateOf = new Map([
  [10, 0],
  [11, 0],
  [20, 1],
  [30, 2],
]);
const complete = () => true;
const placed = (found: DatedRanking[], isComplete: (id: number) => boolean = complete) => [
  ...buildTrail(found, ({ moment }) => dateOf.get(moment), 3, isComplete).codes,
];

describe('a trail of ranks', () => {
  it('has codes that give their ranks', () => {
    const trail = [0, 1, 2, 3, 4, 5, ...[1, 9, 54, 55, 63, 64, 100, 999, 4086].map(codeOfRank)];
    expect(trail.map(rankOfCode)).toEqual([null, null, null, null, null, null, 1, 9, 54, 55, 63, 64, 100, 999, 4086]);
  });

  it('has the last complete check of each date, in any order of checks', () => {
    expect(placed([ranking(30, 4), ranking(11, 2), ranking(10, 9)])).toEqual([
      codeOfRank(2),
      rankCodes.none,
      codeOfRank(4),
    ]);
  });

  it('treats an incomplete check as a gap, and never as a rank', () => {
    expect(placed([ranking(10, 3), ranking(11, 1)], (id) => id !== 11)).toEqual([codeOfRank(3), 0, 0]);
    expect(placed([ranking(20, 5)], () => false)).toEqual([0, rankCodes.incomplete, 0]);
    expect(placed([ranking(20, null, { urlId: 4 })])).toEqual([0, rankCodes.incomplete, 0]);
  });

  it('distinguishes absences from gaps, and omits moments of other projects', () => {
    expect(placed([ranking(20, null), ranking(25, 1)])).toEqual([0, rankCodes.not_found, 0]);
  });

  it('treats a target that was not followed to the depth as a gap, and counts it nowhere', () => {
    const notFollowed = ranking(20, null, { isNotFollowed: true });
    expect(placed([ranking(10, 3), notFollowed])).toEqual([codeOfRank(3), rankCodes.not_followed, 0]);
    expect(rankOfCode(rankCodes.not_followed)).toBeNull();
    const timeline = new TargetTimeline(3, 'sistrix-2020');
    timeline.add(buildTrail([ranking(10, 3), notFollowed], ({ moment }) => dateOf.get(moment), 3, complete).codes, 100);
    expect(timeline.checked()).toEqual([1, null, null]);
    expect(timeline.visibility()[1]).toBeNull();
  });

  it('names the dates on which another page, or another feature, began', () => {
    const { urlSteps, ownedSteps } = buildTrail(
      [
        ranking(10, 1, { urlId: 7 }),
        ranking(20, null, { ownedFeatures: null }),
        ranking(30, 2, { urlId: 8, ownedFeatures: 'video' }),
      ],
      ({ moment }) => dateOf.get(moment),
      3,
      complete,
    );
    expect(urlSteps).toEqual([
      [0, 7],
      [2, 8],
    ]);
    expect(ownedSteps).toEqual([[2, 'video']]);
  });
});

describe('the sums over time', () => {
  const timeline = new TargetTimeline(3, 'sistrix-2020');
  timeline.add([codeOfRank(1), rankCodes.not_found, rankCodes.none], 100);
  timeline.add([codeOfRank(2), codeOfRank(1), rankCodes.incomplete], 300);
  timeline.add([codeOfRank(30), rankCodes.failed, rankCodes.none], null);

  it('count only complete checks with a volume, and are empty if there is none', () => {
    // 100 x 28.5 % + 300 x 15.7 % of 400 x 28.5 %, then 300 x 28.5 % of the same
    expect(timeline.visibility()).toEqual([66.3158, 75, null]);
    expect(timeline.checked()).toEqual([3, 2, null]);
  });

  it('put every row in one bucket of each date', () => {
    const lines = timeline.distribution();
    for (const date of [0, 1]) expect(lines.reduce((sum, line) => sum + (line[date] ?? 0), 0)).toBe(3);
    expect(lines[buckets.indexOf('unknown')]).toEqual([0, 1, null]);
    expect(lines[buckets.indexOf('not_found')]).toEqual([0, 1, null]);
  });
});
