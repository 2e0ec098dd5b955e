// Closes a run: counts its checks, judges whether it is suspect, and releases its reservations.
import type { RunRow } from '../../../db/history/runs/runs.ts';
import { targetKey } from '../../../src/tracker/targets/target.ts';
import { assessRun } from '../../../src/tracker/trust/suspect.ts';
import type { JobContext } from '../../context.ts';
import type { ServiceStop } from '../../purchase/service-states.ts';
import { describeDisputes } from '../../report/tables/price-disputes.ts';

/**
 * Closes a run. Its unfinished checks, those of the services in `stops`, are deferred and go first next time. One
 * halted service makes a halted run. `problems`: failures beside checks. `remark`: a note for the operator. `onClosed`
 * is called in the transaction that closes the run.
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
    const disputes = describeDisputes(store, [runId]).map((words) => `price in dispute: ${words}`);
    const troubles = problems.length + stops.length + disputes.length;
    const troubled = counts.incomplete + counts.failed + counts.deferred + counts.unknown_paid + troubles;
    store.runs.close(runId, {
      state: halt !== undefined ? 'halted' : troubled > 0 ? 'partial' : 'complete',
      reason: (halt ?? stops[0])?.reason ?? problems[0] ?? disputes[0] ?? null,
      remark: remark ?? null,
      at,
    });
    if (run.origin !== 'confirm') judgeProjects(context, run);
    if (run.kind !== 'volumes' && run.origin !== 'confirm')
      store.runColumns.write(runId, trackedTargets(context, runId));
    if (run.kind === 'ranks' && run.origin !== 'confirm') store.checkColumns.write(runId);
    onClosed?.();
  });
}

/** Own targets and competitors of the projects of a run. */
function trackedTargets({ store, projects }: JobContext, runId: number): number[] {
  return store.runs
    .slotsOf(runId)
    .flatMap(({ project }) => projects.get(project) ?? [])
    .flatMap(({ targets, competitors }) => [...targets, ...competitors])
    .flatMap((target) => store.names.knownTargetId(targetKey(target)) ?? []);
}

/** Runs that a project's own rates are counted over. */
const pastRunsMax = 30;

/**
 * Keeps what the run saw of each project, and whether its losses are more than chance. A service at which every project
 * lost that much has failed itself, and the reason says so. Reasons name no other project: reports show them.
 */
function judgeProjects({ store, projects }: JobContext, run: RunRow): void {
  const names = [...new Set(store.runs.slotsOf(run.id).map(({ project }) => project))];
  const judged = names.map((project) => {
    const { targets = [], service = '' } = projects.get(project) ?? {};
    const ids = new Set(targets.flatMap((target) => store.names.knownTargetId(targetKey(target)) ?? []));
    const counts = {
      ...store.runCounts.checksOf(run.id, project),
      ...store.rankings.losses(run.id, run.moment, project, [...ids]),
    };
    const { reason } = assessRun(counts, store.runCounts.past(run.id, project, pastRunsMax));
    return { project, service, counts, reason };
  });
  for (const { project, service, counts, reason } of judged) {
    const others = judged.filter((one) => one.service === service && one.project !== project);
    const isOfAll = others.length > 0 && others.every((one) => one.reason !== null);
    const why =
      reason !== null && isOfAll ? `${reason}; so did every project of the run at service ${service}` : reason;
    store.runCounts.keep(run.id, project, counts, why);
  }
}
