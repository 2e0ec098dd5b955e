// Reads the rows of an export, within a range and for one project or all. src/report encodes them.
import { createHash } from 'node:crypto';
import type { ExportFilter, ProjectTargets, VolumeKey } from '../../db/reads/exports.ts';
import { type ExportTable, exportTable } from '../../src/report/formats/export.ts';
import { type ExportRow, type ExportSubject, exportColumns } from '../../src/report/formats/export-columns.ts';
import type { Project } from '../../src/tracker/project.ts';
import { targetKey } from '../../src/tracker/targets/target.ts';
import type { JobContext } from '../context.ts';
import { discardNote, seenNote } from '../slot-day.ts';

export interface ExportQuery {
  readonly what: ExportSubject;
  /** Local dates, inclusive. */
  readonly from?: string;
  readonly to?: string;
}

/**
 * Of one project, or of everything that the database holds, whether the config still names it or not. The store must
 * stay open until the rows are read.
 */
export function exportHistory(context: JobContext, project: Project | null, query: ExportQuery): ExportTable {
  const { what, ...range } = query;
  const filter: ExportFilter = { ...range, ...(project === null ? {} : { project: project.id }) };
  return exportTable<ExportRow>(exportColumns[what], readRows(context, project, what, filter));
}

/** The ledger belongs to no project. */
export type PartitionedSubject = Exclude<ExportSubject, 'ledger'>;

/** The rows of one project and local month, as a file of their own. */
export interface ExportPartition {
  readonly project: string;
  /** `YYYY-MM`. */
  readonly month: string;
  /** Changes whenever the rows may have changed. */
  readonly state: string;
  /** Without columns for project and month: the folders name them. */
  table(): ExportTable;
}

/** By project and month; some may have no rows. The store must stay open until they are read. */
export function* exportPartitions(
  context: JobContext,
  projects: readonly Project[],
  what: PartitionedSubject,
): Generator<ExportPartition> {
  const columns = exportColumns[what].filter(({ name }) => name !== 'project' && name !== 'month');
  const names = columns.map(({ name }) => name);
  for (const project of projects) {
    const followed = JSON.stringify([names, followedBy(project), what === 'volumes' ? listVolumeKeys(project) : null]);
    for (const { month, state } of monthsOf(context, project, what)) {
      const filter = rangeOf(project, month);
      yield {
        project: project.id,
        month,
        state: createHash('sha256').update(followed).update(state).digest('hex'),
        table: () => exportTable<ExportRow>(columns, readRows(context, project, what, filter)),
      };
    }
  }
}

/** Metrics are of a month, whenever the project was checked; all else is of the days of its runs. */
function* monthsOf(
  { store: { exports } }: JobContext,
  project: Project,
  what: PartitionedSubject,
): Generator<{ readonly month: string; readonly state: string }> {
  if (what === 'volumes') yield* exports.volumeMonths();
  else for (const month of exports.months(project.id)) yield { month, state: exports.state(rangeOf(project, month)) };
}

function rangeOf({ id }: Project, month: string) {
  return { project: id, from: `${month}-01`, to: `${month}-31` };
}

function readRows(
  context: JobContext,
  project: Project | null,
  what: ExportSubject,
  filter: ExportFilter,
): Iterable<ExportRow> {
  const { exports } = context.store;
  switch (what) {
    case 'rankings':
      return readRankings(context, project, filter);
    case 'checks':
      return withDiscards(exports.checks(filter));
    case 'volumes':
      return exports.volumes(filter, project === null ? undefined : listVolumeKeys(project));
    case 'serps':
      return withDiscards(exports.serps(filter));
    case 'ledger':
      return withDiscards(exports.ledger(filter));
  }
}

function* readRankings(context: JobContext, project: Project | null, filter: ExportFilter): Generator<ExportRow> {
  const { exports } = context.store;
  const followed = (project === null ? [...context.projects.values()] : [project]).map(followedBy);
  yield* withNotes(exports.rankings(followed, filter));
  if (project === null) yield* withNotes(exports.otherRankings(followed, filter));
}

function* withNotes(rows: Iterable<ExportRow>): Generator<ExportRow> {
  for (const row of rows) {
    const note = seenNote(String(row['slot']), String(row['local_date']));
    yield discarded(note === null ? row : { ...row, note });
  }
}

function* withDiscards(rows: Iterable<ExportRow>): Generator<ExportRow> {
  for (const row of rows) yield discarded(row);
}

/** Adds to the note of a row that its run was discarded. */
function discarded(row: ExportRow): ExportRow {
  if (row['discarded_at'] == null) return row;
  const note = discardNote(row['discard_reason'] as string | null);
  return { ...row, note: row['note'] === undefined ? note : `${note}; ${String(row['note'])}` };
}

function followedBy({ id, targets, competitors }: Project): ProjectTargets {
  const followed = (isCompetitor: boolean) => (target: Project['targets'][number]) => ({
    identity: targetKey(target),
    value: target.value,
    isCompetitor,
  });
  return { project: id, targets: [...targets.map(followed(false)), ...competitors.map(followed(true))] };
}

function listVolumeKeys({ service, keywords }: Project): VolumeKey[] {
  return keywords.map(({ keyword, country, language }) => ({ keyword, service, country, language }));
}
