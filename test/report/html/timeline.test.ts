// Places put on dates, and sums over them: what counts of a date, and where nothing is known.
import { describe, expect, it } from 'vitest';
import { decodeRank, encodeRank, packTrail, rankCodes, unpackTrail } from '../../../src/report/html/client/trail.js';
import { buildTrail, type DatedRanking, TargetTimeline } from '../../../src/report/html/data/timeline.ts';
import { buckets } from '../../../src/tracker/changes/visibility.ts';

const place = (moment: number, rank: number | null, more: Partial<DatedRanking> = {}): DatedRanking => ({
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

describe('a trail', () => {
  it('comes back from its packed form, whatever the ranks', () => {
    const trail = [0, 1, 2, 3, 4, 5, ...[1, 9, 54, 55, 63, 64, 100, 999, 4086].map(encodeRank)];
    expect(unpackTrail(packTrail(trail))).toEqual(trail);
    expect(trail.map(decodeRank)).toEqual([null, null, null, null, null, null, 1, 9, 54, 55, 63, 64, 100, 999, 4086]);
  });

  it('has the last complete check of each date, in whatever order they come', () => {
    expect(placed([place(30, 4), place(11, 2), place(10, 9)])).toEqual([encodeRank(2), rankCodes.none, encodeRank(4)]);
  });

  it('takes an incomplete check for a gap, and never for a rank', () => {
    expect(placed([place(10, 3), place(11, 1)], (id) => id !== 11)).toEqual([encodeRank(3), 0, 0]);
    expect(placed([place(20, 5)], () => false)).toEqual([0, rankCodes.incomplete, 0]);
    expect(placed([place(20, null, { urlId: 4 })])).toEqual([0, rankCodes.incomplete, 0]);
  });

  it('knows absences from gaps, and leaves out moments of other projects', () => {
    expect(placed([place(20, null), place(25, 1)])).toEqual([0, rankCodes.notFound, 0]);
  });

  it('takes a target that was not followed to the depth for a gap, and counts it nowhere', () => {
    const notFollowed = place(20, null, { isNotFollowed: true });
    expect(placed([place(10, 3), notFollowed])).toEqual([encodeRank(3), rankCodes.notFollowed, 0]);
    expect(decodeRank(rankCodes.notFollowed)).toBeNull();
    const timeline = new TargetTimeline(3, 'sistrix-2020');
    timeline.add(buildTrail([place(10, 3), notFollowed], ({ moment }) => dateOf.get(moment), 3, complete).codes, 100);
    expect(timeline.checked()).toEqual([1, null, null]);
    expect(timeline.visibility()[1]).toBeNull();
  });

  it('names the dates on which another page, or another feature, began', () => {
    const { urlSteps, ownedSteps } = buildTrail(
      [
        place(10, 1, { urlId: 7 }),
        place(20, null, { ownedFeatures: null }),
        place(30, 2, { urlId: 8, ownedFeatures: 'video' }),
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
  timeline.add([encodeRank(1), rankCodes.notFound, rankCodes.none], 100);
  timeline.add([encodeRank(2), encodeRank(1), rankCodes.incomplete], 300);
  timeline.add([encodeRank(30), rankCodes.failed, rankCodes.none], null);

  it('count complete checks with a volume only; where there is none, there is no number', () => {
    // 100 x 28.5 % + 300 x 15.7 % of 400 x 28.5 %, then 300 x 28.5 % of the same
    expect(timeline.visibility()).toEqual([66.32, 75, null]);
    expect(timeline.checked()).toEqual([3, 2, null]);
  });

  it('put every row in one bucket of each date', () => {
    const lines = timeline.distribution();
    for (const date of [0, 1]) expect(lines.reduce((sum, line) => sum + (line[date] ?? 0), 0)).toBe(3);
    expect(lines[buckets.indexOf('unknown')]).toEqual([0, 1, null]);
    expect(lines[buckets.indexOf('not_found')]).toEqual([0, 1, null]);
  });
});
