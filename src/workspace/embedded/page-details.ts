// What report.html holds of some rows only: competitors' ranks, volumes by month, and stored results.
import type { PageData } from '../../report/html/data/page-data.ts';
import { unpackTrail } from '../../report/html/data/trail.ts';
import type { KeywordHistory, KeywordRow, VolumeRow } from '../records.ts';
import type { SerpResult, StoredSerpView } from '../serp-records.ts';
import { rankPointsOf } from './page-history.ts';

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
