// The result of a run, as commands print it and `--json` serialises it.
import type { JobContext } from '../../../jobs/context.ts';
import { disputeNotes } from '../../../jobs/report/tables/price-disputes.ts';
import { type CheckProblem, listProblems } from '../../../jobs/report/tables/problems.ts';
import type { ExecutedRun } from '../../../jobs/run/run-request.ts';
import type { CheckStatus } from '../../tracker/observation.ts';
import { describeSuspicions } from '../../tracker/trust/suspect.ts';
import type { WrittenReport } from '../reports/report.ts';

export interface Spending {
  readonly reserved: number;
  readonly spent: number;
  readonly unknown: number;
  readonly released: number;
}

export interface RunResult {
  readonly runId: number;
  readonly kind: 'ranks' | 'volumes';
  /** Of a run of second looks: the run whose changes they are at. */
  readonly confirms?: number;
  /** `interrupted`: stopped by the signal; the next start resumes it. */
  readonly state: 'complete' | 'partial' | 'halted' | 'interrupted';
  readonly resumed: boolean;
  readonly slots: readonly {
    readonly project: string;
    readonly slot: string;
    /** Why the project's ranks are suspect; null: they are not. */
    readonly suspectReason: string | null;
  }[];
  readonly checks: Readonly<Record<CheckStatus, number>>;
  readonly serpCredits: Spending;
  readonly microUsd: Spending;
  /** Pages that cost nothing: another project had paid for them, or they were fresh. */
  readonly pagesReused: number;
  readonly haltReason: string | null;
  readonly suspectReason: string | null;
  /** The first problems; `report` lists all. */
  readonly problems: readonly CheckProblem[];
  /** Problems besides checks: missing keyword data, prices in dispute. */
  readonly notes: readonly string[];
  /** Why the clock of this machine is in doubt; null if it is not. */
  readonly clock: string | null;
  readonly reports: readonly WrittenReport[];
}

const problemsShown = 20;

export function runResult(context: JobContext, executed: ExecutedRun): RunResult {
  const { ledger, checks, runs } = context.store;
  const run = runs.run(executed.runId);
  if (run === null) throw new Error(`there is no run ${executed.runId}`);
  const slots = runs.slotsOf(run.id);
  const { planned: _planned, running: _running, ...counts } = checks.counts(run.id);
  return {
    runId: run.id,
    kind: run.kind === 'volumes' ? 'volumes' : 'ranks',
    ...(run.confirms === null ? {} : { confirms: run.confirms }),
    state: run.state === 'open' ? 'interrupted' : run.state,
    resumed: executed.resumed,
    slots: slots.map(({ project, slot, suspectReason }) => ({ project, slot, suspectReason })),
    checks: counts,
    serpCredits: ledger.totals(run.id, 'serp_credit'),
    microUsd: ledger.totals(run.id, 'micro_usd'),
    pagesReused: checks.pagesReused(run.id),
    haltReason: run.state === 'halted' ? run.reason : null,
    suspectReason: describeSuspicions(slots),
    problems: listProblems(context, run.id, problemsShown),
    notes: [...executed.problems, ...disputeNotes(context.store, run.id)],
    clock: executed.clock,
    reports: executed.reports,
  };
}
