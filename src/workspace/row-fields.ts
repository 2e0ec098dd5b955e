// The fields of rows in the order of their columns, so that a file without rows has its header; documents as rows.

import type { ApiField } from '../rows/fields.ts';
import type { AttributionLine } from '../tracker/causes/attribution.ts';
import type { KeywordCauses } from '../tracker/causes/cause-text.ts';
import type { ClickChange, ClickHour } from '../tracker/clicks/clicks.ts';
import { isOtherPage } from '../tracker/targets/target.ts';
import type { AnswerRecord } from './answer-records.ts';
import type {
  AlertRecord,
  CannibalizationAnswer,
  CheckRecord,
  CompetitorSeries,
  DiscoveredDomain,
  GridMapAnswer,
  GridPoint,
  GridSums,
  KeywordHistory,
  KeywordRow,
  LandingPage,
  NoteRecord,
  ProjectOverview,
  RunRecord,
  Segment,
  SeriesAnswer,
  SerpResult,
  SilentKeyword,
  SpendDay,
  StoredSerpView,
  UntrackedQuery,
  VolumeRow,
} from './records.ts';

/** Fields that every row has. */
type Always<Row> = { [Name in keyof Row]-?: undefined extends Row[Name] ? never : Name }[keyof Row];

/** The fields of these rows, as written: a field that is left out does not compile. */
const of =
  <Row extends object>() =>
  <const Names extends readonly (keyof Row & string)[]>(
    ...fields: Exclude<Always<Row>, Names[number]> extends never ? Names : never
  ): readonly string[] =>
    fields;

const projectFields = of<ProjectOverview>()(
  ...([
    'project',
    'engine',
    'date',
    'keywords',
    'checked',
    'total',
    'averageRank',
    'top3',
    'top10',
    'visibility',
  ] as const),
  ...([
    'visibilityChange',
    'visibilityChangeOver',
    'sparkline',
    'alerts',
    'today',
    'spend',
    'ownSpend',
    'pageMicroUsd',
    'suspect',
    'isSimulated',
    'database',
  ] as const),
);

const causeFields = of<KeywordCauses>()(
  ...(['project', 'id', 'keyword', 'country', 'language', 'device', 'location', 'target'] as const),
  ...([
    'from',
    'to',
    'rank',
    'previousRank',
    'changeClass',
    'significance',
    'places',
    'isAtLeast',
    'causes',
    'unknown',
  ] as const),
);

const attributionFields = of<AttributionLine>()(
  ...(['name', 'keywords', 'clicksBefore', 'clicksAfter'] as const),
  ...(['rankEffect', 'featureEffect', 'demandEffect', 'trackingEffect'] as const),
  ...(['visibilityBefore', 'visibilityAfter', 'visibilityRankEffect', 'visibilityFeatureEffect'] as const),
  ...(['visibilityDemandEffect', 'visibilityTrackingEffect'] as const),
);

const segmentFields = of<Segment>()(
  ...(['segment', 'date', 'compare', 'total', 'checked', 'comparable', 'older', 'olderDaysMax'] as const),
  ...(['averageRank', 'averageRankChange', 'top3', 'top3Change', 'top10', 'top10Change', 'visibility'] as const),
  ...(['visibilityChange', 'visibilityOver', 'estimatedClicks', 'estimatedClicksChange'] as const),
  ...(['buckets', 'changes'] as const),
  ...(['targets', 'measuredClicks', 'impressions'] as const),
);

const discoveredFields = of<DiscoveredDomain>()(
  ...(['domain', 'shareOfVoice', 'estimatedClicks', 'keywords', 'top3', 'top10', 'averageRank'] as const),
  ...(['exampleKeyword', 'exampleMarket', 'exampleRank', 'exampleUrl'] as const),
);

const landingPageFields = of<LandingPage>()(
  ...(['url', 'target', 'keywords', 'averageRank', 'top10', 'estimatedClicks', 'searchVolume', 'improved'] as const),
  ...(['declined', 'notPreferred', 'measuredClicks', 'impressions'] as const),
);

const turnFields = of<TurnRow>()(
  ...(['keyword', 'country', 'language', 'device', 'location', 'target', 'rank', 'searchVolume', 'changes'] as const),
  ...(['url', 'ranksNow', 'isPreferred', 'dates', 'bestRank', 'lastDate'] as const),
);

const checkFields = of<CheckRecord>()(
  ...(['runId', 'status', 'reason', 'depth', 'pagesRead', 'pagesReused', 'source', 'purchases'] as const),
  ...(['checkId', 'date'] as const),
);

const volumeFields = of<VolumeRow>()(
  ...(['keyword', 'country', 'language', 'month', 'searchVolume', 'cpc', 'competition', 'source'] as const),
);

const answerFields = of<AnswerRecord>()(
  ...(['period', 'engine', 'prompt', 'country', 'language', 'device', 'location', 'target', 'isOwn'] as const),
  ...(['asked', 'answers', 'cited', 'citedShare', 'citedLow', 'citedHigh', 'mentioned', 'mentionedShare'] as const),
  ...(['mentionedLow', 'mentionedHigh', 'previousPeriod', 'previousCitedShare', 'citationChange'] as const),
  ...(['mentionChange', 'citedPages', 'shown', 'shownShare', 'shownLow', 'shownHigh', 'presenceChange'] as const),
);

const runFields = of<RunRecord>()(
  ...(['runId', 'kind', 'state', 'openedAt', 'closedAt', 'projects', 'checks', 'reason', 'suspectReason'] as const),
  ...(['remark', 'discardedAt', 'slot', 'creditsSpent', 'microUsdSpent'] as const),
);

const spendFields = of<SpendDay>()('date', 'service', 'currency', 'spent', 'unknown', 'shared', 'purchases');
const alertFields = of<AlertRecord>()(
  ...(['project', 'rule', 'subject', 'text', 'channel', 'state', 'runId', 'createdAt'] as const),
);
const noteFields = of<NoteRecord>()('date', 'text', 'project');

const clickChangeFields = of<ClickChange>()(
  ...(['name', 'clicks', 'previousClicks', 'change', 'demand', 'newOrLost', 'rank', 'rate', 'impressions'] as const),
  ...(['previousImpressions', 'averagePosition', 'previousPosition'] as const),
);
const clickHourFields = of<ClickHour>()(
  ...(['hour', 'isFinal', 'clicks', 'impressions', 'previousClicks', 'previousImpressions'] as const),
);
const untrackedFields = of<UntrackedQuery>()(
  ...(['query', 'country', 'language', 'devices', 'brand', 'clicks', 'impressions', 'averagePosition'] as const),
  'creditsPerMonth',
);
const silentFields = of<SilentKeyword>()(
  ...(['keyword', 'country', 'language', 'devices', 'tags', 'creditsPerMonth'] as const),
);

const gridSumFields = of<GridSums>()(
  ...(['id', 'keyword', 'country', 'language', 'device', 'target', 'date', 'points', 'checked', 'found'] as const),
  ...(['averageRank', 'averageGridRank', 'shareOfLocalVoice', 'comparable', 'averageGridRankChange'] as const),
  'shareOfLocalVoiceChange',
);
const gridPointFields = of<GridPoint>()(
  ...(['id', 'keyword', 'country', 'language', 'device', 'target', 'location', 'row', 'column', 'latitude'] as const),
  ...(['longitude', 'kilometres', 'direction', 'status', 'rank', 'estimatedRank', 'depth', 'url', 'date'] as const),
  ...(['previousRank', 'previousDate', 'change', 'changeClass'] as const),
);

interface TurnRow
  extends Pick<
    KeywordRow,
    'keyword' | 'country' | 'language' | 'device' | 'location' | 'target' | 'rank' | 'searchVolume'
  > {
  /** Changes of page of the keyword. */
  readonly changes: number;
  readonly url: string;
  readonly ranksNow: boolean;
  readonly isPreferred: boolean | null;
  /** Dates on which the page ranked. */
  readonly dates: number;
  readonly bestRank: number | null;
  readonly lastDate: string;
}

/** One row per keyword and each of its pages. */
export function turnRows({ rows }: CannibalizationAnswer): TurnRow[] {
  return rows.flatMap(
    ({ keyword, country, language, device, location, target, rank, searchVolume, flips, pages, url, preferredUrl }) =>
      pages.map((page) => ({
        ...{ keyword, country, language, device, location, target, rank, searchVolume },
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

/** One row per point. */
function gridRows({ mapPoints }: GridMapAnswer) {
  return mapPoints;
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

/** One row per result. */
function serpRows({ serp }: { readonly serp: StoredSerpView | null }): readonly SerpResult[] {
  return serp?.results ?? [];
}

const seriesFields = ['date', 'averageRank', 'visibility', 'estimatedClicks', 'checked'];
const competitorFields = ['date', 'target', 'isOwn', 'visibility', 'visibilityOver', 'shareOfVoice'];
const historyFields = [
  ...['date', 'target', 'isOwn', 'status', 'rank', 'url', 'depth', 'serpFeatures', 'ownedFeatures', 'checkedAt'],
  'note',
];
const serpFields = of<SerpResult>()('rank', 'page', 'url', 'target', 'isOwn');
const rankingFields: readonly ApiField[] = [
  ...(['date', 'id', 'keyword', 'country', 'language', 'device', 'target', 'status', 'rank', 'url', 'depth'] as const),
  ...(['checkedAt', 'source', 'runId', 'note', 'location'] as const),
];

/** Of the endpoints. */
export const fields = {
  projectFields,
  causeFields,
  attributionFields,
  segmentFields,
  discoveredFields,
  landingPageFields,
  turnFields,
  checkFields,
  volumeFields,
  answerFields,
  runFields,
  spendFields,
  alertFields,
  noteFields,
  clickChangeFields,
  clickHourFields,
  untrackedFields,
  silentFields,
  gridSumFields,
  gridPointFields,
  gridRows,
  seriesFields,
  competitorFields,
  historyFields,
  serpFields,
  rankingFields,
  seriesRows,
  competitorRows,
  historyRows,
  serpRows,
};
