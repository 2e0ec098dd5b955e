// The keyword table of a project on a date, with the numbers of its report of that date.
import { createHash } from 'node:crypto';
import { seenDate } from '../../db/history/seen-date.ts';
import { type RankChangeRow, rankChangeRow } from '../../src/report/rows/row.ts';
import { addToSums, type SummedRow, startSums } from '../../src/report/rows/sums.ts';
import { addDays, type Comparison } from '../../src/tracker/baseline.ts';
import { localDate, startOfDay } from '../../src/tracker/local-time.ts';
import type { Note } from '../../src/tracker/note.ts';
import type { Project, Target } from '../../src/tracker/project.ts';
import type { KeywordRow, Summary } from '../../src/workspace/records.ts';
import type { JobContext } from '../context.ts';
import { findSuspicion, reportRows } from '../report/report-rows.ts';
import type { SerpScope } from '../report/report-scope.ts';
import { summaryOf } from './summaries.ts';

/** A row with the values that sums need. */
export interface TableRow {
  readonly row: KeywordRow;
  readonly summed: SummedRow;
  readonly own: Target;
}

/** All rows of a project as they stood on a date. */
export interface KeywordTable {
  /** Of the run that it shows. Null: nothing was checked on or before the date. */
  readonly date: string | null;
  readonly runId: number | null;
  readonly suspect: string | null;
  /** What it was read from. Null: nothing. */
  readonly source: Pick<SerpScope, 'runs' | 'slot'> | null;
  readonly rows: readonly TableRow[];
  readonly byId: ReadonlyMap<string, TableRow>;
}

export interface KeywordTableQuery {
  readonly project: Project;
  /** Absent: the newest. */
  readonly date?: string | undefined;
  readonly comparison: Comparison;
  readonly notes: readonly Note[];
  readonly ctrCurve: string;
  readonly toleranceMs?: number | undefined;
}

const empty: KeywordTable = { date: null, runId: null, suspect: null, source: null, rows: [], byId: new Map() };

/** Reads the newest run on or before the date, with the backfills that filled it in. */
export function readKeywordTable(
  { store, clock }: Pick<JobContext, 'store' | 'clock'>,
  { project, date, comparison, notes, ctrCurve, toleranceMs }: KeywordTableQuery,
): KeywordTable {
  const until =
    date === undefined ? clock.now() : Math.min(clock.now(), startOfDay(addDays(date, 1), project.timezone) - 1);
  const [oldest, ...others] = store.reportRuns.latestWithBackfills(project.id, until);
  if (oldest === undefined) return empty;
  const runs = [oldest, ...others] as const;
  const slot = store.runs.slotsOf((others.at(-1) ?? oldest).id).find((slot) => slot.project === project.id);
  if (slot === undefined) return empty;
  const source = { store, project, runs, slot, comparison, notes };
  const rows: TableRow[] = [];
  const preferred = preferredUrls(project);
  for (const input of reportRows(toleranceMs === undefined ? source : { ...source, toleranceMs })) {
    const row = rankChangeRow(input, ctrCurve);
    const url = preferred.get(`${row.keyword}\n${row.country}\n${row.language}`) ?? null;
    rows.push({ row: keywordRow(row, project.timezone, slot, url), summed: row, own: input.target });
  }
  return {
    date: newestDate(rows) ?? slot.localDate,
    runId: (others.at(-1) ?? oldest).id,
    suspect: findSuspicion(runs),
    source: { runs, slot },
    rows,
    byId: new Map(rows.map((entry) => [entry.row.id, entry])),
  };
}

function newestDate(rows: readonly TableRow[]): string | null {
  let newest: string | null = null;
  for (const { row } of rows) if (row.date !== null && (newest === null || row.date > newest)) newest = row.date;
  return newest;
}

/** URLs that should rank, by keyword and market. */
function preferredUrls({ keywords }: Project): ReadonlyMap<string, string> {
  return new Map(
    keywords.flatMap((tracked) => {
      const url = 'preferredUrl' in tracked ? tracked.preferredUrl : undefined;
      return typeof url === 'string' ? [[`${tracked.keyword}\n${tracked.country}\n${tracked.language}`, url]] : [];
    }),
  );
}

function keywordRow(
  row: RankChangeRow,
  timezone: string,
  slot: Parameters<typeof seenDate>[1],
  preferredUrl: string | null,
): KeywordRow {
  const { checkedAt, previousCheckedAt } = row;
  return {
    id: rowId(row),
    keyword: row.keyword,
    country: row.country,
    language: row.language,
    device: row.device,
    target: row.target,
    tags: row.tags,
    status: row.status,
    rank: row.rank,
    previousRank: row.previousRank,
    change: row.change,
    changeClass: row.changeClass,
    bestRank: row.bestRank,
    depth: row.depth,
    url: row.url,
    previousUrl: row.previousUrl,
    preferredUrl,
    serpFeatures: row.serpFeatures,
    ownedFeatures: row.ownedFeatures,
    searchVolume: row.searchVolume,
    cpc: row.cpc,
    competition: row.competition,
    intent: row.intent,
    estimatedClicks: row.estimatedClicks,
    estimatedClicksChange: row.estimatedClicksChange,
    checkedAt: checkedAt === null ? null : new Date(checkedAt).toISOString(),
    date: checkedAt === null ? null : seenDate(checkedAt, slot),
    previousDate: previousCheckedAt === null ? null : localDate(previousCheckedAt, timezone),
    source: row.source,
    runId: row.runId,
    note: row.note,
  };
}

const idCharacters = 16;

/** Equal for the same keyword, market and target, in every database. */
function rowId({ keyword, country, language, device, target }: RankChangeRow): string {
  const name = [country, language, device, target, keyword].join('\n');
  return createHash('sha256').update(name).digest('base64url').slice(0, idCharacters);
}

/** Sums of some rows of a table. */
export function summarize(
  rows: Iterable<TableRow>,
  { ctrCurve, date, compare }: { readonly ctrCurve: string; readonly date: string | null; readonly compare: string },
): Summary {
  const sums = startSums(ctrCurve);
  for (const { summed } of rows) addToSums(sums, summed);
  return summaryOf(sums, date, compare);
}
