// An unknown number is never 0: random worlds in which some keywords have a volume, in each table and on the page.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'cheerio';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { keyword, project } from '../../helpers/jobs.ts';
import { RankedWorld, type Scene } from '../../helpers/ranked-world.ts';
import { seeded } from '../../helpers/seeded.ts';
import { heldData } from '../../report/html/built-page.ts';

type Row = Readonly<Record<string, string>>;

const dayMs = 86_400_000;
const start = Date.UTC(2026, 0, 15, 6);
const names = ['shoes', 'boots', 'socks', 'laces', 'soles', 'heels'];
const tags = ['red', 'blue', 'green'];
const rival = { match: 'domain', value: 'rival.example' } as const;
/** Columns computed from search volumes. The count of known volumes is a count, and 0 where there are none. */
const ofVolumes = /click|share|visibility|volume|month_before|year_before/;
const isCount = /^volume_(count|month)$/;

/** Two days of a project with these known volumes; null: the project buys none. */
async function twoDays(
  seed: number,
  volumes: Readonly<Record<string, number>> | null,
  failing: readonly string[] = [],
) {
  const random = seeded(seed);
  const keywords = names.map((name, index) => keyword(name, { depth: 1, tags: [tags[index % tags.length] ?? ''] }));
  const asked = volumes === null ? {} : { volumes: { schedule: '0 6 * * *', limit: 1 } };
  const world = new RankedWorld([project({ keywords, competitors: [rival], ...asked })], { reports: true });
  world.volumes = { ...volumes };
  for (const day of [0, 1]) {
    for (const name of names) world.scenes[name] = failing.includes(name) ? { fails: true } : sceneOf(name, random);
    const settings = { reports: { ...world.world.settings().reports, html: true } };
    world.clock.set(start + day * dayMs);
    await world.world.run({ kind: 'slot', projects: world.world.projects, at: start + day * dayMs }, settings);
  }
  expect(world.world.broken()).toEqual([]);
  return world;
}

/** Our domain, the competitor's, and a domain of this keyword alone, each at any rank or absent. */
function sceneOf(name: string, random: () => number): Scene {
  const at: Record<number, string> = {};
  for (const url of ['https://acme.example/', 'https://rival.example/', `https://only-${name}.example/`]) {
    const rank = 1 + Math.floor(random() * 14);
    if (rank <= 10) at[rank] = url;
  }
  return { at, features: random() < 0.5 ? { paid: ['https://acme.example/'] } : {} };
}

const folderOf = (world: RankedWorld) => join(world.world.reports, 'acme', 'latest');
const tablesOf = (world: RankedWorld) => readdirSync(folderOf(world)).filter((name) => name.endsWith('.csv'));
const pageOf = (world: RankedWorld) =>
  load(readFileSync(join(folderOf(world), 'report.html'), 'utf8'), { scriptingEnabled: false });

function rowsOf(world: RankedWorld, name: string): Row[] {
  const text = readFileSync(join(folderOf(world), name), 'utf8').replace(/^\uFEFF/, '');
  return Papa.parse<Row>(text, { header: true, skipEmptyLines: true }).data;
}

/** Cells computed from volumes that are not empty: `table column value`. */
function filledCells(world: RankedWorld): string[] {
  return tablesOf(world).flatMap((name) =>
    rowsOf(world, name).flatMap((row) =>
      Object.entries(row)
        .filter(([column, cell]) => ofVolumes.test(column) && !isCount.test(column) && cell !== '')
        .map(([column, cell]) => `${name} ${column} ${cell}`),
    ),
  );
}

/** The first line of the headline numbers, by the title of the column. */
function headlineCells(page: ReturnType<typeof pageOf>): (title: string) => string {
  const texts = (selector: string) =>
    page(selector)
      .map((_, cell) => page(cell).text().trim())
      .get();
  const headline = 'noscript .scroll:first-of-type';
  const [titles, cells] = [texts(`${headline} thead th`), texts(`${headline} tbody tr:first-child > *`)];
  return (title) => cells[titles.indexOf(title)] ?? '';
}

describe('where no volume is known', () => {
  it.each([1, 2, 3])('no table has a number computed from volumes (%i)', async (seed) => {
    const asked = await twoDays(seed, {});
    expect(rowsOf(asked, 'volumes.csv').length).toBeGreaterThan(names.length);
    expect(filledCells(asked)).toEqual([]);
    await asked.world.close();
    expect(filledCells(await twoDays(seed, null))).toEqual([]);
  });

  it('the page says that there is none', async () => {
    const world = await twoDays(4, {});
    const page = pageOf(world);
    const shownOf = headlineCells(page);
    expect([shownOf('Visibility'), shownOf('Clicks a month')]).toEqual(['–', '–']);
    expect(shownOf('Top 10')).toMatch(/^[1-9]/);
    const data = heldData(page.html());
    const numbers = data.rows.flatMap((row) => [row.searchVolume, row.estimatedClicks, row.estimatedClicksChange]);
    const lines = [...data.charts.visibility, ...data.charts.shareOfVoice].flatMap(({ values, of }) => [values, of]);
    expect(numbers.length).toBeGreaterThan(0);
    expect(new Set([...numbers, ...lines.flat()])).toEqual(new Set([null]));
    const { sums, standings } = data.project;
    expect(sums.length).toBeGreaterThan(2);
    expect(standings.length).toBeGreaterThan(1);
    expect(new Set([...sums, ...standings].map(({ visibility }) => visibility))).toEqual(new Set([null]));
    expect(new Set(sums.map(({ estimatedClicks }) => estimatedClicks))).toEqual(new Set([null]));
  });
});

describe('where some volumes are known', () => {
  it.each([5, 6, 7])('a sum is empty exactly where it has no volume to add (%i)', async (seed) => {
    const random = seeded(seed);
    const known = Object.fromEntries(names.filter(() => random() < 0.4).map((name) => [name, 100]));
    const world = await twoDays(seed, known);
    const isKnown = (tag: string) => names.some((name, at) => name in known && tags[at % tags.length] === tag);
    for (const table of ['summary.csv', 'competitors.csv']) {
      for (const row of rowsOf(world, table)) {
        const expected = row['scope'] === 'tag' ? isKnown(row['tag'] ?? '') : Object.keys(known).length > 0;
        for (const column of ['visibility', 'estimated_clicks', 'estimated_clicks_change'])
          expect([table, row['scope'], row['tag'], column, row[column] !== '']).toEqual([
            ...[table, row['scope'], row['tag'], column],
            expected,
          ]);
      }
    }
    const untracked = rowsOf(world, 'discovered-competitors.csv').filter((row) => row['domain']?.startsWith('only-'));
    expect(untracked.length).toBeGreaterThan(2);
    for (const { domain = '', estimated_clicks: clicks, share_of_voice: share } of untracked) {
      const expected = domain.replace(/^only-|\.example$/g, '') in known;
      expect([domain, clicks !== '', share !== '']).toEqual([domain, expected, expected]);
    }
    for (const row of rowsOf(world, 'rank-changes.csv'))
      expect(row['estimated_clicks'] !== '').toBe((row['keyword'] ?? '') in known);
  });
});

describe('where nothing was checked', () => {
  it('no competitor has an average rank or a count of ranks', async () => {
    const world = await twoDays(8, null, names);
    const cells = rowsOf(world, 'competitors.csv').flatMap((row) =>
      ['top_3', 'top_10', 'wins', 'losses', 'average_rank_ranked', 'pages_average'].map((column) => row[column]),
    );
    expect(new Set(cells)).toEqual(new Set(['']));
    const page = pageOf(world);
    const shownOf = headlineCells(page);
    expect(['Visibility', 'Average rank', 'Top 3', 'Top 10'].map(shownOf)).toEqual(['–', '–', '–', '–']);
    expect(shownOf('Checked')).toMatch(/^0 of [1-9]/);
    const headline = JSON.parse(page('#report-headline').text());
    expect(headline).toMatchObject({ visibility: null, averageRank: null, top3: null, top10: null, checked: 0 });
  });
});
