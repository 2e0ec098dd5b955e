// Ends a run: counts what became of its checks, says whether it may be believed, and leaves nothing reserved.
import { suspicion } from '../src/tracker/suspect.ts';
import { targetKey } from '../src/tracker/target.ts';
import type { JobContext } from './context.ts';
import { disputesOf } from './price-disputes.ts';
import type { ServiceStop } from './service-lines.ts';

/**
 * Closes a run whose checks have all ended but those of the services in `stops`: they are put off, and go first next time. One service that halted makes
 * a halted run, whatever became of the others. `problems`: what went wrong beside checks. `remark`: what
 * somebody should see to although the run has done without. `onClosed` writes down what has to stand with its end, in its transaction.
 */
export function closeRun(
  context: JobContext,
  runId: number,
  stops: readonly ServiceStop[],
  problems: readonly string[],
  { remark, onClosed }: { readonly remark?: string | undefined; readonly onClosed?: () => void } = {},
): void {
  const { store, clock } = context;
  store.transaction(() => {
    const run = store.runs.run(runId);
    if (run === null) return;
    const at = clock.now();
    for (const { service, kind, reason, remedy } of stops) {
      const why = kind === 'halted' ? `the run was halted: ${reason}` : reason;
      store.checks.deferRest(runId, service, why, remedy, at);
    }
    const halt = stops.find(({ kind }) => kind === 'halted');
    const counts = store.checks.counts(runId);
    const disputes = disputesOf(store, [runId]).map((words) => `price in dispute: ${words}`);
    const troubles = problems.length + stops.length + disputes.length;
    const troubled = counts.incomplete + counts.failed + counts.deferred + counts.unknown_paid + troubles;
    const { rankedBefore, lost } = store.rankings.losses(runId, run.moment, ownTargetIds(context, runId));
    const { reason } = suspicion({
      checks: counts.ok + counts.incomplete + counts.failed + counts.unknown_paid,
      failedChecks: counts.failed + counts.unknown_paid,
      rankedBefore,
      lost,
    });
    store.runs.close(runId, {
      state: halt !== undefined ? 'halted' : troubled > 0 ? 'partial' : 'complete',
      reason: (halt ?? stops[0])?.reason ?? problems[0] ?? disputes[0] ?? null,
      suspectReason: reason,
      remark: remark ?? null,
      at,
    });
    onClosed?.();
  });
}

function ownTargetIds(context: JobContext, runId: number): number[] {
  const own = context.store.runs
    .slotsOf(runId)
    .flatMap(({ project }) => context.projects.get(project)?.targets ?? [])
    .map((target) => context.store.names.knownTargetId(targetKey(target)));
  return [...new Set(own.filter((id) => id !== null))];
}
