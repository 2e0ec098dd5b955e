// Ends a run: counts what became of its checks, says whether it may be believed, and leaves nothing reserved.
import type { RunRow } from '../db/runs.ts';
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
    store.runs.close(runId, {
      state: halt !== undefined ? 'halted' : troubled > 0 ? 'partial' : 'complete',
      reason: (halt ?? stops[0])?.reason ?? problems[0] ?? disputes[0] ?? null,
      suspectReason: suspicionOf(context, run),
      remark: remark ?? null,
      at,
    });
    onClosed?.();
  });
}

/** Runs that a project's own rates are counted over. */
const pastRunsMax = 30;

/** Why a project's part of the run is more than chance; null where no part is. What each project saw is kept for its next runs. */
function suspicionOf({ store, projects }: JobContext, run: RunRow): string | null {
  const names = [...new Set(store.runs.slotsOf(run.id).map(({ project }) => project))];
  const reasons = names.flatMap((project) => {
    const own = (projects.get(project)?.targets ?? []).map((target) => store.names.knownTargetId(targetKey(target)));
    const ids = [...new Set(own.filter((id) => id !== null))];
    const counts = {
      ...store.runCounts.checksOf(run.id, project),
      ...store.rankings.losses(run.id, run.moment, project, ids),
    };
    store.runCounts.keep(run.id, project, counts);
    const { reason } = suspicion(counts, store.runCounts.past(run.id, project, pastRunsMax));
    return reason === null ? [] : [names.length === 1 ? reason : `${project}: ${reason}`];
  });
  return reasons.length === 0 ? null : reasons.join('; ');
}
