// What the views compute from the answers of the API.

import { describe, expect, it } from 'vitest';
import { apiPath, exactUrl, takes } from '../../../src/workspace/client/api-path.js';
import { textComplaint } from '../../../src/workspace/client/filters.js';
import { periodBefore } from '../../../src/workspace/client/periods.js';
import { groupPurchases } from '../../../src/workspace/client/purchase-groups.js';
import { featureTimeline, ranksOn, urlStretches } from '../../../src/workspace/client/rank-history.js';
import { segmentQuery } from '../../../src/workspace/client/segment-filter.js';
import { featureMoves, serpMoves } from '../../../src/workspace/client/serp-moves.js';
import { nextSort, sorted } from '../../../src/workspace/client/table-order.js';
import { filterParameters, parseFilter, textMatcher } from '../../../src/workspace/keyword-filter.ts';
import type { CheckRecord, RankPoint, SerpResult } from '../../../src/workspace/records.ts';

const result = (rank: number | null, url: string): SerpResult => ({ rank, url, page: 1, target: null, isOwn: false });

describe('two stored pages', () => {
  it('say which results moved, entered and left', () => {
    const { moves, left } = serpMoves(
      [result(1, 'a'), result(2, 'b'), result(3, 'c')],
      [result(1, 'b'), result(2, 'a'), result(3, 'd')],
    );
    expect(moves.map(({ after, kind, change }) => [after.url, kind, change])).toEqual([
      ['b', 'moved', 1],
      ['a', 'moved', -1],
      ['d', 'entered', null],
    ]);
    expect(left.map(({ url }) => url)).toEqual(['c']);
  });

  it('never call a result new or gone beyond what the other page reaches', () => {
    const deeper = [result(1, 'a'), result(2, 'b'), result(3, 'c')];
    const shallow = [result(1, 'a')];
    expect(serpMoves(shallow, deeper).moves.map(({ kind }) => kind)).toEqual(['moved', 'unknown', 'unknown']);
    expect(serpMoves(deeper, shallow).left).toEqual([]);
    expect(serpMoves([result(1, 'a')], [result(null, 'a')]).moves[0]).toMatchObject({ kind: 'unknown', change: null });
  });

  it('compare the features of pages that both read', () => {
    const feature = (page: number, type: string) => ({ page, type, urls: [], targets: [], isOwn: false });
    const before = { pages: 1, features: [feature(1, 'video'), feature(1, 'paid')] };
    const after = { pages: 2, features: [feature(1, 'paid'), feature(1, 'images'), feature(2, 'local_pack')] };
    expect(featureMoves(before, after)).toEqual({ gained: ['images'], lost: ['video'] });
  });
});

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

describe('the history of a keyword', () => {
  const dates = ['2026-01-01', '2026-01-02', '2026-01-03'];

  it('keeps gaps where nothing ranked', () => {
    expect(ranksOn([point(dates[0]!), point(dates[2]!, { rank: null, status: 'not_found' })], dates)).toEqual([
      5,
      null,
      null,
    ]);
  });

  it('says a feature was absent only where the pages were read', () => {
    const points = [
      point(dates[0]!, { serpFeatures: ['video'], ownedFeatures: ['video'] }),
      point(dates[1]!, { status: 'failed', rank: null }),
      point(dates[2]!, { status: 'not_found', rank: null }),
    ];
    expect(featureTimeline(points, dates)).toEqual([
      { feature: 'video', states: ['owned', 'unknown', 'absent'], owned: 1, shown: 1, read: 2 },
    ]);
  });

  it('lists which URL ranked and since when', () => {
    const points = [
      point(dates[0]!),
      point(dates[1]!, { url: null, rank: null }),
      point(dates[2]!, { rank: 3 }),
      point('2026-01-04', { url: 'https://b.example/' }),
    ];
    expect(urlStretches(points)).toEqual([
      { url: 'https://b.example/', from: '2026-01-04', to: '2026-01-04', checks: 1, best: 5 },
      { url: 'https://a.example/', from: '2026-01-01', to: '2026-01-03', checks: 2, best: 3 },
    ]);
  });

  it('puts pages that were bought alike on one line', () => {
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

describe('links and paths', () => {
  it('ask the API with the filters of the address and nothing else', () => {
    const query = new URLSearchParams('tag=a&tag=b&sort=-clicks&from=2026-01-01&url=');
    expect(apiPath('acme & co', 'segments', query, takes.table, { by: 'tag' })).toBe(
      '/v1/projects/acme%20%26%20co/segments?tag=a&tag=b&by=tag',
    );
  });

  it.each([
    ['running shoes', true],
    ['/^run(ning)?$/', true],
    ['/(/', false],
    ['/[a/i', false],
    ['/\\p{Nonsense}/', false],
  ])('leave out the expressions that the server refuses, so that the rows stay: %s', (written, isValid) => {
    const query = new URLSearchParams({ q: written, url: written });
    const asked = new URL(apiPath('acme', 'summary', query, takes.table), 'http://localhost').searchParams;
    expect([...asked.keys()]).toEqual(isValid ? ['q', 'url'] : []);
    const parsed = () => parseFilter(new URLSearchParams({ q: written }));
    if (isValid) expect(parsed).not.toThrow();
    else expect(parsed).toThrow(`q: ${textComplaint(written)}`);
  });

  it('take every filter of the read API', () => {
    expect([...takes.table].sort()).toEqual([...Object.keys(filterParameters), 'date', 'compare'].sort());
  });

  it('find a URL and no longer one', () => {
    const url = 'https://a.example/c/shoes?q=a+b';
    expect(textMatcher('url', exactUrl(url))([url, `${url}&x=1`, 'https://a.example/c/shoes?q=aab'])).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('lead from a segment to its rows', () => {
    const facts = { tags: ['a', 'b'], views: [{ name: 'mine', query: 'tag=c&device=mobile' }] };
    const query = new URLSearchParams('tag=x&device=desktop');
    const of = (by: Parameters<typeof segmentQuery>[1], segment: string): string =>
      decodeURIComponent(segmentQuery(query, by, segment, facts).toString());
    expect(of('tag', 'a')).toBe('tag=x&device=desktop&tag=a');
    expect(of('tag', '')).toBe('tag=x&device=desktop&tag=!a|!b');
    expect(of('device', 'mobile')).toBe('tag=x&device=mobile');
    expect(of('view', 'mine')).toBe('tag=x&tag=c&device=mobile');
  });
});

describe('a range of dates', () => {
  it('is compared with as many days before it', () => {
    expect(periodBefore('2026-01-01', '2026-01-14')).toEqual({ value: '14d', label: 'the period before (14 days)' });
    expect(periodBefore('2026-01-14', '2026-01-14')).toBeNull();
    expect(periodBefore(null, '2026-01-14')).toBeNull();
  });
});

describe('a sorted table', () => {
  it('has rows without a value last both ways', () => {
    const rows = [3, null, 1, 2];
    const by = (descending: boolean) => sorted(rows, [{ column: 'n', descending }], () => (row) => row);
    expect(by(false)).toEqual([1, 2, 3, null]);
    expect(by(true)).toEqual([3, 2, 1, null]);
  });

  it('turns around at the second click, and begins with the largest numbers', () => {
    const largestFirst = true;
    expect(nextSort(null, 'clicks', { largestFirst })).toBe('-clicks');
    expect(nextSort('-clicks', 'clicks', { largestFirst })).toBe('clicks');
    expect(nextSort('clicks', 'clicks', { largestFirst })).toBeNull();
    expect(nextSort('clicks', 'name')).toBe('name');
    expect(nextSort('-clicks', 'name', { add: true })).toBe('-clicks,name');
  });
});
