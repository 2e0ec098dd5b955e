// report.html and index.html as runs leave them: what is gathered for them out of the store, and where they lie.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'cheerio';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { writeReportIndex } from '../../jobs/report-index.ts';
import { unpackTrail } from '../../src/report/html/client/trail.js';
import type { PageData } from '../../src/report/html/page-data.ts';
import type { Project } from '../../src/tracker/project.ts';
import { keyword, project, removeTemporaryFolders, resultsWith, temporaryFolder, World } from '../helpers/jobs.ts';
import { type AskedSearch, type Provider, startProvider } from '../helpers/provider.ts';

const dayMs = 86_400_000;
const start = Date.UTC(2026, 0, 15, 6);

let open: { world: World; provider: Provider } | undefined;
afterEach(async () => {
  await open?.world.close();
  await open?.provider.close();
  open = undefined;
});
afterAll(removeTemporaryFolders);

async function begin(projects: Project[], results: (search: AskedSearch) => string[]): Promise<World> {
  const provider = await startProvider({ pageSize: () => 10, results });
  open = { provider, world: new World({ provider, projects }) };
  return open.world;
}

function runAt(world: World, at: number, html = true) {
  world.clock.set(at);
  const settings = { reports: { ...world.settings().reports, html } };
  return world.run({ kind: 'slot', projects: world.projects, at }, settings);
}

const page = (world: World, folder = 'latest', name = 'acme') =>
  load(readFileSync(join(world.reports, name, folder, 'report.html'), 'utf8'));
const dataOf = (world: World): PageData => JSON.parse(page(world)('#report-data').text());
const index = (world: World) => load(readFileSync(join(world.reports, 'index.html'), 'utf8'));

describe('report.html', { timeout: 60_000 }, () => {
  it('shows each keyword with its history: ranks, absences, and gaps where a check failed', async () => {
    let ranks: (number | null)[] = [];
    const world = await begin(
      [project({ keywords: [keyword('a', { depth: 1 }), keyword('b', { depth: 1 })] })],
      (search) => {
        const rank = ranks[search.keyword === 'a' ? 0 : 1] ?? null;
        return rank === null
          ? resultsWith('https://other.example/', 1)
          : resultsWith(`https://acme.example/${rank < 3 ? 'top' : 'page'}`, rank);
      },
    );
    const days: [number | null, number | null][] = [
      [5, null],
      [2, 9],
      [1, 8],
    ];
    for (const [day, ranksOfDay] of days.entries()) {
      ranks = ranksOfDay;
      await runAt(world, start + day * dayMs);
    }
    open?.provider.next({ status: 400 }, { status: 400 }, { status: 400 });
    ranks = [1, 1];
    await runAt(world, start + 3 * dayMs);
    const data = dataOf(world);
    expect(data.axis.dates).toEqual(['2026-01-15', '2026-01-16', '2026-01-17', '2026-01-18']);
    const trails = new Map(data.rows.keyword.map((name, at) => [name, unpackTrail(data.rows.trail[at] ?? '')]));
    expect([...trails.keys()].sort()).toEqual(['a', 'b']);
    const [a = [], b = []] = [trails.get('a'), trails.get('b')];
    expect(a.slice(0, 3)).toEqual([14, 11, 10]);
    expect(b.slice(0, 3)).toEqual([1, 18, 17]);
    // what failed on the last day is neither an absence nor a rank
    expect([a[3], b[3]]).toEqual([3, 3]);
    const rowOfA = data.rows.keyword.indexOf('a');
    expect(data.rows.urlSteps[rowOfA]).toEqual([
      0,
      data.urls.indexOf('https://acme.example/page'),
      1,
      data.urls.indexOf('https://acme.example/top'),
    ]);
    expect(page(world)('#problems').text()).toContain('INVALID_REQUEST');
    expect(page(world)('.cards').text()).toContain('of 2 rows checked');
  });

  it('is vouched for by the manifest, and not written where it is not wanted', async () => {
    const world = await begin([project()], () => resultsWith('https://acme.example/', 2));
    await runAt(world, start);
    const manifest = JSON.parse(readFileSync(join(world.reports, 'acme', 'latest', 'manifest.json'), 'utf8'));
    const file = manifest.files.find(({ name }: { name: string }) => name === 'report.html');
    expect(file).toMatchObject({
      rows: null,
      bytes: statSync(join(world.reports, 'acme', 'latest', 'report.html')).size,
    });
    await runAt(world, start + dayMs, false);
    expect(existsSync(join(world.reports, 'acme', 'latest', 'report.html'))).toBe(false);
  });

  it('marks what happened between its dates', async () => {
    const world = await begin([project()], () => resultsWith('https://acme.example/', 2));
    world.store.notes.add({ date: '2026-01-15', text: 'core update', project: null }, start);
    world.store.notes.add({ date: '2026-03-01', text: 'not yet', project: null }, start);
    world.store.notes.add({ date: '2026-01-15', text: 'of others', project: 'globex' }, start);
    await runAt(world, start);
    expect(dataOf(world).marks).toEqual([{ date: '2026-01-15', text: 'core update' }]);
    expect(page(world)('.marks').text()).toContain('core update');
  });

  it('has the share of voice of each target over time, and of none where the checks have no volume', async () => {
    let rank = 2;
    const competitors = [{ match: 'domain' as const, value: 'site1.example' }];
    const world = await begin([project({ competitors, keywords: [keyword('a', { depth: 1 })] })], () =>
      resultsWith('https://acme.example/', rank),
    );
    const shares = async (day: number) => {
      await runAt(world, start + day * dayMs);
      return dataOf(world).charts.shareOfVoice;
    };
    for (const day of [0, 1]) expect(await shares(day)).toEqual([]);
    expect((await shares(2)).map(({ values }) => values)).toEqual([
      [null, null, null],
      [null, null, null],
    ]);
    const { service, country, language } = { service: 'vendor', country: 'US', language: 'en' };
    world.db
      .sql(
        `INSERT INTO volumes (keyword_id, service, country, language, month, observed_at, source, search_volume)
         VALUES ((SELECT id FROM keywords WHERE text = 'a'), ?, ?, ?, '2026-01', 0, 'vendor/test', 1000)`,
      )
      .run(service, country, language);
    rank = 1;
    const [own, other] = await shares(3);
    // ten domains on the page: their ranks of the curve add up to 88 %
    const share = (rate: number) => Math.round((10_000 * rate) / 88) / 100;
    expect(own).toEqual({
      target: 'acme.example',
      isOwn: true,
      values: [...[15.7, 15.7, 15.7].map(share), share(28.5)],
    });
    expect(other?.values).toEqual([...[28.5, 28.5, 28.5].map(share), share(15.7)]);
  });

  it('compares targets and competitors on the same pages', async () => {
    const world = await begin([project({ competitors: [{ match: 'domain', value: 'site1.example' }] })], () =>
      resultsWith('https://acme.example/', 2),
    );
    await runAt(world, start);
    const line = page(world)('#competitors tbody tr').last();
    expect(line.find('th').text()).toBe('site1.example');
    expect(line.find('td').last().text()).toBe('1');
  });
});

describe('index.html', { timeout: 60_000 }, () => {
  it('leads to every report of every project, the newest first, by addresses beside it', async () => {
    const world = await begin([project(), project({ id: 'globex' })], () => resultsWith('https://acme.example/', 2));
    await runAt(world, start);
    await runAt(world, start + dayMs);
    const $ = index(world);
    const latest = $('#latest a')
      .toArray()
      .map((a) => $(a).attr('href'));
    expect(latest).toEqual(['acme/2026-01-16T0600/report.html', 'globex/2026-01-16T0600/report.html']);
    const all = $('#runs a')
      .toArray()
      .map((a) => $(a).attr('href') ?? '');
    expect(all).toHaveLength(4);
    expect(all.every((address) => existsSync(join(world.reports, address)))).toBe(true);
    expect($('script').length).toBe(0);
    expect(readdirSync(world.reports).sort()).toEqual(['acme', 'globex', 'index.html']);
  });

  it('passes over what is no report, and leads to tables where there is no page', async () => {
    const world = await begin([project()], () => resultsWith('https://acme.example/', 2));
    await runAt(world, start, false);
    expect(existsSync(join(world.reports, 'index.html'))).toBe(false);
    mkdirSync(join(world.reports, 'other', '2026-01-01T0600'), { recursive: true });
    writeFileSync(join(world.reports, 'other', '2026-01-01T0600', 'manifest.json'), '{"half');
    writeReportIndex(world.reports, start);
    const $ = index(world);
    expect(
      $('#runs a')
        .toArray()
        .map((a) => $(a).attr('href')),
    ).toEqual(['acme/2026-01-15T0600/summary.csv']);
  });

  it('that cannot be written is a fault of the disk, and leaves nothing half written', () => {
    const blocked = join(temporaryFolder(), 'file');
    writeFileSync(blocked, '');
    expect(() => writeReportIndex(join(blocked, 'reports'), start)).toThrow(/could not be written/);
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'index.html'));
    expect(() => writeReportIndex(folder, start)).toThrow(/could not be written/);
    expect(readdirSync(folder)).toEqual(['index.html']);
  });

  it('removes what a dead process left of another, and leaves alone what a living one may be writing', () => {
    const folder = temporaryFolder();
    for (const name of ['.writing-old.html', '.writing-new.html']) writeFileSync(join(folder, name), '');
    const longAgo = new Date(Date.now() - 2 * 3_600_000);
    utimesSync(join(folder, '.writing-old.html'), longAgo, longAgo);
    writeReportIndex(folder, start);
    expect(readdirSync(folder).sort()).toEqual(['.writing-new.html', 'index.html']);
  });
});
