// Sums add up: every row is in one bucket and one class, and changes compare the same rows on both dates.

import fc from 'fast-check';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import type { HistoryRow, RowInput } from '../../../src/read/row.ts';
import { csvChunks } from '../../../src/report/formats/csv.ts';
import { startSummary, summaryColumns } from '../../../src/report/tables/summary.ts';
import { changeClasses } from '../../../src/tracker/changes/change.ts';
import { curve, keywordRow, observed, plainCheck, plainInput, rankedAt, rowOf } from '../../read/invented.ts';

const facts = {
  runId: 7,
  compare: 'previous',
  notesSince: () => ['2026-01-02: sale'],
  warning: 'simulated data (sandbox), not real results',
};

function table(rows: readonly HistoryRow[]): Record<string, string>[] {
  const summary = startSummary(curve);
  for (const row of rows) summary.add(row);
  const csv = [...csvChunks(summaryColumns, summary.rows(facts))].join('').replace(/^\uFEFF/u, '');
  const parsed = Papa.parse<Record<string, string>>(csv, { header: true, skipEmptyLines: true });
  expect(parsed.errors).toEqual([]);
  expect(parsed.meta.fields).toEqual(summaryColumns.map((note) => note.name));
  return parsed.data;
}

const failed = { ...plainCheck, status: 'failed' as const, reason: 'blocked' };
const absent = { kind: 'notFound', depth: 3 } as const;

describe('summary.csv', () => {
  it('has a line for the project, each market and each tag of each target, in order', () => {
    const mobile = { ...plainInput.search, market: { ...plainInput.search.market, device: 'mobile' as const } };
    const rows = [
      rowOf({ tags: ['b', 'a'] }),
      rowOf({ search: mobile, tags: [] }),
      rowOf({ target: { match: 'host', value: 'aaa.com' }, tags: ['__proto__'] }),
    ];
    const lines = table(rows).map((row) => [
      row['target'],
      row['scope'],
      row['device'],
      row['tag'],
      row['coverage_total'],
    ]);
    expect(lines).toEqual([
      ['aaa.com', 'project', '', '', '1'],
      ['aaa.com', 'market', 'desktop', '', '1'],
      ['aaa.com', 'tag', '', '__proto__', '1'],
      ['acme.com', 'project', '', '', '2'],
      ['acme.com', 'market', 'desktop', '', '1'],
      ['acme.com', 'market', 'mobile', '', '1'],
      ['acme.com', 'tag', '', 'a', '1'],
      ['acme.com', 'tag', '', 'b', '1'],
    ]);
  });

  it('has the share of comparable keywords whose change lies outside their band', () => {
    const quiet = rowOf({ baseline: observed(4), outcome: rankedAt(4) });
    const moved = rowOf({ baseline: observed(4), outcome: rankedAt(19), tags: ['b'] });
    const first = rowOf({ baseline: null, outcome: rankedAt(4) });
    expect(moved.significance).not.toBe('noise');
    const shares = table([quiet, quiet, quiet, moved, first]).map((row) => [
      ...[row['scope'], row['tag'], row['coverage_comparable']],
      ...[row['outside_band'], row['outside_band_percent']],
    ]);
    expect(shares[0]).toEqual(['project', '', '4', '1', '25']);
    expect(shares.find(([, tag]) => tag === 'b')).toEqual(['tag', 'b', '1', '1', '100']);
    expect(table([first])[0]).toMatchObject({ outside_band: '0', outside_band_percent: '' });
  });

  it('names the sources of the pages that were read, and none for checks that read nothing', () => {
    const deferred = { ...plainCheck, status: 'deferred' as const, checkedAt: null, source: '' };
    const rows = [rowOf({}), rowOf({ check: deferred, outcome: { kind: 'unproven' } })];
    expect(new Set(table(rows).map((row) => row['source']))).toEqual(new Set([plainCheck.source]));
  });

  it('sums comparable rows, and leaves the others out of the numbers', () => {
    const rows = [
      keywordRow('up', 1_000, { outcome: rankedAt(1), baseline: observed(2) }),
      keywordRow('out', 1_000, { outcome: absent, baseline: observed(12) }),
      keywordRow('in', null, { outcome: rankedAt(30), baseline: observed(null) }),
      keywordRow('new', 500, { outcome: rankedAt(4), baseline: null }),
      keywordRow('broken', 9_000, { check: failed }),
    ];
    const [line] = table(rows);
    expect(line).toMatchObject({
      coverage_checked: '4',
      coverage_total: '5',
      coverage_comparable: '3',
      bucket_1: '1',
      bucket_4_10: '1',
      bucket_21_50: '1',
      bucket_not_found: '1',
      bucket_unknown: '1',
      bucket_1_change: '1',
      bucket_2_3_change: '-1',
      bucket_11_20_change: '-1',
      bucket_21_50_change: '1',
      bucket_not_found_change: '0',
      bucket_4_10_change: '0',
      average_rank_ranked: `${Math.round(((1 + 30 + 4) / 3) * 1e4) / 1e4}`,
      average_rank_ranked_count: '3',
      average_rank_ranked_change: '1',
      average_rank_capped: `${(1 + 31 + 30 + 4) / 4}`,
      average_rank_capped_change: `${Math.round(((2 - 1 + 12 - 31 + 31 - 30) / 3) * 1e4) / 1e4}`,
      volume_count: '3',
      visibility: `${Math.round(((1_000 * 28.5 + 500 * 8) / (2_500 * 28.5)) * 1e6) / 1e4}`,
      estimated_clicks: '325',
      estimated_clicks_change: `${285 - 157 - 9}`,
      improved: '1',
      dropped: '1',
      entered: '1',
      first_check: '1',
      not_comparable: '1',
      declined: '0',
      ctr_curve: curve,
      source: 'default/sandbox',
      run_id: '7',
      warning: facts.warning,
    });
  });

  it('has no numbers if there is nothing to sum', () => {
    const [line] = table([keywordRow('broken', null, { check: failed })]);
    for (const name of [
      'average_rank_ranked',
      'average_rank_capped',
      'visibility',
      'estimated_clicks',
      'bucket_1_change',
    ]) {
      expect(line?.[name]).toBe('');
    }
    expect(line).toMatchObject({ coverage_checked: '0', coverage_total: '1', bucket_unknown: '1', bucket_1: '0' });
  });

  it('counts "not found" as depth x 10 + 1 in the average, on either date', () => {
    const check = { ...plainCheck, depth: 1 };
    const [line] = table([rowOf({ check, outcome: rankedAt(14, 1), baseline: observed(12, 1, 1) })]);
    expect(line).toMatchObject({
      average_rank_ranked: '14',
      average_rank_capped: '11',
      average_rank_capped_change: '0',
    });
  });

  it('leaves a rank of an incomplete check out of the sums', () => {
    const [line] = table([rowOf({ check: { ...plainCheck, status: 'incomplete', reason: 'page 3 failed' } })]);
    expect(line).toMatchObject({ coverage_checked: '0', bucket_unknown: '1', average_rank_ranked: '' });
  });

  it('adds up in every line: buckets, classes, and changes of buckets to zero', () => {
    const check = fc.constantFrom(plainCheck, failed, null, { ...plainCheck, status: 'incomplete' as const });
    const rank = fc.option(fc.integer({ min: 1, max: 120 }));
    const depth = fc.constantFrom(3, 10);
    const input = fc.record({
      check,
      rank,
      before: fc.option(fc.tuple(rank, depth)),
      depth,
      volume: fc.option(fc.nat(10_000)),
      tags: fc.uniqueArray(fc.constantFrom('a', 'b', 'constructor')),
      device: fc.constantFrom('desktop', 'mobile'),
    });
    const buckets = summaryColumns.filter(({ name }) => name.startsWith('bucket_'));
    const sum = (line: Record<string, string>, names: readonly string[]) =>
      names.reduce((total, name) => total + Number(line[name]), 0);
    fc.assert(
      fc.property(fc.array(input, { minLength: 1, maxLength: 30 }), (inputs) => {
        const rows = inputs.map((each, index) => {
          const differences: Partial<RowInput> = {
            check: each.check === null ? null : { ...each.check, depth: each.depth },
            outcome: each.rank === null ? { kind: 'notFound', depth: each.depth } : rankedAt(each.rank),
            baseline: each.before === null ? null : observed(...each.before),
            tags: each.tags,
            search: { keyword: `k${index}`, market: { ...plainInput.search.market, device: each.device } },
          };
          return keywordRow(`k${index}`, each.volume, differences);
        });
        const lines = table(rows);
        expect(lines[0]?.['coverage_total']).toBe(`${rows.length}`);
        for (const line of lines) {
          const total = Number(line['coverage_total']);
          const now = buckets.map(({ name }) => name).filter((name) => !name.endsWith('_change'));
          expect(sum(line, now)).toBe(total);
          expect(sum(line, changeClasses)).toBe(total);
          expect(
            sum(
              line,
              buckets.map(({ name }) => name).filter((name) => name.endsWith('_change')),
            ),
          ).toBe(0);
          expect(Number(line['bucket_unknown'])).toBe(total - Number(line['coverage_checked']));
          const visibility = Number(line['visibility']);
          expect(visibility).toBeGreaterThanOrEqual(0);
          expect(visibility).toBeLessThanOrEqual(100);
        }
        const markets = lines.filter((line) => line['scope'] === 'market');
        expect(markets.reduce((total, line) => total + Number(line['coverage_total']), 0)).toBe(rows.length);
      }),
      { numRuns: 150 },
    );
  });
});
