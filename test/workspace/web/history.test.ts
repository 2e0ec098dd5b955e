// What charts draw of a history: no line over what was not checked.
import { describe, expect, it } from 'vitest';
import type { RankPoint } from '../../../src/read/records.ts';
import { breaksIn, stretchesOf } from '../../../src/workspace/web/gaps.ts';
import { featureTimeline, ranksOn, urlStretches } from '../../../src/workspace/web/rank-history.ts';

const january = (...days: number[]) => days.map((day) => `2026-01-${String(day).padStart(2, '0')}`);

describe('a line', () => {
  it('is interrupted by a missing value and by missing runs, by the distance that is usual', () => {
    const stretches = (values: readonly (number | null)[], ...days: number[]) =>
      stretchesOf(values, breaksIn(january(...days)));
    expect(stretches([1, null, 2, 3], 1, 2, 3, 4)).toEqual([[0], [2, 3]]);
    expect(stretches([1, 2, 3, 4], 1, 2, 3, 9)).toEqual([[0, 1, 2], [3]]);
    expect(stretches([1, 2, 3, 4], 1, 8, 15, 29)).toEqual([[0, 1, 2], [3]]);
    expect(stretches([1], 1)).toEqual([[0]]);
  });
});

const point = (date: string, more: Partial<RankPoint> = {}): RankPoint => ({
  ...{ date, checkedAt: null, status: 'ranked', rank: 5, url: 'https://a.example/', depth: 1 },
  ...{ serpFeatures: [], ownedFeatures: [], note: null },
  ...more,
});

describe('the history of a keyword', () => {
  const dates = january(1, 2, 3);
  const [first = '', second = '', third = ''] = dates;

  it('keeps gaps where nothing ranked', () => {
    expect(ranksOn([point(first), point(third, { rank: null, status: 'not_found' })], dates)).toEqual([5, null, null]);
  });

  it('says a feature was absent only where the pages were read', () => {
    const points = [
      point(first, { serpFeatures: ['video'], ownedFeatures: ['video'] }),
      point(second, { status: 'failed', rank: null }),
      point(third, { status: 'not_found', rank: null }),
    ];
    expect(featureTimeline(points, dates)).toEqual([
      { feature: 'video', states: ['owned', 'unknown', 'absent'], owned: 1, shown: 1, read: 2 },
    ]);
  });

  it('lists which URL ranked and since when', () => {
    const points = [
      point(first),
      point(second, { url: null, rank: null }),
      point(third, { rank: 3 }),
      point('2026-01-04', { url: 'https://b.example/' }),
    ];
    expect(urlStretches(points)).toEqual([
      { url: 'https://b.example/', from: '2026-01-04', to: '2026-01-04', checks: 1, best: 5 },
      { url: 'https://a.example/', from: '2026-01-01', to: '2026-01-03', checks: 2, best: 3 },
    ]);
  });
});
