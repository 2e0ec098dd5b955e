// A result that hides its URL, or its page: no reader calls a target absent that the result may be.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deriveRankings } from '../../../jobs/backfill/backfill-derive.ts';
import { exportHistory } from '../../../jobs/query/export-history.ts';
import { historyRows } from '../../../jobs/query/read-history.ts';
import { jsonLines } from '../../../src/report/formats/export.ts';
import { keyword, project, resultsWith, World } from '../../helpers/jobs.ts';
import { type Provider, startProvider } from '../../helpers/provider.ts';

const start = Date.UTC(2026, 0, 15, 6);
const domain = (value: string) => ({ match: 'domain', value }) as const;

it.each([
  ['https://www.engine.example/goto?url=CAESabc', 'incomplete', 0],
  ['https://other.example/', 'not_found', 1],
] as const)('with %s at rank 3 an absence is %s', async (url, status, derived) => {
  const provider = await startProvider({ pageSize: () => 10, results: () => resultsWith(url, 3) });
  const tracked = project({ targets: [domain('acme.example')], keywords: [keyword('a', { depth: 1 })] });
  const world = new World({ reports: true, provider, projects: [tracked] });
  try {
    world.clock.set(start);
    await world.runSlot(start);
    const report = readFileSync(join(world.reports, 'acme', 'latest', 'rank-changes.csv'), 'utf8');
    expect(report).toContain(`,acme.example,${status},`);
    expect(report.includes('a result with a hidden URL')).toBe(status === 'incomplete');
    expect(world.broken()).toEqual([]);
    const wider = { ...tracked, competitors: [domain('rival.example')] };
    const scope = { projects: [wider], targets: ['rival.example'], dryRun: false };
    const { added } = await deriveRankings(world.store, scope, new AbortController().signal, () => {});
    expect(added.notFound).toBe(derived);
  } finally {
    await world.close();
    await provider.close();
  }
});

describe('a result whose site is known but not its page', () => {
  const site = 'https://www.gett.example/';
  const url = (value: string) => ({ match: 'url', value }) as const;
  const tracked = project({
    targets: [domain('gett.example'), url('https://www.gett.example/'), url('https://site9.example/page/a')],
    keywords: [keyword('a', { depth: 1 })],
  });
  let provider: Provider;
  let world: World;
  let isHidden = true;

  beforeAll(async () => {
    provider = await startProvider({
      pageSize: () => 10,
      results: () => resultsWith(site, isHidden ? 3 : 4),
      states: (link) => (isHidden && link === site ? 'host_only' : undefined),
    });
    world = new World({ reports: true, provider, projects: [tracked] });
    world.clock.set(start);
    await world.runSlot(start);
  });
  afterAll(async () => {
    await world.close();
    await provider.close();
  });

  it('ranks a domain by its site, and proves neither rank nor absence of a page', () => {
    const rows = [...historyRows(world.context, [tracked], { keyword: 'a' })];
    expect(rows.map(({ status, rank, url: shown, destination }) => [status, rank, shown, destination])).toEqual([
      ['ranked', 3, 'www.gett.example', 'host_only'],
      ['incomplete', null, null, null],
      ['ranked', 10, 'https://site9.example/page/a', 'exact'],
    ]);
    expect(world.broken()).toEqual([]);
  });

  it('is shown as a site in the archive, the exports and the report', () => {
    const table = exportHistory(world.context, tracked, { what: 'serps' });
    const lines = [...table.encoded(jsonLines)].join('').trim().split('\n');
    const organic = lines.map((line) => JSON.parse(line)).filter(({ element }) => element === 'organic');
    expect(organic[2]).toMatchObject({ url: 'www.gett.example', destination: 'host_only' });
    expect(organic.filter(({ destination }) => destination === 'exact')).toHaveLength(9);
    const report = readFileSync(join(world.reports, 'acme', 'latest', 'rank-changes.csv'), 'utf8');
    expect(report).toContain('the engine hid the ranking URL; its site is known');
    expect(report).toContain(',host_only,');
    const competitors = readFileSync(join(world.reports, 'acme', 'latest', 'competitors.csv'), 'utf8');
    // the page of the same site is in no average: its one check proves nothing about it
    expect(competitors).toContain(',https://www.gett.example/,own,0,1,');
    const counts = readFileSync(join(world.reports, 'acme', 'latest', 'destinations.csv'), 'utf8');
    expect(counts).toContain('acme,2026-01-15,vendor/remote,10,9,1,0,1,');
    expect(competitors).toMatch(/,gett\.example,own,1,1,.*,3,1,,3,,1,/);
  });

  it('is derived as it was recorded', async () => {
    const wider = { ...tracked, competitors: [url('https://gett.example/x'), domain('site8.example')] };
    const scope = { projects: [wider], targets: ['https://gett.example/x', 'site8.example'], dryRun: false };
    const { added, unproven } = await deriveRankings(world.store, scope, new AbortController().signal, () => {});
    expect([added, unproven]).toEqual([{ ranked: 1, notFound: 0, notFollowed: 0, seen: 0 }, 1]);
  });

  it('is not reported as a change to a page that is known a day later', async () => {
    isHidden = false;
    world.clock.set(start + 86_400_000);
    await world.runSlot(start + 86_400_000);
    const report = readFileSync(join(world.reports, 'acme', 'latest', 'rank-changes.csv'), 'utf8');
    const [header = '', ...rows] = report.trim().split('\r\n');
    const line = rows.find((row) => row.includes(',gett.example,'))?.split(',') ?? [];
    const of = (name: string) => line[header.replace('\uFEFF', '').split(',').indexOf(name)];
    expect([of('url'), of('previous_url'), of('url_changed')]).toEqual([site, 'www.gett.example', '']);
  });
});
