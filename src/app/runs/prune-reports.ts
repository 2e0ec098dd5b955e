// Deletes reports of runs past `retention.reports`, after each run and in `prune`.
import type { ResolvedConfig } from '../../../config/resolve.ts';
import { describeError } from '../../../jobs/alerts/alert-channel.ts';
import type { JobContext } from '../../../jobs/context.ts';
import { type OldReports, pruneReports } from '../../../jobs/report/files/old-reports.ts';

/** Null where the config keeps all. Throws ReportError. */
function pruneOldReports(
  { retention, reports, projects }: ResolvedConfig,
  at: number,
  isReal: boolean,
): OldReports | null {
  if (retention.reportsMs === undefined) return null;
  const ids = projects.map(({ id }) => id);
  return pruneReports(reports.directory, ids, at - retention.reportsMs, isReal);
}

/** After a run: what cannot be deleted is tried again after the next one. */
export function pruneAfterRun(config: ResolvedConfig, { clock, log }: JobContext): void {
  try {
    const removed = pruneOldReports(config, clock.now(), true);
    if (removed !== null && removed.folders > 0) log.info({ ...removed }, 'old reports deleted: retention.reports');
  } catch (error) {
    log.warn({ error: describeError(error) }, 'old reports could not be deleted');
  }
}
