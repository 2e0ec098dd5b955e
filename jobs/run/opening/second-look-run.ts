// Opens runs of second looks that are due.
import type { RunRow } from '../../../db/history/runs/runs.ts';
import type { Project } from '../../../src/tracker/project.ts';
import type { JobContext } from '../../context.ts';
import { openRunsByProject } from './due.ts';

/**
 * Opens a run for the second looks of the oldest run that has some due, in one step with their checks. Its pages are
 * bought anew: none is fresh enough. Null where nothing is due, or what is due has to wait for `mayRun` or another run.
 */
export function claimSecondLooks(
  context: JobContext,
  mayRun: (project: Project) => boolean = () => true,
): RunRow | null {
  const { store, clock } = context;
  for (const firstRunId of store.secondLooks.dueRuns(clock.now())) {
    const run = store.transaction(() => claimLooksOf(context, firstRunId, mayRun));
    if (run !== null) return run;
  }
  return null;
}

function claimLooksOf(context: JobContext, firstRunId: number, mayRun: (project: Project) => boolean): RunRow | null {
  const { store, owner, clock, projects } = context;
  const now = clock.now();
  const looks = store.secondLooks.waiting(firstRunId);
  const wanted = new Set(looks.flatMap(({ projects: names }) => names));
  const slots = store.runs.slotsOf(firstRunId).filter(({ project }) => wanted.has(project));
  const busy = openRunsByProject(context);
  const isReady = slots.every(({ project: id }) => {
    const project = projects.get(id);
    return !busy.has(id) && (project === undefined ? context.isPartial !== true : mayRun(project));
  });
  if (looks.length === 0 || !isReady) return null;
  // a simulated source shows the time of the slot: that of the second look lies as far behind the first as in reality
  const elapsedMs = now - (store.runs.run(firstRunId)?.openedAt ?? now);
  const claims = slots.map((slot) => ({ ...slot, at: slot.at + elapsedMs }));
  const moment = store.runs.freeMoment('ranks', now, claims);
  const opened = store.runs.open({ kind: 'ranks', confirms: firstRunId, moment, owner, at: now }, claims);
  if (opened === null) {
    store.secondLooks.giveUp(firstRunId);
    return null;
  }
  for (const [sequence, { searchId, depth, projects: names }] of looks.entries()) {
    const isTracked = names.some((name) => projects.has(name));
    if (!isTracked) continue;
    store.checks.plan(opened.id, {
      searchId,
      sequence,
      depth,
      paging: 'until-found',
      deep: false,
      freshForMs: 0,
      projects: names,
    });
  }
  store.secondLooks.claim(firstRunId, opened.id);
  store.secondLooks.giveUp(firstRunId);
  store.runs.markPlanned(opened.id);
  return store.runs.run(opened.id);
}
