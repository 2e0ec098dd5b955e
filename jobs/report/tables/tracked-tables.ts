// The tables with a line for each tracked keyword, and their sums, from one pass over the rows.
import { seenDate } from '../../../db/history/checks/conditions.ts';

import { csvChunks } from '../../../src/report/formats/csv.ts';
import type { Scratch } from '../../../src/report/formats/sorted-lines.ts';
import { startGrid } from '../../../src/report/tables/grid.ts';
import { startIntents } from '../../../src/report/tables/intents.ts';
import { type Mover, moverColumns, startMovers, startMoverTable } from '../../../src/report/tables/movers.ts';
import { startRankChanges } from '../../../src/report/tables/rank-changes.ts';
import { type SummaryRow, startSummary, summaryColumns } from '../../../src/report/tables/summary.ts';
import type { HistoryRow } from '../../../src/rows/row.ts';
import { computeHeadline, type Headline } from '../../../src/rows/sums.ts';
import { comparisonName } from '../../../src/tracker/changes/change.ts';
import { type Note, notesBetween } from '../../../src/tracker/changes/note.ts';
import type { Project } from '../../../src/tracker/project.ts';
import { localDate } from '../../../src/tracker/schedule/local-time.ts';
import { deriveBrandTerms } from '../../../src/tracker/targets/brand.ts';
import type { ProjectClicks } from '../../clicks/project-clicks.ts';
import { reportRows } from '../rows/report-rows.ts';
import type { JoinedTables, ReportScope } from '../rows/report-scope.ts';
import { projectNotes } from '../rows/report-scope.ts';
import { problemTable, type UncheckedSearch } from './outcome-tables.ts';

const moversMax = 5;
const tableNames = ['rank-changes.csv', 'summary.csv', 'movers.csv', 'problems.csv', 'intents.csv'] as const;
const gridNames = ['grid.csv', 'grid-summary.csv'] as const;
type TableName = (typeof tableNames | typeof gridNames)[number];

/** Sums of all rows, once the tables are written. */
export interface TrackedFacts {
  /** Rows with a complete check, of all. */
  readonly coverage: { readonly checked: number; readonly total: number };
  /** Where the pages came from, in order. */
  readonly sources: readonly string[];
  readonly movers: readonly Mover[];
  /** Of the first own target; null if the project has none. */
  readonly headline: Headline | null;
  readonly summary: readonly SummaryRow[];
}

export interface TrackedTables extends JoinedTables {
  /** Throws Error before the last piece. */
  facts(): TrackedFacts;
}

/** What the report says of each tracked keyword, device and own target, compared with its baseline. */
export function* trackedRows(
  scope: ReportScope,
  notes: readonly Note[],
  clicks: ProjectClicks | null = null,
): Generator<HistoryRow> {
  const { context, settings, runs, slot, project } = scope;
  const { comparison, toleranceMs, ctrCurve } = settings;
  const source = {
    store: context.store,
    project,
    runs,
    slot,
    comparison,
    ctrCurve,
    notes,
    ...(clicks === null ? {} : { clicks }),
  };
  yield* reportRows(toleranceMs === undefined ? source : { ...source, toleranceMs });
}

/** Another reader of the rows: they are read once for all. */
export interface RowReader {
  add(row: HistoryRow): void;
}

/** Lines in the order of the rows are written as they are made; the others wait for the last row. */
export function trackedTables(scope: ReportScope, scratch: Scratch, reader: RowReader | null = null): TrackedTables {
  const names = [...tableNames, ...(scope.project.grid === undefined ? [] : gridNames)];
  const counts = new Map<string, number>();
  const written: { facts?: TrackedFacts } = {};
  return {
    tables: names.map((name) => ({
      name,
      get rows() {
        return counts.get(name) ?? 0;
      },
    })),
    pieces: renderPieces(scope, scratch, reader, counts, written).map(([name, chunk]) => [names.indexOf(name), chunk]),
    facts() {
      if (written.facts === undefined) throw new Error('the tables are not written yet');
      return written.facts;
    },
  };
}

type Piece = readonly [name: TableName, chunk: string | Uint8Array];

/** `counts`: lines of each table, as soon as they are known. */
function* renderPieces(
  scope: ReportScope,
  scratch: Scratch,
  reader: RowReader | null,
  counts: Map<string, number>,
  written: { facts?: TrackedFacts },
): Generator<Piece> {
  const { settings, run, slot, warning, project } = scope;
  const { csv, ctrCurve, comparison } = settings;
  const notes = projectNotes(scope);
  const changes = startRankChanges(csv, scratch);
  const summary = startSummary(ctrCurve);
  const table = startMoverTable(ctrCurve);
  const movers = startMovers(moversMax, ctrCurve);
  const sources = new Set<string>();
  const firstTarget = project.targets[0]?.value;
  const intents = startIntents({ firstTarget, brandTerms: deriveBrandTerms(project) }, csv);
  const grid = project.grid === undefined ? null : startGrid(project.grid, csv);
  const unchecked: UncheckedSearch[] = [];
  let total = 0;
  let checked = 0;
  let lastSeen = slot.localDate;
  for (const row of trackedRows(scope, notes, scope.clicks)) {
    total += 1;
    const seenOn = seenDate(row.checkedAt, slot);
    if (seenOn > lastSeen) lastSeen = seenOn;
    if (row.complete) checked += 1;
    else if (isMissing(project, row) && row.target === firstTarget) unchecked.push(toUncheckedSearch(row));
    if (row.source !== null && row.source !== '') sources.add(row.source);
    changes.add(row);
    summary.add(row);
    table.add(row);
    movers.add(row);
    intents.add(row);
    grid?.add(row);
    reader?.add(row);
    yield ['intents.csv', intents.lines.taken()];
    if (grid !== null) yield ['grid.csv', grid.points.taken()];
  }
  const notesSince = (at: number, scope: SummaryRow['scope']): string[] =>
    notesBetween(notes, localDate(at, slot.timezone), lastSeen).map(
      ({ date, text, rowText = text }) => `${date}: ${scope === 'project' ? text : rowText}`,
    );
  const sums = summary.rows({ runId: run.id, compare: comparisonName(comparison), notesSince, warning });
  const moved = table.rows(warning);
  const whole = sums.find(({ scope: of, target }) => of === 'project' && target === firstTarget);
  written.facts = {
    coverage: { checked, total },
    sources: [...sources].sort(),
    movers: movers.list(),
    headline: whole === undefined ? null : computeHeadline(whole.sums),
    summary: sums,
  };
  const piecesOf = function* (
    name: TableName,
    chunks: Iterable<string | Uint8Array>,
    rows: () => number,
  ): Generator<Piece> {
    for (const chunk of chunks) yield [name, chunk];
    counts.set(name, rows());
  };
  const problems = problemTable(scope, unchecked);
  yield* piecesOf('rank-changes.csv', changes.chunks(), () => total);
  yield* piecesOf('summary.csv', csvChunks(summaryColumns, sums, csv), () => sums.length);
  yield* piecesOf('movers.csv', csvChunks(moverColumns, moved, csv), () => moved.length);
  yield* piecesOf('problems.csv', problems.chunks, () => problems.rows ?? 0);
  yield* piecesOf('intents.csv', [intents.lines.rest()], intents.lines.count);
  if (grid === null) return;
  yield* piecesOf('grid.csv', [grid.points.rest()], grid.points.count);
  const gridSums = grid.sums({ project: project.id, runId: run.id });
  yield* piecesOf('grid-summary.csv', gridSums.chunks, () => gridSums.rows);
}

/** No run has a check of the row, and none was left out by an adaptive plan. */
export function isMissing({ adaptive }: Project, { runId, last }: HistoryRow): boolean {
  return runId === null && (adaptive?.cadence !== true || last === undefined);
}

export function toUncheckedSearch({ keyword, country, language, device, location }: HistoryRow): UncheckedSearch {
  return { keyword, country, language, device, location };
}
