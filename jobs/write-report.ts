// Writes a run's reports, one folder a project: rank changes, summary and the manifest that vouches for them.
import { join } from 'node:path';
import type { ClaimedSlot, RunRow } from '../db/runs.ts';
import type { CsvOptions } from '../src/report/csv.ts';
import { buildManifest, type DataKind, reportWarning } from '../src/report/manifest.ts';
import { type Mover, startMovers } from '../src/report/movers.ts';
import { startRankChanges } from '../src/report/rank-changes.ts';
import { rankChangeRow } from '../src/report/row.ts';
import { startSummary, summaryCsv } from '../src/report/summary.ts';
import type { Project } from '../src/tracker/project.ts';
import { type JobContext, serviceOf } from './context.ts';
import { ReportFolder, type WrittenFile } from './report-files.ts';
import { type Comparison, reportRows } from './report-rows.ts';

export interface ReportSettings {
  /** Absolute. */
  readonly directory: string;
  readonly csv: CsvOptions;
  readonly ctrCurve: string;
  readonly comparison: Comparison;
}

export interface RunReport {
  readonly project: string;
  readonly runId: number;
  /** Absolute folder. */
  readonly directory: string;
  readonly files: readonly string[];
  readonly rows: number;
  readonly movers: readonly Mover[];
}

const moversMax = 5;

/** Writes the reports of every project of a run, or of `only` one. Throws ReportError where the disk will not take them. */
export function writeReports(context: JobContext, settings: ReportSettings, runId: number, only?: string): RunReport[] {
  const run = context.store.runs.run(runId);
  if (run === null) return [];
  return context.store.runs
    .slotsOf(runId)
    .filter((slot) => only === undefined || slot.project === only)
    .flatMap((slot) => {
      const project = context.projects.get(slot.project);
      return project === undefined ? [] : [writeProject(context, settings, run, slot, project)];
    });
}

function writeProject(
  context: JobContext,
  settings: ReportSettings,
  run: RunRow,
  slot: ClaimedSlot,
  project: Project,
): RunReport {
  const changes = startRankChanges(settings.csv);
  const sources = new Set<string>();
  let total = 0;
  let checked = 0;
  const summary = startSummary(settings.ctrCurve);
  const movers = startMovers(moversMax, settings.ctrCurve);
  for (const input of reportRows({ store: context.store, project, run, slot, comparison: settings.comparison })) {
    const row = rankChangeRow(input, settings.ctrCurve);
    total += 1;
    if (row.complete) checked += 1;
    if (row.source !== null && row.source !== '') sources.add(row.source);
    changes.add(row);
    summary.add(row);
    movers.add(row);
  }
  const kind = serviceOf(context, project.service).kind;
  const summaryRows = summary.rows({ runId: run.id, warning: reportWarning(run.suspectReason, kind) });
  const folder = new ReportFolder(join(settings.directory, project.id));
  try {
    const files = [
      { ...folder.add('rank-changes.csv', changes.chunks()), rows: total },
      { ...folder.add('summary.csv', summaryCsv(summaryRows, settings.csv)), rows: summaryRows.length },
    ];
    folder.add('manifest.json', [
      manifestText(context, settings, {
        run,
        slot,
        project,
        coverage: { checked, total },
        sources: [...sources].sort(),
        files,
        kind,
      }),
    ]);
    // a run for an earlier slot is filed under its date, and leaves `latest` to the newest one
    const isLatest = context.store.runs.lastClosedRun(project.id, 'ranks')?.id === run.id;
    const directory = folder.publish(folderName(context, run, slot), isLatest);
    return {
      project: project.id,
      runId: run.id,
      directory,
      files: [...files.map((file) => file.name), 'manifest.json'],
      rows: total,
      movers: movers.list(),
    };
  } finally {
    folder.discard();
  }
}

interface ManifestFacts {
  readonly run: RunRow;
  readonly slot: ClaimedSlot;
  readonly project: Project;
  readonly coverage: { readonly checked: number; readonly total: number };
  readonly sources: readonly string[];
  readonly files: readonly (WrittenFile & { readonly rows: number })[];
  readonly kind: DataKind;
}

function manifestText(
  context: JobContext,
  settings: ReportSettings,
  { run, slot, project, coverage, sources, files, kind }: ManifestFacts,
): string {
  const manifest = buildManifest({
    project: project.id,
    run: {
      id: run.id,
      kind: 'ranks',
      slot: slot.slot,
      timezone: slot.timezone,
      status: run.state,
      openedAt: run.openedAt,
      closedAt: run.closedAt,
    },
    suspectReason: run.suspectReason,
    coverage,
    compare: comparisonName(settings.comparison),
    ctrCurve: settings.ctrCurve,
    data: { kind, sources },
    csv: settings.csv,
    files,
    generatedAt: context.clock.now(),
  });
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

export function comparisonName(comparison: Comparison): string {
  if (comparison.kind === 'previous') return 'previous';
  return comparison.kind === 'days' ? `${comparison.days}d` : comparison.date;
}

/** `2026-11-20T0600`; a second run in the same minute gets its number behind it, so that no report replaces another run's. */
function folderName(context: JobContext, run: RunRow, slot: ClaimedSlot): string {
  const name = slot.slot.slice(0, 16).replace(':', '');
  return context.store.runs.isFirstInMinute(run.id, slot) ? name : `${name}-run${run.id}`;
}
