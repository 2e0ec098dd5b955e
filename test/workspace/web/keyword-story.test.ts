// What the page of a keyword says of its history.

import { describe, expect, it } from 'vitest';
import type { CheckRecord, KeywordRow, RankPoint } from '../../../src/read/records.ts';
import { breaksIn, stretchesOf } from '../../../src/workspace/web/gaps.ts';
import { rankSentence, unreadSentence, withLosses } from '../../../src/workspace/web/keyword-story.ts';
import { groupPurchases } from '../../../src/workspace/web/purchase-groups.ts';

const point = (date: string, more: Partial<RankPoint> = {}): RankPoint => ({
  date,
  checkedAt: null,
  status: 'ranked',
  rank: 5,
  url: 'https://a.example/',
  depth: 1,
  serpFeatures: [],
  ownedFeatures: [],
  note: null,
  ...more,
});

const dates = ['2026-01-01', '2026-01-02', '2026-01-03', '2026-01-04'] as const;
const own = (points: readonly RankPoint[]) => ({ target: 'us', isOwn: true, points });

describe('the dates without a rank', () => {
  const failed = { status: 'failed', rank: null, url: null, note: 'CAPTCHA' } as const;

  it.each([
    [[{}, { status: 'not_found', rank: null }], null],
    [[{}, failed, {}], 'No rank on 2 Jan 2026: check failed, CAPTCHA.'],
    [[failed, {}, failed, failed], 'No rank on 4 Jan 2026 and 2 earlier dates: check failed, CAPTCHA.'],
    [[{ status: 'deferred', rank: null }], 'No rank on 1 Jan 2026: waits for budget.'],
  ] satisfies [Partial<RankPoint>[], string | null][])('are named with what happened: %o', (points, sentence) => {
    expect(unreadSentence({ lines: [own(points.map((more, index) => point(dates[index]!, more)))] })).toBe(sentence);
  });
});

describe('the features of a keyword', () => {
  it('mark the date on which a feature first stands without us', () => {
    expect(withLosses(['owned', 'unknown', 'shown', 'shown', 'absent'])).toEqual([
      'owned',
      'unknown',
      'lost',
      'shown',
      'absent',
    ]);
  });
});

describe('the sentence about a rank', () => {
  // the sentence reads these fields only
  const row = (more: Partial<KeywordRow>) =>
    ({
      date: '2026-01-08',
      previousDate: '2026-01-01',
      previousRank: 7,
      rank: 8,
      status: 'ranked',
      depth: 3,
      changeClass: 'declined',
      significance: 'noise',
      bandBest: 5,
      bandWorst: 9,
      ...more,
    }) as KeywordRow;

  it.each([
    [{}, 'Fell 7 → 8 since 1 Jan, inside its usual 5–9'],
    [{ rank: 2, changeClass: 'improved', significance: 'certain' }, 'Rose 7 → 2 since 1 Jan: certain, usually 5–9'],
    [
      { rank: 4, changeClass: 'improved', significance: 'likely' },
      'Rose 7 → 4 since 1 Jan: likely a real move, usually 5–9',
    ],
    [{ rank: 7, changeClass: 'unchanged', significance: null }, 'Stayed at 7 since 1 Jan'],
    [{ previousRank: null, changeClass: 'entered' }, 'Entered at 8: it was not found on 1 Jan'],
    [
      { rank: null, status: 'not_found', changeClass: 'dropped' },
      'Dropped out from 7: not found in 3 pages, ranked on 1 Jan',
    ],
    [{ rank: null, status: 'failed', changeClass: 'not_comparable' }, 'Check failed, not comparable with 1 Jan'],
    [{ previousDate: null, previousRank: null, changeClass: 'first_check' }, 'First checked: ranks 8'],
  ] satisfies [Partial<KeywordRow>, string][])('says the move and how sure it is: %o', (more, sentence) => {
    expect(rankSentence(row(more))).toBe(sentence);
  });

  it('never passes an earlier rank for one of the date', () => {
    const last = { rank: 4, date: '2026-01-05', ageDays: 3 } as NonNullable<KeywordRow['last']>;
    expect(rankSentence(row({ rank: null, last }))).toBe('Not checked on 8 Jan 2026: 3 days before it ranked 4');
  });
});

describe('the lines and the ledger of a keyword', () => {
  it('are interrupted where runs are missing', () => {
    const days = ['2026-01-01', '2026-01-02', '2026-01-05', '2026-01-06'];
    expect(breaksIn(days)).toEqual(new Set([2]));
    expect(stretchesOf([1, 2, 3, null], breaksIn(days))).toEqual([[0, 1], [2]]);
  });

  it('put pages that were bought alike on one line', () => {
    const bought = (page: number, state: string): CheckRecord['purchases'][number] => ({
      page,
      attempt: 1,
      state,
      charged: 1,
      openedAt: '',
      errorCode: state === 'paid' ? null : 'timeout',
      message: null,
    });
    expect(groupPurchases([bought(1, 'paid'), bought(2, 'paid'), bought(3, 'unknown')])).toEqual([
      { first: 1, last: 2, attempt: 1, state: 'paid', charged: 2, error: null },
      { first: 3, last: 3, attempt: 1, state: 'unknown', charged: 1, error: 'timeout' },
    ]);
  });
});
