// The list of projects compares like with like, as reports do, and its sums are those of the project's pages.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../../src/app/app.ts';
import { historyReader } from '../../../src/app/workspace/workspace.ts';
import type { HistoryReader, ProjectReader } from '../../../src/read/contract.ts';
import { parseFilter } from '../../../src/read/queries.ts';
import { addDays } from '../../../src/tracker/schedule/local-time.ts';
import { type ProjectFolder, projectFolder } from '../../cli/project-folder.ts';
import { commandAt, readingApp, runSlots } from '../../cli/real-app.ts';

const now = Date.parse('2026-01-14T12:00:00Z');
let folder: ProjectFolder;
beforeAll(async () => {
  folder = projectFolder();
  await runSlots(folder, ['2026-01-13T05:00:00Z', '2026-01-14T05:00:00Z']);
  const file = folder.write('ranks.csv', 'keyword,date,rank\nrunning shoes,2025-12-15,1\nrunning shoes,2026-01-07,1\n');
  const of = [
    '--project',
    'acme',
    '--target',
    'acme.com',
    '--device',
    'desktop',
    '--country',
    'US',
    '--language',
    'en',
  ];
  const { exitCode, err } = await commandAt(folder, now, 'backfill', 'import', file, ...of);
  expect([exitCode, err]).toEqual([0, '']);
});

it('gives no change of visibility from the ranks of another source', async () => {
  const app = await readingApp(folder.path, now);
  try {
    const reader = historyReader(app);
    const overview = reader.projects().find(({ project }) => project === 'acme');
    expect(overview?.sparkline).toHaveLength(4);
    expect(overview?.visibilityChange).toEqual({ day: expect.any(Number), week: null, month: null });
  } finally {
    await app.close();
  }
});

it('draws the visibility of 90 days on at most 30 dates, the newest among them', async () => {
  const long = projectFolder();
  await runSlots(long, ['2026-01-14T05:00:00Z']);
  const days = Array.from({ length: 120 }, (_, back) => addDays('2026-01-13', -back));
  const ranks = days.map((date, back) => `running shoes,${date},${1 + (back % 20)}\n`);
  const of = ['--target', 'acme.com', '--device', 'desktop', '--country', 'US', '--language', 'en'];
  const file = long.write('ranks.csv', `keyword,date,rank\n${ranks.join('')}`);
  expect((await commandAt(long, now, 'backfill', 'import', file, '--project', 'acme', ...of)).exitCode).toBe(0);
  const app = await readingApp(long.path, now);
  try {
    const reader = historyReader(app);
    const { dates, visibility } = reader.of('acme').series({
      filter: {},
      sort: [],
      from: '2025-10-17',
      granularity: 'day',
    });
    expect(dates).toHaveLength(90);
    const [overview] = reader.projects('acme');
    expect(overview?.sparkline).toEqual(visibility.filter((_, at) => at % 3 === 2));
  } finally {
    await app.close();
  }
});

it('lists projects that share runs and targets as each alone', async () => {
  const project = (id: string, keywords: string, target: string) => `  - id: ${id}
    targets: [${target}]
    schedule: "0 5 * * *"
    market: { country: US, language: en, devices: [desktop] }
    depth: 2
    keywords: [${keywords}]
    volumes: { schedule: "0 4 * * *" }
`;
  const written = [
    project('shoes', 'running shoes, trail shoes', 'acme.com'),
    project('camp', 'tents, hiking boots, running shoes', 'acme.com'),
    project('rival', 'running shoes, trail shoes', 'globex.com'),
  ];
  const together = projectFolder(`projects:\n${written.join('')}`);
  await runSlots(together, ['2026-01-12T05:00:00Z', '2026-01-13T05:00:00Z', '2026-01-14T05:00:00Z']);
  const listed = async (asked?: string) => {
    const app = await readingApp(together.path, now);
    try {
      return historyReader(app).projects(asked);
    } finally {
      await app.close();
    }
  };
  const all = await listed();
  const alone = [await listed('shoes'), await listed('camp'), await listed('rival')].flat();
  expect(all).toEqual(alone);
  expect(all[0]?.sparkline).not.toContain(null);
  expect(new Set(all.map(({ averageRank }) => averageRank)).size).toBe(3);
});

const shop = 'https://www.acme.com/shop/';
const written = (keywords: string) => `projects:
  - id: site
    targets: [acme.com, { match: prefix, value: "${shop}" }, acme.de]
    schedule: "0 5 * * *"
    market: { country: US, language: en, devices: [desktop] }
    depth: 2
    keywords: [${keywords}]
    volumes: { schedule: "0 4 * * *" }
`;

describe('a project with a target inside another, and keywords that are new', () => {
  let site: ProjectFolder;
  let app: App;
  let history: HistoryReader;
  let reader: ProjectReader;
  beforeAll(async () => {
    site = projectFolder(written('running shoes'));
    await runSlots(site, ['2025-12-14T05:00:00Z', '2025-12-15T05:00:00Z']);
    site.write('rankledger.yaml', written('running shoes, trail shoes, tents, hiking boots'));
    await runSlots(site, ['2026-01-13T05:00:00Z', '2026-01-14T05:00:00Z']);
    app = await readingApp(site.path, now);
    history = historyReader(app);
    reader = history.of('site');
  });
  afterAll(async () => {
    await app.close();
  });
  const ask = (query: string, compare?: string) => ({
    filter: parseFilter(new URLSearchParams(query)),
    sort: [],
    ...(compare !== undefined && { compare }),
  });

  it('opens on the first own target everywhere, and says so', () => {
    const [card] = history.projects();
    const summary = reader.summary(ask(''));
    expect(summary.targets).toEqual(['acme.com']);
    const shared = ['checked', 'total', 'visibility', 'averageRank', 'top10'] as const;
    expect(shared.map((name) => summary[name])).toEqual(shared.map((name) => card?.[name]));
    expect(summary.total).toBe(4);
    expect([...new Set(reader.keywords(ask('')).map(({ target }) => target))]).toEqual(['acme.com']);
    expect(reader.series({ ...ask(''), granularity: 'day' }).visibility.at(-1)).toBeCloseTo(
      summary.visibility ?? -1,
      1,
    );
    expect(reader.segments(ask(''), 'device')).toMatchObject([{ segment: 'desktop', total: 4 }]);
  });

  it('gives the others as a choice, and counts no result twice in a sum', () => {
    expect(reader.keywords(ask('target=*'))).toHaveLength(12);
    expect(reader.summary(ask('target=*'))).toMatchObject({ targets: ['acme.com', 'acme.de'], total: 8 });
    expect(reader.summary(ask(`target=${shop}|acme.de`))).toMatchObject({ targets: [shop, 'acme.de'], total: 8 });
    expect(reader.segments(ask(''), 'target').map(({ segment, total }) => [segment, total])).toEqual([
      ['acme.com', 4],
      ['acme.de', 4],
      [shop, 4],
    ]);
  });

  it('gives each change with the rows that it covers, and none over less than half of them', async () => {
    const [card] = history.projects();
    expect(card?.visibilityChange).toEqual({ day: expect.any(Number), week: null, month: null });
    expect(card?.visibilityChangeOver).toEqual({ day: 4, week: 0, month: 1 });
    const { comparable, checked, ...changes } = reader.summary(ask('', '30d'));
    expect([comparable, checked]).toEqual([1, 4]);
    const shown = Object.entries(changes).filter(([name]) => name.endsWith('Change'));
    expect(shown.map(([, change]) => change)).toEqual([null, null, null, null, null]);
    const { out } = await commandAt(site, now, 'report', '--compare', '30d', '--out', 'month', '--json');
    const file = readFileSync(join(JSON.parse(out).reports[0].directory, 'summary.csv'), 'utf8');
    const [names = '', line = ''] = file.split('\r\n');
    const at = (name: string): string | undefined => line.split(',')[names.split(',').indexOf(name)];
    expect([at('coverage_comparable'), at('visibility_change'), at('bucket_1_change')]).toEqual(['1', '', '']);
  });
});
