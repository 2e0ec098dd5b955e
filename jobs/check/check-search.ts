// The spine: claim -> fetch pages -> match targets -> record. One search in one run; each event is one transaction.
import type { CheckStatus } from '../../src/tracker/observation.ts';
import type { StopSignals } from '../context.ts';
import { type Admission, type Breaker, verdictOn } from '../purchase/breaker.ts';
import type { ServiceStop } from '../purchase/service-states.ts';
import type { FetchQueue, PageOutcome } from '../queue/queue.ts';
import type { RequestFailure } from '../retry.ts';
import {
  type CheckEvent,
  type CheckJob,
  type CheckState,
  type CheckStep,
  type FetchStep,
  reduceCheck,
  type Transition,
  waitsAfter,
} from './reduce-check.ts';

/**
 * How a check left this process. `put-back`: stopped half way, claimable again with its pages kept. `moved`: claimable
 * by another source.
 */
export type CheckResult =
  | { readonly kind: 'ended'; readonly status: CheckStatus }
  | { readonly kind: 'put-back' }
  | { readonly kind: 'moved' }
  | { readonly kind: 'halted'; readonly failure: RequestFailure };

interface CheckSignals extends StopSignals {
  /** Admits the requests of the service; null for one that simulates. */
  readonly breaker: Breaker | null;
  /** Stops all checks of the service in this run. */
  readonly halt: () => void;
  /** Stops them because the stated price exceeds the budget. */
  readonly refuse: (stop: ServiceStop) => void;
  /** A page has arrived, or will not arrive. */
  readonly onPage: (outcome: PageOutcome) => void;
}

/** Runs a claimed check from its first step to its end. Rejects only if the store fails. */
export async function checkSearch(
  queue: FetchQueue,
  job: CheckJob,
  claimed: Transition,
  signals: CheckSignals,
): Promise<CheckResult> {
  const { store, clock } = job.context;
  let [state, step] = claimed;
  /**
   * Reduces one event in a transaction that it shares with other checks, and adopts what is durable. Rejects with
   * RUN_TAKEN_OVER.
   */
  const adopt = async (event: CheckEvent): Promise<CheckStep> => {
    [state, step] = await store.grouped(() => {
      store.runs.assertHeld(job.check.runId);
      return reduceCheck(job, { ...state, isStopping: signals.stop.aborted }, event);
    });
    return step;
  };
  for (;;) {
    switch (step.kind) {
      case 'ended':
      case 'put-back':
      case 'moved':
      case 'halted':
        return step;
      case 'pause':
        await clock.sleep(step.delayMs, signals.stop).catch(() => undefined);
        await adopt({ kind: 'resumed' });
        break;
      case 'fetch': {
        const fetch = step;
        const outcome = await sendPage(queue, job, state, fetch, signals, (isAdmitted) =>
          adopt({ kind: 'turn', fetch, isAdmitted }),
        );
        if (outcome === null) break;
        await adopt(
          outcome.ok
            ? { kind: 'received', fetch, received: outcome }
            : { kind: 'failed', fetch, failure: outcome.failure },
        );
        if (state.overpriced !== null) signals.refuse(state.overpriced);
        signals.onPage(outcome);
        break;
      }
      default:
        throw new Error(`a check cannot go on from "${step.kind}"`);
    }
  }
}

/** Waits for the request's turn and sends it once its purchase is durable. Null if `open` returned another step. */
async function sendPage(
  queue: FetchQueue,
  { context: { clock } }: CheckJob,
  state: CheckState,
  { job }: FetchStep,
  { breaker, stop, giveUp, halt }: CheckSignals,
  open: (isAdmitted: boolean) => Promise<CheckStep>,
): Promise<PageOutcome | null> {
  const sending: { admission: Admission | null; opened: Promise<CheckStep> | null; isSent: boolean } = {
    admission: null,
    opened: null,
    isSent: false,
  };
  const leaving = new AbortController();
  const leave = (): void => {
    if (giveUp.aborted || !sending.isSent) leaving.abort();
  };
  for (const signal of [stop, giveUp]) signal.addEventListener('abort', leave);
  if (stop.aborted || giveUp.aborted) leave();
  const outcome = await queue.fetchPage(job, {
    signal: leaving.signal,
    stop,
    async beforeSend() {
      sending.admission = breaker?.admit(clock.now()) ?? null;
      sending.opened = open(breaker === null || sending.admission !== null);
      const step = await sending.opened;
      sending.isSent = step.kind === 'send';
      return step.kind === 'send' ? step.attempt : null;
    },
  });
  for (const signal of [stop, giveUp]) signal.removeEventListener('abort', leave);
  // before the outcome is recorded: waiting requests may get their turn meanwhile, and must not leave
  const failure = outcome.ok || !sending.isSent ? undefined : outcome.failure;
  const verdict = failure === undefined ? 'neutral' : verdictOn(failure, waitsAfter(state, failure));
  sending.admission?.end(outcome.ok ? 'answered' : verdict, clock.now(), failure);
  if (!outcome.ok && outcome.failure.disposition === 'halt') halt();
  const opened = await sending.opened;
  return opened === null || opened.kind === 'send' ? outcome : null;
}
