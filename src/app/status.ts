// The whole picture for `status`: runs, dueness, what is under way or was missed, budget, failures. Reads only.
import type { ResolvedConfig } from '../../config/resolve.ts';
import type { JobContext } from '../../jobs/context.ts';
import { pausesAt } from '../../jobs/due.ts';
import { duenessReport, problemsOf, runsUnderWay } from '../../jobs/inspect.ts';
import { windowKeysAt } from '../../jobs/money.ts';
import type { StatusReport } from './contract.ts';
import { problemsShown, statusLine } from './results.ts';

const runsShown = 10;
const missedShown = 10;

export function statusReport(context: JobContext, config: ResolvedConfig): StatusReport {
  const { store, clock, projects } = context;
  const { runs, ledger } = store;
  const all = [...projects.values()];
  const lastRuns = all.flatMap(({ id }) => runs.lastClosedRun(id, 'ranks') ?? []);
  const runIds = [...new Set(lastRuns.map((run) => run.id))];
  return {
    database: config.databaseFile,
    runs: runs.lastRuns(runsShown).map((run) => statusLine(context, run)),
    underWay: runsUnderWay(context).map(({ openedAt, heartbeatAt, ...run }) => ({
      ...run,
      openedAt: new Date(openedAt).toISOString(),
      heartbeatAt: heartbeatAt === null ? null : new Date(heartbeatAt).toISOString(),
    })),
    projects: duenessReport(context, all, { scheduler: true }),
    paused: [...pausesAt(store, all, clock.now())].map(([service, { until, runId, reason }]) => ({
      service,
      until: new Date(until).toISOString(),
      runId,
      reason,
    })),
    missed: runs
      .missedSlots(missedShown)
      .map(({ project, kind, slot, timezone, reason }) => ({ project, kind, slot, timezone, reason })),
    budget: ledger.windows('', windowKeysAt(clock.now(), config.timezone)),
    unknownPurchases: ledger.unknownPurchases(),
    problems: runIds.flatMap((runId) => problemsOf(context, runId, problemsShown)),
  };
}
