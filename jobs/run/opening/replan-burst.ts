// Bursts: where the first checks of a run moved more than usual, an adaptive project checks more within its budget.
import { rateFactor, shareOf } from '../../../src/tracker/signal/update-detector.ts';
import type { JobContext } from '../../context.ts';
import { reportRows } from '../../report/rows/report-rows.ts';
import { MovedCounts } from '../closing/keep-moved-shares.ts';
import { planBurst } from './plan-run.ts';

/** Runs before that say how many keywords usually move. */
const pastRunsMax = 28;

/**
 * Adds checks to a run whose planned checks have ended, once. The rates of today are as many times as high as the share
 * of keywords outside their bands is above the usual one, if that is beyond chance. The further checks may cost as much
 * as the slot's even share of the month again. Returns their number.
 */
export function replanBurst(context: JobContext, runId: number, ctrCurve: string): number {
  const { store } = context;
  const run = store.runs.run(runId);
  if (run === null || run.origin !== 'schedule' || run.replanned) return 0;
  const slots = store.runs.slotsOf(runId).filter(({ project }) => context.projects.get(project)?.adaptive?.cadence);
  if (slots.length === 0) return 0;
  return store.transaction(() => {
    let count = 0;
    for (const slot of slots) {
      const project = context.projects.get(slot.project);
      if (project === undefined) continue;
      const counts = new MovedCounts(runId);
      const comparison = { kind: 'previous' } as const;
      for (const row of reportRows({ store, project, runs: [run], slot, comparison, ctrCurve })) counts.add(row);
      const past = store.movedShares.of(project.id).filter(({ scope }) => scope === 'project');
      const { compared, outside } = counts.project;
      const factor = rateFactor(outside, compared * shareOf(past.slice(-pastRunsMax)));
      if (factor > 1) count += planBurst(context, run, project, factor);
    }
    store.runs.markReplanned(runId);
    return count;
  });
}
