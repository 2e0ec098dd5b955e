// Maps of a grid from the database: the API, grid.csv and the costs of a plan agree.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { App } from '../../../src/app/app.ts';
import { view } from '../../../src/cli/subcommands/open-workspace.ts';
import type { GridMapAnswer, GridSums } from '../../../src/read/records.ts';
import type { HistoryServer } from '../../../src/workspace/listen.ts';
import { type ProjectFolder, projectFolder } from '../../cli/project-folder.ts';
import { commandAt, readingApp } from '../../cli/real-app.ts';
import { undescribed } from '../../helpers/described-answers.ts';
import { readCsv } from '../../report/csv-reader.ts';

const at = Date.parse('2026-01-14T06:00:00Z');
const config = `timezone: UTC
budget: { serpCredits: { perDay: 500 } }
projects:
  - id: acme
    targets: [acme.com]
    schedule: "0 6 * * *"
    market: { country: US, grid: { center: "30.2672,-97.7431", size: 3, spacing: 1km } }
    depth: 2
    keywords: [pizza, { keyword: dentist, location: none }]
`;

let folder: ProjectFolder;
let app: App;
let workspace: HistoryServer;

const command = (...args: string[]) => commandAt(folder, at, ...args);

beforeAll(async () => {
  folder = projectFolder(config);
  const { err, exitCode } = await command('run', '--all');
  if (exitCode !== 0) throw new Error(err);
  app = await readingApp(folder.path, at);
  workspace = await view(app, { port: 0 });
});
afterAll(async () => {
  await workspace?.close();
  await app?.close();
});

async function get<Answer>(path: string): Promise<{ readonly status: number; readonly value: Answer }> {
  const answer = await fetch(`${workspace.url}/v1/projects/acme/${path}`);
  return { status: answer.status, value: (await answer.json()) as Answer };
}

it('the API and grid.csv have the same points, and the same sums', async () => {
  const { value: maps } = await get<{ data: GridSums[] }>('grids');
  expect(maps.data.map(({ keyword, points, checked }) => [keyword, points, checked])).toEqual([['pizza', 9, 9]]);
  const { value: map } = await get<GridMapAnswer>(`grids/${maps.data[0]?.id}`);
  expect(map).toMatchObject({ ...maps.data[0], estimated: 0, estimateError: null });
  const reports = join(folder.path, 'reports', 'acme', 'latest');
  const [header = [], ...lines] = readCsv(readFileSync(join(reports, 'grid.csv'), 'utf8').replace(/^\uFEFF/, ''));
  const column = (name: string) => lines.map((line) => line[header.indexOf(name)]);
  expect(column('rank')).toEqual(map.mapPoints.map(({ rank }) => String(rank ?? '')));
  expect(column('latitude')).toEqual(map.mapPoints.map(({ latitude }) => String(latitude)));
  expect(column('longitude')).toEqual(map.mapPoints.map(({ longitude }) => String(longitude)));
  const [names = [], sums = []] = readCsv(
    readFileSync(join(reports, 'grid-summary.csv'), 'utf8').replace(/^\uFEFF/, ''),
  );
  expect(sums[names.indexOf('average_grid_rank')]).toBe(String(map.averageGridRank));
  expect(map.series.checked).toEqual([9]);
});

it('a row outside the grid has no map', async () => {
  const { value: rows } = await get<{ data: { id: string }[] }>('keywords?q=dentist');
  expect((await get(`grids/${rows.data[0]?.id}`)).status).toBe(404);
});

it('plan and check state the cost of the grid in one line', async () => {
  expect((await command('check')).out).toContain(
    'grid of acme  3 x 3 points, 1km apart, 1 keyword, 9 searches: 18 credits a run',
  );
  expect((await command('plan', '--all')).out).toMatch(
    /grid of acme\s+3 x 3 points, 1km apart, 1 keyword: 9 of 9 searches, \d+ credits? expected, \d+ at worst/,
  );
});

it('answers as its OpenAPI document says', async () => {
  expect(await undescribed(workspace.url, 'acme')).toEqual([]);
});
