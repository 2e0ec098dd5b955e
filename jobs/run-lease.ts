// Holds a run for whoever works on it: a sign of life at regular intervals, and a signal where the run is another's by now. Work is left to others.
import type { JobContext } from './context.ts';

/** A tenth of what counts as silence elsewhere is a long way off: a busy disk may cost some of them. */
const renewEveryMs = 5000;

export interface RunLease {
  /** Aborted where another process has taken the run over: this one was silent for too long. */
  readonly lost: AbortSignal;
  end(): void;
}

/** Keeps a run of this process marked as alive until the lease is ended, however long it waits for a service. */
export function holdRun({ store, owner, clock, log }: JobContext, runId: number): RunLease {
  const lost = new AbortController();
  const renew = (): void => {
    try {
      const isOpen = store.runs.run(runId)?.state === 'open';
      const isHeld = store.transaction(() => store.runs.renew(runId, owner, clock.now()));
      if (isHeld || !isOpen || lost.signal.aborted) return;
      log.warn({ runId }, 'another process has taken the run over');
      lost.abort(new DOMException('The run is another process now.', 'AbortError'));
    } catch (error) {
      // the work itself meets the same failure, and says so
      log.debug({ runId, error: String(error) }, 'the sign of life could not be written');
    }
  };
  const timer = setInterval(renew, renewEveryMs);
  timer.unref();
  return { lost: lost.signal, end: () => clearInterval(timer) };
}
