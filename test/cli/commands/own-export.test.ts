// Our own export, imported into an empty database: the same ranks and absences, and nothing that was not proven.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { type ProjectFolder, projectFolder } from '../project-folder.ts';
import { commandAt, runSlots } from '../real-app.ts';

const config = `timezone: Europe/Berlin
projects:
  - id: acme
    targets: [acme.com, blog.acme.com]
    competitors: [globex.com]
    schedule: "0 6,18 * * *"
    market: { country: US, language: en, devices: [desktop, mobile] }
    depth: 2
    keywords: [running shoes, trail shoes, "=1+1", { keyword: boots, location: "Austin, TX" }]
`;
const now = Date.parse('2026-01-20T12:00:00Z');
let from: ProjectFolder;
let into: ProjectFolder;
beforeAll(async () => {
  from = projectFolder(config);
  await runSlots(from, ['2026-01-12T06:00', '2026-01-12T18:00', '2026-01-13T06:00']);
  from.write('csv.csv', `Keyword,Date,Rank,Device,Country\ntrail shoes,2026-01-02,>100,mobile,US\n`);
  await at(from, 'backfill', 'import', 'csv.csv', '--target', 'acme.com');
});
beforeEach(() => {
  into = projectFolder(config);
});

const at = (folder: ProjectFolder, ...argv: string[]) => commandAt(folder, now, ...argv);

type Ranking = Readonly<Record<string, unknown>>;
const kept = ['keyword', 'device', 'location', 'target', 'slot', 'local_date', 'checked_at', 'status', 'rank'];
const known = [...kept, 'absolute_rank', 'page', 'url', 'depth', 'owned_features'];

/** Ranks and absences, as lines; `source` as it is, or as an import names it. */
async function rankings(folder: ProjectFolder): Promise<string[]> {
  const { out } = await at(folder, 'export', '--format', 'jsonl');
  return out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Ranking)
    .filter(({ status }) => status === 'ranked' || status === 'not_found')
    .map((row) =>
      JSON.stringify([...known.map((name) => row[name]), String(row['source']).replace(/^(import\/)?/, '')]),
    )
    .sort();
}

test.each([
  ['CSV', ['export']],
  ['JSON lines', ['export', '--format', 'jsonl']],
  ['one JSON document', ['export', '--json']],
])('%s gives the same ranks and absences, and is known the second time', async (_form, argv) => {
  const before = await rankings(from);
  expect(before.some((line) => line.includes('"not_found"'))).toBe(true);
  into.write('h.txt', (await at(from, ...argv)).out);
  const first = await at(into, 'backfill', 'import', 'h.txt', '--json');
  expect(JSON.parse(first.out)).toMatchObject({ format: 'rankledger', notTaken: 0 });
  expect(await rankings(into)).toEqual(before);
  const second = JSON.parse((await at(into, 'backfill', 'import', 'h.txt', '--json')).out);
  expect(second).toMatchObject({ ranked: 0, notFound: 0, known: before.length, notTaken: 0 });
  expect((await at(into, 'verify')).exitCode).toBe(0);
  expect((await at(into, 'audit')).exitCode).toBe(0);
  expect(JSON.parse((await at(from, 'backfill', 'import', join(into.path, 'h.txt'), '--json')).out)).toMatchObject({
    ranked: 0,
    notFound: 0,
  });
});

test('the source of each row stays visible, marked as imported, and its time too', async () => {
  into.write('h.csv', (await at(from, 'export')).out);
  await at(into, 'backfill', 'import', 'h.csv');
  const rows = JSON.parse((await at(into, 'history', 'trail shoes', '--json')).out) as Ranking[];
  expect(new Set(rows.map(({ source }) => source))).toEqual(new Set(['import/csv', 'import/default/sandbox']));
  expect(rows.find(({ source }) => source === 'import/csv')).toMatchObject({ checkedAt: '2026-01-02' });
  expect(rows.find(({ source }) => source === 'import/default/sandbox')).toMatchObject({
    checkedAt: expect.stringMatching(/T\d\d:/),
  });
});

test.each([
  ['the history of a keyword', ['history', 'trail shoes', '--csv']],
  ['a report', null],
])('%s is recognised, too', async (_what, argv) => {
  if (argv !== null) into.write('h.csv', (await at(from, ...argv)).out);
  else {
    await at(from, 'report');
    const [table = ''] = readdirSync(from.path, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('rank-changes.csv'),
    );
    into.write('h.csv', readFileSync(join(from.path, table), 'utf8'));
  }
  const { out } = await at(into, 'backfill', 'import', 'h.csv', '--json');
  const report = JSON.parse(out);
  expect(report).toMatchObject({ format: 'rankledger', notTaken: 0 });
  expect(report.ranked + report.notFound).toBeGreaterThan(2);
});

const header =
  'project,keyword,service,country,language,device,target,competitor,slot,local_date,checked_at,status,rank,absolute_rank,page,url,depth,serp_features,owned_features,reason,source,run_id,check_id,destination,note,location,local_rank';
const line = (status: string, rank: string, depth: string, note = '', project = 'acme') =>
  `${project},running shoes,default,US,en,desktop,acme.com,false,2026-01-05T06:00,2026-01-05,2026-01-05T05:00:05.000Z,${status},${rank},,,,${depth},,,,default/sandbox,1,1,,${note},,`;

test.each([
  ['not found', line('not_found', '', '10'), { notFound: 1, empty: 0 }],
  ['ranked', line('ranked', '7', '10'), { ranked: 1 }],
  ['failed', line('failed', '', '10'), { empty: 1 }],
  ['deferred', line('deferred', '', '10'), { empty: 1 }],
  ['incomplete', line('incomplete', '', '10'), { empty: 1 }],
  ['not followed', line('not_followed', '', '1'), { empty: 1 }],
  ['paid with an unknown outcome', line('unknown_paid', '', '10'), { empty: 1 }],
  ['of a discarded run', line('ranked', '7', '10', 'discarded run: wrong'), { empty: 1 }],
  ['of another project', line('ranked', '7', '10', '', 'other'), { passedOver: 1 }],
  ['ranked without a rank', line('ranked', '', '10'), { notTaken: 1 }],
  ['not found with a rank', line('not_found', '3', '10'), { notTaken: 1 }],
])('a row that is %s stays what it is', async (_what, row, expected) => {
  into.write('h.csv', `${header}\n${row}\n`);
  const none = { ranked: 0, notFound: 0, empty: 0, passedOver: 0, notTaken: 0 };
  expect(JSON.parse((await at(into, 'backfill', 'import', 'h.csv', '--json')).out)).toMatchObject({
    ...none,
    ...expected,
  });
});

test('rows of an earlier name of the project belong to it', async () => {
  into.write('rankledger.yaml', config.replace('id: acme', 'id: shop\n    formerly: [acme]'));
  into.write('h.csv', `${header}\n${line('not_found', '', '10')}\n`);
  const { out } = await at(into, 'backfill', 'import', 'h.csv', '--json');
  expect(JSON.parse(out)).toMatchObject({ project: 'shop', notFound: 1, passedOver: 0 });
});

test('Parquet is refused with the way to CSV', async () => {
  into.write('h.parquet', 'PAR1...');
  const { exitCode, err } = await at(into, 'backfill', 'import', 'h.parquet');
  expect([exitCode, err]).toEqual([2, expect.stringContaining('a Parquet file')]);
});
