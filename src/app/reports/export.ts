// Recorded rows for export: of one project or of the whole database.
import { type ExportQuery, exportHistory } from '../../../jobs/query/export-history.ts';
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
