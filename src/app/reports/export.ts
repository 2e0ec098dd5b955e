// Recorded rows for export: of one project or of the whole database.
import {
  type ExportPartition,
  type ExportQuery,
  exportHistory,
  exportPartitions,
  type PartitionedSubject,
} from '../../../jobs/query/export-history.ts';
import type { ExportTable } from '../../report/formats/export.ts';
import type { App } from '../app.ts';
import { projectsNamed } from '../opening/named-projects.ts';

/** The rows must be read before the app closes. */
export function exportRows(
  { config, context }: App,
  { project, ...query }: ExportQuery & { readonly project?: string },
): ExportTable {
  const [only = null] = project === undefined ? [] : projectsNamed(config, [project]);
  return exportHistory(context, only, query);
}

/** By project and month, of one project or of all that the config names. They must be read before the app closes. */
export function partitionsOf(
  { config, context }: App,
  { project, what }: { readonly what: PartitionedSubject; readonly project?: string },
): Iterable<ExportPartition> {
  return exportPartitions(context, projectsNamed(config, project === undefined ? undefined : [project]), what);
}
