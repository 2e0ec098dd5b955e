// Documents of the read API as tables: their columns and rows.
import { buckets } from '../tracker/changes/visibility.ts';
import { isOtherPage } from '../tracker/targets/target.ts';
import type { CannibalizationAnswer, CompetitorSeries, KeywordHistory, SeriesAnswer, TurnRow } from './records.ts';

/** One row per keyword and each of its pages. */
export function turnRows({ rows }: CannibalizationAnswer): TurnRow[] {
  return rows.flatMap(
    ({ keyword, country, language, device, location, target, rank, searchVolume, flips, pages, url, preferredUrl }) =>
      pages.map((page) => ({
        keyword,
        country,
        language,
        device,
        location,
        target,
        rank,
        searchVolume,
        changes: flips,
        url: page.url,
        ranksNow: url !== null && isOtherPage(page.url, url) === false,
        isPreferred: preferredUrl === null ? null : isOtherPage(page.url, preferredUrl) === false,
        dates: page.dates,
        bestRank: page.bestRank,
        lastDate: page.last,
      })),
  );
}

/** One row per date. */
function seriesRows({ dates, averageRank, visibility, estimatedClicks, checked, buckets }: SeriesAnswer) {
  return dates.map((date, at) => ({
    date,
    averageRank: averageRank[at] ?? null,
    visibility: visibility[at] ?? null,
    estimatedClicks: estimatedClicks[at] ?? null,
    checked: checked[at] ?? 0,
    ...Object.fromEntries(Object.entries(buckets).map(([bucket, rows]) => [`rows ${bucket}`, rows[at] ?? 0])),
  }));
}

/** One row per date and target. */
function competitorRows({ dates, targets }: CompetitorSeries) {
  return targets.flatMap(({ target, isOwn, visibility, visibilityOver, shareOfVoice }) =>
    dates.map((date, at) => ({
      date,
      target,
      isOwn,
      visibility: visibility[at] ?? null,
      visibilityOver: visibilityOver[at] ?? null,
      shareOfVoice: shareOfVoice?.[at] ?? null,
    })),
  );
}

/** One row per target and check. */
function historyRows({ lines }: KeywordHistory) {
  return lines.flatMap(({ target, isOwn, points }) =>
    points.map(({ date, checkedAt, status, rank, url, depth, serpFeatures, ownedFeatures, note }) => {
      const seen = { date, target, isOwn, status, rank, url, depth };
      return { ...seen, serpFeatures, ownedFeatures, checkedAt, note };
    }),
  );
}

export const seriesTable = {
  columns: [
    'date',
    'averageRank',
    'visibility',
    'estimatedClicks',
    'checked',
    ...buckets.map((bucket) => `rows ${bucket}`),
  ],
  rows: seriesRows,
};
export const competitorTable = {
  columns: ['date', 'target', 'isOwn', 'visibility', 'visibilityOver', 'shareOfVoice'],
  rows: competitorRows,
};
export const historyTable = {
  columns: [
    'date',
    'target',
    'isOwn',
    'status',
    'rank',
    'url',
    'depth',
    'serpFeatures',
    'ownedFeatures',
    'checkedAt',
    'note',
  ],
  rows: historyRows,
};
