// `why`: the causes of one keyword's change and of all changes beyond noise, from six days of the sandbox.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { historyReader } from '../../../src/app/workspace/workspace.ts';
import type { KeywordCauses } from '../../../src/tracker/causes/cause-text.ts';
import { type ProjectFolder, projectFolder } from '../project-folder.ts';
import { commandAt, readingApp, runSlots } from '../real-app.ts';

const config = `timezone: Europe/Berlin
budget:
  serpCredits: { perRun: 200, perMonth: 3000 }
projects:
  - id: acme
    targets: [acme.com]
    competitors: [globex.com]
    schedule: "0 6 * * *"
    market: { country: US, language: en, devices: [desktop, mobile] }
    depth: 3
    keywords: [running shoes, trail running shoes, running jacket, gps running watch, ultralight tent, wide running shoes]
`;
const now = Date.UTC(2026, 0, 14, 12);
const days = Array.from({ length: 6 }, (_, at) => `2026-01-${String(at + 9).padStart(2, '0')}`);

let folder: ProjectFolder;
beforeAll(async () => {
  folder = projectFolder(config);
  await runSlots(
    folder,
    days.map((day) => `${day}T06:00+01:00`),
  );
});

const why = (...argv: string[]) => commandAt(folder, now, 'why', ...argv);
const rowsOf = async (...argv: string[]) => JSON.parse((await why(...argv, '--json')).out) as KeywordCauses[];
const trail = ['trail running shoes', '--device', 'desktop'];

test('lists the changes beyond noise, heaviest first, each with its first cause', async () => {
  const { exitCode, out } = await why();
  expect(exitCode).toBe(0);
  const [title, sentence, , ...lines] = out.split('\n');
  expect(sentence).toBe('  - trail running shoes (US en desktop) fell from 14 to 21: amberoutlet.com entered at 7.');
  expect(title).toBe('acme: 3 changes beyond noise on 2026-01-14, since 2026-01-13');
  expect(lines.slice(0, 3).map((line) => line.trim().split(/ {2,}/))).toEqual([
    ['trail running shoes', 'US en desktop', 'acme.com', '21', '14', 'amberoutlet.com entered at 7'],
    [
      'trail running shoes',
      'US en mobile',
      'acme.com',
      'not found',
      '17',
      'our page /c/trail-running-shoes left the results',
    ],
    ['ultralight tent', 'US en desktop', 'acme.com', '18', '17', 'aspenbureau.com entered at 17'],
  ]);
  const short = (await why('--last', '1')).out;
  expect(short).toContain('... and 2 more; --last 0 shows all');
  expect(short).not.toContain('ultralight tent');
  expect((await why('--last', '0')).out).toBe(out);
  expect((await why('--device', 'mobile')).out).toContain('acme: 1 change beyond noise');
  expect((await why('--to', '2026-01-11')).out).toBe('acme: 0 changes beyond noise\n');
});

test('gives the causes of a keyword strongest first, with places that add up to its change', async () => {
  const { out } = await why(...trail);
  expect(out).toContain('trail running shoes | US en desktop | acme.com | acme\n');
  expect(out).toContain('  rank 21 on 2026-01-14, was rank 14 on 2026-01-13; a certain change\n');
  const causes = [...out.matchAll(/^ {2} *([+-]\d+)? +(0\.\d\d) {2}(\w+) {2,}\S/gm)];
  const strengths = causes.map(([, , strength]) => Number(strength));
  expect(strengths.length).toBeGreaterThan(3);
  expect(strengths).toEqual(strengths.toSorted((a, b) => b - a));
  expect(causes.reduce((sum, [, places = '0']) => sum + Number(places), 0)).toBe(-7);
  expect(out).toContain('  The places add up to the change: -7.\n');
});

test('compares the dates that are asked', async () => {
  const inBand = (await why('running shoes', '--device', 'desktop')).out;
  expect(inBand).toContain('rank 21 on 2026-01-14, was rank 23 on 2026-01-13; within its noise band');
  expect(inBand).toContain('within what this keyword does anyway');
  const still = (await why('running shoes', '--to', '2026-01-12')).out;
  expect(still).toContain('on 2026-01-12, was rank 23 on 2026-01-11; no change of rank');
  const wide = (await why(...trail, '--from', '2026-01-10')).out;
  expect(wide).toMatch(/on 2026-01-14, was rank \d+ on 2026-01-10/);
  expect((await why('running shoes', '--to', '2026-01-09')).out).toContain('Unknown: This is the first check');
});

test('prints the records of the read API as JSON', async () => {
  const app = await readingApp(folder.path, now);
  try {
    const reader = historyReader(app).of('acme');
    const state = { compare: 'previous' };
    expect(await rowsOf()).toEqual(
      JSON.parse(JSON.stringify([...reader.changeCauses({ ...state, filter: {}, sort: [] })])),
    );
    const [row] = await rowsOf(...trail);
    expect(row).toEqual(JSON.parse(JSON.stringify(reader.causes({ ...state, id: row?.id ?? '' }))));
  } finally {
    await app.close();
  }
});

test('fits the width of a terminal, and writes nothing', async () => {
  const files = () => readFileSync(join(folder.path, 'data', 'rankledger.sqlite')).toString('base64');
  const before = files();
  for (const words of [[], trail]) {
    const { out } = await commandAt({ ...folder, isTerminal: true }, now, 'why', ...words);
    const lines = stripVTControlCharacters(out).split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
  }
  expect(files()).toBe(before);
});

test('helps with names and dates that are unknown', async () => {
  const unknown = await why('runing shoes');
  expect(unknown).toMatchObject({ exitCode: 2, err: expect.stringContaining('Did you mean "running shoes"?') });
  expect((await why('running shoes', '--target', 'acme.org')).err).toContain('No project tracks "acme.org"');
  expect((await why('running shoes', '--target', 'globex.com')).out).toContain('Causes are of own targets');
  expect((await why('--project', 'acmee')).exitCode).toBe(2);
  expect((await why('--from', '2026-01-14', '--to', '2026-01-14')).err).toContain('is not before --to');
});
