// The work on one run of volumes, from what it needs to its close. Asking for metrics is left to refresh-volumes.ts.
import type { RunRow } from '../db/runs.ts';
import type { Project } from '../src/tracker/project.ts';
import { closeRun } from './close-run.ts';
import type { JobContext } from './context.ts';
import { refreshVolumes, type VolumeNeed, volumeNeeds } from './refresh-volumes.ts';
import type { PipelineSettings, WorkOutcome } from './run-work.ts';
import { brokenServices, haltsOf } from './service-lines.ts';

const cutShort = 'the backfill was cut short; `rankledger backfill volumes` buys what is still missing';

/**
 * Buys what the run needs, and closes it. What a backfill was asked for is not written down: one that was cut short is closed as it stands, so that
 * nobody buys more than was wanted. `onClosed` is called in the transaction that closes it.
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
  if (refreshed.kind === 'interrupted' && !isBackfill) return { interrupted: true, problems: [], halts: [] };
  const isCutShort = refreshed.kind === 'interrupted' || (isBackfill && asked === undefined);
  const stops = refreshed.kind === 'done' ? refreshed.stops : [];
  const problems = [...(refreshed.kind === 'done' ? refreshed.problems : []), ...(isCutShort ? [cutShort] : [])];
  closeRun(context, run.id, stops, problems, { onClosed });
  return { interrupted: false, problems: [...problems, ...brokenServices(stops)], halts: haltsOf(stops) };
}
