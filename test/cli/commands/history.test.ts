// `history`: plot and table of one keyword, from an imported year and two runs.
import { stripVTControlCharacters } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { type ProjectFolder, projectFolder } from '../project-folder.ts';
import { commandAt, runSlots } from '../real-app.ts';

const now = Date.UTC(2026, 0, 15, 12);
const days = 400;

/** Ranks of another tool: another page and an absence at the end. */
function otherTool(): string {
  const rows = Array.from({ length: days }, (_, at) => {
    const date = new Date(Date.UTC(2026, 0, 12) - (days - 1 - at) * 86_400_000).toISOString().slice(0, 10);
    if (at === days - 1) return `running shoes,${date},-,`;
    return `running shoes,${date},${at === days - 2 ? '4,https://acme.com/shoes' : `6,https://acme.com/${'long'.repeat(20)}`}`;
  });
  return ['keyword,date,rank,url', ...rows].join('\n');
}

let folder: ProjectFolder;
beforeAll(async () => {
  folder = projectFolder();
  folder.write('other.csv', otherTool());
  const words = ['backfill', 'import', 'other.csv', '--device', 'desktop', '--not-found', '-'];
  expect(await commandAt(folder, now, ...words)).toMatchObject({ exitCode: 0 });
  await runSlots(folder, ['2026-01-14T06:00+01:00', '2026-01-15T06:00+01:00']);
});

const history = (...argv: string[]) => commandAt(folder, now, 'history', ...argv);
const ofAcme = ['running shoes', '--target', 'acme.com', '--device', 'desktop'];

test('draws each market and target of the keyword', async () => {
  const { exitCode, out } = await history('running shoes', '--from', '2026-01-13');
  expect(exitCode).toBe(0);
  for (const series of [
    'US en desktop | acme.com',
    'US en mobile | acme.com',
    'US en mobile | globex.com (competitor)',
  ])
    expect(out).toContain(`running shoes | ${series} | acme`);
  expect(out).toMatch(/now 22, best 21 on 2026-01-14, worst 22; 2 checks\n {2}21 \|★\n {2}22 \| ●\n/);
  expect(out).toContain('● rank   ★ best rank   ○ not found   ? unknown   blank: no check');
});

test('lists checks, newest first, with other ranking URLs and sources that are not compared', async () => {
  const { out } = await history(...ofAcme, '--from', '2026-01-10');
  expect(out).toContain('best 4 on 2026-01-11, worst 22; 5 checks; from import/csv, default/sandbox, which are not');
  expect(out).toMatch(/^ {3}- \| {2}○$/m);
  expect(out).toMatch(/^ {3}\^ \| \^ {2}\^$/m);
  const lines = [...out.matchAll(/^ {2}(2026-01-\d\d)\S* ?\w* {2,}(\d+|not found) .*?(\^ http)?/gm)];
  expect(lines.map(([, date, rank]) => `${date} ${rank}`)).toEqual([
    '2026-01-15 22',
    '2026-01-14 21',
    '2026-01-12 not found',
    '2026-01-11 4',
    '2026-01-10 6',
  ]);
  expect(out).toMatch(/2026-01-11 .* \^ https:\/\/acme\.com\/shoes .*imported from other\.csv/);
});

test('fits the width of a terminal, and shortens the table', async () => {
  const { out } = await commandAt({ ...folder, isTerminal: true }, now, 'history', ...ofAcme, '--last', '1');
  expect(out).toContain('each column is 5 days');
  expect(out).toContain('... and 401 older; --last 0 shows all');
  const lines = stripVTControlCharacters(out)
    .split('\n')
    .filter((line) => /^ {2}(slot|2026-)|\|/.test(line));
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
});

test('writes rows for a spreadsheet', async () => {
  const { out } = await history(...ofAcme, '--csv', '--from', '2026-01-12');
  const [header, first, , last] = out.split('\r\n');
  expect(header).toBe(
    'project,keyword,service,country,language,device,target,competitor,slot,local_date,checked_at,status,rank,absolute_rank,page,url,depth,serp_features,owned_features,reason,source,run_id,destination,note,location,local_rank',
  );
  // ranks of another tool have a day only, not a moment
  expect(first).toContain(
    'acme,running shoes,default,US,en,desktop,acme.com,false,2026-01-12 csv,2026-01-12,,not_found,',
  );
  expect(last).toContain('2026-01-15T06:00,2026-01-15,2026-01-15T05:00:00.000Z,ranked,22,53,3,https://www.acme.com/');
  expect((await history('running shoes', '--csv', '--json')).exitCode).toBe(2);
});

test('of a keyword without checks says whether it is tracked', async () => {
  const none = ['--to', '2020-01-01'];
  expect((await history('running shoes', ...none)).out).toContain('No check of "running shoes"');
  expect((await history('running shoes', '--json', ...none)).out).toBe('[]\n');
  for (const more of [[], ['--json'], ['--csv']]) {
    const unknown = await history('runing shoes', ...more);
    expect(unknown.exitCode).toBe(2);
    expect(unknown.err).toContain('Did you mean "running shoes"?');
  }
});
