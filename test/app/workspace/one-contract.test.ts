// One contract, two implementations: the data in report.html answers the read API as the database does.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'cheerio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../../src/app/app.ts';
import { historyReader } from '../../../src/app/workspace/workspace.ts';
import { InvalidQuery, NotFound } from '../../../src/read/contract.ts';
import type { KeywordHistory, KeywordRow, StoredSerpView } from '../../../src/read/records.ts';
import { answerPath } from '../../../src/workspace/embedded/answer.ts';
import { PageReader } from '../../../src/workspace/embedded/page-reader.ts';
import { rowsWithFields } from '../../../src/workspace/row-files.ts';
import { type ProjectFolder, projectFolder } from '../../cli/project-folder.ts';
import { commandAt, readingApp, runSlots } from '../../cli/real-app.ts';
import { clickRow, putClicks, someDays } from '../../helpers/click-days.ts';
import { builtFacts, heldData } from '../../report/html/built-page.ts';

/** Clicks of the pages that the sandbox ranks, too. */
function withRankingPages() {
  const pages = ['https://acme.com/running-shoes', 'https://www.acme.com/', 'https://acme.com/'];
  return [...someDays, { date: '2026-01-08', rows: pages.map((page) => clickRow('shoes', 1, 10, { page })) }];
}

const slots = ['2026-01-12T05:00:00Z', '2026-01-13T05:00:00Z', '2026-01-14T05:00:00Z'];

let folder: ProjectFolder;
let app: App;
let fromStore: (path: string) => unknown;
let fromPage: (path: string) => unknown;

beforeAll(async () => {
  folder = projectFolder();
  await runSlots(folder, slots.slice(0, 2));
  putClicks(folder.path, withRankingPages());
  await runSlots(folder, slots.slice(2));
  app = await readingApp(folder.path, Date.parse('2026-01-14T12:00:00Z'));
  const stored = historyReader(app);
  fromStore = (path) => answerPath(stored, path);
  const page = load(readFileSync(join(folder.path, 'reports', 'acme', 'latest', 'report.html'), 'utf8'));
  const held = new PageReader(heldData(page.html()));
  fromPage = (path) => answerPath(held, path);
});
afterAll(async () => {
  await app.close();
});

/** Ids differ, times are to the minute in the file, and its rows have the order of the report. */
function comparable(row: KeywordRow): object {
  const { id: _, checkedAt, trend: __, ...rest } = row;
  return { ...rest, checkedAt: checkedAt === null ? null : String(checkedAt).slice(0, 16) };
}

const rowsAt = (answer: unknown) =>
  JSON.parse(JSON.stringify(rowsWithFields((answer as { data: KeywordRow[] }).data))) as readonly KeywordRow[];
const filters = [
  '',
  'q=shoes',
  'q=/s$/',
  'device=mobile',
  'device=!mobile&rank=1..10',
  'status=ranked|not_found',
  'change=improved|declined|entered|dropped',
  'bucket=1|2-3|4-10',
  'volume=1..',
  'feature=people_also_ask',
  'owned=!featured_snippet',
  'lost=!featured_snippet',
  'intent=commercial',
  'clicks=..50',
];

describe('the data in report.html', () => {
  it('is given whole, or by page', () => {
    const path = '/v1/projects/acme/keywords?sort=keyword,device,target';
    const all = rowsAt(fromPage(path));
    expect(rowsAt(fromPage(`${path}&limit=all`))).toEqual(all);
    expect(rowsAt(fromPage(`${path}&limit=1&offset=1`))).toEqual(all.slice(1, 2));
    expect(all.length).toBeGreaterThan(2);
  });

  it.each(filters)('has the rows of the database, in the same order: %s', (filter) => {
    const path = `/v1/projects/acme/keywords?sort=keyword,device,target&limit=1000&${filter}`;
    const [stored, held] = [rowsAt(fromStore(path)), rowsAt(fromPage(path))];
    if (filter === '') expect(stored.length).toBeGreaterThan(2);
    expect(held.map(comparable)).toEqual(stored.map(comparable));
  });

  it.each(filters)('gives the same sums, now and over time: %s', (filter) => {
    for (const resource of [
      'summary',
      'series',
      'segments?by=device',
      'segments?by=tag',
      'segments?by=view',
      'landing-pages',
    ]) {
      const path = `/v1/projects/acme/${resource}${resource.includes('?') ? '&' : '?'}${filter}`;
      expect(fromPage(path), path).toEqual(fromStore(path));
    }
    const weekly = `/v1/projects/acme/series?granularity=week&from=2026-01-13&${filter}`;
    expect(fromPage(weekly)).toEqual(fromStore(weekly));
  });

  it('has the same pages by date', () => {
    const path = '/v1/projects/acme/cannibalization?granularity=day';
    type Answer = { rows: { id: string }[] };
    const withoutIds = ({ rows, ...rest }: Answer) => ({ ...rest, rows: rows.map(({ id: _, ...row }) => row) });
    expect(withoutIds(fromPage(path) as Answer)).toEqual(withoutIds(fromStore(path) as Answer));
  });

  it('lists these pages alike', () => {
    const path = '/v1/projects/acme/cannibalization/pages';
    expect(fromPage(path)).toEqual(fromStore(path));
  });

  it('has the same facts of the project', () => {
    const path = '/v1/projects/acme';
    const { tags, markets, ...stored } = fromStore(path) as { tags: string[]; markets: object[] };
    expect(fromPage(path)).toMatchObject({ ...stored, tags });
    expect((fromPage(path) as { markets: object[] }).markets).toHaveLength(markets.length);
  });

  it('has the history of each row: ranks, pages and features by date', () => {
    const paths = '/v1/projects/acme/keywords?sort=keyword,device,target&limit=1000';
    const [stored, held] = [rowsAt(fromStore(paths)), rowsAt(fromPage(paths))];
    for (const [index, { id }] of stored.entries()) {
      const points = (answer: unknown) =>
        (answer as KeywordHistory).lines[0]?.points
          .map(({ date, status, rank, url, serpFeatures, ownedFeatures }) => ({
            date,
            status,
            rank,
            url,
            features: serpFeatures.toSorted(),
            owned: ownedFeatures.toSorted(),
          }))
          .sort((a, b) => (a.date < b.date ? -1 : 1));
      const history = fromPage(`/v1/projects/acme/keywords/${held[index]?.id}`);
      expect(points(history)).toEqual(points(fromStore(`/v1/projects/acme/keywords/${id}`)));
    }
  });

  it('has the ranks of competitors and the volumes by month of the first rows', () => {
    const path = '/v1/projects/acme/keywords?sort=keyword,device,target&limit=1000';
    const [stored, held] = [rowsAt(fromStore(path)), rowsAt(fromPage(path))];
    const facts = ({ lines, volumes }: KeywordHistory) => ({
      lines: lines.map(({ target, isOwn, points }) => [
        ...[target, isOwn],
        ...points.map(({ date, status, rank }) => `${date} ${status} ${rank}`).sort(),
      ]),
      volumes: volumes
        .filter(({ searchVolume }) => searchVolume !== null)
        .map(({ month, searchVolume }) => `${month} ${searchVolume}`)
        .sort(),
    });
    const [first] = stored.map(({ id }) => facts(fromStore(`/v1/projects/acme/keywords/${id}`) as KeywordHistory));
    expect(first?.lines.filter(([, isOwn]) => isOwn === false).map(([target]) => target)).toEqual(['globex.com']);
    expect(first?.volumes.length).toBeGreaterThan(0);
    for (const [index, { id }] of stored.entries()) {
      const ofPage = facts(fromPage(`/v1/projects/acme/keywords/${held[index]?.id}`) as KeywordHistory);
      expect(ofPage).toEqual(facts(fromStore(`/v1/projects/acme/keywords/${id}`) as KeywordHistory));
    }
  });

  it('has the stored results of the date and of the compared one', () => {
    const search = 'keyword=running+shoes&country=US&language=en&device=desktop';
    expect(fromPage(`/v1/projects/acme/serp/dates?${search}`)).toEqual({ dates: ['2026-01-14', '2026-01-13'] });
    // addresses of features are in the database only
    const results = (answer: unknown) => {
      const { serp } = answer as { serp: StoredSerpView };
      return { ...serp, features: serp.features.map(({ urls: _, ...feature }) => feature) };
    };
    for (const date of ['2026-01-13', '2026-01-14']) {
      const path = `/v1/projects/acme/serp?${search}&date=${date}`;
      expect(results(fromPage(path))).toEqual(results(fromStore(path)));
      expect(results(fromPage(path)).results.some(({ isOwn, target }) => isOwn || target === 'globex.com')).toBe(true);
    }
    expect(fromPage(`/v1/projects/acme/serp?${search}&date=2026-01-12`)).toEqual({ serp: null });
  });

  it('gives the same comparison of targets over time', () => {
    interface Series {
      dates: string[];
      targets: { target: string; isOwn: boolean; visibility: number[]; visibilityOver: number[] }[];
    }
    const lines = (answer: unknown) => {
      const { dates, targets } = answer as Series;
      return {
        dates,
        targets: targets.map(({ target, isOwn, visibility, visibilityOver }) => ({
          target,
          isOwn,
          visibility,
          visibilityOver,
        })),
      };
    };
    const path = '/v1/projects/acme/competitors';
    expect(lines(fromPage(path))).toEqual(lines(fromStore(path)));
  });

  it('counts a row without a complete check in no average', () => {
    const reader = new PageReader(builtFacts({ keywords: 60 }).data);
    const { total, checked, buckets } = reader.of('acme').summary({ filter: {}, sort: [] });
    // of sixty rows two checks failed
    expect([total, checked, buckets.unknown]).toEqual([60, 58, 2]);
  });

  it('says what the file lacks, and refuses a misspelt parameter as the server does', () => {
    const broken = (path: string) => () => fromPage(`/v1/projects/acme/${path}`);
    expect(broken('keywords?date=2026-01-12')).toThrow(InvalidQuery);
    expect(broken('keywords?compare=7d')).toThrow(/does not hold the comparison 7d/);
    expect(broken('competitors?device=desktop')).toThrow(/does not hold competitors of some keywords/);
    expect(broken('keywords?tag=none')).toThrow('tag: "none" is not in this project');
    expect(broken('keywords?device=Mobile')).toThrow('device: "Mobile" is not desktop, mobile');
    expect(broken('keywords?tagg=shoes')).toThrow(/no such parameter/);
    expect(broken('keywords/999')).toThrow(NotFound);
    expect(() => fromPage('/v1/projects/other/keywords')).toThrow(NotFound);
  });
});

describe('where pages were lost', () => {
  const blocked = `timezone: Europe/Berlin
services:
  default: { mode: embedded, source: sandbox, seed: 3, blockedShare: 0.5 }
projects:
  - id: acme
    targets: [acme.com]
    schedule: "0 6 * * *"
    market: { country: US, language: en }
    depth: 2
    paging: full
    keywords: [acme shoes, acme shop, acme boots, acme store, running shoes, running socks, trail shoes, hiking boots]
`;
  let lossy: ProjectFolder;
  let reading: App;
  const readers: ((path: string) => unknown)[] = [];

  beforeAll(async () => {
    lossy = projectFolder(blocked);
    for (const slot of slots.slice(0, 2))
      await commandAt(lossy, Date.parse(slot) + 3_600_000, 'run', '--all', '--slot', slot);
    reading = await readingApp(lossy.path, Date.parse('2026-01-13T12:00:00Z'));
    const stored = historyReader(reading);
    const page = load(readFileSync(join(lossy.path, 'reports', 'acme', 'latest', 'report.html'), 'utf8'));
    const held = new PageReader(heldData(page.html()));
    readers.push(
      (path) => answerPath(stored, path),
      (path) => answerPath(held, path),
    );
  });
  afterAll(async () => {
    await reading.close();
  });

  it('filters by rank bucket exactly the rows that the buckets count', () => {
    for (const read of readers) {
      const rows = rowsAt(read('/v1/projects/acme/keywords?limit=100'));
      expect(rows.filter(({ status, incomplete }) => status === 'ranked' && incomplete).length).toBeGreaterThan(0);
      const { buckets } = read('/v1/projects/acme/summary') as { buckets: Record<string, number> };
      const filtered = Object.keys(buckets).map((bucket) => [
        bucket,
        rowsAt(read(`/v1/projects/acme/keywords?bucket=${bucket}`)).length,
      ]);
      expect(Object.fromEntries(filtered)).toEqual(buckets);
    }
  });

  it('lists failed checks among the ranks of a period, on the date of their run', () => {
    const [stored, held] = readers.map((read) => rowsAt(read('/v1/projects/acme/keywords?sort=keyword')));
    expect(held?.map(({ date }) => date)).toEqual(stored?.map(({ date }) => date));
    expect(new Set(stored?.map(({ date }) => date))).toEqual(new Set(['2026-01-13']));
    const ranks = rowsAt(readers[0]?.('/v1/projects/acme/rankings?from=2026-01-12&limit=100'));
    expect(ranks).toHaveLength(16);
    expect(ranks.map(({ status }) => status)).toContain('failed');
  });
});
