// What the page of parts shows: made-up rows, dates and runs, the same each time.
import type { KeywordRow, ProjectFacts, RunRecord } from '../../records.ts';
import { datesBetween } from '../period.ts';

export const dates = datesBetween('2026-10-28', '2026-11-26');
export const yearDates = datesBetween('2025-11-27', '2026-11-26');

/** Between 0 and 1, by its place. */
function noise(place: number): number {
  const value = Math.sin(place * 12.9898) * 43758.5453;
  return value - Math.floor(value);
}

/** A line around a level, one value a date. */
export function line(count: number, level: number, spread: number, start = 0): number[] {
  return Array.from({ length: count }, (_, index) => level + (noise(index + start) - 0.5) * spread);
}

export const facts: ProjectFacts = {
  project: 'example',
  engine: null,
  timezone: 'Europe/Berlin',
  targets: ['acme.com', 'https://www.acme.com/shop/'],
  competitors: ['globex.com', 'initech.com'],
  tags: ['boots', 'brand', 'shoes'],
  markets: [
    { country: 'US', language: 'en', device: 'desktop' },
    { country: 'US', language: 'en', device: 'mobile' },
    { country: 'GB', language: 'en', device: 'desktop' },
  ],
  features: ['ai_overview', 'featured_snippet', 'local_pack', 'people_also_ask', 'video'],
  dates,
  ctrCurve: 'sistrix-2020',
  views: [{ name: 'Striking distance', query: 'rank=11..20' }],
};

const words = ['running shoes', 'ultralight tent', 'waterproof hiking boots', 'trail vest', 'gps watch', 'مصباح رأس'];
const newest = dates.at(-1) ?? '';

/** Row `index` of a table; every seventh is not a plain rank. */
export function exampleRow(index: number): KeywordRow {
  const [rank, previousRank] = [1 + Math.floor(noise(index) * 40), 1 + Math.floor(noise(index + 0.5) * 40)];
  const change = previousRank - rank;
  const row: KeywordRow = {
    id: `row-${index}`,
    keyword: `${words[index % words.length]} ${index + 1}`,
    country: index % 3 === 0 ? 'GB' : 'US',
    language: 'en',
    device: index % 2 === 0 ? 'desktop' : 'mobile',
    target: 'acme.com',
    tags: ['shoes'],
    status: 'ranked',
    rank,
    previousRank,
    change,
    changeClass: change === 0 ? 'unchanged' : change > 0 ? 'improved' : 'declined',
    significance: (['noise', 'likely', 'certain'] as const)[index % 3] ?? null,
    bandBest: Math.max(1, rank - 2),
    bandWorst: rank + 2,
    bestRank: Math.max(1, rank - 4),
    depth: 3,
    url: `https://www.acme.com/collections/${index}`,
    previousUrl: null,
    preferredUrl: index % 5 === 0 ? 'https://www.acme.com/preferred' : null,
    urlIsPreferred: index % 5 === 0 ? false : null,
    serpFeatures: ['people_also_ask', 'video'],
    ownedFeatures: index % 4 === 0 ? ['video'] : [],
    lostFeatures: index % 9 === 0 ? ['featured_snippet'] : [],
    searchVolume: Math.floor(noise(index + 0.2) * 90_000),
    cpc: 1.2,
    competition: 40,
    intent: 'commercial',
    estimatedClicks: noise(index + 0.3) * 4_000,
    estimatedClicksChange: (noise(index + 0.4) - 0.5) * 900,
    measuredClicks: null,
    impressions: null,
    averagePosition: null,
    checkedAt: Date.parse(`${newest}T05:00:00Z`),
    date: newest,
    previousDate: dates.at(-2) ?? null,
    source: 'default/sandbox',
    runId: 1,
    note: null,
    daysInTop10: 12,
    trend: { dates, ranks: line(dates.length, rank, 6, index).map((value) => Math.max(1, Math.round(value))) },
    complete: true,
    isPlace: true,
    previousDepth: 3,
    previousCheckedAt: null,
    lastAgeDays: null,
  };
  const odd = oddRows[index % (oddRows.length * 7)];
  return odd === undefined ? row : { ...row, ...odd };
}

/** The states of a row besides a plain rank. */
export const oddRows: readonly Partial<KeywordRow>[] = [
  { status: 'not_found', rank: null, change: null, changeClass: 'dropped', significance: 'certain', url: null },
  { changeClass: 'entered', change: null, previousRank: null, significance: 'likely' },
  {
    status: 'failed',
    rank: null,
    change: null,
    changeClass: 'not_comparable',
    note: 'not checked: the provider answered with CAPTCHAs',
    last: { rank: 8, date: '2026-11-23', ageDays: 3 } as NonNullable<KeywordRow['last']>, // a table shows no more of it
  },
  { incomplete: true },
  { status: 'deferred', rank: null, change: null, changeClass: 'not_comparable', trend: { dates, ranks: [] } },
  { changeClass: 'first_check', change: null, previousRank: null, bandBest: null, bandWorst: null },
];

const noChecks = { planned: 0, running: 0, ok: 0, incomplete: 0, failed: 0, deferred: 0, unknown_paid: 0 };

/** One in each state. */
export const runs: readonly RunRecord[] = (
  [
    { state: 'open', closedAt: null, checks: { ...noChecks, ok: 20, planned: 51 } },
    { checks: { ...noChecks, ok: 71 } },
    {
      state: 'partial',
      reason: '4 searches were answered with CAPTCHAs',
      checks: { ...noChecks, ok: 60, incomplete: 5, failed: 4, unknown_paid: 2 },
    },
    {
      state: 'halted',
      reason: 'no credits left: 59 searches deferred',
      checks: { ...noChecks, ok: 12, deferred: 59 },
    },
    {
      suspectReason: '31 of 66 ranked keywords were lost at once (0.7 expected at 1.0 % a run, chance 8.7e-26)',
      checks: { ...noChecks, ok: 71 },
    },
    { discardedAt: `${newest}T09:00:00.000Z`, checks: { ...noChecks, ok: 71 } },
    { kind: 'volumes' },
  ] satisfies Partial<RunRecord>[]
).map((run, index) => ({
  runId: 10 - index,
  kind: 'ranks',
  state: 'complete',
  projects: index === 4 ? ['example', 'other'] : ['example'],
  slot: `${dates.at(-1 - index)}T06:00`,
  openedAt: `${dates.at(-1 - index)}T05:00:01.000Z`,
  closedAt: `${dates.at(-1 - index)}T05:03:40.000Z`,
  checks: noChecks,
  creditsSpent: 210,
  microUsdSpent: 0,
  reason: null,
  suspectReason: null,
  remark: null,
  discardedAt: null,
  ...run,
}));
