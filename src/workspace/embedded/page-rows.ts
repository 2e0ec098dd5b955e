// The rows that report.html holds, with their history and details, in the shape of the read API.

import { unpackRow } from '../../read/packed-rows.ts';
import type {
  KeywordHistory,
  KeywordRow,
  RankPoint,
  SerpResult,
  StoredSerpView,
  VolumeRow,
} from '../../read/records.ts';
import { trendOf } from '../../read/sums/series.ts';
import type { PageData } from '../../report/html/data/page-data.ts';
import { notRecorded, pairSteps, unpackTrail } from '../../report/html/data/trail.ts';
import { rankCodes, rankOfCode, statusOfCode } from '../../tracker/rank-codes.ts';

/** All rows, in the order of the file: the largest change in estimated clicks first. The id of a row is its index. */
export function pageRows(data: PageData): KeywordRow[] {
  return data.rows.keyword.map((_, index) => rowAt(data, index));
}

/** The rank codes of a row, one per date. */
export function trailOf({ history }: PageData, index: number | string): readonly number[] {
  return unpackTrail(history.trail[Number(index)] ?? '');
}

function rowAt(data: PageData, index: number): KeywordRow {
  const row = unpackRow(data, index) as KeywordRow; // of a row of the read API
  const { status, incomplete, depth, last, location, target } = row;
  return {
    ...row,
    location: location ?? undefined,
    complete: (status === 'ranked' || status === 'not_found') && incomplete === undefined,
    isPlace: data.places?.includes(target) ?? false,
    // comparable rows have a baseline, and with it a depth, of which headline numbers need no more
    previousDepth: depth,
    previousCheckedAt: null,
    lastAgeDays: last?.ageDays ?? null,
    // unpacked for rows that are shown
    get trend() {
      return trendOf(data.axis.dates, trailOf(data, index));
    },
  };
}

/** One point per date with a check, of a target that the page knows by its ranks only. Times are not in the file. */
function rankPointsOf({ axis }: PageData, trail: readonly number[]): RankPoint[] {
  return axis.dates.flatMap((date, at) => {
    const code = trail[at] ?? rankCodes.none;
    const status = statusOfCode(code);
    const unknown = { checkedAt: null, url: null, depth: null, serpFeatures: [], ownedFeatures: [], note: null };
    return status === null ? [] : [{ ...unknown, date, status, rank: rankOfCode(code), featuresKnown: false }];
  });
}

/** The same of a row, with its ranking URLs and features. */
export function rankPoints(data: PageData, id: string): RankPoint[] {
  const { axis, history, texts } = data;
  const index = Number(id);
  const [urlAt, ownedAt, shownAt] = [history.urlSteps, history.ownedSteps, history.shownSteps].map((steps) =>
    inEffect(steps[index]),
  );
  return rankPointsOf(data, trailOf(data, index)).map((point) => {
    const { rank, status } = point;
    if (status !== 'ranked' && status !== 'not_found') return point;
    const date = axis.dates.indexOf(point.date);
    const textAt = (name: string, at: number = notRecorded) => texts[name]?.[at];
    const [url, shown] = [textAt('urls', urlAt?.(date)), shownAt?.(date) ?? notRecorded];
    const listAt = (at: number | undefined): readonly string[] => {
      const list = textAt('features', at);
      return typeof list === 'object' ? list : [];
    };
    return {
      ...point,
      url: rank !== null && typeof url === 'string' ? url : null,
      serpFeatures: listAt(shown),
      ownedFeatures: listAt(ownedAt?.(date)),
      featuresKnown: shown > notRecorded,
    };
  });
}

/** The number in effect on a date; `notRecorded` before the first step. */
function inEffect(flat: readonly number[] | undefined): (date: number) => number {
  const steps = pairSteps(flat ?? []);
  return (date) => steps.findLast(([from]) => from <= date)?.[1] ?? notRecorded;
}

/** Competitors of which something is known. */
export function rivalLines(data: PageData, { id }: KeywordRow): KeywordHistory['lines'] {
  const { targets, trails } = data.details.rivals;
  return (trails[Number(id)] ?? []).flatMap((packed, rival) => {
    const points = rankPointsOf(data, unpackTrail(packed));
    return points.length === 0 ? [] : [{ target: targets[rival] ?? '', isOwn: false, points }];
  });
}

/** By month, oldest first, without other metrics. */
export function volumesOf({ details }: PageData, row: KeywordRow): VolumeRow[] {
  const { id, keyword, country, language } = row;
  const { months, rows } = details.volumes;
  return months.flatMap((month, at) => {
    const searchVolume = rows[Number(id)]?.[at] ?? null;
    const rest = { cpc: null, competition: null, source: '' };
    return searchVolume === null ? [] : [{ keyword, country, language, month, searchVolume, ...rest }];
  });
}

/** Newest first. */
export function serpsOf(data: PageData, row: KeywordRow): StoredSerpView[] {
  return (data.details.serpsOfRow[Number(row.id)] ?? []).flatMap((at) => serpAt(data, at, row) ?? []);
}

function serpAt({ details }: PageData, at: number, row: KeywordRow): StoredSerpView | null {
  const serp = details.serps[at];
  if (serp === undefined) return null;
  const { keyword, country, language, device, location } = row;
  const { targets, urls, ownCount } = details;
  const { date, at: checkedAt, source, runId, pages, ranked, places = [] } = serp;
  const results: SerpResult[] = [];
  for (let first = 0; first + 2 < serp.results.length; first += 3) {
    const [url = -1, page = 0, target = -1] = serp.results.slice(first, first + 3);
    results.push({
      rank: results.length < ranked ? results.length + 1 : null,
      page,
      url: urls[url] ?? '',
      target: targets[target] ?? null,
      isOwn: target >= 0 && target < ownCount,
    });
  }
  const features = serp.features.map(([page, type, shown]) => ({
    page,
    type,
    urls: [],
    targets: shown.flatMap((target) => targets[target] ?? []),
    isOwn: shown.some((target) => target < ownCount),
  }));
  const search = { keyword, country, language, device, location };
  return { ...search, date, checkedAt, source, runId, pages, results, features, places };
}
