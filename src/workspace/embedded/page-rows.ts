// The rows that report.html holds, with their history and details, in the shape of the read API.

import type { KeywordHistory, KeywordRow, RankPoint, StoredSerpView, VolumeRow } from '../../read/records.ts';
import { trendOf } from '../../read/sums/series.ts';
import type { PageData, Steps } from '../../report/html/data/page-data.ts';
import { marketName } from '../../tracker/project.ts';
import { rankCodes, rankOfCode, statusOfCode } from '../../tracker/rank-codes.ts';
import { foldKeyword } from '../../tracker/searches.ts';

/** All rows, in the order of the file. The id of a row is its index. */
export function pageRows({ rows, histories, axis: { dates } }: PageData): KeywordRow[] {
  return rows.map((row, index) => ({
    ...row,
    id: `${index}`,
    get trend() {
      return trendOf(dates, histories[index]?.codes ?? []);
    },
  }));
}

/** The rank codes of a row, one per date. */
export function trailOf({ histories }: PageData, id: string): readonly number[] {
  return histories[Number(id)]?.codes ?? [];
}

/** One point per date with a check, of a target that the page knows by its ranks only. Times are not in the file. */
function rankPointsOf({ axis }: PageData, codes: readonly number[]): RankPoint[] {
  return axis.dates.flatMap((date, at) => {
    const code = codes[at] ?? rankCodes.none;
    const status = statusOfCode(code);
    const unknown = { checkedAt: null, url: null, depth: null, serpFeatures: [], ownedFeatures: [], note: null };
    return status === null ? [] : [{ ...unknown, date, status, rank: rankOfCode(code), featuresKnown: false }];
  });
}

/** The same of a row, with its ranking URLs and features. */
export function rankPoints(data: PageData, id: string): RankPoint[] {
  const { urls = [], owned = [], shown = [], codes = [] } = data.histories[Number(id)] ?? {};
  return rankPointsOf(data, codes).map((point) => {
    const { rank, status } = point;
    if (status !== 'ranked' && status !== 'not_found') return point;
    const date = data.axis.dates.indexOf(point.date);
    const features = inEffect(shown, date) ?? null;
    return {
      ...point,
      url: rank === null ? null : (inEffect(urls, date) ?? null),
      serpFeatures: features ?? [],
      ownedFeatures: inEffect(owned, date) ?? [],
      featuresKnown: features !== null,
    };
  });
}

function inEffect<Value>(steps: Steps<Value>, date: number): Value | undefined {
  return steps.findLast(([from]) => from <= date)?.[1];
}

/** Competitors of which something is known. */
export function rivalLines(data: PageData, { id }: KeywordRow): KeywordHistory['lines'] {
  const { targets, codes } = data.details.rivals;
  return (codes[Number(id)] ?? []).flatMap((ofRival, rival) => {
    const points = rankPointsOf(data, ofRival);
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

/** Equal for all spellings of a keyword in one market. */
export function searchOf({
  keyword,
  ...market
}: Parameters<typeof marketName>[0] & { readonly keyword: string }): string {
  return `${foldKeyword(keyword)}\n${marketName(market)}`;
}

/** Of a search, newest first. */
export function serpsOf({ details }: PageData, search: string): StoredSerpView[] {
  return details.serps.filter((serp) => searchOf(serp) === search);
}
