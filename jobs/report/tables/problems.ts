// Lists checks that did not end well, of one run or of each project's newest slot. Reads only.
import type { CheckWithProblem } from '../../../db/history/checks/checks.ts';
import type { CheckStatus } from '../../../src/tracker/observation.ts';
import type { Market, Project } from '../../../src/tracker/project.ts';
import type { JobContext } from '../../context.ts';

export interface CheckProblem {
  readonly project: string;
  readonly keyword: string;
  readonly market: Market;
  readonly status: CheckStatus;
  readonly reason: string;
  readonly remedy: string | null;
  /** Checks that failed in the same way, this one included. */
  readonly alike: number;
}

/** Checks of a run that did not end well: the first of each kind, then the others, in order of work. */
export function listProblems(context: JobContext, runId: number, limit: number): CheckProblem[] {
  return context.store.checks.problems(runId, limit).map(problemFor);
}

/** The first problems of each project's newest slot that no backfill has mended since, and how many there are. */
export function problemsLeft(
  { store, clock }: JobContext,
  projects: readonly Project[],
  limit: number,
): { readonly problems: CheckProblem[]; readonly total: number } {
  const runsOf = projects.map(({ id }): [string, number[]] => [
    id,
    store.reportRuns.latestWithBackfills(id, clock.now()).map((run) => run.id),
  ]);
  const { problems, total } = store.checks.problemsLeft(new Map(runsOf), limit);
  return { problems: problems.map(problemFor), total };
}

function problemFor(check: CheckWithProblem): CheckProblem {
  return {
    project: check.projects.join(', '),
    keyword: check.keyword,
    market: check.market,
    status: check.state,
    reason: check.reason,
    remedy: check.remedy,
    alike: check.alike,
  };
}
