// The keyword table: its columns, its order, and the dates and numbers above it.
import { describe, expect, it } from 'vitest';
import { sortFields } from '../../../src/rows/fields.ts';
import { chosenColumns, columns, fieldsOf } from '../../../src/workspace/client/columns.js';
import { comparisonText, rangePresets } from '../../../src/workspace/client/periods.js';
import { ariaSort, nextSort, sortArrow } from '../../../src/workspace/client/table-order.js';
import { measureOf, trendLines, trendText } from '../../../src/workspace/client/trend.js';
import { parseSort } from '../../../src/workspace/keyword-filter.ts';

const one = { targets: 1 };
const names = (written: string | null, remembered: unknown = null, facts = one) =>
  chosenColumns(written, remembered, facts).map(({ name }) => name);

describe('the columns', () => {
  it('are those of the address, else those of the browser, else the usual ones', () => {
    expect(names('url,rank')).toEqual(['keyword', 'rank', 'url']);
    expect(names(null, ['cpc'])).toEqual(['keyword', 'cpc']);
    expect(names('rank', ['cpc'])).toEqual(['keyword', 'rank']);
    expect(names(null, 'damaged')).toEqual(names(null));
    expect(names(null)).not.toContain('cpc');
  });

  it('name the target where there are several', () => {
    expect(names(null)).not.toContain('target');
    expect(names(null, null, { targets: 2 })).toContain('target');
  });

  it('sort by what the read API sorts by, and name each field of a file once', () => {
    const sorted = columns.flatMap(({ sort }) => sort ?? []);
    expect(sorted.filter((column) => !sortFields.some((known) => known === column))).toEqual([]);
    expect(fieldsOf(chosenColumns('rank,status', null, one))).toEqual(['keyword', 'rank', 'status']);
  });
});

describe('the order', () => {
  it('goes up, down and away with each click on a column', () => {
    expect([null, 'rank', '-rank'].map((sort) => nextSort(sort, 'rank'))).toEqual(['rank', '-rank', null]);
    expect(nextSort('rank,cpc', 'url')).toBe('url');
  });

  it('keeps the other columns with Shift', () => {
    const add = { add: true };
    expect(nextSort('rank', 'cpc', add)).toBe('rank,cpc');
    expect(nextSort('rank,cpc', 'rank', add)).toBe('-rank,cpc');
    expect(nextSort('-rank,cpc', 'rank', add)).toBe('cpc');
    expect(parseSort(nextSort('-rank', 'cpc', add))).toHaveLength(2);
  });

  it('says to screen readers which column is first, and to others the number of each', () => {
    expect([ariaSort('-rank,cpc', 'rank'), ariaSort('-rank,cpc', 'cpc')]).toEqual(['descending', null]);
    expect([sortArrow('-rank,cpc', 'rank'), sortArrow('-rank,cpc', 'cpc'), sortArrow('cpc', 'rank')]).toEqual([
      ...['▼1', '▲2', ''],
    ]);
  });
});

describe('the dates', () => {
  it('count ranges back from the newest date with checks', () => {
    expect(rangePresets(['2026-01-02', '2026-03-01', '2026-03-31'])).toEqual([
      { label: '7 days', from: '2026-03-25' },
      { label: '30 days', from: '2026-03-02' },
      { label: '90 days', from: '2026-01-01' },
      { label: 'All', from: '2026-01-02' },
    ]);
    expect(rangePresets([])).toEqual([]);
  });

  it('say what is compared', () => {
    expect(['previous', '14d', '2026-01-02', null].map(comparisonText)).toEqual([
      ...['previous check', '14 days before', '2 Jan 2026', 'as configured'],
    ]);
  });
});

describe('the chart', () => {
  const bucketNames = ['1', '2-3', '4-10', '11-20', '21-50', '51-100', 'not_found', 'unknown'] as const;
  const series = {
    dates: ['2026-01-01', '2026-01-05'],
    averageRank: [4.2, null],
    visibility: [3.5, 4.25],
    estimatedClicks: [10, 20],
    checked: [5, 0],
    buckets: Object.fromEntries(bucketNames.map((name, index) => [name, [index, 0]])) as never,
    notes: [],
  };

  it('draws one measure, and visibility unless the address names another', () => {
    const measured = ['rank', 'constructor', null].map((written) => measureOf(written, series));
    expect(measured).toEqual(['rank', 'visibility', 'visibility']);
    expect(measureOf(null, { ...series, visibility: [null, null] })).toBe('rank');
    expect(measureOf(null, { ...series, visibility: [null, null], averageRank: [null, null] })).toBe('visibility');
    expect(trendLines('rank', series).map(({ values }) => values)).toEqual([[4.2, null]]);
    expect(trendLines('buckets', series).map(({ values }) => values[0])).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it('says in words what it draws, a missing value as a dash', () => {
    expect(trendText('rank', series)).toBe('Average rank from 1 Jan 2026 to 5 Jan 2026: 4.2 first, – last');
    expect(trendText('rank', { ...series, dates: [] })).toBe('Average rank: no checks in this range');
  });
});
