// volumes.csv: metrics by month with their changes, and totals that close variants do not inflate.
import Papa from 'papaparse';
import { beforeEach, describe, expect, it } from 'vitest';
import type { StoredVolume } from '../../../db/history/volumes.ts';
import { reportScope } from '../../../jobs/read/rows/report-scope.ts';
import { volumeTable } from '../../../jobs/report/tables/volume-tables.ts';
import { keyword, project, resultsWith, World } from '../../helpers/jobs.ts';
import { type Provider, startProvider } from '../../helpers/provider.ts';

const start = Date.UTC(2026, 2, 15, 6);
const market = { service: 'vendor', country: 'US', language: 'en' };
const ours = project({ keywords: ['shoe', 'shoes', 'boots', 'socks'].map((text) => keyword(text, { depth: 1 })) });

let world: World;
let provider: Provider;
beforeEach(async () => {
  provider = await startProvider({ pageSize: () => 10, results: () => resultsWith('https://acme.example/', 2) });
  world = new World({ reports: true, provider, projects: [ours] });
  world.clock.set(start);
  await world.runSlot(start);
});

function bought(text: string, month: string, searchVolume: number | null, more: Partial<StoredVolume> = {}): void {
  const metrics = { cpcMicroUsd: 1_250_000, competition: 40, competitionLevel: 'medium', intent: null };
  const volume = { ...metrics, month, searchVolume, observedAt: 5, source: 'vendor/remote', relatedKeywords: null };
  world.store.transaction(() => world.store.volumes.insert(text, market, { ...volume, ...more }, null));
}

function table(): Record<string, string>[] {
  const run = world.store.runs.run(1);
  const [slot] = world.store.runs.slotsOf(1);
  if (run === null || slot === undefined) throw new Error('there is no run');
  const scope = reportScope(world.context, world.settings().reports, run, slot, ours);
  const written = volumeTable.start(scope, scope.settings.csv);
  const text = [...(written?.rest() ?? [])].join('').replace(/^\uFEFF/, '');
  const { data } = Papa.parse<Record<string, string>>(text, { header: true, skipEmptyLines: true });
  expect(written?.count()).toBe(data.length);
  return data;
}

const lines = (...fields: string[]): string[] =>
  table().map((row) => fields.map((field) => row[field] || '-').join(' '));

describe('volumes.csv', () => {
  it('has both totals and the keywords by volume, and counts close variants once', () => {
    bought('boots', '2026-03', 500);
    bought('shoe', '2026-03', 74_000);
    bought('shoes', '2026-03', 74_000);
    bought('socks', '2026-03', null);
    expect(lines('scope', 'keyword', 'search_volume', 'keywords', 'variant_of')).toEqual([
      'total - 148500 3 -',
      'total_grouped - 74500 2 -',
      'keyword shoe 74000 2 -',
      'keyword shoes 74000 2 shoe',
      'keyword boots 500 1 -',
      'keyword socks - 1 -',
    ]);
  });

  it('compares with the month and the year before, totals over the same keywords', () => {
    bought('boots', '2026-03', 500);
    bought('socks', '2026-03', 90);
    bought('boots', '2026-02', 400);
    bought('socks', '2025-03', 100);
    bought('boots', '2026-04', 9_999);
    const fields = ['month', 'keyword', 'search_volume', 'change_to_month_before', 'change_to_year_before'];
    expect(lines('scope', ...fields).filter((line) => !line.startsWith('total_grouped'))).toEqual([
      'total 2026-03 - 590 100 -10',
      'keyword 2026-03 boots 500 100 -',
      'keyword 2026-03 socks 90 - -10',
      'total 2026-02 - 400 - -',
      'keyword 2026-02 boots 400 - -',
      'total 2025-03 - 100 - -',
      'keyword 2025-03 socks 100 - -',
    ]);
  });

  it('uses the latest purchase of a month', () => {
    bought('boots', '2026-03', 500);
    const metrics = { cpcMicroUsd: 990_000, competition: 7, competitionLevel: 'low', intent: null };
    const again = { ...metrics, month: '2026-03', searchVolume: 600, observedAt: 6, source: 'vendor/remote' };
    world.store.transaction(() =>
      world.store.volumes.insertNewer('boots', market, { ...again, relatedKeywords: null }, 1),
    );
    const [line, ...others] = table().filter((row) => row['keyword'] === 'boots');
    expect(others).toEqual([]);
    expect(line).toMatchObject({
      search_volume: '600',
      cpc: '0.99',
      competition: '7',
      source: 'vendor/remote',
      observed_at: '1970-01-01T00:00:00.006Z',
    });
  });

  it('has only a header if nothing was bought', () => expect(table()).toEqual([]));
});
