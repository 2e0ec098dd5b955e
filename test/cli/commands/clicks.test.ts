// `clicks` over stored days, and reports with a measured curve.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeEach, expect, test } from 'vitest';
import { clickRow, putClicks, type StoredDay } from '../../helpers/click-days.ts';
import { type ProjectFolder, projectFolder } from '../project-folder.ts';
import { commandAt } from '../real-app.ts';

const now = Date.parse('2027-01-12T06:00:00Z');
let folder: ProjectFolder;

beforeEach(() => {
  folder = projectFolder(`timezone: Europe/Berlin
budget:
  serpCredits: { perRun: 20, perMonth: 100 }
reports: { ctrCurve: measured }
projects:
  - id: acme
    targets: [acme.com]
    schedule: "0 6 * * *"
    market: { country: US, language: en }
    keywords: [running shoes]
`);
});

const command = (...argv: string[]) => commandAt(folder, now, ...argv);

/** 4 % at position 1, and many more clicks with the brand. */
const counted: StoredDay = {
  date: '2027-01-10',
  rows: [
    clickRow('running shoes', 800, 20_000, { averagePosition: 1 }),
    clickRow('acme shoes', 9_000, 20_000, { averagePosition: 1 }),
  ],
};

test('the curve is fitted without the brand, printed with its name and interval, and has parts', async () => {
  putClicks(folder.path, [counted, { date: '2027-01-11', isFinal: false, rows: [clickRow('shoes', 999, 999)] }]);
  const { out } = await command('clicks', 'curve');
  expect(out).toMatch(/^acme: measured-2027-01-10-[0-9a-f]{6}$/m);
  // ranks 1 to 5 are pooled: (800 + 1000 x (0.285 + 0.157 + 0.11 + 0.08 + 0.072)) / 25000
  expect(out).toMatch(/^ +1 +20,000 +800 +6\.02 % +5\.73 % to 6\.32 % +28\.50 %$/m);
  const { projects } = JSON.parse((await command('clicks', 'curve', '--json')).out);
  expect(projects[0].parts[3]).toMatchObject({ brand: true, device: null, impressions: 20_000 });
  expect(projects[0].parts[3].ranks[0].rate).toBeCloseTo((9_000 + 285) / 21_000, 10);
});

test('more own pages on a results page are no demand, and lower no rate of the curve', async () => {
  const rows = ['shoes', 'men', 'women', 'sale', ''].map((path, at) =>
    clickRow('running shoes', at === 0 ? 800 : 0, 20_000, {
      page: `https://acme.com/${path}`,
      averagePosition: at + 1,
    }),
  );
  putClicks(folder.path, [
    { date: '2027-01-09', rows: rows.slice(0, 1) },
    { date: '2027-01-10', rows },
  ]);
  const curve = JSON.parse((await command('clicks', 'curve', '--json')).out).projects[0];
  expect(curve.parts[0]).toMatchObject({
    impressions: 40_000,
    ranks: [{ rank: 1, impressions: 40_000, clicks: 1_600 }, ...Array(49).fill({ impressions: 0 })],
  });
  const changes = JSON.parse((await command('clicks', 'changes', '--days', '1', '--json')).out).projects[0];
  expect(changes.total).toMatchObject({ change: 0, demand: 0, rank: 0, rate: 0 });
});

test('days with a known fault are in no curve, and changes that include them say so', async () => {
  const sound = { ...counted, date: '2026-04-28' };
  const inflated = { ...counted, date: '2026-04-27', rows: [clickRow('running shoes', 0, 900_000)] };
  putClicks(folder.path, [inflated, sound]);
  const at = (...argv: string[]) => commandAt(folder, Date.parse('2026-05-01T06:00:00Z'), ...argv);
  const [curve] = JSON.parse((await at('clicks', 'curve', '--json')).out).projects;
  expect([curve.parts[0].impressions, curve.faults]).toEqual([20_000, [expect.objectContaining({ to: '2026-04-27' })]]);
  const fault = '2025-05-13 to 2026-04-27: Search Console reported too many impressions';
  expect((await at('clicks', 'curve')).out).toContain(`${fault}; left out (https://support.google.com/`);
  const changes = await at('clicks', 'changes', '--days', '1');
  expect(changes.out).toContain(`${fault}; demand, rank and rate are not comparable (`);
});

test('too few impressions leave the built-in curve, by its name', async () => {
  expect((await command('clicks', 'curve')).out).toContain('No final day of clicks is stored');
  putClicks(folder.path, [{ date: '2027-01-10', rows: [clickRow('running shoes', 4, 100)] }]);
  const { out } = await command('clicks', 'curve');
  expect(out).toContain('acme: sistrix-2020');
  expect(out).toContain('100 impressions: too few for a curve');
});

test('the curve of a project of another engine is fitted to the export of that engine alone', async () => {
  putClicks(folder.path, [counted]);
  const market = 'market: { country: US, language: en';
  folder.write(
    'rankledger.yaml',
    readFileSync(join(folder.path, 'rankledger.yaml'), 'utf8').replace(market, `${market}, engine: bing`),
  );
  expect((await command('clicks', 'curve', '-p', 'acme')).out).toContain('No final day of clicks is stored');
  folder.write(
    'bing.csv',
    '"Keyword","Impressions","Clicks","CTR","Avg. Position"\n"running shoes","30,000","1,500","5.0%","1.0"\n',
  );
  const imported = await command(
    'backfill',
    'clicks',
    '--file',
    'bing.csv',
    '--from',
    '2026-10-01',
    '--to',
    '2026-12-31',
  );
  expect(imported).toMatchObject({ exitCode: 0, err: '' });
  const [curve] = JSON.parse((await command('clicks', 'curve', '--json')).out).projects;
  expect(curve).toMatchObject({ property: 'export', to: '2026-12-31', faults: [] });
  // ranks 1 to 5 are pooled
  expect(curve.parts[0]).toMatchObject({ impressions: 30_000 });
  expect(curve.parts[0].ranks[0].rate).toBeCloseTo((1_500 + 285 + 157 + 110 + 80 + 72) / 35_000, 10);
  // the clicks that Google's engine brought before say nothing about this one
  for (const name of ['changes', 'suggest'])
    expect((await command('clicks', name, '-p', 'acme')).err).toMatch(/^Error: no .*clicks of acme (is|are) stored/);
  const bing = readFileSync(join(folder.path, 'rankledger.yaml'), 'utf8');
  folder.write('rankledger.yaml', bing.replace('engine: bing', 'engine: yandex'));
  expect((await command('clicks', 'curve', '-p', 'acme')).out).toContain('acme: sistrix-2020');
});

test('reports use the curve and print its name', async () => {
  await command('status');
  putClicks(folder.path, [counted]);
  const { exitCode, err } = await command('run', '--all', '--slot', '2027-01-12T05:00:00Z');
  expect(err).toBe('');
  expect(exitCode).toBe(0);
  const manifest = JSON.parse(readFileSync(join(folder.path, 'reports/acme/latest/manifest.json'), 'utf8'));
  expect(JSON.stringify(manifest)).toMatch(/"measured-2027-01-10-[0-9a-f]{6}"/);
});

test('changes compare final days of two periods, and add up with hidden queries', async () => {
  const hidden = { clicks: 5, impressions: 50 };
  putClicks(folder.path, [
    { date: '2027-01-03', rows: [clickRow('running shoes', 10, 100, { averagePosition: 2 })], hidden },
    { date: '2027-01-10', rows: [clickRow('running shoes', 40, 400, { averagePosition: 2 }), clickRow('boots', 2, 9)] },
    { date: '2027-01-11', isFinal: false, rows: [clickRow('running shoes', 999, 999)] },
  ]);
  const { projects } = JSON.parse((await command('clicks', 'changes', '--days', '7', '--json')).out);
  const [{ total, hiddenChange, period, previous, rows }] = projects;
  expect(period).toEqual({ from: '2027-01-04', to: '2027-01-10', stored: 1 });
  expect(previous).toEqual({ from: '2026-12-28', to: '2027-01-03', stored: 1 });
  expect(total).toEqual({ clicks: 42, previousClicks: 10, change: 32, demand: 32, newOrLost: 2, rank: 0, rate: 0 });
  expect(total.change + hiddenChange).toBe(42 - 15);
  expect(rows.map(({ name, change }: { name: string; change: number }) => [name, change])).toEqual([
    ['running shoes', 30],
    ['boots', 2],
  ]);
  const byPage = (await command('clicks', 'changes', '--days', '7', '--by', 'page')).out;
  expect(byPage).toMatch(/^ +https:\/\/acme\.com\/shoes +42 +\+32 +\+32 +0 +0$/m);
});

test('changes without clicks say how to fetch them', async () => {
  const { exitCode, err } = await command('clicks', 'changes');
  expect(exitCode).toBe(2);
  expect(err).toContain('rankledger backfill clicks');
});

test('queries are suggested with their cost, and keywords without impressions are listed', async () => {
  putClicks(folder.path, [
    {
      date: '2027-01-10',
      rows: [
        clickRow('trail boots', 3, 400),
        clickRow('trail boots', 1, 100, { device: 'mobile' }),
        clickRow('acme boots', 9, 50),
        clickRow('rare boots', 0, 9),
        clickRow('german boots', 5, 900, { country: 'deu' }),
        clickRow('boots elsewhere', 5, 900, { page: 'https://globex.com/' }),
      ],
    },
  ]);
  const [acme] = JSON.parse((await command('clicks', 'suggest', '--json')).out).projects;
  const market = { country: 'US', language: 'en', devices: ['desktop'] };
  // 31 runs of three pages
  const cost = { creditsPerMonth: 93 };
  expect(acme.untracked).toEqual([
    { query: 'trail boots', ...market, brand: false, clicks: 3, impressions: 400, averagePosition: 4, ...cost },
    { query: 'acme boots', ...market, brand: true, clicks: 9, impressions: 50, averagePosition: 4, ...cost },
  ]);
  expect(acme.withoutImpressions).toEqual([{ keyword: 'running shoes', ...market, tags: [], ...cost }]);
  const { out } = await command('clicks', 'suggest', '--min-impressions', '100');
  expect(out).toContain('1 query with impressions from 2026-12-14 to 2027-01-10 that is not tracked');
  expect(out).toMatch(/^ +running shoes +US en desktop +93$/m);
});

test('suggestions from an export with days of a known fault say so', async () => {
  folder.write('queries.csv', 'Top queries,Clicks,Impressions,CTR,Position\ntrail boots,3,400,0.75%,4.0\n');
  const importOf = (from: string, to: string) =>
    command('backfill', 'clicks', '--file', 'queries.csv', '--from', from, '--to', to);
  expect((await importOf('2026-04-28', '2026-05-31')).exitCode).toBe(0);
  expect((await command('clicks', 'suggest')).out).not.toContain('too many impressions');
  expect((await importOf('2026-04-27', '2026-06-01')).exitCode).toBe(0);
  expect((await command('clicks', 'suggest')).out).toContain('Search Console reported too many impressions');
  const [acme] = JSON.parse((await command('clicks', 'suggest', '--json')).out).projects;
  expect(acme.faults).toMatchObject([{ to: '2026-04-27', metric: 'impressions' }]);
});

test('a keyword of a place is in no list of keywords without impressions: those are of whole countries', async () => {
  const file = 'rankledger.yaml';
  const config = readFileSync(join(folder.path, file), 'utf8');
  const inAustin = 'running shoes, { keyword: dentist, location: "Austin, Texas" }';
  folder.write(file, config.replace('running shoes', inAustin));
  putClicks(folder.path, [{ date: '2027-01-10', rows: [clickRow('dentist', 3, 400)] }]);
  const [acme] = JSON.parse((await command('clicks', 'suggest', '--json')).out).projects;
  expect(acme).toMatchObject({ from: '2026-12-14', to: '2027-01-10', untracked: [{ query: 'dentist' }] });
  expect(acme.withoutImpressions.map(({ keyword }: { keyword: string }) => keyword)).toEqual(['running shoes']);
});

test.each([
  ['a count of clicks', 'UPDATE click_rows SET clicks = clicks + 1'],
  ['a position', 'UPDATE click_rows SET average_position = 1.5'],
  ['a row that is gone', 'DELETE FROM click_rows'],
  ['a count of a query', 'UPDATE click_queries SET clicks = clicks + 1'],
  ['a total', 'UPDATE click_days SET impressions = impressions - 1'],
])('verify finds damage in stored clicks: %s', async (_, damage) => {
  putClicks(folder.path, [{ date: '2027-01-10', rows: [clickRow('running shoes', 4, 100)] }]);
  expect((await command('verify')).exitCode).toBe(0);
  const sqlite = new Database(join(folder.path, 'data/rankledger.sqlite'));
  sqlite.exec(damage);
  sqlite.close();
  const { exitCode, out } = await command('verify');
  expect(exitCode).not.toBe(0);
  expect(out).toMatch(/click_(rows|days|queries)/);
});

test('curves by SERP feature are fitted where days have a check near, and printed where they move clicks', async () => {
  const words = Array.from({ length: 300 }, (_, at) => `shoe ${at}`);
  folder.write(
    'rankledger.yaml',
    `timezone: UTC
budget: { serpCredits: { perRun: 1000 } }
projects:
  - { id: acme, targets: [acme.com], schedule: "0 6 * * *", depth: 1, keywords: [${words.join(', ')}] }
`,
  );
  expect((await command('run', '--all', '--slot', '2027-01-12T05:00:00Z')).exitCode).toBe(0);
  const database = new Database(join(folder.path, 'data/rankledger.sqlite'), { readonly: true });
  const shown = database
    .prepare(
      `SELECT k.text FROM checks c JOIN searches s ON s.id = c.search_id JOIN keywords k ON k.id = s.keyword_id
       WHERE c.features LIKE '%ai_overview%'`,
    )
    .pluck()
    .all() as string[];
  database.close();
  const hasOverview = new Set(shown);
  expect(hasOverview.size).toBeGreaterThan(40);
  // with an overview half of the clicks; a day three weeks before has no check near
  const clicksOf = (word: string, impressions: number) => Math.round(impressions * (hasOverview.has(word) ? 0.1 : 0.2));
  const day = (impressions: number) =>
    words.map((word, at) =>
      clickRow(word, clicksOf(word, impressions), impressions, { averagePosition: 1 + (at % 7) / 10 }),
    );
  putClicks(folder.path, [
    { date: '2026-12-20', rows: day(9_000) },
    { date: '2027-01-10', rows: day(500) },
  ]);
  const { projects } = JSON.parse((await command('clicks', 'curve', '--json')).out);
  const overview = projects[0].features.find(({ feature }: { feature: string }) => feature === 'ai_overview');
  expect(overview).toMatchObject({
    name: expect.stringMatching(/^measured-ai_overview-2027-01-10-[0-9a-f]{6}$/),
    present: { queries: hasOverview.size, impressions: 500 * hasOverview.size, clicks: 50 * hasOverview.size },
  });
  expect(overview.ratio.value).toBeCloseTo(0.5, 5);
  expect(overview.ranks[0].rate).toBeLessThan(projects[0].parts[0].ranks[0].rate);
  const { out } = await command('clicks', 'curve');
  expect(out).toMatch(/^ +ai_overview +\d+ +[\d,]+ +[\d,]+ +50 % \(\d+ % to \d+ %\)$/m);
  expect(out).toContain(overview.name);
});
