// The whole picture for `status`: runs, dueness, what is under way or was missed, budget, failures. Reads only.
import type { BrokenEntries } from '../../config/broken-entries.ts';
import type { ResolvedConfig } from '../../config/resolve.ts';
import type { DisputeTotals } from '../../db/price-disputes.ts';
import type { JobContext } from '../../jobs/context.ts';
import { pausesAt } from '../../jobs/due.ts';
import { duenessReport, runsUnderWay } from '../../jobs/inspect.ts';
import { windowKeysAt } from '../../jobs/money.ts';
import { problemsLeft } from '../../jobs/problems.ts';
import { type UnsentAlerts, unsentAlerts } from './alerts.ts';
import type { BudgetWindow, Problem, ProjectDueness } from './contract.ts';
import { problemsShown, statusLine } from './results.ts';
import { type UnwrittenReport, unwrittenReports } from './unwritten.ts';

const runsShown = 10;
const missedShown = 10;

export interface StatusReport {
  readonly database: string;
  /** Projects that do not run because the config is broken there. */
  readonly broken: BrokenEntries;
  readonly runs: readonly {
    readonly runId: number;
    readonly kind: 'ranks' | 'volumes' | 'adhoc';
    readonly state: string;
    readonly openedAt: string;
    readonly closedAt: string | null;
    readonly projects: readonly string[];
    readonly slot: string;
    readonly checks: Readonly<Record<string, number>>;
    readonly reason: string | null;
    readonly suspectReason: string | null;
    /** What somebody should see to although the run has done without. */
    readonly remark: string | null;
    /** When an operator discarded it; null where it stands. */
    readonly discardedAt: string | null;
    readonly discardReason: string | null;
  }[];
  /** Runs that are open, in whatever process; of those that are not alive the next look goes on. */
  readonly underWay: readonly {
    readonly runId: number;
    readonly kind: 'ranks' | 'volumes' | 'adhoc';
    readonly projects: readonly string[];
    readonly done: number;
    readonly total: number;
    readonly openedAt: string;
    readonly heartbeatAt: string | null;
    readonly isAlive: boolean;
  }[];
  readonly projects: readonly ProjectDueness[];
  /** Services that the scheduler leaves alone for a while, because a run was halted. */
  readonly paused: readonly {
    readonly service: string;
    readonly until: string;
    readonly runId: number;
    readonly reason: string;
  }[];
  /** The newest slots that went by without a run. */
  readonly missed: readonly {
    readonly project: string;
    readonly kind: string;
    readonly slot: string;
    readonly timezone: string;
    readonly reason: string;
  }[];
  /** Reports and alerts that could not be written, the newest first. */
  readonly unwritten: readonly UnwrittenReport[];
  readonly budget: readonly BudgetWindow[];
  readonly unknownPurchases: number;
  /** The database was restored or swapped: it does not hold what the witness beside it saw. The next run counts the gap as unknown. */
  readonly isBehindWitness: boolean;
  /** Prices stated above the agreed ones, summed up by service; the larger is booked. */
  readonly disputes: readonly DisputeTotals[];
  /** What channels were not told yet. */
  readonly alerts: UnsentAlerts;
  /** The first failures of each project's newest slot that no backfill has mended. */
  readonly problems: readonly Problem[];
  /** How many there are in all. */
  readonly problemsTotal: number;
}

export function statusReport(context: JobContext, config: ResolvedConfig): StatusReport {
  const { store, clock, projects } = context;
  const { runs, ledger } = store;
  const all = [...projects.values()];
  const { problems, total: problemsTotal } = problemsLeft(context, all, problemsShown);
  return {
    database: config.databaseFile,
    broken: config.broken,
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
    unwritten: unwrittenReports(context),
    budget: budgetNow(context, config.timezone),
    unknownPurchases: ledger.unknownPurchases(),
    isBehindWitness: store.witness.gap() !== null,
    disputes: store.disputes.totals(),
    alerts: unsentAlerts(context),
    problems,
    problemsTotal,
  };
}

/** The windows of today and this month, and those of each run under way; where none is, what a run that began now would have. */
function budgetNow(context: JobContext, timezone: string): BudgetWindow[] {
  const { store, clock } = context;
  const windowsOf = (runKey: string): BudgetWindow[] =>
    store.ledger.windows(runKey, windowKeysAt(clock.now(), timezone));
  const running = runsUnderWay(context).map((run) => String(run.runId));
  if (running.length === 0) return windowsOf('');
  const ofRuns = running.flatMap((runKey) => windowsOf(runKey).filter(({ scope }) => scope === 'run'));
  return [...ofRuns, ...windowsOf('').filter(({ scope }) => scope !== 'run')];
}
