// The tables with a line for each tracked keyword, and their sums, from one pass over the rows.
import { seenDate } from '../../../db/history/checks/seen-date.ts';
import { computeHeadline, type Headline } from '../../../src/report/rows/headline.ts';
import { type RankChangeRow, rankChangeRow } from '../../../src/report/rows/row.ts';
import { type GridTables, startGrid } from '../../../src/report/tables/grid.ts';
import { startIntents } from '../../../src/report/tables/intents.ts';
import { type Mover, moversCsv, startMovers, startMoverTable } from '../../../src/report/tables/movers.ts';
import { startRankChanges } from '../../../src/report/tables/rank-changes.ts';
import { type SummaryRow, startSummary, summaryCsv } from '../../../src/report/tables/summary.ts';
import { comparisonName } from '../../../src/tracker/changes/baseline.ts';
import { type Note, notesBetween } from '../../../src/tracker/changes/note.ts';
import type { Project } from '../../../src/tracker/project.ts';
import { localDate } from '../../../src/tracker/schedule/local-time.ts';
import { deriveBrandTerms } from '../../../src/tracker/targets/brand.ts';
import type { ProjectClicks } from '../../clicks/project-clicks.ts';
import { reportRows } from '../rows/report-rows.ts';
import type { ReportScope, ReportTable } from '../rows/report-scope.ts';
import { projectNotes } from '../rows/report-scope.ts';
import { problemTable, type UncheckedSearch } from './outcome-tables.ts';

const moversMax = 5;

export interface TrackedTables {
  readonly tables: readonly ReportTable[];
  /** Rows with a complete check, of all. */
  readonly coverage: { readonly checked: number; readonly total: number };
  /** Where the pages came from, in order. */
  readonly sources: readonly string[];
  readonly movers: readonly Mover[];
  /** Of the first own target; null if the project has none. */
  readonly headline: Headline | null;
  readonly summary: readonly SummaryRow[];
}

/** What the report says of each tracked keyword, device and own target, compared with its baseline. */
export function* trackedRows(
  scope: ReportScope,
  notes: readonly Note[],
  clicks: ProjectClicks | null = null,
): Generator<RankChangeRow> {
  const { context, settings, runs, slot, project } = scope;
  const { comparison, toleranceMs, ctrCurve } = settings;
  const source = {
    store: context.store,
    project,
    runs,
    slot,
    comparison,
    notes,
    ...(clicks === null ? {} : { clicks }),
  };
  for (const input of reportRows(toleranceMs === undefined ? source : { ...source, toleranceMs })) {
    yield rankChangeRow(input, ctrCurve);
  }
}

/** Another reader of the rows: they are read once for all. */
export interface RowReader {
  add(row: RankChangeRow): void;
}

export function trackedTables(scope: ReportScope, reader: RowReader | null = null): TrackedTables {
  const { settings, run, slot, warning } = scope;
  const { csv, ctrCurve, comparison } = settings;
  const notes = projectNotes(scope);
  const changes = startRankChanges(csv);
  const summary = startSummary(ctrCurve);
  const table = startMoverTable(ctrCurve);
  const movers = startMovers(moversMax, ctrCurve);
  const sources = new Set<string>();
  const firstTarget = scope.project.targets[0]?.value;
  const intents = startIntents({ firstTarget, brandTerms: deriveBrandTerms(scope.project) }, csv);
  const grid = scope.project.grid === undefined ? null : startGrid(scope.project.grid, csv);
  const unchecked: UncheckedSearch[] = [];
  let total = 0;
  let checked = 0;
  let lastSeen = slot.localDate;
  for (const row of trackedRows(scope, notes, scope.clicks)) {
    total += 1;
    const seenOn = seenDate(row.checkedAt, slot);
    if (seenOn > lastSeen) lastSeen = seenOn;
    if (row.complete) checked += 1;
    else if (isMissing(scope.project, row) && row.target === firstTarget) unchecked.push(toUncheckedSearch(row));
    if (row.source !== null && row.source !== '') sources.add(row.source);
    changes.add(row);
    summary.add(row);
    table.add(row);
    movers.add(row);
    intents.add(row);
    grid?.add(row);
    reader?.add(row);
  }
  const notesSince = (at: number): string[] =>
    notesBetween(notes, localDate(at, slot.timezone), lastSeen).map(({ date, text }) => `${date}: ${text}`);
  const sums = summary.rows({ runId: run.id, compare: comparisonName(comparison), notesSince, warning });
  const moved = table.rows(warning);
  const whole = sums.find(({ scope: of, target }) => of === 'project' && target === firstTarget);
  return {
    tables: [
      { name: 'rank-changes.csv', rows: total, chunks: changes.chunks() },
      { name: 'summary.csv', rows: sums.length, chunks: summaryCsv(sums, csv) },
      { name: 'movers.csv', rows: moved.length, chunks: moversCsv(moved, csv) },
      problemTable(scope, unchecked),
      { name: 'intents.csv', rows: intents.count(), chunks: intents.chunks() },
      ...gridTables(scope, grid),
    ],
    coverage: { checked, total },
    sources: [...sources].sort(),
    movers: movers.list(),
    headline: whole === undefined ? null : computeHeadline(whole.sums),
    summary: sums,
  };
}

function gridTables({ project, run }: ReportScope, grid: GridTables | null): ReportTable[] {
  if (grid === null) return [];
  return [
    { name: 'grid.csv', rows: grid.points.count(), chunks: grid.points.chunks() },
    { name: 'grid-summary.csv', ...grid.sums({ project: project.id, runId: run.id }) },
  ];
}

/** No run has a check of the row, and none was left out by an adaptive plan. */
export function isMissing({ adaptive }: Project, { runId, last }: RankChangeRow): boolean {
  return runId === null && (adaptive?.cadence !== true || last === undefined);
}

function toUncheckedSearch({ keyword, country, language, device, location }: RankChangeRow): UncheckedSearch {
  return { keyword, country, language, device, location };
}
