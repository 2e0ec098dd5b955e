// `backfill clicks --file`: exports of Search Console, for projects without access to its API.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { beforeEach, expect, test } from 'vitest';
import { workbook } from '../../helpers/workbook.ts';
import { type ProjectFolder, projectFolder } from '../project-folder.ts';
import { commandAt } from '../real-app.ts';

const now = Date.parse('2027-01-12T06:00:00Z');
const queries = `Top queries,Clicks,Impressions,CTR,Position
running shoes,800,20000,4%,1
trail boots,7,500,1.4%,6.5
acme,90,100,90%,1
broken row,67seasea,3,1%,2
`;
const dates = `Date,Clicks,Impressions,CTR,Position
2027-01-03,500,10000,5%,1.2
2027-01-09,397,10600,4%,1.3
`;
let folder: ProjectFolder;

beforeEach(() => {
  folder = projectFolder();
});

const command = (...argv: string[]) => commandAt(folder, now, ...argv);

test('an archive has its period in its table of dates, and each line that cannot be read is named', async () => {
  const files = { 'Queries.csv': queries, 'Dates.csv': dates, 'Filters.csv': 'Filter,Value\nSearch type,Web\n' };
  const archive = zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])));
  writeFileSync(join(folder.path, 'export.zip'), archive);
  const { exitCode, out } = await command('backfill', 'clicks', '--file', 'export.zip', '--json');
  expect(exitCode).toBe(3);
  const period = { from: '2027-01-03', to: '2027-01-09' };
  expect(JSON.parse(out)).toEqual({
    project: 'acme',
    ...period,
    queries: 3,
    clicks: 897,
    impressions: 20_600,
    rejected: [5],
  });
});

test('the curve and suggestions use the newest export, and ranks and days never do', async () => {
  folder.write('Queries.csv', queries);
  await command('backfill', 'clicks', '--file', 'Queries.csv', '--from', '2027-01-03', '--to', '2027-01-09');
  const { out } = await command('clicks', 'curve');
  expect(out).toMatch(/^acme: measured-2027-01-09-/m);
  expect(out).toContain('2027-01-03 to 2027-01-09, export');
  const [acme] = JSON.parse((await command('clicks', 'suggest', '--json')).out).projects;
  expect(acme.untracked.map(({ query, devices }: { query: string; devices: string[] }) => [query, devices])).toEqual([
    ['trail boots', ['desktop', 'mobile']],
    ['acme', ['desktop', 'mobile']],
  ]);
  expect(acme).toMatchObject({ from: '2027-01-03', to: '2027-01-09' });
  expect(acme.withoutImpressions.map(({ keyword }: { keyword: string }) => keyword)).toEqual(['trail shoes']);
  expect((await command('clicks', 'changes')).exitCode).toBe(2);
});

test.each([
  ['Country', 'Device', 'Search Appearance'],
  ['Land', 'Gerät', 'Darstellung in der Suche'],
  ['Pays', 'Appareil', 'Apparence dans les résultats'],
])('tables by %s, %s and %s are no queries, wherever they are in the archive', async (country, device, look) => {
  const table = (column: string, name: string) => `${column},Clicks,Impressions,CTR,Position\n${name},1,9,11%,2\n`;
  const files = { a: table(country, 'Canada'), b: dates, c: table(device, 'Mobile'), d: table(look, 'x'), e: queries };
  const archive = Object.entries(files).map(([name, text]) => [`${name}.csv`, strToU8(text)] as const);
  writeFileSync(join(folder.path, 'export.zip'), zipSync(Object.fromEntries(archive)));
  const { out } = await command('backfill', 'clicks', '--file', 'export.zip', '--json');
  expect(JSON.parse(out)).toMatchObject({ queries: 3, clicks: 897 });
  folder.write('other.csv', files.a);
  const { err } = await command('backfill', 'clicks', '--file', 'other.csv', '--from', '2027-01-03');
  expect(err).toContain('no file has clicks by query');
});

test('an export of days with a known fault is in no curve', async () => {
  folder.write('Queries.csv', queries);
  const period = ['--from', '2026-04-20', '--to', '2026-05-20'];
  await command('backfill', 'clicks', '--file', 'Queries.csv', ...period);
  expect((await command('clicks', 'curve')).out).toMatch(/^acme: sistrix-2020$/m);
});

test('the sums that are printed are those that are stored: a query that comes twice counts once', async () => {
  folder.write('Queries.csv', `${queries}running shoes,5,60,8%,1\n`);
  const period = ['--from', '2027-01-03', '--to', '2027-01-09'];
  const { out } = await command('backfill', 'clicks', '--file', 'Queries.csv', ...period, '--json');
  expect(JSON.parse(out)).toMatchObject({ queries: 3, clicks: 897, impressions: 20_600 });
});

test('what cannot be read replaces nothing, and neither does the second of two exports', async () => {
  const period = ['--from', '2027-01-03', '--to', '2027-01-09'];
  folder.write('Queries.csv', queries);
  folder.write('de.csv', 'Häufigste Suchanfragen;Klicks;Impressionen;CTR;Position\nlaufschuhe;1.234;12.345;10 %;3\n');
  await command('backfill', 'clicks', '--file', 'Queries.csv', ...period);
  const unread = await command('backfill', 'clicks', '--file', 'de.csv', ...period);
  expect(unread.exitCode).toBe(2);
  expect(unread.err).toContain('no line of clicks by query can be read, of 1');
  const two = await command('backfill', 'clicks', '--file', 'Queries.csv', '--file', 'Queries.csv', ...period);
  expect(two.exitCode).toBe(2);
  expect(two.err).toContain('several files have clicks by query');
  expect((await command('clicks', 'curve')).out).toMatch(/^acme: measured-2027-01-09-/m);
});

test('an export of the same period replaces the earlier one', async () => {
  folder.write('a.csv', queries);
  folder.write('b.csv', queries.replace('trail boots,7,500', 'trail boots,9,900'));
  const period = ['--from', '2027-01-03', '--to', '2027-01-09'];
  for (const file of ['a.csv', 'b.csv']) await command('backfill', 'clicks', '--file', file, ...period);
  const [acme] = JSON.parse((await command('clicks', 'suggest', '--json')).out).projects;
  expect(acme.untracked[0]).toMatchObject({ query: 'trail boots', clicks: 9, impressions: 900 });
});

test.each([
  ['without a period', queries, [], 'the period of the export is not known'],
  ['without queries', dates, [], 'no file has clicks by query'],
  ['of days to come', queries, ['--from', '2027-01-09', '--to', '2027-01-13'], 'ends in the future'],
  ['with its end first', queries, ['--from', '2027-01-09', '--to', '2027-01-03'], 'ends before it begins'],
])('a file %s is rejected', async (_, text, more, message) => {
  folder.write('file.csv', text);
  const { exitCode, err } = await command('backfill', 'clicks', '--file', 'file.csv', ...more);
  expect(exitCode).toBe(2);
  expect(err).toContain(message);
});

const table = (columns: string, ...rows: string[]) => `${[columns, ...rows].join('\n')}\n`;
const english = 'Top queries,Clicks,Impressions,CTR,Position';

test('columns are read by their names, in any order', async () => {
  folder.write(
    'a.csv',
    table('Impressions,Position,Query,CTR,Clicks', '340,7.41,running shoes,3.53%,12', '9,2,x,200%,18'),
  );
  const { exitCode, out } = await command(
    ...['backfill', 'clicks', '--file', 'a.csv', '--from', '2027-01-03', '--to', '2027-01-09', '--json'],
  );
  expect(exitCode).toBe(3);
  expect(JSON.parse(out)).toMatchObject({ queries: 1, clicks: 12, impressions: 340, rejected: [3] });
});

test.each([
  ['image search', 'Search type,Image', 'another search type than web (Search type: Image)'],
  ['news in French', 'Type de recherche,Actualités', 'another search type than web (Type de recherche: Actualités)'],
  ['a country', 'Search type,Web\nCountry,France', 'not of the whole property (Country: France)'],
  ['a page', 'Search type,Web\nPage,Containing /blog/', 'Page: Containing /blog/'],
  ['a device', 'Suchtyp,Web\nGerät,Mobil', 'Gerät: Mobil'],
  ['a query', '検索タイプ,ウェブ\nクエリ,次を含む: 靴', 'クエリ: 次を含む: 靴'],
  ['both', 'Search type,Image\nCountry,France', 'Search type: Image; Country: France'],
])('an export that is filtered by %s is refused, and its filters are named', async (_what, filters, message) => {
  const parts = { 'Q.csv': queries, 'D.csv': dates, 'F.csv': `Filter,Value\n${filters}\nDate,Last 28 days\n` };
  for (const [name, text] of Object.entries(parts)) folder.write(name, text);
  const archive = zipSync(Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, strToU8(text)])));
  writeFileSync(join(folder.path, 'export.zip'), archive);
  for (const files of [['export.zip'], Object.keys(parts)]) {
    const { exitCode, err } = await command('backfill', 'clicks', ...files.flatMap((file) => ['--file', file]));
    expect(exitCode).toBe(2);
    expect(err).toContain(message);
  }
  expect((await command('clicks', 'curve')).out).not.toMatch(/measured-/);
});

test.each([
  [
    'two periods',
    table(
      `Top queries,${['Clicks', 'Impressions', 'CTR', 'Position'].flatMap((name) => [`1/2/25 - 3/4/25 ${name}`, `1/2/26 - 3/4/26 ${name}`])}`,
      'a,1,2,9,9,11%,22%,1,1',
    ),
    'does not say for certain',
  ],
  ['queries and pages', table(`${english},Page`, 'a,1,9,11%,1,https://acme.com/'), 'further columns'],
  ['no clicks', table('Foo,Bar', 'a,1', 'b,2'), 'no file has clicks by query'],
  ['swapped numbers', table(english, 'a,340,12,3.53%,7'), 'more clicks than impressions'],
])('a table of %s is refused with its reason', async (_what, text, message) => {
  folder.write('a.csv', text);
  const period = ['--from', '2027-01-03', '--to', '2027-01-09'];
  const { exitCode, err } = await command('backfill', 'clicks', '--file', 'a.csv', ...period);
  expect(exitCode).toBe(2);
  expect(err).toContain(message);
});

test('a workbook is read like the archive of the same export', async () => {
  const cellsOf = (text: string) =>
    text
      .trim()
      .split('\n')
      .map((line) => line.split(',').map((cell) => (/^[\d.]+$/.test(cell) ? Number(cell) : cell)));
  writeFileSync(join(folder.path, 'export.xlsx'), workbook({ Chart: cellsOf(dates), Queries: cellsOf(queries) }));
  const { exitCode, out } = await command('backfill', 'clicks', '--file', 'export.xlsx', '--json');
  expect(exitCode).toBe(3);
  expect(JSON.parse(out)).toMatchObject({ from: '2027-01-03', to: '2027-01-09', clicks: 897, impressions: 20_600 });
});

const compared = (one: string, two: string): string =>
  `Top queries,${['Clicks', 'Impressions', 'CTR', 'Position'].flatMap((name) => [`${one} ${name}`, `${two} ${name}`])}\na,1,2,9,10,11.11%,20%,1.5,2\n`;

test('a comparison with dates is imported as both periods, in any order of its columns', async () => {
  for (const periods of [
    ['1/3/27 - 1/9/27', '12/27/26 - 1/2/27'],
    ['12/27/26 - 1/2/27', '1/3/27 - 1/9/27'],
  ] as const) {
    folder.write('a.csv', compared(periods[0], periods[1]));
    const { exitCode, out } = await command('backfill', 'clicks', '--file', 'a.csv', '--json');
    const sums = [
      { queries: 1, clicks: 1, impressions: 9, rejected: [] },
      { queries: 1, clicks: 2, impressions: 10, rejected: [] },
    ];
    const [later, earlier] = periods[0].startsWith('1/3') ? sums : sums.toReversed();
    expect([exitCode, JSON.parse(out)]).toEqual([
      0,
      {
        project: 'acme',
        from: '2027-01-03',
        to: '2027-01-09',
        ...later,
        compared: { from: '2026-12-27', to: '2027-01-02', ...earlier },
      },
    ]);
  }
});

test('of a comparison without dates the last period is imported, with the dates that are named', async () => {
  folder.write('a.csv', compared('Last 7 days', 'Previous 7 days'));
  const unnamed = await command('backfill', 'clicks', '--file', 'a.csv');
  expect([unnamed.exitCode, unnamed.err]).toEqual([2, expect.stringContaining('without their dates')]);
  const period = ['--from', '2027-01-03', '--to', '2027-01-09'];
  const { exitCode, out } = await command('backfill', 'clicks', '--file', 'a.csv', ...period, '--json');
  expect([exitCode, JSON.parse(out)]).toEqual([
    0,
    { project: 'acme', from: '2027-01-03', to: '2027-01-09', queries: 1, clicks: 1, impressions: 9, rejected: [] },
  ]);
});

test('clicks of another search engine are kept apart: no curve, no suggestion and no sum has them', async () => {
  folder.write(
    'bing.csv',
    '"Keyword","Impressions","Clicks","CTR","Avg. Position"\n"boots","1,340","12","0.9%","7.5"\nhats,9,x,1%,3\n',
  );
  const unnamed = await command('backfill', 'clicks', '--file', 'bing.csv');
  expect([unnamed.exitCode, unnamed.err]).toEqual([
    2,
    expect.stringContaining('the period of the export is not known'),
  ]);
  const period = ['--from', '2027-01-03', '--to', '2027-01-09'];
  for (const _again of [1, 2]) {
    const { exitCode, out } = await command('backfill', 'clicks', '--file', 'bing.csv', ...period, '--json');
    const dates = { from: '2027-01-03', to: '2027-01-09' };
    expect([exitCode, JSON.parse(out)]).toEqual([
      3,
      { project: 'acme', report: 'clicks', ...dates, rows: 1, count: 12, rejected: [3] },
    ]);
  }
  const { projects } = JSON.parse((await command('clicks', 'engines', '--json')).out);
  const boots = { kind: 'query', name: 'boots', count: 12, impressions: 1340, averagePosition: 7.5 };
  expect(projects).toEqual([
    { project: 'acme', exports: [{ report: 'clicks', from: '2027-01-03', to: '2027-01-09', rows: [boots] }] },
  ]);
  expect((await command('clicks', 'suggest')).exitCode).toBe(2);
  expect((await command('clicks', 'curve')).out).toContain('No final day of clicks is stored');
});

test('citations in AI answers are kept by page and by grounding query, with the dates of their table by date', async () => {
  folder.write('pages.csv', 'Page,Citations\nhttps://acme.com/a,"1,200"\nhttps://acme.com/b,7\n');
  folder.write('queries.csv', 'Grounding Query,Citations\nbest boots,"1,030"\n');
  folder.write('daily.csv', 'Date,Citations,Cited pages\n2027-01-09,700,2\n2027-01-03,537,2\n');
  const files = ['pages', 'queries', 'daily'].flatMap((name) => ['--file', `${name}.csv`]);
  const { exitCode, out, err } = await command('backfill', 'clicks', ...files);
  expect([exitCode, err, out]).toEqual([0, '', expect.stringContaining('3 rows of 2027-01-03 to 2027-01-09')]);
  const shown = (await command('clicks', 'engines')).out;
  expect(shown).toMatch(/^ {2}2027-01-03 to 2027-01-09: 2,237 citations in 3 rows$/m);
  expect(shown).toMatch(/page +https:\/\/acme\.com\/a +1,200$/m);
  expect(shown).toMatch(/query +best boots +1,030$/m);
  folder.write('Queries.csv', queries);
  const mixed = await command('backfill', 'clicks', ...files, '--file', 'Queries.csv');
  expect([mixed.exitCode, mixed.err]).toEqual([2, expect.stringContaining('of several exports')]);
});

test('an archive without tables, and a damaged one, are refused', async () => {
  writeFileSync(join(folder.path, 'book.zip'), zipSync({ 'read.me': strToU8('<a/>') }));
  expect((await command('backfill', 'clicks', '--file', 'book.zip')).err).toContain('an archive without CSV files');
  folder.write('bad.zip', 'PK\u0003\u0004...');
  const { exitCode, err } = await command('backfill', 'clicks', '--file', 'bad.zip');
  expect([exitCode, err]).toEqual([2, expect.stringContaining('damaged archive')]);
});

/** A real export that is not part of the project. */
const real = '../../shared/corpus/history/gsc_511tactical';

test.skipIf(!existsSync(`${real}_Queries.csv`))('a real export of 12,000 queries is read', async () => {
  for (const name of ['Queries', 'Pages', 'Dates'])
    folder.write(`${name}.csv`, readFileSync(`${real}_${name}.csv`, 'utf8'));
  const files = ['Queries', 'Pages', 'Dates'].flatMap((name) => ['--file', `${name}.csv`]);
  const { out } = await command('backfill', 'clicks', ...files, '--json');
  expect(JSON.parse(out)).toMatchObject({ from: '2024-05-02', to: '2024-05-07', queries: 12_113, rejected: [19] });
});
