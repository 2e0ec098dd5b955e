// A row of the keyword table, from a row of a report.
import { createHash } from 'node:crypto';
import { seenDate } from '../../db/history/checks/seen-date.ts';
import type { RankChangeRow } from '../../src/rows/row.ts';
import { type SummedRow, summedRow } from '../../src/rows/sums.ts';
import type { Target } from '../../src/tracker/project.ts';
import { localDate } from '../../src/tracker/schedule/local-time.ts';
import type { KeywordRow } from '../../src/workspace/records.ts';
import type { RowSource } from '../report/rows/report-rows.ts';

/** A row with the values that sums need. */
export interface TableRow {
  readonly row: KeywordRow;
  readonly summed: SummedRow;
  readonly own: Target;
  /** UTC milliseconds; null: not checked. */
  readonly checkedMs: number | null;
  /** Of the searches of the project. */
  readonly searchIndex: number;
}

export function historyRow(
  row: RankChangeRow,
  { project, slot }: Pick<RowSource, 'project' | 'slot'>,
  own: Target,
  searchIndex: number,
): TableRow {
  return {
    row: keywordRow(row, project.timezone, slot),
    summed: summedRow(row),
    own,
    checkedMs: row.checkedAt,
    searchIndex,
  };
}

function keywordRow(row: RankChangeRow, timezone: string, slot: Parameters<typeof seenDate>[1]): KeywordRow {
  const { checkedAt, previousCheckedAt } = row;
  return {
    id: rowId(row),
    keyword: row.keyword,
    country: row.country,
    language: row.language,
    device: row.device,
    ...(row.location !== undefined && { location: row.location }),
    target: row.target,
    tags: row.tags,
    status: row.status,
    rank: row.rank,
    previousRank: row.previousRank,
    change: row.change,
    changeClass: row.changeClass,
    significance: row.significance?.class ?? null,
    bandBest: row.significance?.band?.best ?? null,
    bandWorst: row.significance?.band?.worst ?? null,
    bestRank: row.bestRank,
    depth: row.depth,
    url: row.url,
    previousUrl: row.previousUrl,
    preferredUrl: row.preferredUrl,
    urlIsPreferred: row.urlIsPreferred,
    serpFeatures: row.serpFeatures,
    ownedFeatures: row.ownedFeatures,
    lostFeatures: row.lostFeatures,
    searchVolume: row.searchVolume,
    cpc: row.cpc,
    competition: row.competition,
    intent: row.intent,
    estimatedClicks: row.estimatedClicks,
    estimatedClicksChange: row.estimatedClicksChange,
    measuredClicks: row.measuredClicks,
    impressions: row.impressions,
    averagePosition: row.averagePosition,
    checkedAt: checkedAt === null ? null : new Date(checkedAt).toISOString(),
    date: seenDate(checkedAt, slot),
    previousDate: previousCheckedAt === null ? null : localDate(previousCheckedAt, timezone),
    source: row.source,
    runId: row.runId,
    note: row.note,
    ...(row.last && { last: lastRank(row.last, slot) }),
    ...(isUncounted(row) && { incomplete: true }),
  };
}

/** An incomplete check may prove a rank, which no sum counts. */
function isUncounted({ status, complete }: RankChangeRow): boolean {
  return !complete && (status === 'ranked' || status === 'not_found');
}

function lastRank(
  { rank, checkedAt, ageDays }: NonNullable<RankChangeRow['last']>,
  slot: Parameters<typeof seenDate>[1],
): NonNullable<KeywordRow['last']> {
  return { rank, date: seenDate(checkedAt, slot), ageDays };
}

const idCharacters = 16;

/** Equal for the same keyword, market and target, in every database. */
export function rowId({
  keyword,
  country,
  language,
  device,
  location,
  target,
}: Pick<RankChangeRow, 'keyword' | 'country' | 'language' | 'device' | 'location' | 'target'>): string {
  const name = [country, language, device, ...(location === undefined ? [] : [location]), target, keyword].join('\n');
  return createHash('sha256').update(name).digest('base64url').slice(0, idCharacters);
}
