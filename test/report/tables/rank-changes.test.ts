// rank-changes.csv: the agreed columns, in the agreed order, biggest traffic change first.
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { HistoryRow } from '../../../src/read/row.ts';
import { type CsvOptions, defaultCsvOptions } from '../../../src/report/formats/csv.ts';
import { rankChangeColumns, startRankChanges } from '../../../src/report/tables/rank-changes.ts';
import { keywordRow, observed, plainCheck, plainInput, plainTable, rowOf } from '../../read/invented.ts';
import { MemoryScratch } from '../memory-scratch.ts';

const agreed =
  'keyword, country, language, device, location, target, status, rank, previous_rank, change, change_class, significance, band_best, band_worst, best_rank, days_in_top_10, local_rank, ' +
  'url, previous_url, url_changed, preferred_url, url_is_preferred, search_volume, estimated_clicks, estimated_clicks_change, measured_clicks, impressions, average_position, ' +
  'cpc, competition, competition_level, intent, serp_features, owned_features, tags, note, date, last_rank, last_age_days, ' +
  'absolute_rank, page, depth, destination, band_observations, volume_month, last_checked_at, checked_at, previous_checked_at, source, run_id, project';

function csvOf(rows: readonly HistoryRow[], options = defaultCsvOptions): string {
  const changes = startRankChanges(options, new MemoryScratch());
  for (const row of rows) changes.add(row);
  return Buffer.concat(Array.from(changes.rest(), (chunk) => Buffer.from(chunk))).toString('utf8');
}

function table(rows: readonly HistoryRow[], options?: CsvOptions): Record<string, string>[] {
  const csv = csvOf(rows, options).replace(/^\uFEFF/u, '');
  const parsed = Papa.parse<Record<string, string>>(csv, { header: true, skipEmptyLines: true });
  expect(parsed.errors).toEqual([]);
  expect(parsed.meta.fields).toEqual(agreed.split(', '));
  return parsed.data;
}

describe('rank-changes.csv', () => {
  it('has the agreed columns, each with a kind and a meaning', () => {
    expect(rankChangeColumns.map((note) => note.name)).toEqual(agreed.split(', '));
    for (const note of rankChangeColumns) expect(note.description.length).toBeGreaterThan(5);
  });

  it('writes a row in readable form', () => {
    expect(table([rowOf()])[0]).toEqual({
      project: 'acme',
      keyword: 'running shoes',
      country: 'US',
      language: 'en',
      device: 'desktop',
      target: 'acme.com',
      status: 'ranked',
      rank: '5',
      previous_rank: '8',
      change: '3',
      change_class: 'improved',
      absolute_rank: '8',
      page: '1',
      url: 'https://www.acme.com/shoes',
      previous_url: 'https://www.acme.com/shoes',
      url_changed: 'false',
      best_rank: '4',
      checked_at: '2026-01-02T05:00:00.000Z',
      previous_checked_at: '2026-01-01T05:00:00.000Z',
      depth: '3',
      serp_features: 'people_also_ask|video',
      owned_features: 'video',
      search_volume: '1000',
      volume_month: '2025-12',
      cpc: '1.25',
      competition: '40',
      competition_level: 'medium',
      intent: 'commercial',
      estimated_clicks: '72',
      estimated_clicks_change: '40',
      tags: 'brand',
      note: '',
      source: 'default/sandbox',
      run_id: '7',
      destination: 'exact',
      preferred_url: '',
      url_is_preferred: '',
      significance: 'likely',
      band_best: '6',
      band_worst: '10',
      band_observations: '1',
      last_rank: '',
      last_checked_at: '',
      last_age_days: '',
      date: '2026-01-02',
      location: '',
      measured_clicks: '',
      impressions: '',
      average_position: '',
      local_rank: '',
      days_in_top_10: '',
    });
  });

  it('says whether the preferred URL ranks', () => {
    const preferredUrl = 'https://www.acme.com/boots';
    const row = table([rowOf({ preferredUrl })])[0];
    expect([row?.['preferred_url'], row?.['url_is_preferred']]).toEqual([preferredUrl, 'false']);
  });

  it('has the local day of the check, or that of the run if nothing was read', () => {
    const late = { ...plainCheck, checkedAt: Date.UTC(2026, 0, 2, 22, 59, 59, 999) };
    const inBerlin = { ...plainTable, slot: { timezone: 'Europe/Berlin', localDate: '2026-01-04' } };
    const rows = [
      { check: late },
      { check: { ...late, checkedAt: late.checkedAt + 1 } },
      { check: null, outcome: { kind: 'unproven' } as const },
    ].map((differences) => new HistoryRow({ ...plainInput, ...differences }, inBerlin));
    expect(table(rows).map((row) => row['date'])).toEqual(['2026-01-02', '2026-01-03', '2026-01-04']);
  });

  it('leaves missing numbers empty, and keeps a negative change a number', () => {
    const [failed] = table([rowOf({ check: { ...plainCheck, status: 'failed', reason: '=blocked' }, bestRank: null })]);
    for (const name of ['rank', 'change', 'absolute_rank', 'page', 'url', 'best_rank', 'estimated_clicks']) {
      expect(failed?.[name]).toBe('');
    }
    expect(failed?.['note']).toBe("'=blocked");
    expect(table([rowOf({ baseline: observed(2) })])[0]?.['change']).toBe('-3');
  });

  it('is sorted by the size of the traffic change, unknown last, then by name', () => {
    const rows = [
      keywordRow('small', 100),
      keywordRow('unknown b', null),
      keywordRow('lost', 10_000, { outcome: { kind: 'notFound', depth: 3 } }),
      keywordRow('unknown a', null),
      keywordRow('same b', 500, { baseline: observed(5) }),
      keywordRow('big', 5_000),
      keywordRow('same a', 500, { baseline: observed(5) }),
      keywordRow('__proto__', null),
    ];
    const order = ['lost', 'big', 'small', 'same a', 'same b', '__proto__', 'unknown a', 'unknown b'];
    expect(table(rows).map((row) => row['keyword'])).toEqual(order);
    expect(table(rows.toReversed()).map((row) => row['keyword'])).toEqual(order);
  });
});
