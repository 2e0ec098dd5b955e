// Filters and sorting of the keyword table.
import { describe, expect, it } from 'vitest';
import { filterRows, sortRows } from '../../src/read/keyword-filter.ts';
import { parseFilter, parseSort } from '../../src/read/queries.ts';
import type { KeywordRow } from '../../src/read/records.ts';

const base: KeywordRow = {
  id: '1',
  keyword: 'running shoes',
  country: 'US',
  language: 'en',
  device: 'desktop',
  target: 'acme.com',
  tags: ['shoes', 'head'],
  status: 'ranked',
  rank: 4,
  previousRank: 7,
  change: 3,
  changeClass: 'improved',
  significance: 'likely',
  bandBest: 4,
  bandWorst: 6,
  bestRank: 2,
  daysInTop10: 12,
  depth: 3,
  url: 'https://acme.com/shoes',
  previousUrl: 'https://acme.com/shoes',
  preferredUrl: 'https://acme.com/shoes',
  urlIsPreferred: true,
  serpFeatures: ['images', 'video'],
  ownedFeatures: ['images'],
  lostFeatures: [],
  searchVolume: 1000,
  cpc: 1.5,
  competition: 50,
  intent: 'commercial',
  estimatedClicks: 80,
  estimatedClicksChange: 20,
  measuredClicks: 3,
  impressions: 90,
  averagePosition: 4.2,
  checkedAt: Date.UTC(2026, 0, 14, 5),
  date: '2026-01-14',
  previousDate: '2026-01-13',
  source: 'default/sandbox',
  runId: 3,
  note: null,
  complete: true,
  isPlace: false,
  previousDepth: 3,
  previousCheckedAt: null,
  lastAgeDays: null,
};
const rows: readonly KeywordRow[] = [
  base,
  {
    ...base,
    id: '2',
    keyword: 'trail boots',
    country: 'GB',
    device: 'mobile',
    tags: ['boots'],
    status: 'not_found',
    rank: null,
    change: null,
    changeClass: 'dropped',
    url: null,
    urlIsPreferred: null,
    significance: 'noise',
    ownedFeatures: [],
    lostFeatures: ['images'],
    searchVolume: null,
    estimatedClicks: 0,
  },
  {
    ...base,
    id: '3',
    keyword: 'Trail shoes 10',
    tags: ['shoes'],
    rank: 15,
    change: -2,
    changeClass: 'declined',
    url: 'https://acme.com/trail',
    urlIsPreferred: false,
    searchVolume: 50,
  },
  {
    ...base,
    id: '4',
    keyword: 'trail shoes 9',
    tags: [],
    status: 'failed',
    rank: null,
    change: null,
    changeClass: 'not_comparable',
    significance: null,
    url: null,
    urlIsPreferred: null,
  },
];

const ids = (query: string): string =>
  filterRows(rows, parseFilter(new URLSearchParams(query)))
    .map(({ id }) => id)
    .join('');

describe('a filter', () => {
  it.each([
    ['', '1234'],
    ['tag=shoes', '13'],
    ['tag=shoes|boots', '123'],
    ['tag=shoes&tag=head', '1'],
    ['tag=shoes&tag=!head', '3'],
    ['tag=!shoes', '24'],
    ['market=US en desktop', '134'],
    ['market=GB|US en', '1234'],
    ['device=mobile', '2'],
    ['status=ranked|failed', '134'],
    ['status=!failed', '123'],
    ['bucket=4-10|not_found', '12'],
    ['bucket=unknown', '4'],
    ['change=improved', '1'],
    ['significance=likely', '13'],
    ['significance=!noise', '134'],
    ['rank=1..10', '1'],
    ['rank=11..', '3'],
    ['move=3..', '1'],
    ['move=..-1', '3'],
    ['volume=..100', '3'],
    ['feature=video', '1234'],
    ['owned=images', '134'],
    ['owned=!images', '2'],
    ['lost=images', '2'],
    ['lost=!images', '134'],
    ['country=GB', '2'],
    ['target=acme.com', '1234'],
    ['target=!acme.com', ''],
    ['intent=commercial', '1234'],
    ['intent=!commercial', ''],
    ['cpc=1..2', '1234'],
    ['cpc=2..', ''],
    ['clicks=..0', '2'],
    ['q=shoes trail', '34'],
    ['q=/^trail (boots|shoes 9)$/', '24'],
    ['url=trail', '3'],
    ['otherUrl=true', '3'],
    ['otherUrl=false', '1'],
    ['tag=shoes&rank=..10&device=desktop', '1'],
  ])('of "%s" keeps the rows %s', (query, expected) => {
    expect(ids(query)).toBe(expected);
  });

  it.each([
    ['rank=abc', 'rank:'],
    ['rank=..', 'rank:'],
    ['otherUrl=yes', 'otherUrl:'],
    ['q=/(/', 'is not a regular expression'],
    [`q=${'a'.repeat(300)}`, 'longer than'],
  ])('of "%s" is refused by the name of its parameter', (query, message) => {
    expect(() => ids(query)).toThrow(message);
  });

  it('stops a regular expression that backtracks without end', () => {
    const slow = [{ ...base, keyword: `${'a'.repeat(40)}b` }];
    const filter = parseFilter(new URLSearchParams({ q: '/(a+)+$/' }));
    expect(() => filterRows(slow, filter)).toThrow('takes too long');
  });
});

describe('sorting', () => {
  const sorted = (written: string): string =>
    sortRows(rows, parseSort(written))
      .map(({ id }) => id)
      .join('');

  it('puts rows without the value last, in either direction', () => {
    expect(sorted('rank')).toBe('1324');
    expect(sorted('-rank')).toBe('3124');
  });

  it('orders texts by their numbers, and goes on with the next column', () => {
    expect(sorted('keyword')).toBe('1243');
    expect(sorted('-status,-searchVolume')).toBe('1324');
  });

  it('refuses a column that the table does not have', () => {
    expect(() => parseSort('place')).toThrow('sort: no column "place"');
  });
});
