// What a project's change is made of, read from real runs.
import { beforeAll, expect, it } from 'vitest';
import { StoredHistory } from '../../../jobs/read/history-reader.ts';
import { InvalidQuery } from '../../../src/read/contract.ts';
import type { AttributionAnswer } from '../../../src/read/records.ts';
import { type AttributionLine, attributionGroupings } from '../../../src/tracker/causes/attribution.ts';
import type { ChangeSummary } from '../../../src/tracker/causes/change-summary.ts';
import { answerPath } from '../../../src/workspace/embedded/answer.ts';
import { keyword, project } from '../../helpers/jobs.ts';
import { RankedWorld } from '../../helpers/ranked-world.ts';

const dayMs = 86_400_000;
/** Volumes are those of the month: the second day has others. */
const first = Date.UTC(2026, 0, 31, 6);
const own = 'https://acme.example/';
const rival = 'https://rival.example/';

let history: StoredHistory;
let lines: Record<string, string>[];

beforeAll(async () => {
  const keywords = [
    keyword('shoes', { tags: ['wear', 'sale'] }),
    keyword('boots', { tags: ['wear'] }),
    keyword('socks', { devices: ['mobile'] }),
    keyword('laces'),
    keyword('soles'),
  ];
  const ranked = new RankedWorld([project({ keywords })], { reports: true });
  const { world } = ranked;
  const volume = (text: string, month: string, searchVolume: number): void =>
    world.store.transaction(() =>
      world.store.volumes.insert(
        text,
        { service: 'vendor', country: 'US', language: 'en' },
        {
          ...{ month, searchVolume, observedAt: first, source: 'vendor/memory', cpcMicroUsd: null, competition: null },
          ...{ competitionLevel: null, intent: null, relatedKeywords: null },
        },
        null,
      ),
    );
  for (const [text, january, february] of [
    ['shoes', 1000, 1000],
    ['boots', 1000, 2000],
    ['socks', 500, 500],
    ['laces', 100, 100],
  ] as const) {
    volume(text, '2026-01', january);
    volume(text, '2026-02', february);
  }
  ranked.scenes = {
    shoes: { at: { 1: own } },
    boots: { at: { 2: own } },
    socks: { at: { 3: own } },
    laces: { at: { 1: own } },
    soles: { at: { 1: own } },
  };
  await ranked.run(first);
  ranked.scenes = { ...ranked.scenes, shoes: { at: { 1: rival, 2: own } }, laces: { fails: true } };
  await ranked.run(first + dayMs);
  lines = world.table('attribution.csv');
  history = new StoredHistory(world.context, {
    ...{ ctrCurve: 'sistrix-2020', comparison: { kind: 'previous' }, notes: [], formerProjects: new Map() },
    ...{ viewsOf: () => [], isSimulated: () => false },
  });
});

const read = (parameters: string): AttributionAnswer =>
  answerPath(history, `/v1/projects/acme/attribution?${parameters}`) as AttributionAnswer;

const effectsOf = (parameters: string) =>
  read(parameters).rows.map(({ name, rankEffect, featureEffect, demandEffect, trackingEffect }) => [
    name,
    ...[rankEffect, featureEffect, demandEffect, trackingEffect],
  ]);

it('a rank, a volume and a failed check that change are the effects of their keywords', () => {
  expect(effectsOf('by=keyword')).toEqual([
    ['boots', 0, 0, 157, 0],
    ['shoes', -128, 0, 0, 0],
    ['laces', 0, 0, 0, -28.5],
    ['socks', 0, 0, 0, 0],
  ]);
});

it('the total begins and ends with the estimated clicks and the visibility of both dates', () => {
  const { from, to, total, measured } = read('');
  expect({ from, to, measured }).toEqual({ from: '2026-01-31', to: '2026-02-01', measured: null });
  for (const [date, clicks, visibility] of [
    [from, total?.clicksBefore, total?.visibilityBefore],
    [to, total?.clicksAfter, total?.visibilityAfter],
  ] as const) {
    const summary = history.of('acme').summary({ date: date ?? '', filter: {}, sort: [] });
    expect(clicks).toBe(summary.estimatedClicks);
    expect(visibility).toBeCloseTo(summary.visibility ?? 0, 4);
  }
});

it.each([
  ['tag', ['', 'sale', 'wear'], 4],
  ['market', ['US en desktop', 'US en mobile'], 4],
  ['device', ['desktop', 'mobile'], 4],
  ['page', [own], 4],
] as const)('the lines by %s have the names of their rows', (by, names, keywords) => {
  const { rows, total } = read(`by=${by}`);
  expect(rows.map(({ name }) => name).sort()).toEqual(names);
  expect(total?.keywords).toBe(keywords);
});

it('a rank effect goes to the site that entered above us, read from the stored pages', () => {
  expect(effectsOf('by=competitor')).toEqual([
    ['(other effects)', 0, 0, 157, -28.5],
    ['rival.example', -128, 0, 0, 0],
  ]);
  const [first] = read('by=competitor').rows;
  expect([first?.clicksBefore, first?.clicksAfter, first?.visibilityBefore]).toEqual([null, null, null]);
  expect(read('by=competitor').pages).toEqual({ moved: 1, read: 1 });
});

it('a filter, dates and a limit choose', () => {
  expect(effectsOf('by=keyword&tag=sale')).toEqual([['shoes', -128, 0, 0, 0]]);
  expect(read('limit=1')).toMatchObject({ rowsTotal: 4, rows: [{ name: 'boots' }] });
  expect(effectsOf('from=2026-02-01&to=2026-02-01&tag=sale')).toEqual([['shoes', 0, 0, 0, 0]]);
});

it('the first date has nothing before it: all is tracking, and no visibility changes', () => {
  const { from, total } = read('to=2026-01-31');
  expect(from).toBeNull();
  expect(total).toMatchObject({ clicksBefore: 0, trackingEffect: total?.clicksAfter, visibilityBefore: null });
});

it('before the first date there is nothing, and no newer date is shown instead', () => {
  expect(read('to=2026-01-30')).toMatchObject({ from: null, to: null, total: null, rowsTotal: 0 });
});

it('attribution.csv has the same lines, to the last decimal', () => {
  const { total } = read('');
  const cells = (by: string, line: AttributionLine | null) => ({
    ...{ by, name: line?.name, keywords: `${line?.keywords}`, from: '2026-01-31', to: '2026-02-01' },
    ...{ clicks_before: `${line?.clicksBefore ?? ''}`, clicks_after: `${line?.clicksAfter ?? ''}` },
    ...{ rank_effect: `${line?.rankEffect}`, feature_effect: `${line?.featureEffect}` },
    ...{ demand_effect: `${line?.demandEffect}`, tracking_effect: `${line?.trackingEffect}` },
    ...{ visibility_before: `${line?.visibilityBefore ?? ''}`, visibility_after: `${line?.visibilityAfter ?? ''}` },
    visibility_tracking_effect: `${line?.visibilityTrackingEffect}`,
  });
  const answered = attributionGroupings.flatMap((by) => read(`by=${by}`).rows.map((line) => cells(by, line)));
  expect(lines).toMatchObject([cells('total', total), ...answered]);
});

it('where no row has a volume, there is no number', () => {
  expect(read('q=soles')).toMatchObject({ total: null, rows: [] });
  expect(read('q=soles&by=competitor')).toMatchObject({ total: null, rows: [] });
});

it.each(['from=2026-02-01&to=2026-01-31', 'from=yesterday', 'by=url', 'limit=0'])('%s is refused', (parameters) => {
  expect(() => read(parameters)).toThrow(InvalidQuery);
});

it('the sentences say it, with where each is shown', () => {
  const { sentences, total } = answerPath(history, '/v1/projects/acme/why') as ChangeSummary;
  expect(total).toEqual(read('').total);
  expect(sentences).toEqual([
    {
      text: expect.stringMatching(
        /^Visibility over all rows fell from [\d.]+ to [\d.]+ %: −[\d.]+ points from ranks, /,
      ),
      link: 'Visibility over all rows',
      evidence: 'keywords?from=2026-01-31&to=2026-02-01',
    },
    {
      text: expect.stringMatching(/^Clicks a month over all rows stayed at 526: \+157 clicks a month from demand, /),
      link: 'Clicks a month over all rows',
      evidence: 'keywords?from=2026-01-31&to=2026-02-01',
    },
    {
      text: 'The tag wear lost 15.1 points through ranks, with 2 of 4 rows',
      link: 'The tag wear',
      evidence: 'keywords?from=2026-01-31&to=2026-02-01&tag=wear',
    },
    {
      text: 'rival.example took the most from us: 128 clicks a month in 1 row',
      link: 'rival.example',
      evidence: 'keywords?from=2026-01-31&to=2026-02-01&change=declined',
    },
  ]);
  const boots = answerPath(history, '/v1/projects/acme/why?q=boots') as ChangeSummary;
  expect(boots.sentences.map(({ text }) => text)).toEqual([
    'Visibility over all rows stayed at 55.1 %',
    'Clicks a month over all rows rose from 157 to 314: +157 clicks a month from demand',
  ]);
});
