// Discards a run, or restores a discarded one, and renames its report folders.
import { existsSync, readdirSync, renameSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { ClaimedSlot, RunRow } from '../../db/history/runs/runs.ts';
import type { JobContext } from '../context.ts';
import { isAlive } from '../ownership.ts';
import { latestFolder, ReportError } from '../report/files/report-files.ts';
import { baselineSuffix } from '../report/report-question.ts';
import { folderName } from '../report/write-report.ts';

/** Why a run cannot be discarded, or stand again, and what to do. */
interface DiscardRejection {
  readonly message: string;
  readonly hint?: string;
}

/** Name of a discarded run's report folder: the index and `latest` leave it out. */
const suffix = '-discarded';

/** Null where it was done, or had been done before. */
export function discardRun(context: JobContext, runId: number, reason: string | null): DiscardRejection | null {
  const { store, clock, log } = context;
  return store.transaction(() => {
    const run = store.runs.run(runId);
    const rejection = findRejection(run, runId, clock.now());
    if (rejection !== null) return rejection;
    if (run?.discardedAt != null) return null;
    store.runs.discard(runId, reason, clock.now());
    log.info({ runId, reason }, 'run discarded');
    return null;
  });
}

/** Makes a discarded run stand again. Null where it was done, or the run stands. */
export function restoreRun(context: JobContext, runId: number): DiscardRejection | null {
  const { store, clock, log } = context;
  return store.transaction(() => {
    const run = store.runs.run(runId);
    const rejection = findRejection(run, runId, clock.now());
    if (rejection !== null || run === null) return rejection;
    if (run.discardedAt === null) return null;
    const slotKind = run.origin === 'schedule' ? run.kind : run.origin;
    const [taken] = store.runs.takenSlots(runId, slotKind);
    if (taken !== undefined) {
      return {
        message: `run ${taken.runId} now has the slot ${taken.slot} of project ${taken.project}.`,
        hint: `To restore run ${runId}, discard run ${taken.runId} first.`,
      };
    }
    store.runs.restore(runId, slotKind);
    log.info({ runId }, 'discarded run restored');
    return null;
  });
}

function findRejection(run: RunRow | null, runId: number, now: number): DiscardRejection | null {
  if (run === null) return { message: `there is no run ${runId}.`, hint: '`rankledger status` shows the last runs.' };
  if (run.kind === 'adhoc') return { message: `run ${runId} was made on demand, and reports exclude it already.` };
  if (run.kind === 'volumes')
    return { message: `run ${runId} bought keyword data: only runs of ranks can be discarded.` };
  if (run.state === 'open') {
    return {
      message: `run ${runId} is in progress.`,
      hint: 'Wait until it ends, or stop it and let `rankledger run` complete it.',
    };
  }
  if (run.reportedAt === null && isAlive(run.owner, run.heartbeatAt, now))
    return {
      message: `the reports of run ${runId} are being written.`,
      hint: 'Wait until they are written, then discard it.',
    };
  return null;
}

/**
 * Renames the report folders of a run, so that their names say that it was discarded, or do not any more. Throws
 * ReportError.
 */
export function nameFolders(context: JobContext, directory: string, runId: number): void {
  const run = context.store.runs.run(runId);
  if (run === null || run.origin === 'import') return;
  for (const slot of context.store.runs.slotsOf(runId)) nameFolder(context, join(directory, slot.project), run, slot);
}

function nameFolder(context: JobContext, parent: string, run: RunRow, slot: ClaimedSlot): void {
  const daily = folderName(context, run, slot);
  try {
    for (const name of folderNames(parent, daily)) {
      const [from, to] = run.discardedAt === null ? [name + suffix, name] : [name, name + suffix];
      if (existsSync(join(parent, from)) && !existsSync(join(parent, to)))
        renameSync(join(parent, from), join(parent, to));
      if (run.discardedAt !== null && latestFolder(parent) === name) unlinkSync(join(parent, 'latest'));
    }
  } catch (error) {
    throw new ReportError(parent, error);
  }
}

/** The run's daily report, and those of it against other baselines. */
function folderNames(parent: string, daily: string): string[] {
  if (!existsSync(parent)) return [daily];
  const others = readdirSync(parent).filter((name) => name.startsWith(`${daily}${baselineSuffix}`));
  return [daily, ...new Set(others.map((name) => name.replace(new RegExp(`${suffix}$`), '')))];
}
