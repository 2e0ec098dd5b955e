// Writes a run's reports, one folder a project: its tables and the manifest.

import { join } from 'node:path';
import type { ClaimedSlot, RunRow } from '../../db/history/runs/runs.ts';
import type { Headline } from '../../src/read/row-sums.ts';
import type { ColumnNote } from '../../src/report/formats/csv.ts';
import type { ReportTable } from '../../src/report/formats/table-writer.ts';
import { buildManifest, type ManifestFile } from '../../src/report/tables/manifest.ts';
import type { Mover } from '../../src/report/tables/movers.ts';
import { comparisonName } from '../../src/tracker/changes/change.ts';
import type { ReportTableName } from '../../src/tracker/report-tables.ts';
import type { JobContext } from '../context.ts';
import { describeDisputes } from '../read/price-disputes.ts';
import { findSuspicion } from '../read/rows/report-rows.ts';
import { type ReportScope, type ReportSettings, reportScope } from '../read/rows/report-scope.ts';
import type { RunCosts } from '../read/rows/run-costs.ts';
import { lateNote } from '../slot-day.ts';
import { type LatestLink, ReportFolder } from './files/report-files.ts';
import { workbookChunks } from './files/xlsx-report.ts';
import { HtmlReport } from './html/html-report.ts';
import { writeReportIndex } from './html/report-index.ts';
import { lastDate, questionFolder, withDelivered } from './report-question.ts';
import { answerTable } from './tables/answer-tables.ts';
import { attributionTable } from './tables/attribution-table.ts';
import { clickTable } from './tables/click-tables.ts';
import { localTable } from './tables/local-tables.ts';
import { spendTable } from './tables/outcome-tables.ts';
import { periodTable } from './tables/period-table.ts';
import { type Searches, SerpPass, serpTables } from './tables/serp-tables.ts';
import { type TrackedFacts, TrackedPass, trackedTables } from './tables/tracked-tables.ts';
import { volumeTable } from './tables/volume-tables.ts';

export type { ReportSettings } from '../read/rows/report-scope.ts';

export interface RunReport {
  readonly project: string;
  readonly runId: number;
  /** Absolute folder. */
  readonly directory: string;
  readonly files: readonly string[];
  readonly rows: number;
  readonly movers: readonly Mover[];
  /** Of the first own target; null if the project has none. */
  readonly headline: Headline | null;
  /** Present where `writePdf` is to print the page. */
  readonly wantsPdf?: true;
}

/**
 * Writes the reports of every project of a run, or of `only` one, without the index. `costs`: those of other reports
 * that are made together. Throws ReportError where the disk will not take them.
 */
export function writeFolders(
  context: JobContext,
  settings: ReportSettings,
  runId: number,
  only?: string,
  costs?: RunCosts,
): RunReport[] {
  const run = context.store.runs.run(runId);
  if (run === null) return [];
  return context.store.runs
    .slotsOf(runId)
    .filter((slot) => only === undefined || slot.project === only)
    .flatMap((slot) => {
      const project = context.projects.get(slot.project);
      if (project === undefined) return [];
      const name = questionFolder(settings, slot, folderName(context, run, slot));
      const wanted = withDelivered(settings, join(settings.directory, project.id, name));
      return [writeProject(reportScope(context, wanted, run, slot, project, costs), name)];
    });
}

/** Writes the index page of all reports, if HTML reports are enabled. Throws ReportError. */
export function writeIndex(
  { clock }: JobContext,
  { html, directory, isApart = false, template }: ReportSettings,
): void {
  if (html === true && !isApart) writeReportIndex(directory, clock.now(), template);
}

/** Tables that are read for themselves. */
const ownTables = [volumeTable, answerTable, localTable, clickTable, spendTable, periodTable, attributionTable];

/** Of all tables of reports. */
export const tableColumns: ReadonlyMap<ReportTableName, readonly ColumnNote[]> = new Map(
  [...trackedTables, ...ownTables, ...serpTables].map(({ name, columns }) => [name, columns]),
);

/** `name`: of the folder. */
function writeProject(scope: ReportScope, name: string): RunReport {
  const { settings, run, project } = scope;
  const folder = new ReportFolder(join(settings.directory, project.id));
  try {
    // tracked tables and the page, which share their rows, come last: the page shows what the others find
    const others = ownTables.flatMap((table) =>
      writeTables(folder, settings, [table], () => ({ of: scope, items: [] })),
    );
    const readSerps = (): Reading<SerpPass, Searches> => {
      const pass = new SerpPass(scope);
      return { of: pass, items: pass.items() };
    };
    others.push(...writeTables(folder, settings, serpTables, readSerps));
    const page = settings.html === true ? new HtmlReport(scope) : null;
    const pass = new TrackedPass(scope, folder.scratch, page);
    const files = [
      ...writeTables(folder, settings, trackedTables, () => ({ of: pass, items: pass.items() })),
      ...others,
    ];
    if (page !== null) files.push({ ...folder.add('report.html', page.chunks(pass)), rows: null });
    const facts = pass.facts();
    if (settings.xlsx === true)
      files.push({ ...folder.add('report.xlsx', workbook(scope, facts, folder, files)), rows: null });
    folder.add('manifest.json', [manifestText(scope, facts, files)]);
    const directory = folder.publish(name, latestLink(scope));
    return {
      project: project.id,
      runId: run.id,
      directory,
      files: [...files.map((file) => file.name), 'manifest.json'],
      rows: facts.coverage.total,
      movers: facts.movers,
      headline: facts.headline,
      ...(settings.pdf === true ? { wantsPdf: true } : {}),
    };
  } finally {
    folder.discard();
  }
}

/** A run for an earlier slot, or another question, gets a dated folder and leaves `latest` to the newest run. */
function latestLink({ context, settings, run, project }: ReportScope): LatestLink {
  const { isApart = false, question = {} } = settings;
  if (isApart || lastDate(question) !== undefined || question.hasOtherBaseline === true) return 'leave';
  const newest = context.store.reportRuns.latestReported(project.id, context.clock.now());
  return newest?.id === run.id ? 'set' : 'set-if-missing';
}

/** What tables are made from, and the items that are read once for all of them. */
interface Reading<Of, Item> {
  readonly of: Of;
  readonly items: Iterable<Item>;
}

/**
 * Writes the wanted of these tables side by side. A table that is neither wanted nor needed is not made; where none is
 * made, nothing is read.
 */
function writeTables<Of, Item>(
  folder: ReportFolder,
  { tables: wanted, html, csv, onTable }: ReportSettings,
  tables: readonly ReportTable<Of, Item>[],
  open: () => Reading<Of, Item>,
): ManifestFile[] {
  const isWanted = (name: ReportTableName): boolean => name === 'period' || wanted === undefined || wanted.has(name);
  const isMade = ({ name, neededFor }: ReportTable<Of, Item>): boolean =>
    isWanted(name) || neededFor === 'report' || (neededFor === 'page' && html === true);
  const made = tables.filter(isMade);
  if (made.length === 0) return [];
  const { of, items } = open();
  const started = made.flatMap(({ name, start }) => {
    const lines = start(of, csv);
    return lines === null ? [] : [{ name, lines }];
  });
  const written = started.filter(({ name }) => isWanted(name));
  const pieces = function* (): Generator<readonly [file: number, chunk: string | Uint8Array]> {
    for (const item of items) {
      for (const { lines } of started) lines.add(item);
      for (const [file, { lines }] of written.entries()) yield [file, lines.taken()];
    }
    for (const table of started) {
      const file = written.indexOf(table);
      for (const chunk of table.lines.rest()) if (file >= 0) yield [file, chunk];
    }
  };
  const names = written.map(({ name }) => `${name}.csv`);
  const files = folder.addTogether(names, pieces());
  onTable?.();
  return files.map((file, at) => ({ ...file, rows: written[at]?.lines.count() ?? null }));
}

function workbook(
  { settings, slot, project, warning }: ReportScope,
  { coverage, summary }: TrackedFacts,
  folder: ReportFolder,
  files: readonly ManifestFile[],
): Iterable<Uint8Array> {
  const { csv, comparison, ctrCurve } = settings;
  const facts = { project: project.id, slot: slot.slot, timezone: slot.timezone, warning, coverage, summary };
  const tables = files.map(({ name, rows }) => ({
    name,
    rows,
    columns: tableColumns.get(name.replace('.csv', '') as ReportTableName) ?? [], // of a CSV file
    read: () => folder.read(name),
  }));
  return workbookChunks({ ...facts, compare: comparisonName(comparison), ctrCurve }, tables, csv);
}

function manifestText(
  { context, settings, run, runs, slot, project, state, kind }: ReportScope,
  { coverage, sources }: TrackedFacts,
  files: readonly ManifestFile[],
): string {
  const { csv, question: { asOf, period } = {} } = settings;
  const manifest = buildManifest({
    asOf,
    period,
    project: project.id,
    run: {
      id: run.id,
      kind: 'ranks',
      slot: slot.slot,
      timezone: slot.timezone,
      status: state,
      openedAt: run.openedAt,
      closedAt: run.closedAt,
    },
    suspectReason: findSuspicion({ store: context.store, project, runs }),
    disputes: describeDisputes(
      context.store,
      runs.map(({ id }) => id),
      project.service,
    ),
    late: lateNote(context, slot),
    coverage,
    compare: comparisonName(settings.comparison),
    ctrCurve: settings.ctrCurve,
    data: { kind, sources },
    csv: { bom: csv.bom, delimiter: csv.delimiter, safe: csv.safe },
    files,
    generatedAt: context.clock.now(),
  });
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/**
 * `2026-11-20T0600`; a second run in the same minute gets its number behind it, so that no report replaces another
 * run's.
 */
export function folderName(context: JobContext, run: RunRow, slot: ClaimedSlot): string {
  const name = slot.slot.slice(0, 16).replace(':', '');
  return context.store.reportRuns.isFirstInMinute(run.id, slot) ? name : `${name}-run${run.id}`;
}
