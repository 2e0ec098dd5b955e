// A number that several answers have is the same in all of them, for the same local days.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { App } from '../../../src/app/app.ts';
import { historyReader } from '../../../src/app/workspace/workspace.ts';
import type { HistoryReader } from '../../../src/read/contract.ts';
import { csvRows } from '../../cli/child.ts';
import { projectFolder } from '../../cli/project-folder.ts';
import { readingApp, runSlots } from '../../cli/real-app.ts';

const now = Date.parse('2026-01-29T00:00:00Z');
const config = `timezone: Pacific/Auckland
projects:
  - id: acme
    targets: [acme.com]
    competitors: [globex.com]
    schedule: "0 6 * * *"
    market: { country: US, language: en, devices: [desktop] }
    depth: 2
    keywords: [running shoes, trail shoes, hiking boots, running socks, trail running shoes, winter boots]
    volumes: { schedule: "0 4 * * *" }
  - id: partly
    targets: [acme.com]
    schedule: "0 6 * * *"
    market: { country: US, language: en, devices: [desktop] }
    depth: 2
    keywords: [running shoes, sandals]
`;
/** The second shares the pages of the first, and reads fewer of them. */
const sharing = `services:
  default: { mode: embedded, source: sandbox, seed: 20 }
projects:
  - id: deep
    targets: [acme.com]
    schedule: "0 6 * * *"
    market: { country: US, language: en, devices: [desktop] }
    depth: 3
    keywords: [waterproof hiking boots, trail running shoes, trekking poles, winter boots]
  - id: shallow
    targets: [globex.com]
    competitors: [acme.com]
    schedule: "30 6 * * *"
    market: { country: US, language: en, devices: [desktop] }
    depth: 1
    freshFor: 12h
    keywords: [waterproof hiking boots, trail running shoes, trekking poles, winter boots]
`;
const doubled = `services:
  default: { mode: embedded, source: sandbox, seed: 20, events: [{ event: demand, on: "2026-02-01", factor: 2 }] }
projects:
  - id: monthly
    targets: [acme.com]
    schedule: "0 6 * * *"
    market: { country: US, language: en, devices: [desktop] }
    depth: 1
    keywords: [running shoes, running socks]
    volumes: { schedule: "0 4 1 * *" }
`;
/** 06:00 in Auckland is the evening before in UTC. */
const slots = ['2026-01-26T17:00:00Z', '2026-01-27T17:00:00Z', '2026-01-28T17:00:00Z'];

let app: App;
let reader: HistoryReader;
beforeAll(async () => {
  const folder = projectFolder(config);
  await runSlots(folder, slots);
  app = await readingApp(folder.path, now);
  reader = historyReader(app);
});
afterAll(() => app?.close());

const all = { filter: {}, sort: [] };

it('has the last value of a line as the number beside it', () => {
  const summary = reader.of('acme').summary(all);
  expect(summary.visibility).not.toBeNull();
  const series = reader.of('acme').series({ ...all, granularity: 'day' });
  const [own] = reader.of('acme').competitors({ ...all, granularity: 'day' }).targets;
  const [overview] = reader.projects('acme');
  const { visibility, averageRank, estimatedClicks } = summary;
  expect(series.visibility.at(-1)).toBe(visibility);
  expect(series.averageRank.at(-1)).toBe(averageRank);
  expect(series.estimatedClicks.at(-1)).toBe(estimatedClicks);
  expect([own?.visibility.at(-1), own?.averageRank]).toEqual([visibility, averageRank]);
  expect(overview?.sparkline.at(-1)).toBe(visibility);
  const dayBefore = reader.of('acme').summary({ ...all, compare: '1d' });
  expect(overview?.visibilityChange.day).toBe(dayBefore.visibilityChange);
});

it('has it at the end of an earlier month, too, with the searches of that month', async () => {
  const folder = projectFolder(doubled);
  await runSlots(folder, ['2026-01-30T06:00:00Z', '2026-01-31T06:00:00Z', '2026-02-01T06:00:00Z']);
  const later = await readingApp(folder.path, Date.parse('2026-02-01T12:00:00Z'));
  try {
    const monthly = historyReader(later).of('monthly');
    const end = { ...all, to: '2026-01-31', granularity: 'day' } as const;
    const { visibility, estimatedClicks } = monthly.summary({ ...all, date: '2026-01-31' });
    expect(monthly.summary(all).estimatedClicks).toBeGreaterThan(1.5 * (estimatedClicks ?? 0));
    expect(monthly.series(end).estimatedClicks.at(-1)).toBe(estimatedClicks);
    expect(monthly.competitors(end).targets[0]?.visibility.at(-1)).toBe(visibility);
  } finally {
    await later.close();
  }
});

it('counts the rows that visibility is of', () => {
  const { checked, visibilityOver } = reader.of('partly').summary(all);
  expect([checked, visibilityOver]).toEqual([2, 1]);
});

it('lists the runs of a local day, as spend and ranks have it', () => {
  const ranksOf = (from: string, to: string) => {
    const runs = [...reader.runs({ project: 'acme', from, to })];
    return runs.filter(({ kind }) => kind === 'ranks').map(({ slot }) => slot);
  };
  expect(ranksOf('2026-01-27', '2026-01-27')).toEqual(['2026-01-27T06:00']);
  expect(ranksOf('2026-01-28', '2026-01-29')).toEqual(['2026-01-29T06:00', '2026-01-28T06:00']);
});

it('compares and shows a project by its own checks where another reads fewer pages of a search', async () => {
  const folder = projectFolder(sharing);
  for (const day of ['2026-10-28', '2026-10-29', '2026-10-30', '2026-10-31']) {
    await runSlots(folder, [`${day}T06:00:00Z`], ['deep']);
    await runSlots(folder, [`${day}T06:30:00Z`], ['shallow']);
  }
  const linesOf = (file: string) => {
    const rows = csvRows(readFileSync(join(folder.path, 'reports', 'deep', 'latest', file), 'utf8'));
    return rows.filter(({ scope, target }) => scope === 'project' && target === 'acme.com');
  };
  const [[summary], [competitor]] = [linesOf('summary.csv'), linesOf('competitors.csv')];
  expect(summary).toMatchObject({ coverage_checked: '4', coverage_comparable: '4' });
  expect(competitor?.['coverage_comparable']).toBe('4');
  expect(competitor?.['visibility_change']).toBe(summary?.['visibility_change']);
  const sharingApp = await readingApp(folder.path, Date.parse('2026-10-31T12:00:00Z'));
  try {
    const search = { keyword: 'trekking poles', country: 'US', language: 'en', device: 'desktop', location: '' };
    const serp = historyReader(sharingApp)
      .of('deep')
      .serp({ ...search, date: '2026-10-30' });
    expect(serp?.pages).toBe(2);
    // looked at twice a day by both together, and so not late after one
    const [change] = historyReader(sharingApp)
      .of('deep')
      .changeCauses({ ...all, compare: '2026-10-28' });
    expect(change?.causes.map(({ kind }) => kind)).toEqual(expect.not.arrayContaining(['gap']));
    expect(change?.causes).not.toEqual([]);
  } finally {
    await sharingApp.close();
  }
});
