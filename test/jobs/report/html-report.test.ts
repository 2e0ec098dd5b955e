// report.html and index.html of real runs: the data that they embed, and their location.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { load } from 'cheerio';
import { describe, expect, it } from 'vitest';
import { FeatureHistory } from '../../../jobs/report/html/page-rows.ts';
import { writeReportIndex } from '../../../jobs/report/html/report-index.ts';
import type { PageData } from '../../../src/report/html/data/page-data.ts';
import type { Project } from '../../../src/tracker/project.ts';
import type { ReportTableName } from '../../../src/tracker/report-tables.ts';
import { rankPoints } from '../../../src/workspace/embedded/page-rows.ts';
import { temporaryFolder } from '../../helpers/closing.ts';
import { keyword, project, resultsWith, World } from '../../helpers/jobs.ts';
import { type AskedSearch, startProvider } from '../../helpers/provider.ts';
import { RankedWorld, type Scene } from '../../helpers/ranked-world.ts';
import { heldData } from '../../report/html/built-page.ts';

const dayMs = 86_400_000;
const start = Date.UTC(2026, 0, 15, 6);

async function begin(projects: Project[], results: (search: AskedSearch) => string[]): Promise<World> {
  const provider = await startProvider({ pageSize: () => 10, results });
  return new World({ reports: true, provider, projects });
}

function runAt(world: World, at: number, html = true, tables?: ReadonlySet<ReportTableName>) {
  world.clock.set(at);
  const settings = { reports: { ...world.settings().reports, html, tables } };
  return world.run({ kind: 'slot', projects: world.projects, at }, settings);
}

/** Records this month's volume of a keyword. */
function giveVolume(world: World, text: string, volume: number): void {
  world.db
    .sql(
      `INSERT INTO volumes (keyword_id, service, country, language, month, observed_at, source, search_volume)
       VALUES ((SELECT id FROM keywords WHERE text = ?), 'vendor', 'US', 'en', '2026-01', 0, 'vendor/test', ?)`,
    )
    .run(text, volume);
}

const textOf = (world: World, folder = 'latest', name = 'acme') =>
  readFileSync(join(world.reports, name, folder, 'report.html'), 'utf8');
const page = (...of: Parameters<typeof textOf>) => load(textOf(...of), { scriptingEnabled: false });
const dataOf = (world: World): PageData => heldData(textOf(world));
const index = (world: World) => load(readFileSync(join(world.reports, 'index.html'), 'utf8'));

describe('report.html', () => {
  it('shows the history of each keyword: ranks, absences, and gaps where a check failed', async () => {
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
    world.provider.next({ status: 400 }, { status: 400 }, { status: 400 });
    ranks = [1, 1];
    await runAt(world, start + 3 * dayMs);
    const data = dataOf(world);
    expect(data.axis.dates).toEqual(['2026-01-15', '2026-01-16', '2026-01-17', '2026-01-18']);
    const trails = new Map(data.rows.map(({ keyword }, at) => [keyword, data.histories[at]?.codes]));
    expect([...trails.keys()].sort()).toEqual(['a', 'b']);
    const [a = [], b = []] = [trails.get('a'), trails.get('b')];
    expect(a.slice(0, 3)).toEqual([14, 11, 10]);
    expect(b.slice(0, 3)).toEqual([1, 18, 17]);
    // a failed check of the last day is neither an absence nor a rank
    expect([a[3], b[3]]).toEqual([3, 3]);
    const rowOfA = data.rows.findIndex(({ keyword }) => keyword === 'a');
    expect(data.histories[rowOfA]?.urls).toEqual([
      [0, 'https://acme.example/page'],
      [1, 'https://acme.example/top'],
    ]);
    expect(page(world)('#report-facts').text()).toContain('INVALID_REQUEST');
    expect(page(world)('noscript table').first().find('tbody td').last().text()).toMatch(/^\d of 2$/);
  });

  it('distinguishes an incomplete check from a missing one, with or without the target on its pages', async () => {
    const sites = [
      { match: 'domain', value: 'acme.example' } as const,
      { match: 'domain', value: 'globex.example' } as const,
    ];
    const world = await begin(
      [project({ targets: sites, keywords: [keyword('a', { depth: 2 })], paging: 'full' })],
      () => resultsWith('https://acme.example/top', 1),
    );
    world.provider.next('ok', { status: 400 });
    await runAt(world, start);
    expect(world.checks()).toEqual(['a incomplete 1']);
    const data = dataOf(world);
    expect(data.rows.map(({ status }) => status).sort()).toEqual(['incomplete', 'ranked']);
    expect(data.histories.map(({ codes }) => codes)).toEqual([[2], [2]]);
  });

  it('is listed in the manifest, and is not written where the config disables it', async () => {
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

  it('marks notes between its dates', async () => {
    const world = await begin([project()], () => resultsWith('https://acme.example/', 2));
    world.store.notes.add({ date: '2026-01-15', text: 'core update', project: null }, start);
    world.store.notes.add({ date: '2026-03-01', text: 'not yet', project: null }, start);
    world.store.notes.add({ date: '2026-01-15', text: 'of others', project: 'globex' }, start);
    await runAt(world, start);
    expect(dataOf(world).marks).toEqual([{ date: '2026-01-15', text: 'core update' }]);
  });

  it('has the share of voice of each target over time, and none where the checks have no volume', async () => {
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
    giveVolume(world, 'a', 1000);
    rank = 1;
    const [own, other] = await shares(3);
    // ten domains on the page: their shares of the CTR curve add up to 88 %
    const share = (rate: number) => Math.round((1_000_000 * rate) / 88) / 10_000;
    expect(own).toEqual({
      target: 'acme.example',
      isOwn: true,
      values: [...[15.7, 15.7, 15.7].map(share), share(28.5)],
      of: [1, 1, 1, 1],
    });
    expect(other?.values).toEqual([...[28.5, 28.5, 28.5].map(share), share(15.7)]);
  });

  it('has the SERP features of each search over time, and none for imported checks', async () => {
    const own = 'https://acme.example/';
    const acme = project({ keywords: [keyword('a', { depth: 1 })] });
    const ranked = new RankedWorld([acme], { reports: true });
    const { world } = ranked;
    const settings = { reports: { ...world.settings().reports, html: true } };
    const shows: (Scene['features'] | 'fails')[] = [
      { video: ['https://x.example/'], images: [own] },
      { images: [own], video: ['https://x.example/'] },
      'fails',
      {},
      { images: ['https://x.example/'] },
    ];
    for (const [day, features] of shows.entries()) {
      ranked.scenes['a'] = features === 'fails' ? { fails: true } : { at: { 2: own }, features: features ?? {} };
      const at = start + day * dayMs;
      ranked.clock.set(at);
      await world.run({ kind: 'slot', projects: world.projects, at }, settings);
    }
    const data = dataOf(world);
    expect(data.histories[0]?.shown).toEqual([
      [0, ['images', 'video']],
      [3, []],
      [4, ['images']],
    ]);
    expect(data.histories[0]?.owned).toEqual([
      [0, ['images']],
      [3, []],
    ]);
    const points = rankPoints(data, '0').map(({ featuresKnown, serpFeatures, ownedFeatures }) =>
      featuresKnown === true ? [serpFeatures, ownedFeatures] : null,
    );
    expect(points).toEqual([
      [['images', 'video'], ['images']],
      [['images', 'video'], ['images']],
      null,
      [[], []],
      [['images'], []],
    ]);
    world.db.sql("UPDATE checks SET source = 'import/serpbear' WHERE run_id = 2").run();
    const again = () =>
      new FeatureHistory(
        { context: world.context, project: acme },
        world.store.reportSeries.dates('acme', start + 9 * dayMs, 90),
        new Set([1]),
      ).of(1);
    const steps = [
      [0, ['images', 'video']],
      [1, null],
      [3, []],
      [4, ['images']],
    ];
    world.db.sql('DELETE FROM check_columns').run();
    expect(again()).toEqual(steps);
    world.store.transaction(() => world.store.checkColumns.write(1));
    expect(world.store.checkColumns.read(2, 'acme')).not.toBeNull();
    expect(again()).toEqual(steps);
  });

  it('has the visibility of competitors over time next to ours, with gaps where it is unknown', async () => {
    const [rival, late] = ['globex.example', 'initech.example'].map((value) => ({ match: 'domain' as const, value }));
    if (rival === undefined || late === undefined) throw new Error('there are two');
    const keywords = [keyword('a', { depth: 1 }), keyword('b', { depth: 1 })];
    let shown: readonly string[] = [];
    const results = (search: AskedSearch) =>
      search.keyword === 'a' ? [...shown] : resultsWith('https://acme.example/', 1);
    const world = await begin([project({ competitors: [rival], keywords })], results);
    const urls = (...sites: string[]) => [
      ...sites.map((site) => `https://${site}/`),
      ...resultsWith('https://x.example/', 9),
    ];
    const days = [
      urls('acme.example', 'globex.example'),
      urls('globex.example', 'acme.example', 'initech.example'),
      urls('x.example'),
    ];
    for (const [day, results] of days.entries()) {
      shown = results;
      await runAt(world, start + day * dayMs);
    }
    giveVolume(world, 'a', 1000);
    giveVolume(world, 'b', 3000);
    const failed = { status: 400 };
    world.provider.next(failed, failed);
    await runAt(world, start + 3 * dayMs);
    // one more competitor: nothing is known about it before
    const withBoth = project({ competitors: [rival, late], keywords });
    Object.assign(world.context, { projects: new Map([['acme', withBoth]]) });
    shown = days[1] ?? [];
    await runAt(world, start + 4 * dayMs);

    const percent = (clicks: number) => Math.round((1_000_000 * clicks) / (28.5 * 4000)) / 10_000;
    const { visibility, total } = dataOf(world).charts;
    expect(total).toBe(2);
    expect(visibility).toEqual([
      {
        target: 'acme.example',
        isOwn: true,
        values: [100, percent(15.7 * 1000 + 28.5 * 3000), 75, null, percent(15.7 * 1000 + 28.5 * 3000)],
        of: [2, 2, 2, null, 2],
      },
      {
        target: 'globex.example',
        isOwn: false,
        values: [percent(15.7 * 1000), 25, 0, null, 25],
        of: [2, 2, 2, null, 2],
      },
      {
        target: 'initech.example',
        isOwn: false,
        values: [null, null, null, null, percent(11 * 1000)],
        of: [null, null, null, null, 2],
      },
    ]);
  });

  it('counts all rows, also those read last', async () => {
    const keywords = ['a', 'b', 'c'].map((text) => keyword(text, { depth: 1 }));
    const world = await begin([project({ keywords })], () => resultsWith('https://acme.example/', 2));
    await runAt(world, start);
    expect(JSON.parse(page(world)('#report-facts').text())).toMatchObject({ rowsTotal: 3 });
  });

  it('compares targets and competitors on the same pages', async () => {
    const world = await begin([project({ competitors: [{ match: 'domain', value: 'site1.example' }] })], () =>
      resultsWith('https://acme.example/', 2),
    );
    await runAt(world, start);
    const { project: shown } = dataOf(world);
    expect(shown.standings.map(({ target, wins, losses }) => [target, wins, losses]).at(-1)).toEqual([
      ...['site1.example', 0, 1],
    ]);
  });
});

describe('index.html', () => {
  it('links to every report of every project, the newest first, by relative URLs', async () => {
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

  it('skips folders that are not reports, and links to sums or the manifest where there is no page', async () => {
    const world = await begin([project()], () => resultsWith('https://acme.example/', 2));
    await runAt(world, start, false);
    await runAt(world, start + dayMs, false, new Set(['movers']));
    expect(existsSync(join(world.reports, 'index.html'))).toBe(false);
    mkdirSync(join(world.reports, 'other', '2026-01-01T0600'), { recursive: true });
    writeFileSync(join(world.reports, 'other', '2026-01-01T0600', 'manifest.json'), '{"half');
    writeReportIndex(world.reports, start);
    const $ = index(world);
    expect(
      $('#runs a')
        .toArray()
        .map((a) => $(a).attr('href')),
    ).toEqual(['acme/2026-01-16T0600/manifest.json', 'acme/2026-01-15T0600/summary.csv']);
  });

  it('that cannot be written is reported as a disk failure, and leaves no partial file', () => {
    const blocked = join(temporaryFolder(), 'file');
    writeFileSync(blocked, '');
    expect(() => writeReportIndex(join(blocked, 'reports'), start)).toThrow(/could not be written/);
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'index.html'));
    expect(() => writeReportIndex(folder, start)).toThrow(/could not be written/);
    expect(readdirSync(folder)).toEqual(['index.html']);
  });

  it('deletes the temporary file of a dead process, and keeps that of a living one', () => {
    const folder = temporaryFolder();
    const [dead, living] = [2 ** 22 + 1, process.pid].map(
      (pid) => `index.html.${hostname()}~${pid}~01234567-89ab-cdef-0123-456789abcdef.tmp`,
    );
    for (const name of [dead, living]) writeFileSync(join(folder, `${name}`), '');
    writeReportIndex(folder, start);
    expect(readdirSync(folder).sort()).toEqual(['index.html', living]);
  });
});
