// A report page with any number of invented rows: moving histories, gaps, absences, and any text from outside.

import { gunzipSync } from 'node:zlib';
import { load } from 'cheerio';
import { readPageAssets } from '../../../jobs/report/html/page-assets.ts';
import { HistoryRow } from '../../../src/read/row.ts';
import { buildTrail, type Series, TargetTimeline } from '../../../src/read/sums/timeline.ts';
import { KeptRows, pageRow } from '../../../src/report/html/data/kept-rows.ts';
import type { PageData, RowHistory, TargetSeries } from '../../../src/report/html/data/page-data.ts';
import type { PageFacts } from '../../../src/report/html/data/page-facts.ts';
import { FeatureCounts, pageSums } from '../../../src/report/html/data/page-facts.ts';
import { reportPage } from '../../../src/report/html/page.ts';
import { startMoverTable } from '../../../src/report/tables/movers.ts';
import { startSummary } from '../../../src/report/tables/summary.ts';
import { plainTemplate, type ReportTemplate } from '../../../src/tracker/changes/client-reports.ts';
import type { DatedRanking } from '../../../src/tracker/observation.ts';
import { curve, observed, plainCheck, plainInput, plainTable } from '../../read/invented.ts';

export interface PageOptions {
  readonly keywords?: number;
  readonly dates?: number;
  /** Text from outside, by its kind and the number of the row. */
  readonly text?: (what: 'keyword' | 'tag' | 'path' | 'note' | 'reason' | 'target', index: number) => string;
  readonly warning?: string | null;
  readonly rowsMax?: number;
  readonly template?: ReportTemplate;
  readonly causes?: PageFacts['data']['causes'];
}

const dayMs = 86_400_000;
const start = Date.UTC(2026, 8, 1);

const plainText: NonNullable<PageOptions['text']> = (what, index) =>
  ({
    keyword: `keyword ${String(index).padStart(5, '0')}`,
    tag: `tag ${index % 7}`,
    path: `page-${index % 50}`,
    note: 'core update',
    reason: 'HTTP 503 three times',
    target: 'acme.com',
  })[what];

export function builtFacts(options: PageOptions = {}): PageFacts {
  const {
    keywords = 60,
    dates = 30,
    text = plainText,
    warning = null,
    rowsMax = 20_000,
    template = plainTemplate,
    causes,
  } = options;
  const days = Array.from({ length: dates }, (_, index) => new Date(start + index * dayMs).toISOString().slice(0, 10));
  const dateOf = new Map(days.map((_, index) => [start + index * dayMs, index]));
  const keptRows = new KeptRows(rowsMax);
  const histories: RowHistory[] = [];
  const timeline = new TargetTimeline(dates, curve);
  const summary = startSummary(curve);
  const movers = startMoverTable(curve);
  const features = new FeatureCounts();
  const urls = new Map<number, string>();
  for (let index = 0; index < keywords; index += 1) {
    const url = (version: number): string => `https://www.acme.com/${text('path', index)}?v=${version}`;
    const [one, two] = [2 * index + 1, 2 * index + 2];
    urls.set(one, url(1)).set(two, url(2));
    const found = placesOf(index, dates, [one, two]);
    const rank = found.at(-1)?.rank ?? null;
    const before = found.at(-2)?.rank ?? null;
    const row = new HistoryRow(
      {
        ...plainInput,
        search: {
          keyword: text('keyword', index),
          market: { service: 'default', country: index % 3 === 0 ? 'GB' : 'US', language: 'en', device: 'desktop' },
        },
        target: { match: 'domain', value: text('target', index) },
        tags: [text('tag', index)],
        check: index % 29 === 7 ? { ...plainCheck, status: 'failed', reason: text('reason', index) } : plainCheck,
        outcome:
          rank === null
            ? { kind: 'notFound', depth: 3 }
            : { kind: 'ranked', organicRank: rank, absoluteRank: rank, page: Math.ceil(rank / 10), url: url(1) },
        baseline: observed(before),
        bestRank: Math.min(...found.map((place) => place.rank ?? 99)),
        metrics: {
          ...plainInput.metrics,
          searchVolume: index % 11 === 5 ? null : 10 * ((index * 7919) % 5000),
        } as typeof plainInput.metrics,
        note: null,
      },
      plainTable,
    );
    const trail = buildTrail(
      found,
      ({ moment }) => dateOf.get(moment),
      dates,
      (id) => id % 41 !== 0,
    );
    histories.push({
      codes: [...trail.codes],
      urls: trail.urlSteps.map(([date, id]) => [date, urls.get(id) ?? null]),
      owned: trail.ownedSteps.map(([date, names]) => [date, names === '' ? [] : names.split('|')]),
      shown: shownSteps(index, dates),
    });
    keptRows.add(row, index);
    timeline.add(trail.codes, row.searchVolume);
    summary.add(row);
    movers.add(row);
    features.add(row);
  }
  const lines = summary.rows({ runId: 7, compare: 'previous', notesSince: () => [], warning });
  const kept = keptRows.taken();
  const competitors = [competitor(text('target', 0), true), competitor('globex.com', false)];
  return {
    project: 'acme',
    run: { id: 7, state: 'partial', slot: '2026-09-30T06:00', timezone: 'UTC' },
    warning,
    isSuspect: warning?.startsWith('suspect') ?? false,
    compare: 'previous',
    ctrCurve: curve,
    sources: ['default/sandbox'],
    template,
    generatedAt: start + dates * dayMs,
    summary: lines,
    movers: movers.rows(warning),
    features: features.lines(),
    competitors,
    spend: [],
    period: null,
    problems: [
      { state: 'failed', reason: text('reason', 7), remedy: 'try again', count: 2, examples: [text('keyword', 7)] },
    ],
    rowsTotal: keptRows.total,
    data: {
      project: {
        name: 'acme',
        engine: null,
        timezone: 'UTC',
        date: days.at(-1) ?? '2026-09-30',
        compare: 'previous',
        ctrCurve: curve,
        columns: template.columns,
        overlaps: [],
        competitors: ['globex.com'],
        views: [],
        standings: competitors,
        sums: pageSums(lines),
      },
      axis: { dates: days },
      charts: {
        visibility: [
          { target: text('target', 0), isOwn: true, values: timeline.visibility(), of: timeline.weighed() },
          rivalLine(timeline),
        ],
        shareOfVoice: [],
        distribution: timeline.distribution(),
        checked: timeline.checked(),
        total: timeline.total,
      },
      details: {
        rivals: { targets: [], codes: [] },
        volumes: { months: [], rows: [] },
        serps: [],
      },
      ...(causes !== undefined && { causes }),
      marks: dates === 0 ? [] : [{ date: days[Math.floor(dates / 2)] ?? '', text: text('note', 0) }],
      rows: kept.map(({ row }) => pageRow(row)),
      histories: kept.flatMap(({ searchId }) => histories[searchId ?? -1] ?? []),
    },
  };
}

export function builtPage(options: PageOptions = {}): string {
  return [...reportPage(builtFacts(options), readPageAssets())].join('');
}

/** The data that a report.html holds. */
export function heldData(html: string): PageData {
  const packed = load(html)('#report-data').text();
  return JSON.parse(gunzipSync(Buffer.from(packed, 'base64')).toString('utf8'));
}

/** Ranks that wander, with days without a check, absences, and a second page that takes over. */
function placesOf(index: number, dates: number, [one, two]: readonly [number, number]): DatedRanking[] {
  return Array.from({ length: dates }, (_, date) => date)
    .filter((date) => (index + date) % 17 !== 4)
    .map((date) => {
      const rank = 1 + ((index * 13) % 28) + ((index * date) % 5);
      const isAbsent = (index + date) % 13 === 0;
      return {
        moment: start + date * dayMs,
        checkId: index * dates + date,
        checkedAt: null,
        rank: isAbsent ? null : rank,
        isNotFollowed: false,
        urlId: isAbsent ? null : date > dates / 2 && index % 4 === 0 ? two : one,
        ownedFeatures: date > dates / 3 && index % 5 === 0 ? 'video' : null,
      };
    });
}

/** Features that change midway; nothing was recorded on the first two dates. */
function shownSteps(index: number, dates: number): RowHistory['shown'] {
  if (dates < 9) return [];
  const before = index % 2 === 0 ? ['people_also_ask'] : [];
  return [
    [0, null],
    [2, before],
    [Math.floor(dates / 3), ['people_also_ask', 'video']],
  ];
}

/** A competitor whose line begins late, with a gap of two dates. */
function rivalLine(timeline: TargetTimeline): TargetSeries {
  const isKnown = (date: number): boolean => date > 4 && date !== 9 && date !== 10;
  const shown = (line: Series, factor: number): Series =>
    line.map((value, date) => (value === null || !isKnown(date) ? null : Math.round(value * factor)));
  return {
    target: 'globex.com',
    isOwn: false,
    values: shown(timeline.visibility(), 1.5),
    of: shown(timeline.weighed(), 1),
  };
}

function competitor(target: string, isOwn: boolean): PageFacts['competitors'][number] {
  return {
    target,
    isOwn,
    visibility: 12.5,
    visibilityChange: isOwn ? 10.5 : -10.25,
    shareOfVoice: 14.5,
    shareOfVoiceChange: -11.15,
    shareCount: 10058,
    notFollowed: 0,
    comparable: 9957,
    averageRank: 8.5,
    top3: 3,
    top10: 20,
    ranked: 4040,
    checked: 10058,
    wins: isOwn ? null : 3030,
    losses: isOwn ? null : 1212,
  };
}
