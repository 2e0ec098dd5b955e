// Measured clicks in the CSV files of a report: sums of rows, of one date, and why they changed.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Papa from 'papaparse';
import { beforeEach, expect, it } from 'vitest';
import { type ProjectFolder, projectFolder } from '../../cli/project-folder.ts';
import { commandAt } from '../../cli/real-app.ts';
import { clickRow, putClicks, someDays } from '../../helpers/click-days.ts';
import { heldData } from '../../report/html/built-page.ts';

type Line = Record<string, string>;

let folder: ProjectFolder;
beforeEach(() => {
  folder = projectFolder();
});

/** Runs at this moment. */
async function run(now: string): Promise<void> {
  const { err, exitCode } = await commandAt(folder, Date.parse(now), 'run', '--all', '--slot', now);
  if (exitCode !== 0) throw new Error(err);
}

function lines(file: string, whose = 'acme'): Line[] {
  const text = readFileSync(join(folder.path, 'reports', whose, 'latest', file), 'utf8').replace(/^\uFEFF/, '');
  return Papa.parse<Line>(text, { header: true, skipEmptyLines: true }).data;
}

const pick = (rows: readonly Line[], ...names: string[]): string[] =>
  rows.map((row) => names.map((name) => row[name]).join(' '));

it('rows and sums have their clicks, and empty cells where nothing is reported', async () => {
  await run('2026-01-09T12:00:00Z');
  putClicks(folder.path, someDays);
  await run('2026-01-12T12:00:00Z');
  const rows = lines('rank-changes.csv').sort((a, b) =>
    (a['keyword'] ?? '') + a['device'] < (b['keyword'] ?? '') + b['device'] ? -1 : 1,
  );
  expect(pick(rows, 'keyword', 'device', 'measured_clicks', 'impressions', 'average_position')).toEqual([
    'running shoes desktop 5 200 6',
    'running shoes mobile 9 300 2',
    'trail shoes desktop   ',
  ]);
  expect(pick(lines('summary.csv'), 'scope', 'device', 'measured_clicks', 'impressions').slice(0, 3)).toEqual([
    'project  14 500',
    'market desktop 5 200',
    'market mobile 9 300',
  ]);
});

it('the lines of a date have the clicks of that date; fresh days and competitors have none', async () => {
  const config = readFileSync(join(folder.path, 'rankledger.yaml'), 'utf8');
  folder.write('rankledger.yaml', config.replace('tables: all', 'tables: all, agency: true'));
  for (const day of ['09', '10', '11']) await run(`2026-01-${day}T12:00:00Z`);
  putClicks(folder.path, someDays);
  await run('2026-01-12T12:00:00Z');
  const rows = lines('all-projects-long.csv', 'agency').filter(({ keyword }) => keyword === 'running shoes');
  expect(
    pick(
      rows.filter(({ device }) => device === 'desktop'),
      'date',
      'role',
      'measured_clicks',
      'impressions',
      'average_position',
    ),
  ).toEqual([
    '2026-01-09 own 4 100 4',
    '2026-01-10 own 1 100 8',
    '2026-01-11 own   ',
    '2026-01-12 own   ',
    ...['09', '10', '11', '12'].map((day) => `2026-01-${day} competitor   `),
  ]);
});

it('demand, rank and rate of every line add up to its change, and all lines to the change of the property', async () => {
  await run('2026-01-09T12:00:00Z');
  putClicks(folder.path, [
    {
      date: '2025-12-01',
      rows: [clickRow('running shoes', 20, 400, { averagePosition: 3 }), clickRow('old', 2, 9)],
      hidden: { clicks: 4, impressions: 40 },
    },
    {
      date: '2026-01-09',
      rows: [clickRow('running shoes', 9, 300), clickRow('new', 5, 50)],
      hidden: { clicks: 1, impressions: 3 },
    },
  ]);
  await run('2026-01-12T12:00:00Z');
  const rows = lines('click-changes.csv');
  expect(pick(rows, 'by', 'name', 'measured_clicks', 'previous_measured_clicks', 'change', 'new_or_lost')).toEqual([
    'total  14 22 -8 3',
    'hidden    -3 ',
    'query running shoes 9 20 -11 0',
    'query new 5 0 5 5',
    'query old 0 2 -2 -2',
    'page https://acme.com/shoes 14 22 -8 3',
  ]);
  for (const row of rows.filter(({ by }) => by !== 'hidden')) {
    const sum = ['demand_effect', 'rank_effect', 'rate_effect'].reduce((all, name) => all + 100 * Number(row[name]), 0);
    expect(Math.round(sum), row['name']).toBe(100 * Number(row['change']));
  }
  expect(new Set(rows.map((row) => row['impressions_fault']))).toEqual(
    new Set(['Search Console reported too many impressions, 2025-05-13 to 2026-04-27']),
  );
  const page = readFileSync(join(folder.path, 'reports/acme/latest/report.html'), 'utf8');
  expect(heldData(page).clicks?.facts).toBeDefined();
});

it('a project without clicks has no table of their changes, and empty cells', async () => {
  await run('2026-01-09T12:00:00Z');
  expect(() => lines('click-changes.csv')).toThrow('ENOENT');
  expect(lines('rank-changes.csv').every((row) => row['measured_clicks'] === '')).toBe(true);
});
