// Ends a run: counts what became of its checks, says whether it may be believed, and leaves nothing reserved.
import { suspicion } from '../src/tracker/suspect.ts';
import { targetKey } from '../src/tracker/target.ts';
import type { JobContext } from './context.ts';
import type { Failure } from './retry.ts';

/** Closes a run whose checks have all ended, or that `halt` stopped: then the rest is deferred. `problems`: what went wrong beside checks. */
export function closeRun(context: JobContext, runId: number, halt: Failure | null, problems: readonly string[]): void {
  const { store, clock } = context;
  store.transaction(() => {
    const run = store.runs.run(runId);
    if (run === null) return;
    const at = clock.now();
    const haltReason = halt === null ? null : `${halt.code}: ${halt.message}`;
    if (halt !== null) store.checks.deferRest(runId, `the run was halted: ${haltReason}`, halt.hint, at);
    const counts = store.checks.counts(runId);
    const troubled = counts.incomplete + counts.failed + counts.deferred + counts.unknown_paid + problems.length;
    const { rankedBefore, lost } = store.rankings.losses(runId, run.moment, ownTargetIds(context, runId));
    const { reason } = suspicion({
      checks: counts.ok + counts.incomplete + counts.failed + counts.unknown_paid,
      failedChecks: counts.failed + counts.unknown_paid,
      rankedBefore,
      lost,
    });
    store.runs.close(runId, {
      state: halt !== null ? 'halted' : troubled > 0 ? 'partial' : 'complete',
      reason: haltReason ?? problems[0] ?? null,
      suspectReason: reason,
      at,
    });
  });
}

function ownTargetIds(context: JobContext, runId: number): number[] {
  const own = context.store.runs
    .slotsOf(runId)
    .flatMap(({ project }) => context.projects.get(project)?.targets ?? [])
    .map((target) => context.store.names.knownTargetId(targetKey(target)));
  return [...new Set(own.filter((id) => id !== null))];
}
