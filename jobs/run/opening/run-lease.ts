// The lease of a run: heartbeats at regular intervals, and a signal when the lease is lost.
import { isReplaced } from '../../../db/connection/disk/file-identity.ts';
import { isTakenOver } from '../../../db/ledger/run-fence.ts';
import type { JobContext } from '../../context.ts';
import type { ServiceWait } from '../../purchase/service-states.ts';
import { writeWitness } from './count-gap.ts';

/** A twelfth of the silence after which other processes take the run over: a busy disk may delay some heartbeats. */
const renewEveryMs = 5000;

export interface RunLease {
  /**
   * Aborted where another process has taken the run over, or the database was replaced; its reason is the StoreError.
   */
  readonly lost: AbortSignal;
  /** Records what the run waits for with the next heartbeat, for `status`. */
  noteWaits(waits: readonly ServiceWait[]): void;
  end(): void;
}

/** Keeps a run of this process marked as alive until the lease is ended, however long it waits for a service. */
export function holdRun(context: JobContext, runId: number): RunLease {
  const { store, clock, log } = context;
  const lost = new AbortController();
  let note: string | null = null;
  let noted: string | null = null;
  const renew = (): void => {
    try {
      if (lost.signal.aborted) return;
      store.assertSameFile();
      store.transaction(() => {
        store.runs.heartbeat(runId, clock.now());
        if (note !== noted) store.runs.noteWaits(runId, note);
      });
      noted = note;
      writeWitness(context);
    } catch (error) {
      if (isTakenOver(error) || isReplaced(error)) lost.abort(error);
      // the work itself meets the same failure, and reports it
      else log.debug({ runId, error: String(error) }, 'heartbeat failed');
    }
  };
  const timer = setInterval(renew, renewEveryMs);
  timer.unref();
  return {
    lost: lost.signal,
    noteWaits(waits) {
      note = waits.length === 0 ? null : waits.map(waitText).join(', ');
    },
    end() {
      clearInterval(timer);
      if (!lost.signal.aborted) writeWitness(context);
    },
  };
}

function waitText({ service, until, why }: ServiceWait): string {
  const moment = new Date(until).toISOString();
  if (why === 'asked') return `service ${service} requires a wait until ${moment}`;
  const words = why === 'cut' ? 'requires a long wait' : 'is failing';
  return `service ${service} ${words}, next try at ${moment}`;
}
