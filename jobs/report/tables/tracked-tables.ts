// The tables with a line for each tracked keyword, and their sums, from one pass over the rows.
import { seenDate } from '../../../db/history/checks/conditions.ts';
import type { HistoryRow, Row } from '../../../src/read/row.ts';
import { computeHeadline, type Headline } from '../../../src/read/row-sums.ts';
import type { Scratch } from '../../../src/report/formats/sorted-lines.ts';
import { type ReportTable, reportTable } from '../../../src/report/formats/table-writer.ts';
import { type CauseRow, causeColumns } from '../../../src/report/tables/causes.ts';
import { gridColumns, gridSumColumns, startGrid, startGridSums } from '../../../src/report/tables/grid.ts';
import { intentColumns, intentRow } from '../../../src/report/tables/intents.ts';
import {
  type Mover,
  type Movers,
  moverColumns,
  startMovers,
  startMoverTable,
} from '../../../src/report/tables/movers.ts';
import { problemColumns } from '../../../src/report/tables/problems.ts';
import { rankChangeColumns, startRankChanges } from '../../../src/report/tables/rank-changes.ts';
import { type Summary, type SummaryRow, startSummary, summaryColumns } from '../../../src/report/tables/summary.ts';
import { keywordCauses } from '../../../src/tracker/causes/cause-text.ts';
import { comparisonName } from '../../../src/tracker/changes/change.ts';
import { type Note, noteSubject, notesBetween } from '../../../src/tracker/changes/note.ts';
import { marketName, type Project } from '../../../src/tracker/project.ts';
import { localDate } from '../../../src/tracker/schedule/local-time.ts';
import { deriveBrandTerms } from '../../../src/tracker/targets/brand.ts';
import type { ProjectClicks } from '../../clicks/project-clicks.ts';
import { type CauseReader, Changes, reportCauses } from '../../read/causes/read-causes.ts';
import { reportRows } from '../../read/rows/report-rows.ts';
import { projectNotes, type ReportScope } from '../../read/rows/report-scope.ts';
import { problemRows, type UncheckedSearch } from './outcome-tables.ts';

const moversMax = 5;
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

/** Whether the history of two rows is read at once. */
export function isReadWith(a: Row, b: Row): boolean {
  return a.target === b.target && marketName(a) === marketName(b);
}

/** Another reader of the rows: they are read once for all. */
export interface RowReader {
  add(row: HistoryRow): void;
}

/** What the tables of tracked rows are made from: one reading of all rows, with the sums that every report needs. */
export class TrackedPass {
  readonly scope: ReportScope;
  readonly scratch: Scratch;
  readonly #reader: RowReader | null;
  readonly #notes: readonly Note[];
  readonly #summary: Summary;
  readonly #movers: Movers;
  readonly #sources = new Set<string>();
  readonly unchecked: UncheckedSearch[] = [];
  readonly changes = new Changes();
  readonly causes: CauseReader;
  #total = 0;
  #checked = 0;
  #lastSeen: string;
  #lines: readonly SummaryRow[] | undefined;

  /** `scratch`: for tables that are sorted. */
  constructor(scope: ReportScope, scratch: Scratch, reader: RowReader | null = null) {
    const { ctrCurve } = scope.settings;
    this.scope = scope;
    this.scratch = scratch;
    this.#reader = reader;
    this.#notes = projectNotes(scope);
    this.#summary = startSummary(ctrCurve);
    this.#movers = startMovers(moversMax, ctrCurve);
    this.#lastSeen = scope.slot.localDate;
    this.causes = reportCauses(scope, () => this.changes);
  }

  get firstTarget(): string | undefined {
    return this.scope.project.targets[0]?.value;
  }

  *items(): Generator<HistoryRow> {
    const { project, slot, clicks } = this.scope;
    for (const row of trackedRows(this.scope, this.#notes, clicks)) {
      this.#total += 1;
      const seenOn = seenDate(row.checkedAt, slot);
      if (seenOn > this.#lastSeen) this.#lastSeen = seenOn;
      if (row.complete) this.#checked += 1;
      else if (isMissing(project, row) && row.target === this.firstTarget) this.unchecked.push(toUncheckedSearch(row));
      if (row.source !== null && row.source !== '') this.#sources.add(row.source);
      this.#summary.add(row);
      this.#movers.add(row);
      this.changes.add(row);
      this.#reader?.add(row);
      yield row;
    }
  }

  /** Of the rows that were read. */
  summary(): readonly SummaryRow[] {
    const { settings, run, slot, warning } = this.scope;
    const notesSince = (at: number, of: SummaryRow['scope']): string[] =>
      notesBetween(this.#notes, localDate(at, slot.timezone), this.#lastSeen).flatMap((note) => {
        const { date, text, rowText = text } = note;
        const subject = noteSubject(note);
        if (of !== 'project') return subject === null ? [`${date}: ${rowText}`] : [];
        return [`${date}: ${text}${subject === null ? '' : ` (${subject})`}`];
      });
    const compare = comparisonName(settings.comparison);
    this.#lines ??= this.#summary.rows({ runId: run.id, compare, notesSince, warning });
    return this.#lines;
  }

  facts(): TrackedFacts {
    const summary = this.summary();
    const whole = summary.find(({ scope: of, target }) => of === 'project' && target === this.firstTarget);
    return {
      coverage: { checked: this.#checked, total: this.#total },
      sources: [...this.#sources].sort(),
      movers: this.#movers.list((row) => this.causes.first(row)),
      headline: whole === undefined ? null : computeHeadline(whole.sums),
      summary,
    };
  }
}

export const trackedTables: readonly ReportTable<TrackedPass, HistoryRow>[] = [
  {
    name: 'rank-changes',
    columns: rankChangeColumns,
    start: ({ scratch }, csv) => startRankChanges(csv, scratch),
  },
  reportTable({
    name: 'summary',
    columns: summaryColumns,
    neededFor: 'report',
    start: (pass: TrackedPass) => ({ rest: () => pass.summary() }),
  }),
  reportTable({
    name: 'movers',
    columns: moverColumns,
    neededFor: 'page',
    start({ scope: { settings, warning, findings } }: TrackedPass) {
      const movers = startMoverTable(settings.ctrCurve);
      return {
        add(row: HistoryRow) {
          movers.add(row);
          return [];
        },
        rest() {
          findings.movers = movers.rows(warning);
          return findings.movers;
        },
      };
    },
  }),
  reportTable({
    name: 'causes',
    columns: causeColumns,
    start: (pass: TrackedPass) => ({ rest: () => causeRows(pass) }),
  }),
  reportTable({
    name: 'problems',
    columns: problemColumns,
    start: ({ scope, unchecked }: TrackedPass) => ({ rest: () => problemRows(scope, unchecked) }),
  }),
  reportTable({
    name: 'intents',
    columns: intentColumns,
    start({ scope: { project }, firstTarget }: TrackedPass) {
      const brandTerms = deriveBrandTerms(project);
      // rows of one search come once per target: the first one counts
      return { add: (row: HistoryRow) => (row.target === firstTarget ? [intentRow(row, brandTerms)] : []) };
    },
  }),
  reportTable({
    name: 'grid',
    columns: gridColumns,
    start: ({ scope: { project } }: TrackedPass) => (project.grid === undefined ? null : startGrid(project.grid)),
  }),
  reportTable({
    name: 'grid-summary',
    columns: gridSumColumns,
    start: ({ scope: { project, run } }: TrackedPass) =>
      project.grid === undefined ? null : startGridSums(project.grid, { project: project.id, runId: run.id }),
  }),
];

/** So many at a time: their stored pages are in memory. */
const explainedAtOnce = 500;

function* causeRows({ scope, changes, causes: reader }: TrackedPass): Generator<CauseRow> {
  const { run, warning } = scope;
  for (let at = 0; at < changes.explained.length; at += explainedAtOnce) {
    const rows = changes.explained.slice(at, at + explainedAtOnce);
    for (const [index, explanation] of reader.of(rows).entries()) {
      const row = rows[index];
      if (row === undefined) continue;
      const { causes, ...of } = keywordCauses(row, explanation);
      for (const [before, cause] of causes.entries()) yield { of, cause, number: before + 1, runId: run.id, warning };
    }
  }
}

/** No run has a check of the row, and none was left out by an adaptive plan. */
function isMissing({ adaptive }: Project, { runId, last }: HistoryRow): boolean {
  return runId === null && (adaptive?.cadence !== true || last === undefined);
}

function toUncheckedSearch({ keyword, country, language, device, location }: HistoryRow): UncheckedSearch {
  return { keyword, country, language, device, location };
}
