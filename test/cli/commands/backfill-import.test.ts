// `backfill import` from files to history and reports, over a real database and the sandbox.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import Papa from 'papaparse';
import { beforeEach, describe, expect, test } from 'vitest';
import { openApp } from '../../../src/app/app.ts';
import { SimulatedClock } from '../../../src/app/runs/simulation.ts';
import { invoke } from '../fake-host.ts';
import { type ProjectFolder, projectFolder } from '../project-folder.ts';

const now = Date.UTC(2026, 0, 15, 12);
const config = `timezone: Europe/Berlin
projects:
  - id: acme
    targets: [acme.example]
    competitors: [globex.example]
    market: { country: US, language: en, devices: [desktop] }
    depth: 1
    keywords: [running shoes, trail shoes]
`;
const fixture = (name: string): string => resolve('test/import/fixtures', name);

let folder: ProjectFolder;
beforeEach(() => {
  folder = projectFolder(config);
});

const go = (...argv: string[]) =>
  invoke(argv, {
    cwd: folder.path,
    now,
    openApp: (resolved, options) => openApp(resolved, { clock: new SimulatedClock(now), ...options }),
  });

const json = async (...argv: string[]) => {
  const { out, exitCode } = await go(...argv, '--json');
  return { exitCode, document: JSON.parse(out) };
};

describe('backfill import', () => {
  test('imports a file, lists what it took and what it rejected, and exits with 3 if it rejected anything', async () => {
    const { exitCode, out } = await go('backfill', 'import', fixture('semrush.csv'));
    expect(exitCode).toBe(3);
    expect(out).toContain('Imported 6 rankings from 2026-01-05 to 2026-01-12 into acme, as import/semrush');
    expect(out).toContain('4 ranked, 2 not found');
    expect(out).toContain('"not found" means: not among the first 100 results (--top)');
    expect(out).toContain('Not imported: 1\n  1 x the position of another element');
    expect(out).toContain('line 11: shoes, waterproof: ai overview');
  });

  test('imports a campaign of a city as ranks of its country, and names the city', async () => {
    folder.write(
      'city.csv',
      'Location: "Austin, Texas, United States (Google) - English"\n\nKeyword,*.acme.example/*_20260105\nrunning shoes,7\n',
    );
    const { exitCode, out } = await go('backfill', 'import', 'city.csv');
    expect(exitCode).toBe(0);
    expect(out).toContain('Imported 1 ranking of 2026-01-05 into acme');
    expect(out).toContain('note  searched from Austin, Texas, United States: counted as ranks of the country');
    expect((await json('backfill', 'import', 'city.csv')).document).toMatchObject({
      known: 1,
      place: 'Austin, Texas, United States',
    });
    expect((await json('backfill', 'import', fixture('semrush.csv'))).document).toMatchObject({ place: null });
  });

  const city = 'Austin,Texas,United States';
  const places = config.replace('trail shoes]', 'trail shoes, { keyword: running shoes, location: "Austin, TX" }]');
  const locationsOf = async () =>
    (await go('export', '--project', 'acme', '--format', 'jsonl')).out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly location: string | null; readonly rank: number })
      .map(({ location, rank }) => ({ location, rank }));

  test('imports rows of a place into the market of the place, and others into the country', async () => {
    folder.write('rankledger.yaml', places);
    folder.write(
      'places.csv',
      `Keyword,Country,Location,Date,Rank
running shoes,US,United States,2026-01-05,4
running shoes,US,"Austin, TX",2026-01-05,7
running shoes,US,"Dallas, TX",2026-01-05,8
running shoes,US,"Narnia, TX",2026-01-05,9
`,
    );
    const { exitCode, document } = await json('backfill', 'import', 'places.csv');
    expect(exitCode).toBe(3);
    expect(document).toMatchObject({
      ranked: 2,
      refused: [
        { reason: 'location', first: [{ line: 5 }] },
        { reason: 'unknown_market', first: [{ line: 4, said: 'running shoes, US Dallas, TX, 2026-01-05, rank 8' }] },
      ],
    });
    expect(await locationsOf()).toEqual([
      { location: null, rank: 4 },
      { location: city, rank: 7 },
    ]);
  });

  test('takes no search volume from the row of a place: volumes are those of a country', async () => {
    folder.write('rankledger.yaml', places);
    const header = 'Keyword,Country,Location,Date,Rank,Volume\n';
    folder.write('city.csv', `${header}running shoes,US,"Austin, TX",2025-11-05,7,90\n`);
    expect((await json('backfill', 'import', 'city.csv')).document).toMatchObject({ ranked: 1, volumes: 0 });
    folder.write('country.csv', `${header}running shoes,US,United States,2025-11-05,7,9000\n`);
    expect((await json('backfill', 'import', 'country.csv')).document).toMatchObject({ ranked: 1, volumes: 1 });
  });

  test('imports a campaign of a tracked place there, and any file where --location says', async () => {
    folder.write('rankledger.yaml', places);
    folder.write(
      'city.csv',
      'Location: "Austin, Texas, United States (Google) - English"\n\nKeyword,*.acme.example/*_20260105\nrunning shoes,7\n',
    );
    const campaign = await go('backfill', 'import', 'city.csv');
    expect(campaign.out).toContain(`searched from Austin, Texas, United States: counted as ranks of ${city}`);
    folder.write('ranks.csv', 'keyword,date,rank\nrunning shoes,2026-01-06,4\n');
    const told = await json('backfill', 'import', 'ranks.csv', '--location', 'Austin, TX');
    expect(told.document).toMatchObject({ ranked: 1, location: city });
    expect(await locationsOf()).toEqual([
      { location: city, rank: 7 },
      { location: city, rank: 4 },
    ]);
    const wrong = await go('backfill', 'import', 'ranks.csv', '--location', 'Austen, TX');
    expect(wrong).toMatchObject({ exitCode: 2, out: '' });
    expect(wrong.err).toContain('did you mean Austin,Texas,United States?');
  });

  test('says with --dry-run what it would import into a history, and imports nothing', async () => {
    expect((await go('run', '--all')).exitCode).toBe(0);
    const counts = async () => (await go('export', '--format', 'jsonl')).out.trim().split('\n').length;
    const before = await counts();
    const { exitCode, out } = await go('backfill', 'import', fixture('semrush.csv'), '--dry-run');
    expect([exitCode, out]).toEqual([3, expect.stringContaining('Would import 6 rankings')]);
    expect(await counts()).toBe(before);
    expect((await go('backfill', 'import', fixture('semrush.csv'))).out).toContain('Imported 6 rankings');
    expect(await counts()).toBe(before + 6);
  });

  test('exits with 0 if everything is taken or known; the history names the source', async () => {
    const file = folder.write('ranks.csv', 'keyword,date,rank,url\nrunning shoes,2026-01-05,4,https://acme.example/\n');
    expect(await json('backfill', 'import', file)).toMatchObject({
      exitCode: 0,
      document: { format: 'csv', source: 'import/csv', ranked: 1, notTaken: 0, from: '2026-01-05', to: '2026-01-05' },
    });
    expect(await json('backfill', 'import', 'ranks.csv')).toMatchObject({
      exitCode: 0,
      document: { ranked: 0, known: 1 },
    });
    const { document } = await json('history', 'running shoes');
    expect(document).toEqual([
      expect.objectContaining({ rank: 4, source: 'import/csv', checkedAt: '2026-01-05', slot: '2026-01-05 csv' }),
    ]);
    expect((await go('history', 'running shoes')).out).toContain('imported from ranks.csv');
  });

  test('is never compared with checks that are bought later', async () => {
    await go('backfill', 'import', fixture('semrush.csv'));
    expect((await go('run', '--all')).exitCode).toBe(0);
    const report = readFileSync(join(folder.path, 'reports/acme/latest/rank-changes.csv'), 'utf8').replace(
      /^\uFEFF/,
      '',
    );
    const rows = Papa.parse<Record<string, string>>(report, { header: true, skipEmptyLines: true }).data;
    expect(rows.map((row) => row['change_class'])).toEqual(['not_comparable', 'not_comparable']);
    expect(rows[0]?.['note']).toContain('another source (import/semrush)');
    expect((await go('audit')).exitCode).toBe(0);
    expect((await json('status')).document.runs).toHaveLength(1);
  });

  test('reads a table by named columns, signs and date format', async () => {
    const file = folder.write('odd.csv', 'Term;When;Ort\nrunning shoes;03/01/2026;0\ntrail shoes;04/01/2026;12\n');
    const map = ['--map', 'keyword=Term,date=When', '--map', 'rank=Ort'];
    expect((await json('backfill', 'import', file, ...map)).document.refused[0]).toMatchObject({
      reason: 'ambiguous_date',
      count: 2,
    });
    expect(
      await json('backfill', 'import', file, ...map, '--date-format', 'dmy', '--not-found', '0', '--top', '50'),
    ).toMatchObject({
      exitCode: 0,
      document: { ranked: 1, notFound: 1, top: 50, delimiter: ';' },
    });
    expect((await json('history', 'running shoes')).document[0]).toMatchObject({
      status: 'not_found',
      depth: 5,
      localDate: '2026-01-03',
    });
  });

  const ahrefs = (...rows: string[]) =>
    [
      'Keyword,Country,Current position,Previous position kind,Current position kind,Current URL,Current date',
      ...rows,
      '',
    ].join('\n');
  const page = 'https://acme.example/';

  test.each([
    [
      'Semrush',
      `Keyword,Position,URL,Timestamp,SERP Features by Keyword,Position Type
trail shoes,1,${page}a,2026-01-05,AI overview,AI Overview
trail shoes,14,${page}b,2026-01-05,AI overview,Organic
running shoes,2,${page},2026-01-05,People also ask,People also ask
`,
    ],
    [
      'Ahrefs',
      ahrefs(
        `trail shoes,US,1,Organic,AI overview,${page}a,2026-01-05`,
        `trail shoes,US,14,Organic,Organic,${page}b,2026-01-05`,
        `running shoes,US,2,Organic,Sitelink,${page},2026-01-05`,
      ),
    ],
    [
      'a tool in another language, recognised by its cells',
      `Keyword;Rank;URL;Date;Art
trail shoes;1;${page}a;2026-01-05;Featured snippet
trail shoes;14;${page}b;2026-01-05;Organisches Ergebnis
running shoes;2;${page};2026-01-05;Local pack
`,
    ],
    [
      'a tool with ranks of several elements',
      `Keyword,Rank,Organic rank,URL,Date
trail shoes,1,14,${page}b,2026-01-05
running shoes,2,-,${page},2026-01-05
`,
    ],
  ])('takes organic rows only, from %s', async (_tool, text) => {
    folder.write('ranks.csv', text);
    expect((await go('backfill', 'import', 'ranks.csv')).exitCode).toBe(3);
    const [trail, ...others] = (await json('history', 'trail shoes')).document;
    expect([trail.rank, trail.url, others]).toEqual([14, `${page}b`, []]);
    expect((await json('history', 'running shoes')).document).toEqual([]);
  });

  test('a row without its element gives no rank if other rows name theirs', async () => {
    folder.write('some.csv', ahrefs(`trail shoes,US,3,,,${page},2026-01-05`, `x,US,3,,Organic,${page},2026-01-05`));
    const { document } = await json('backfill', 'import', 'some.csv');
    expect(document).toMatchObject({ ranked: 1, refused: [{ reason: 'other_element', first: [{ line: 2 }] }] });
    folder.write('none.csv', ahrefs(`trail shoes,US,3,,,${page},2026-01-05`));
    expect((await json('backfill', 'import', 'none.csv')).document).toMatchObject({ ranked: 1, notTaken: 0 });
  });

  const pages = [`7,${page}a`, `4,${page}b`, `4,${page}c`, `9,${page}d`, '1,https://other.example/'];
  test.each([
    ['best first', [1, 2, 0, 3, 4]],
    ['best last', [4, 3, 0, 1, 2]],
    ['as they come', [0, 1, 2, 3, 4]],
  ])('a keyword with several pages has its best rank: %s', async (_order, order) => {
    const filler = Array.from({ length: 2_500 }, (_, at) => `words ${at},2026-01-05,5,${page}`);
    const rows = order.map((at) => `running shoes,2026-01-05,${pages[at]}`);
    folder.write('ranks.csv', ['Keyword,Date,Rank,URL', rows[0], ...filler, ...rows.slice(1), ''].join('\n'));
    const { document } = await json('backfill', 'import', 'ranks.csv');
    expect(document).toMatchObject({ ranked: 2_501, otherPages: 3, refused: [{ reason: 'foreign_url', count: 1 }] });
    expect((await json('history', 'running shoes')).document).toMatchObject([{ rank: 4, url: `${page}b` }]);
    expect((await json('backfill', 'import', 'ranks.csv')).document).toMatchObject({ ranked: 0, known: 2_501 });
  });

  test('a page with two ranks on one day contradicts itself', async () => {
    folder.write('ranks.csv', `Keyword,Date,Rank,URL\nx,2026-01-05,4,${page}\nx,2026-01-05,3,${page}\n`);
    expect((await json('backfill', 'import', 'ranks.csv')).document).toMatchObject({
      ranked: 1,
      refused: [{ reason: 'contradiction', first: [{ line: 3 }] }],
    });
  });

  test.each([
    ['device', 'devices: [desktop, mobile]', 'Name it with --device.'],
    ['language', 'markets: [{ country: US, language: es }]', 'Name it with --language.'],
  ])('says which part of the market is missing: %s', async (part, more, remedy) => {
    const market = more.startsWith('devices') ? config.replace('devices: [desktop]', more) : config;
    const text = more.startsWith('devices')
      ? market
      : config.replace('trail shoes]', '{ keyword: running shoes, language: es }]');
    folder.write('rankledger.yaml', text);
    folder.write('ranks.csv', 'Keyword,Date,Rank\nrunning shoes,2026-01-05,4\n');
    const { out } = await go('backfill', 'import', 'ranks.csv');
    expect(out).toContain(`without a ${part} in the file`);
    expect(out).toContain(remedy);
  });

  test('recognises averages, and takes none', async () => {
    const { exitCode, out } = await go('backfill', 'import', fixture('search-console.csv'));
    expect(exitCode).toBe(3);
    expect(out).toContain('Nothing to import');
    expect(out).toContain('2 x an average over impressions, which is not a rank');
  });

  test('changes nothing in a dry run', async () => {
    expect((await go('backfill', 'import', fixture('semrush.csv'), '--dry-run')).out).toContain(
      'Would import 6 rankings',
    );
    expect((await json('history', 'running shoes')).document).toEqual([]);
    expect(existsSync(join(folder.path, 'data'))).toBe(false);
  });

  test.each([
    [['nofile.csv'], 'the file does not exist'],
    [['.'], 'not a regular file'],
    [['odd.csv'], 'no column was recognised as the keyword'],
    [['odd.csv', '--format', 'semrush'], 'not an export of semrush'],
    [['odd.csv', '--map', 'keyword=Term,ranked=Ort'], '"ranked=Ort" is not ROLE=COLUMN'],
    [['odd.csv', '--map', 'keyword=Name'], 'no column "Name"'],
    [['odd.csv', '--top', '15'], 'multiple of 10'],
    [['odd.csv', '--date', '2026-02-30'], 'Write a date'],
    [['odd.csv', '--country', 'UK'], 'did you mean GB'],
    [['odd.csv', '--target', 'other.example'], 'is not a target or competitor'],
    [['odd.csv', '--project', 'other'], 'there is no project "other"'],
  ])('%j is refused with 2, before anything is taken', async (argv, message) => {
    folder.write('odd.csv', 'Term;When;Ort\nrunning shoes;03/01/2026;0\n');
    const { exitCode, err } = await go('backfill', 'import', ...argv);
    expect(err).toContain(message);
    expect(exitCode).toBe(2);
  });

  test('asks for the target and the project where there are several', async () => {
    folder.write('two.yaml', config.replace('[acme.example]', '[acme.example, acme.test]'));
    const file = folder.write('ranks.csv', 'keyword,date,rank\nrunning shoes,2026-01-05,4\n');
    const refused = await go('backfill', 'import', file, '--config', 'two.yaml');
    expect(refused).toMatchObject({ exitCode: 2, err: expect.stringContaining('--target') });
    expect((await go('backfill', 'import', file, '--config', 'two.yaml', '--target', 'acme.test')).exitCode).toBe(0);
  });
});
