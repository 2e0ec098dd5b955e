// Causes of changes that a sandbox plants, as the read API gives them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Papa from 'papaparse';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../../src/app/app.ts';
import { historyReader } from '../../../src/app/workspace/workspace.ts';
import type { ProjectReader } from '../../../src/read/contract.ts';
import type { DigestDocument } from '../../../src/report/alerts/digest.ts';
import type { KeywordCauses } from '../../../src/tracker/causes/cause-text.ts';
import type { KeywordAlert } from '../../../src/tracker/changes/alerts.ts';
import { projectFolder } from '../../cli/project-folder.ts';
import { readingApp, runSlots } from '../../cli/real-app.ts';

const day = (at: number): string => new Date(Date.UTC(2026, 0, 2 + at)).toISOString().slice(0, 10);
const days = 15;
/** Our result stands still until the day of its event: each change is beyond its noise. One event a day. */
const quiet = 10;
const pinned = (keyword: string, rank: number, on: number, until?: number) => ({
  ...{ event: 'passes', site: 'www.acme.com', rank, on: day(on), keywords: [keyword] },
  ...(until !== undefined && { until: day(until) }),
});
const planted = (keyword: string, on: number, event: object) => ({ on: day(on), keywords: [keyword], ...event });

const events = [
  pinned('running shoes', 4, 0, quiet),
  pinned('running shoes', 5, quiet),
  planted('running shoes', quiet, { event: 'enters', site: 'newcomer.example', rank: 1 }),
  pinned('trail shoes', 4, 0, quiet + 1),
  planted('trail shoes', quiet + 1, { event: 'title', site: 'www.acme.com', rank: 9 }),
  pinned('hiking boots', 4, 0, quiet + 2),
  planted('hiking boots', quiet + 2, { event: 'leaves', site: 'www.acme.com' }),
  pinned('gps watch', 4, 0, quiet + 3),
  planted('gps watch', quiet + 3, { event: 'page', site: 'www.acme.com', rank: 8 }),
  pinned('rain jacket', 4, 0),
  planted('rain jacket', quiet + 4, { event: 'feature', feature: 'ai_overview' }),
];

const config = `timezone: UTC
services:
  default: ${JSON.stringify({ mode: 'embedded', source: 'sandbox', sites: ['acme.com'], events })}
budget: { serpCredits: { perMonth: 5000 } }
alerts:
  channels: { log: { type: file, path: alerts.jsonl }, digests: { type: file, path: digests.jsonl } }
  rules: [{ when: moved, by: 1, channels: [log] }]
reports: { deliver: [{ every: daily, channels: [digests] }] }
projects:
  - id: acme
    targets: [acme.com]
    schedule: "0 6 * * *"
    market: { country: US, language: en, devices: [desktop] }
    depth: 2
    paging: full
    keywords: [running shoes, trail shoes, hiking boots, gps watch, rain jacket]
`;

let path: string;
let app: App;
let reader: ProjectReader;
beforeAll(async () => {
  const folder = projectFolder(config);
  await runSlots(
    folder,
    Array.from({ length: days }, (_, at) => `${day(at)}T06:00Z`),
  );
  path = folder.path;
  app = await readingApp(path, Date.parse(`${day(days)}T00:00Z`));
  reader = historyReader(app).of('acme');
});
afterAll(() => app.close());

function jsonLines<Line>(file: string): Line[] {
  const lines = readFileSync(join(path, file), 'utf8').trim().split('\n');
  return lines.map((line): Line => JSON.parse(line));
}

const rowsOn = (at: number) => reader.keywords({ date: day(at), filter: {}, sort: [] });

function causesOf(keyword: string, at: number, compare?: string): KeywordCauses {
  const id = rowsOn(at).find((row) => row.keyword === keyword)?.id ?? '';
  return reader.causes({ id, date: day(at), ...(compare !== undefined && { compare }) });
}

describe('the first cause', () => {
  it.each([
    ['running shoes', quiet, { kind: 'entered', site: 'newcomer.example', rank: 1, places: -1 }],
    ['trail shoes', quiet + 1, { kind: 'own_title' }],
    ['hiking boots', quiet + 2, { kind: 'own_page_gone', previousRank: 4 }],
    ['gps watch', quiet + 3, { kind: expect.stringMatching(/^own_page/), previousRank: 4, rank: 8 }],
    ['rain jacket', quiet + 4, { kind: 'feature_appeared', feature: 'ai_overview' }],
  ])('of %s is what was planted, on its day and between far dates', (keyword, at, cause) => {
    expect(causesOf(keyword, at).causes[0]).toMatchObject(cause);
    expect(causesOf(keyword, at, day(at - 3)).causes[0]).toMatchObject(cause);
  });

  it('is never certain on a day without events', () => {
    for (let at = 1; at < quiet; at += 1)
      for (const { keyword } of rowsOn(at))
        expect(causesOf(keyword, at).causes.filter(({ certainty }) => certainty === 'certain')).toEqual([]);
  });
});

describe('places', () => {
  it('add up to each change', () => {
    let changes = 0;
    for (let at = 1; at < days; at += 1)
      for (const row of rowsOn(at)) {
        const { causes, places, isAtLeast } = causesOf(row.keyword, at);
        expect(causes.reduce((sum, { places: of = 0 }) => sum + of, 0)).toBe(places);
        if (!isAtLeast && row.rank !== null) expect(places).toBe((row.previousRank ?? 0) - row.rank);
        changes += places === 0 ? 0 : 1;
      }
    expect(changes).toBeGreaterThan(3);
  });
});

describe('what a run keeps', () => {
  it('is what its dates are explained with later', () => {
    const { causes } = causesOf('trail shoes', quiet + 1);
    const kept = [...reader.changeCauses({ date: day(quiet + 1), filter: {}, sort: [] })];
    expect(kept.find(({ keyword }) => keyword === 'trail shoes')?.causes).toEqual(causes);
    expect(kept.every(({ significance }) => significance === 'likely' || significance === 'certain')).toBe(true);
  });
});

describe('a run', () => {
  it('writes a line for each cause', () => {
    const file = readFileSync(join(path, `reports/acme/${day(quiet)}T0600/causes.csv`), 'utf8');
    const { data } = Papa.parse<Record<string, string>>(file, { header: true, skipEmptyLines: true });
    expect(data).toMatchObject([
      {
        ...{ keyword: 'running shoes', rank: '5', previous_rank: '4', from: day(quiet - 1), to: day(quiet) },
        ...{
          cause_number: '1',
          kind: 'entered',
          cause: 'newcomer.example entered at 1',
          places: '-1',
          places_all: '-1',
        },
      },
    ]);
  });

  it('says the first cause in its alerts', () => {
    const alerts = jsonLines<KeywordAlert & { readonly text: string }>('alerts.jsonl');
    expect(alerts.map(({ keyword, cause }) => [keyword, cause?.kind])).toEqual([
      ['running shoes', 'entered'],
      ['trail shoes', 'own_title'],
      ['hiking boots', 'own_page_gone'],
      ['gps watch', expect.stringMatching(/^own_page/)],
    ]);
    expect(alerts[0]?.text).toMatch(/rank 5, was rank 4 on .*; first cause: newcomer\.example entered at 1$/);
  });

  it('says it beside the movers of a digest', () => {
    const digests = jsonLines<DigestDocument>('digests.jsonl').filter(({ movers }) => movers.length > 0);
    expect(digests[0]).toMatchObject({ to: day(quiet), movers: [{ cause: 'newcomer.example entered at 1' }] });
    expect(digests[0]?.text).toMatch(
      /- running shoes \(US en desktop\): 4 -> 5; first cause: newcomer\.example entered/,
    );
  });
});
