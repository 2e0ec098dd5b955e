// The files of all projects: every day's most complete check, long and wide.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import Papa from 'papaparse';
import { beforeEach, describe, expect, it } from 'vitest';
import { writeAgencyFiles } from '../../../jobs/report/files/agency-files.ts';
import type { Project } from '../../../src/tracker/project.ts';
import { keyword, project, resultsWith, service, World } from '../../helpers/jobs.ts';
import { type Provider, startProvider } from '../../helpers/provider.ts';

const dayMs = 86_400_000;
const start = Date.UTC(2026, 0, 15, 6);

let world: World;
let provider: Provider;
let rank: number;
beforeEach(async () => {
  provider = await startProvider({
    pageSize: () => 10,
    results: () => resultsWith('https://acme.example/a|b', rank),
  });
  const one = project({ keywords: [keyword('=shoes', { depth: 1, tags: ['brand'], priority: 'high' })] });
  const other = project({ id: 'other', keywords: [keyword('boots', { depth: 1, devices: ['desktop', 'mobile'] })] });
  world = new World({ reports: true, provider, projects: [one, other], concurrency: 1 });
});

async function runAt(at: number, value: number, projects = world.projects): Promise<void> {
  rank = value;
  world.clock.set(at);
  await world.runSlot(at, projects);
}

const write = (agencyDays = 30) => writeAgencyFiles(world.context, { ...world.settings().reports, agencyDays });
const text = (name: string) => world.report(name, 'agency');
const table = (name: string) => world.table(name, 'agency');

const noMetrics = {
  ...{ cpcMicroUsd: null, competition: null, competitionLevel: null, intent: null, relatedKeywords: null },
  ...{ source: service, observedAt: start },
};

describe('the files of all projects', () => {
  it('have one line and one column per day', async () => {
    await runAt(start, 3);
    await runAt(start + dayMs, 40, world.projects.slice(0, 1));
    provider.next({ status: 400 });
    await runAt(start + 2 * dayMs, 5);
    expect(write()?.files).toEqual(['all-projects-long.csv', 'all-projects-wide.csv', 'manifest.json']);
    const fields = ['project', 'keyword', 'device', 'date', 'status', 'rank'];
    expect(table('all-projects-long.csv').map((row) => fields.map((field) => row[field] || '-').join(' '))).toEqual([
      "acme '=shoes desktop 2026-01-15 ranked 3",
      "acme '=shoes desktop 2026-01-16 not_found -",
      "acme '=shoes desktop 2026-01-17 failed -",
      'other boots desktop 2026-01-15 ranked 3',
      'other boots desktop 2026-01-17 ranked 5',
      'other boots mobile 2026-01-15 ranked 3',
      'other boots mobile 2026-01-17 ranked 5',
    ]);
    expect(table('all-projects-wide.csv')).toMatchObject([
      { project: 'acme', '2026-01-15': '3', '2026-01-16': 'not_found', '2026-01-17': 'failed', tags: 'brand' },
      { project: 'other', device: 'desktop', '2026-01-15': '3', '2026-01-16': '', '2026-01-17': '5' },
      { project: 'other', device: 'mobile', '2026-01-15': '3', '2026-01-16': '', '2026-01-17': '5' },
    ]);
  });

  it('have the volume, the clicks and the change of each line, and competitors after own targets', async () => {
    const [acme] = world.projects;
    const rival = { match: 'domain', value: 'site1.example' } as const;
    (world.context.projects as Map<string, Project>).set('acme', { ...acme!, competitors: [rival] });
    await runAt(start, 3, world.projects.slice(0, 1));
    await runAt(start + dayMs, 30, world.projects.slice(0, 1));
    await runAt(start + 2 * dayMs, 1, world.projects.slice(0, 1));
    const metrics = { ...noMetrics, month: '2025-12', searchVolume: 1000 };
    world.store.transaction(() =>
      world.store.volumes.insert('=shoes', { service, country: 'US', language: 'en' }, metrics, null),
    );
    write();
    const fields = ['target', 'role', 'date', 'rank', 'change', 'search_volume', 'estimated_clicks'];
    expect(table('all-projects-long.csv').map((row) => fields.map((field) => row[field] || '-').join(' '))).toEqual([
      'acme.example own 2026-01-15 3 - 1000 110',
      'acme.example own 2026-01-16 - - 1000 0',
      'acme.example own 2026-01-17 1 - 1000 285',
      'site1.example competitor 2026-01-15 1 - 1000 285',
      'site1.example competitor 2026-01-16 1 0 1000 285',
      'site1.example competitor 2026-01-17 2 -1 1000 157',
    ]);
    expect(table('all-projects-wide.csv').map((row) => row['target'])).toEqual(['acme.example']);
  });

  it('use the most complete check of a day, and the newest of equally complete ones', async () => {
    await runAt(start, 3, world.projects.slice(0, 1));
    await runAt(start + 3_600_000, 4, world.projects.slice(0, 1));
    provider.next({ status: 400 });
    await runAt(start + 7_200_000, 5, world.projects.slice(0, 1));
    write();
    expect(table('all-projects-long.csv')).toMatchObject([{ rank: '4', run_id: '2' }]);
  });

  it('go back the configured number of days from the newest of any project', async () => {
    for (let day = 0; day < 5; day += 1) await runAt(start + day * dayMs, day + 1, world.projects.slice(0, 1));
    write(3);
    const [line] = table('all-projects-wide.csv');
    expect(Object.keys(line ?? {}).filter((name) => name.startsWith('2026'))).toEqual([
      '2026-01-17',
      '2026-01-18',
      '2026-01-19',
    ]);
  });

  it('roll: the newest folder stays, and a finished month becomes one compressed archive', async () => {
    const days = [Date.UTC(2026, 0, 30, 6), Date.UTC(2026, 0, 31, 6), Date.UTC(2026, 1, 1, 6), Date.UTC(2026, 1, 2, 6)];
    for (const [index, at] of days.entries()) {
      await runAt(at, index + 1, world.projects.slice(0, 1));
      write(2);
      if (index === 1) writeFileSync(join(world.reports, 'agency/2026-01-31/mine.txt'), 'notes');
    }
    expect(readdirSync(join(world.reports, 'agency')).sort()).toEqual([
      ...['2026-01', '2026-01-31', '2026-02-02', 'latest'],
    ]);
    expect(readdirSync(join(world.reports, 'agency/2026-01-31'))).toEqual(['mine.txt']);
    const archive = (name: string) => readFileSync(join(world.reports, 'agency/2026-01', name));
    const long = gunzipSync(archive('all-projects-long.csv.gz'))
      .toString('utf8')
      .replace(/^\uFEFF/, '');
    const rows = Papa.parse<Record<string, string>>(long, { header: true, skipEmptyLines: true }).data;
    expect(rows.map((row) => `${row['date']} ${row['rank']}`)).toEqual(['2026-01-30 1', '2026-01-31 2']);
    expect(JSON.parse(archive('manifest.json').toString())).toMatchObject({ from: '2026-01-30', to: '2026-01-31' });
    expect(table('all-projects-long.csv').map((row) => row['date'])).toEqual(['2026-02-01', '2026-02-02']);
  });

  it('are listed in the manifest and named after the newest date', async () => {
    await runAt(start, 3);
    const written = write();
    expect(written?.directory).toBe(join(world.reports, 'agency/2026-01-15'));
    const manifest = JSON.parse(text('manifest.json'));
    expect(manifest).toMatchObject({ from: '2026-01-15', to: '2026-01-15', projects: [{ rows: 1 }, { rows: 2 }] });
    for (const { name, rows, sha256 } of manifest.files) {
      const bytes = readFileSync(join(world.reports, 'agency/latest', name));
      expect(sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
      expect(rows).toBe(table(name).length);
    }
  });

  it('are written with a run if the config says so, and not if nothing was ever checked', async () => {
    expect(write()).toBeNull();
    rank = 1;
    world.clock.set(start);
    const reports = { ...world.settings().reports, agencyDays: 7 };
    const [run] = await world.run({ kind: 'slot', projects: world.projects, at: start }, { reports });
    expect(run?.reports.map((report) => report.project)).toEqual(['acme', 'other', 'agency']);
  });
});
