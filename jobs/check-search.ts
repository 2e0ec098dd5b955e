// The spine: claim -> fetch pages -> match targets -> record. One search in one run; each step is one transaction.
import type { CheckStatus } from '../src/tracker/observation.ts';
import type { Fetch, Step } from './check-step.ts';
import type { CheckWork } from './check-work.ts';
import type { JobContext } from './context.ts';
import type { FetchQueue, PageOutcome } from './queue.ts';
import type { Failure } from './retry.ts';
import type { ServiceStop } from './service-lines.ts';

/** How a check left our hands. `put-back`: stopped half way, claimable again with its pages kept. */
export type CheckResult =
  | { readonly kind: 'ended'; readonly status: CheckStatus }
  | { readonly kind: 'put-back' }
  | { readonly kind: 'halted'; readonly failure: Failure };

/** `stop`: begin nothing new. `giveUp`: drop what is in flight, too. */
export interface StopSignals {
  readonly stop: AbortSignal;
  readonly giveUp: AbortSignal;
}

export interface CheckSignals extends StopSignals {
  /** Stops all checks of the service in this run. */
  readonly halt: () => void;
  /** Stops them because what it charges exceeds the budget. */
  readonly refuse: (stop: ServiceStop) => void;
  /** A page has come back, or will not come. */
  readonly onPage: (outcome: PageOutcome) => void;
}

/** Carries a claimed check from its first step to its end. Rejects only where the store fails. */
export async function checkSearch(
  context: JobContext,
  queue: FetchQueue,
  work: CheckWork,
  first: Step,
  signals: CheckSignals,
): Promise<CheckResult> {
  const { clock } = context;
  let step = first;
  for (;;) {
    switch (step.kind) {
      case 'ended':
      case 'put-back':
      case 'halted':
        return step;
      case 'pause': {
        await clock.sleep(step.delayMs, signals.stop).catch(() => undefined);
        if (signals.stop.aborted) work.stop();
        step = await grouped(context, work, () => work.tryAgain());
        break;
      }
      case 'fetch':
        step = await fetchPage(context, queue, work, step, signals);
        break;
    }
  }
}

/** Waits for the request's turn, writes its purchase down, lets it leave, and records what came of it. */
async function fetchPage(
  context: JobContext,
  queue: FetchQueue,
  work: CheckWork,
  fetch: Fetch,
  { stop, giveUp, halt, refuse, onPage }: CheckSignals,
): Promise<Step> {
  const leaving = new AbortController();
  let isSent = false;
  let instead: Step | null = null;
  let broken: { readonly error: unknown } | null = null;
  const leave = (): void => {
    if (giveUp.aborted || !isSent) leaving.abort();
  };
  for (const signal of [stop, giveUp]) signal.addEventListener('abort', leave);
  if (stop.aborted || giveUp.aborted) leave();
  const outcome = await queue.fetchPage(fetch.job, {
    signal: leaving.signal,
    stop,
    async beforeSend() {
      try {
        const opened = await grouped(context, work, () => {
          if (stop.aborted) work.stop();
          return work.open(fetch);
        });
        if (opened.kind === 'open') {
          isSent = true;
          return opened.attempt;
        }
        instead = opened;
      } catch (error) {
        broken = { error };
      }
      throw new Error('the request must not leave');
    },
  });
  for (const signal of [stop, giveUp]) signal.removeEventListener('abort', leave);
  // said before it is recorded: the next in line has its turn by now, and must not leave
  if (!outcome.ok && outcome.failure.disposition === 'halt') halt();
  if (broken !== null) throw (broken as { readonly error: unknown }).error;
  if (instead !== null) return instead;
  if (stop.aborted) work.stop();
  const next = await grouped(context, work, () =>
    outcome.ok ? work.receive(fetch, outcome) : work.fail(fetch, outcome.failure),
  );
  if (work.overpriced !== null) refuse(work.overpriced);
  onPage(outcome);
  return next;
}

/** One step of a check in a transaction that it shares with others. Rejects with RUN_TAKEN_OVER where another process works on the run by now. */
function grouped<T>({ store }: JobContext, work: CheckWork, step: () => T): Promise<T> {
  return store.grouped(
    () => {
      store.runs.assertHeld(work.check.runId);
      return step();
    },
    () => work.mark(),
  );
}
