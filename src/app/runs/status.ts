// The whole picture on one screen: runs, dueness, budget and failures. Reads only.
import type { BrokenEntries } from '../../../config/document/broken-entries.ts';
import type { BudgetWindowRow } from '../../../db/ledger/budget-windows.ts';
import type { DisputeTotals } from '../../../db/ledger/price-disputes.ts';
import type { JobContext } from '../../../jobs/context.ts';
import { windowKeysAt } from '../../../jobs/purchase/money.ts';
import { type AdaptiveOutcome, adaptiveOutcomes } from '../../../jobs/query/adaptive-outcomes.ts';
import { duenessReport, type ProjectDueness } from '../../../jobs/query/dueness-report.ts';
import { lastRuns, type RunSummary, type RunUnderWay, runsUnderWay } from '../../../jobs/query/run-summaries.ts';
import { updateNotes } from '../../../jobs/report/rows/suspected-updates.ts';
import { type CheckProblem, problemsLeft } from '../../../jobs/report/tables/problems.ts';
import { pausesAt } from '../../../jobs/run/due.ts';
import { byText } from '../../tracker/text-order.ts';
import { type UnsentAlerts, unsentAlerts } from '../alerts/unsent-alerts.ts';
import type { App } from '../app.ts';
import { setupFailures } from '../opening/services.ts';
import { brokenWith } from '../opening/setup-failures.ts';
import { type UnwrittenReport, unwrittenReports } from '../reports/unwritten.ts';

export interface StatusReport {
  readonly database: string;
  /** Projects that do not run: their config is broken, or their service cannot be opened. */
  readonly broken: BrokenEntries;
  /** Environment variables that are not set, and that commands which call services need. */
  readonly unset: readonly string[];
  readonly runs: readonly RunSummary[];
  readonly underWay: readonly RunUnderWay[];
  readonly projects: readonly ProjectDueness[];
  /** Services that the scheduler pauses, because a run was halted. */
  readonly paused: readonly {
    readonly service: string;
    readonly until: string;
    readonly runId: number;
    readonly reason: string;
  }[];
  /** The newest slots that passed without a run. Consecutive slots are one entry, from `slot` to `lastSlot`. */
  readonly missed: readonly {
    readonly project: string;
    readonly kind: string;
    readonly slot: string;
    readonly lastSlot: string;
    readonly count: number;
    readonly timezone: string;
    readonly reason: string;
  }[];
  /** Days on which more keywords moved than usual, as notes say it, the newest first. */
  readonly updates: readonly { readonly project: string; readonly date: string; readonly text: string }[];
  /** What adaptive plans saved and may have missed in their last 30 days; projects without one are left out. */
  readonly adaptive: readonly AdaptiveOutcome[];
  /** Reports and alerts that could not be written, the newest first. */
  readonly unwritten: readonly UnwrittenReport[];
  readonly budget: readonly BudgetWindowRow[];
  readonly unknownPurchases: number;
  /**
   * The database was restored or swapped: it lacks purchases that its witness file recorded. The next run counts them
   * as unknown.
   */
  readonly isBehindWitness: boolean;
  /** Prices above the agreed ones, by service; the higher price is booked. */
  readonly disputes: readonly DisputeTotals[];
  readonly alerts: UnsentAlerts;
  /** The first failures of each project's newest slot that no backfill has fixed. */
  readonly problems: readonly CheckProblem[];
  /** Of all of them. */
  readonly problemsTotal: number;
}

const runsShown = 10;
const missedShown = 10;
const updatesShown = 5;
const problemsShown = 20;

export async function readStatus({ config, context }: App): Promise<StatusReport> {
  const { store, clock } = context;
  const projects = [...context.projects.values()];
  const { problems, total: problemsTotal } = problemsLeft(context, projects, problemsShown);
  const underWay = runsUnderWay(context);
  return {
    database: config.databaseFile,
    broken: brokenWith(config, await setupFailures(config, store.accounts, clock)),
    unset: config.unset,
    runs: lastRuns(context, runsShown),
    underWay,
    projects: duenessReport(context, projects, { scheduler: true }),
    paused: [...pausesAt(store, projects, clock.now())].map(([service, { until, runId, reason }]) => ({
      service,
      until: new Date(until).toISOString(),
      runId,
      reason,
    })),
    missed: store.runs.missedSlots(missedShown),
    updates: projects
      .flatMap(({ id }) => updateNotes(store, id).map(({ date, text }) => ({ project: id, date, text })))
      .sort((a, b) => byText(b.date, a.date))
      .slice(0, updatesShown),
    adaptive: adaptiveOutcomes(context),
    unwritten: unwrittenReports(context),
    budget: budgetNow(context, underWay),
    unknownPurchases: store.ledger.unknownPurchases(),
    isBehindWitness: store.witness.gap() !== null,
    disputes: store.disputes.totals(),
    alerts: unsentAlerts(context),
    problems,
    problemsTotal,
  };
}

/** The windows of this day and month, and of each run under way. If none is, the window of a run that starts now. */
function budgetNow({ store, clock, timezone }: JobContext, underWay: readonly RunUnderWay[]): BudgetWindowRow[] {
  const windowsOf = (runKey: string): BudgetWindowRow[] =>
    store.ledger.windows(runKey, windowKeysAt(clock.now(), timezone));
  if (underWay.length === 0) return windowsOf('');
  const ofRuns = underWay.flatMap(({ runId }) => windowsOf(String(runId)).filter(({ scope }) => scope === 'run'));
  return [...ofRuns, ...windowsOf('').filter(({ scope }) => scope !== 'run')];
}
