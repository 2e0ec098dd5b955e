// Writes a run's reports, one folder a project: its tables and the manifest.

import { join } from 'node:path';
import type { ClaimedSlot, RunRow } from '../../db/history/runs/runs.ts';
import { buildManifest, type ManifestFile } from '../../src/report/tables/manifest.ts';
import type { Mover } from '../../src/report/tables/movers.ts';
import type { Headline } from '../../src/rows/sums.ts';
import { comparisonName } from '../../src/tracker/changes/change.ts';
import type { ReportTableName } from '../../src/tracker/report-tables.ts';
import type { JobContext } from '../context.ts';
import { lateNote } from '../slot-day.ts';
import { type LatestLink, ReportFolder } from './files/report-files.ts';
import { workbookChunks } from './files/xlsx-report.ts';
import { HtmlReport } from './html/html-report.ts';
import { writeReportIndex } from './html/report-index.ts';
import { lastDate, questionFolder, withDelivered } from './report-question.ts';
import { findSuspicion } from './rows/report-rows.ts';
import {
  type JoinedTables,
  type ReportScope,
  type ReportSettings,
  type ReportTable,
  reportScope,
} from './rows/report-scope.ts';
import type { RunCosts } from './rows/run-costs.ts';
import { answerTables } from './tables/answer-tables.ts';
import { clickTables } from './tables/click-tables.ts';
import { localTables } from './tables/local-tables.ts';
import { spendTables } from './tables/outcome-tables.ts';
import { periodTables } from './tables/period-table.ts';
import { describeDisputes } from './tables/price-disputes.ts';
import { serpTables } from './tables/serp-tables.ts';
import { type TrackedFacts, trackedTables } from './tables/tracked-tables.ts';
import { volumeTables } from './tables/volume-tables.ts';

export type { ReportSettings } from './rows/report-scope.ts';

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

/** Makes tables one after another, so that memory of one is free before the next begins. */
type TableFamily = (scope: ReportScope) => Iterable<ReportTable | JoinedTables>;

/** Written before the tracked tables and the page, which share their rows and show what these find. */
const families: readonly TableFamily[] = [
  volumeTables,
  answerTables,
  localTables,
  clickTables,
  spendTables,
  serpTables,
  periodTables,
];

/** `name`: of the folder. */
function writeProject(scope: ReportScope, name: string): RunReport {
  const { settings, run, project } = scope;
  const folder = new ReportFolder(join(settings.directory, project.id));
  try {
    const add = (tables: Iterable<ReportTable | JoinedTables>): ManifestFile[] => {
      const added: ManifestFile[] = [];
      for (const each of tables) {
        added.push(...addTables(folder, each, settings.tables));
        settings.onTable?.();
      }
      return added;
    };
    const others = families.flatMap((family) => add(family(scope)));
    const page = settings.html === true ? new HtmlReport(scope) : null;
    const tracked = trackedTables(scope, folder.scratch, page);
    const files = [...add([tracked]), ...others, ...(page === null ? [] : add([page.table()]))];
    if (settings.xlsx === true)
      files.push({ ...folder.add('report.xlsx', workbook(scope, tracked.facts(), folder, files)), rows: null });
    const facts = tracked.facts();
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

/** Tables that are not wanted are made all the same, without a file: report.html shows what they find. */
function addTables(
  folder: ReportFolder,
  made: ReportTable | JoinedTables,
  wanted: ReportSettings['tables'],
): ManifestFile[] {
  const isWanted = ({ name }: Pick<ReportTable, 'name'>): boolean => {
    const table = name.replace(/\.csv$/, '');
    return table === name || table === 'period' || wanted === undefined || wanted.has(table as ReportTableName);
  };
  const tables = 'chunks' in made ? [made] : made.tables;
  const pieces = 'chunks' in made ? Iterator.from(made.chunks).map((chunk) => [0, chunk] as const) : made.pieces;
  const written = tables.filter(isWanted);
  const numbers = tables.map((table) => written.indexOf(table));
  const wantedPieces = Iterator.from(pieces).flatMap(([table, chunk]) => {
    const number = numbers[table] ?? -1;
    return number === -1 ? [] : [[number, chunk] as const];
  });
  const names = written.map(({ name }) => name);
  return folder.addTogether(names, wantedPieces).map((file, at) => ({ ...file, rows: written[at]?.rows ?? null }));
}

function workbook(
  { settings, slot, project, warning }: ReportScope,
  { coverage, summary }: TrackedFacts,
  folder: ReportFolder,
  files: readonly ManifestFile[],
): Iterable<Uint8Array> {
  const { csv, comparison, ctrCurve } = settings;
  const facts = { project: project.id, slot: slot.slot, timezone: slot.timezone, warning, coverage, summary };
  const tables = files.map(({ name, rows }) => ({ name, rows, read: () => folder.read(name) }));
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
