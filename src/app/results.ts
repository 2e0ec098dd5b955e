// Runs as the commands are told of them.
import type { RunRow } from '../../db/runs.ts';
import type { JobContext } from '../../jobs/context.ts';
import { runLine } from '../../jobs/inspect.ts';
import type { ExecutedRun } from '../../jobs/pipeline.ts';
import { problemsOf } from '../../jobs/problems.ts';
import type { RunResult, StatusReport } from './contract.ts';

export const problemsShown = 20;

export function runResult(context: JobContext, executed: ExecutedRun): RunResult {
  const { ledger, checks, runs } = context.store;
  const run = runs.run(executed.runId);
  if (run === null) throw new Error(`there is no run ${executed.runId}`);
  const { planned: _planned, running: _running, ...counts } = checks.counts(run.id);
  return {
    runId: run.id,
    kind: run.kind === 'volumes' ? 'volumes' : 'ranks',
    state: run.state === 'open' ? 'interrupted' : run.state,
    resumed: executed.resumed,
    slots: runs.slotsOf(run.id).map(({ project, slot }) => ({ project, slot })),
    checks: counts,
    serpCredits: ledger.totals(run.id, 'serp_credit'),
    microUsd: ledger.totals(run.id, 'micro_usd'),
    pagesReused: checks.pagesReused(run.id),
    haltReason: run.state === 'halted' ? run.reason : null,
    suspectReason: run.suspectReason,
    problems: problemsOf(context, run.id, problemsShown),
    notes: executed.problems,
    reports: executed.reports,
  };
}

export function statusLine(context: JobContext, run: RunRow): StatusReport['runs'][number] {
  const line = runLine(context, run);
  return {
    ...line,
    openedAt: new Date(line.openedAt).toISOString(),
    closedAt: line.closedAt === null ? null : new Date(line.closedAt).toISOString(),
    discardedAt: line.discardedAt === null ? null : new Date(line.discardedAt).toISOString(),
    slot: line.slots[0]?.slot ?? '',
  };
}
