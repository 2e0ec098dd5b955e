// Holds a run for the process that works on it: a heartbeat at regular intervals, and a signal where it cannot be worked on any more.
import { isReplaced } from '../db/file-identity.ts';
import { isTakenOver } from '../db/run-fence.ts';
import type { JobContext } from './context.ts';
import { writeWitness } from './count-gap.ts';

/** A twelfth of the silence after which others take the run over: a busy disk may cost some of them. */
const renewEveryMs = 5000;

export interface RunLease {
  /** Aborted where another process has taken the run over, or the database was replaced; its reason is the StoreError. */
  readonly lost: AbortSignal;
  end(): void;
}

/** Keeps a run of this process marked as alive until the lease is ended, however long it waits for a service. */
export function holdRun(context: JobContext, runId: number): RunLease {
  const { store, clock, log } = context;
  const lost = new AbortController();
  const renew = (): void => {
    try {
      if (lost.signal.aborted) return;
      store.assertSameFile();
      store.transaction(() => store.runs.heartbeat(runId, clock.now()));
      writeWitness(context);
    } catch (error) {
      if (isTakenOver(error) || isReplaced(error)) lost.abort(error);
      // the work itself meets the same failure, and reports it
      else log.debug({ runId, error: String(error) }, 'heartbeat could not be written');
    }
  };
  const timer = setInterval(renew, renewEveryMs);
  timer.unref();
  return {
    lost: lost.signal,
    end() {
      clearInterval(timer);
      if (!lost.signal.aborted) writeWitness(context);
    },
  };
}
