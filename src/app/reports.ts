// Reports as the commands ask for them: settings out of the config and what was asked, and the notes that people keep. Writing is left to the jobs.
import { existsSync } from 'node:fs';
import type { ResolvedConfig } from '../../config/resolve.ts';
import { agencyFolder, writeAgencyFiles } from '../../jobs/agency-files.ts';
import type { JobContext } from '../../jobs/context.ts';
import { discardRun, nameFolders, restoreRun } from '../../jobs/discard-run.ts';
import { type ReportSettings, writeIndex, writeReports } from '../../jobs/write-report.ts';
import { comparisonHint, parseComparison } from '../tracker/baseline.ts';
import { type Note, normalNote, noteComplaint, noteDateComplaint } from '../tracker/note.ts';
import type { Project } from '../tracker/project.ts';
import { type DiscardOptions, type DiscardReport, UsageError, type WrittenReport } from './contract.ts';

/** What may be asked of a report beside the config. */
export interface ReportWishes {
  /** In place of `reports.compare`. */
  readonly compare?: string;
  /** Files of all projects together, whatever the config says. */
  readonly agency?: boolean;
  /** The tables as a workbook, too, whatever the config says. */
  readonly xlsx?: boolean;
}

/** Throws UsageError for a comparison that is none, and where a project stands in the way of the files of all. */
export function reportSettingsOf(
  { reports, notes, projects }: ResolvedConfig,
  wishes: ReportWishes = {},
): ReportSettings {
  const comparison = wishes.compare === undefined ? reports.compare : parseComparison(wishes.compare);
  if (comparison === null) throw new UsageError(`--compare takes ${comparisonHint}, not "${wishes.compare}"`);
  const isAgency = wishes.agency ?? reports.agency;
  if (isAgency && projects.some(({ id }) => id.toLowerCase() === agencyFolder))
    throw new UsageError(`the folder of the files of all projects is that of the project "${agencyFolder}"`);
  const { directory, csv, html, ctrCurve, toleranceMs, agencyDays } = reports;
  return {
    directory,
    csv,
    html,
    xlsx: wishes.xlsx ?? reports.xlsx,
    ctrCurve,
    comparison,
    notes,
    ...(toleranceMs === undefined ? {} : { toleranceMs }),
    ...(isAgency ? { agencyDays } : {}),
  };
}

/** Writes the latest reports of these projects again, and the files of all projects where those are asked for. */
export function reportOnProjects(
  context: JobContext,
  settings: ReportSettings,
  projects: readonly Project[],
): WrittenReport[] {
  const reports: WrittenReport[] = projects.flatMap((project) => {
    const run = context.store.reportRuns.latestReported(project.id, context.clock.now());
    return run === null ? [] : writeReports(context, settings, run.id, project.id);
  });
  const agency = writeAgencyFiles(context, settings);
  return agency === null ? reports : [...reports, agency];
}

/** Discards a run or takes that back, and writes the latest reports of its projects again. A second time it puts right what a crash left. */
export function discardAndReport(
  context: JobContext,
  settings: ReportSettings,
  { runId, reason, undo = false }: DiscardOptions,
): DiscardReport {
  const complaint = reason === undefined ? undefined : noteComplaint(reason);
  if (complaint !== undefined) throw new UsageError(complaint);
  const { runs } = context.store;
  const refusal = undo
    ? restoreRun(context, runId)
    : discardRun(context, runId, reason === undefined ? null : normalNote(reason));
  if (refusal !== null) throw new UsageError(refusal.message, refusal.hint);
  const slots = runs.slotsOf(runId).map(({ project, slot }) => ({ project, slot }));
  const projects = new Set(slots.flatMap(({ project }) => context.projects.get(project) ?? []));
  // `latest` leaves the folder of a discarded run before that is renamed, and finds that of a restored one under its own name
  if (undo) nameFolders(context, settings.directory, runId);
  const reports = reportOnProjects(context, settings, [...projects]);
  if (!undo) nameFolders(context, settings.directory, runId);
  if (existsSync(settings.directory)) writeIndex(context, settings);
  const run = runs.run(runId);
  return {
    runId,
    discardedAt: run?.discardedAt == null ? null : new Date(run.discardedAt).toISOString(),
    discardReason: run?.discardReason ?? null,
    slots,
    reports,
  };
}

/** A note with where it is kept: by its number in the database, or in the config. */
export interface KeptNote extends Note {
  /** Null: it stands in the config. */
  readonly id: number | null;
}

/** Notes of the config and of the database; those of the database can be added and removed. */
export interface NoteDesk {
  /** By date. `project`: its own and those for all; throws UsageError where there is none of that name. */
  list(project?: string): KeptNote[];
  /** Throws UsageError for a text, date or project that is none. */
  add(note: Note): KeptNote;
  /** Throws UsageError where there is no such note. */
  remove(id: number): KeptNote;
}

export function noteDesk({ notes, file }: ResolvedConfig, { store, clock, projects }: JobContext): NoteDesk {
  const known = (project: string): void => {
    if (!projects.has(project)) throw new UsageError(`there is no project "${project}" in ${file}`);
  };
  return {
    list(project) {
      if (project !== undefined) known(project);
      return [
        ...notes
          .filter((note) => project === undefined || note.project === null || note.project === project)
          .map((note) => ({ ...note, id: null })),
        ...store.notes.list(project === undefined ? {} : { project }).map(kept),
      ].sort((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0));
    },
    add({ date, text, project }) {
      const complaint = noteDateComplaint(date) ?? noteComplaint(text);
      if (complaint !== undefined) throw new UsageError(complaint);
      if (project !== null) known(project);
      return kept(store.notes.add({ date, text: normalNote(text), project }, clock.now()));
    },
    remove(id) {
      const note = store.notes.remove(id);
      if (note === null) throw new UsageError(`there is no note ${id}`, '`rankledger note list` shows those there are');
      return kept(note);
    },
  };
}

function kept({ id, date, text, project }: KeptNote): KeptNote {
  return { id, date, text, project };
}
