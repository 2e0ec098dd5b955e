// Executes one run of volumes, from its needs to its close.
import type { RunRow } from '../../db/history/runs/runs.ts';
import type { Project } from '../../src/tracker/project.ts';
import type { JobContext } from '../context.ts';
import { brokenServices, filterHalts } from '../purchase/service-states.ts';
import type { VolumeNeed } from '../volumes/metrics-request.ts';
import { refreshVolumes, volumeNeeds } from '../volumes/refresh-volumes.ts';
import { closeRun } from './closing/close-run.ts';
import { interruptedWork, type WorkOutcome } from './executed-run.ts';
import { clockRemark } from './opening/clock-doubt.ts';
import type { PipelineSettings } from './pipeline-settings.ts';

const cutShort = 'the backfill was interrupted; `rankledger backfill volumes` buys the missing metrics';

/**
 * Buys what the run needs, and closes it. The needs of a backfill are not stored: one that was interrupted is closed as
 * it is, so that no more is bought than was requested. `onClosed` is called in the transaction that closes it.
 */
export async function workOnVolumes(
  context: JobContext,
  settings: Pick<PipelineSettings, 'signals' | 'onProgress'>,
  run: RunRow,
  projects: readonly Project[],
  asked: readonly VolumeNeed[] | undefined,
  onClosed: () => void,
): Promise<WorkOutcome> {
  const isBackfill = run.origin === 'backfill';
  const needs = asked ?? (isBackfill ? [] : volumeNeeds(context, projects, run.moment));
  const refreshed = await refreshVolumes(context, run.id, needs, settings.signals, (done, total, waits) =>
    settings.onProgress({ phase: 'volumes', runId: run.id, done, total, waits }),
  );
  if (refreshed.kind === 'interrupted' && !isBackfill) return interruptedWork;
  const isCutShort = refreshed.kind === 'interrupted' || (isBackfill && asked === undefined);
  const stops = refreshed.kind === 'done' ? refreshed.stops : [];
  const problems = [...(refreshed.kind === 'done' ? refreshed.problems : []), ...(isCutShort ? [cutShort] : [])];
  const { doubt: clock, remark } = clockRemark(context, run);
  const notes = refreshed.kind === 'done' ? refreshed.notes : [];
  const remarks = [...(remark === null ? [] : [remark]), ...notes];
  closeRun(context, run.id, stops, problems, { remark: remarks[0], onClosed });
  return {
    interrupted: false,
    problems: [...problems, ...brokenServices(stops), ...remarks],
    halts: filterHalts(stops),
    clock,
  };
}
