// The rows of report.html in the shape of the read API, with their ranks over time.

import type { PageData } from '../../report/html/data/page-data.ts';
import { decodeRank, rankCodes, unpackTrail } from '../../report/html/data/trail.ts';
import { localDate } from '../../tracker/schedule/local-time.ts';
import type { KeywordRow } from '../records.ts';

/** All rows, in the order of the file: the largest change in estimated clicks first. The id of a row is its index. */
export function pageRows(data: PageData): KeywordRow[] {
  const dateOf = localDates(data.project.timezone);
  const clicks = new Map(data.clicks?.rows.map(([row, ...numbers]) => [row, numbers]));
  return data.rows.keyword.map((_, index) => rowAt(data, index, dateOf, clicks.get(index)));
}

/** The rank codes of a row, one per date. */
export function trailOf({ rows }: PageData, index: number | string): readonly number[] {
  return unpackTrail(rows.trail[Number(index)] ?? '');
}

type Numbers = readonly [clicks: number, impressions: number | null, position: number | null];

function rowAt(
  data: PageData,
  index: number,
  dateOf: (minute: string | null) => string | null,
  [measuredClicks, impressions, averagePosition]: Numbers | readonly [null, null, null] = [null, null, null],
): KeywordRow {
  const { rows, urls, featureSets } = data;
  const market = data.markets[rows.market[index] ?? -1] ?? { country: '', language: '', device: '' };
  const minuteOf = (id = -1): string | null => data.minutes[id] ?? null;
  const [checkedAt, previousCheckedAt] = [minuteOf(rows.checkedAt[index]), minuteOf(rows.previousCheckedAt[index])];
  const isPreferred = rows.urlIsPreferred[index] ?? -1;
  const target = data.targets[rows.target[index] ?? -1] ?? '';
  const status = rows.status[index] ?? 'deferred';
  const row: KeywordRow = {
    id: `${index}`,
    keyword: rows.keyword[index] ?? '',
    country: market.country,
    language: market.language,
    device: market.device,
    location: market.location,
    target,
    tags: (rows.tags[index] ?? []).map((tag) => data.tags[tag] ?? ''),
    status,
    rank: rows.rank[index] ?? null,
    previousRank: rows.previousRank[index] ?? null,
    change: rows.change[index] ?? null,
    changeClass: rows.changeClass[index] ?? 'not_comparable',
    significance: rows.significance[index] ?? null,
    bandBest: rows.bandBest[index] ?? null,
    bandWorst: rows.bandWorst[index] ?? null,
    bestRank: rows.bestRank[index] ?? null,
    depth: rows.depth[index] ?? null,
    url: urls[rows.url[index] ?? -1] ?? null,
    previousUrl: urls[rows.previousUrl[index] ?? -1] ?? null,
    preferredUrl: urls[rows.preferredUrl[index] ?? -1] ?? null,
    urlIsPreferred: isPreferred === -1 ? null : isPreferred === 1,
    lostFeatures: featureSets[rows.lost[index] ?? -1] ?? [],
    serpFeatures: featureSets[rows.features[index] ?? -1] ?? [],
    ownedFeatures: featureSets[rows.owned[index] ?? -1] ?? [],
    searchVolume: rows.volume[index] ?? null,
    cpc: rows.cpc[index] ?? null,
    competition: rows.competition[index] ?? null,
    intent: data.intents[rows.intent[index] ?? -1] ?? null,
    estimatedClicks: rows.clicks[index] ?? null,
    estimatedClicksChange: rows.clicksChange[index] ?? null,
    measuredClicks,
    impressions,
    averagePosition,
    checkedAt: checkedAt === null ? null : momentOf(checkedAt),
    date: dateOf(checkedAt) ?? data.project.date,
    previousDate: dateOf(previousCheckedAt),
    source: data.sources[rows.source[index] ?? -1] ?? null,
    runId: rows.runId[index] ?? null,
    note: data.notes[rows.note[index] ?? -1] ?? null,
    last: lastRank(rows.last[index] ?? null, (id) => dateOf(minuteOf(id))),
    incomplete: isUncounted(status, rows.complete[index]) ? true : undefined,
    complete: rows.complete[index] === 1,
    isPlace: data.places?.includes(target) ?? false,
    // comparable rows have a baseline, and with it a depth, of which headline numbers need no more
    previousDepth: rows.depth[index] ?? null,
    previousCheckedAt: null,
    lastAgeDays: rows.last[index]?.[2] ?? null,
    // unpacked for rows that are shown
    get trend() {
      return { dates: data.axis.dates, ranks: trailOf(data, index).map(trendValue) };
    },
  };
  return row;
}

/** An incomplete check may prove a rank, which no sum counts. */
function isUncounted(status: KeywordRow['status'], complete: 0 | 1 | undefined): boolean {
  return complete !== 1 && (status === 'ranked' || status === 'not_found');
}

function trendValue(code: number): number | 'not_found' | null {
  return code === rankCodes.notFound ? 'not_found' : decodeRank(code);
}

function lastRank(
  packed: PageData['rows']['last'][number],
  dateOf: (minute: number) => string | null,
): KeywordRow['last'] {
  if (packed === null) return undefined;
  const [rank, checkedAt, ageDays] = packed;
  return { rank, date: dateOf(checkedAt) ?? '', ageDays };
}

function momentOf(minute: string): number {
  return Date.parse(`${minute.replace(' ', 'T')}Z`);
}

/** Local dates by minute: the checks of a run share few. */
function localDates(timezone: string): (minute: string | null) => string | null {
  const known = new Map<string, string>();
  return (minute) => {
    if (minute === null) return null;
    const date = known.get(minute) ?? localDate(momentOf(minute), timezone);
    known.set(minute, date);
    return date;
  };
}
