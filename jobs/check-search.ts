// The spine: claim -> fetch pages -> match targets -> record. One search in one run; each step is one transaction.
import type { CheckStatus } from '../src/tracker/observation.ts';
import type { CheckWork, Step } from './check-work.ts';
import type { JobContext } from './context.ts';
import type { FetchQueue } from './queue.ts';
import type { Failure } from './retry.ts';

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

/** Carries a claimed check from its first step to its end. Rejects only where the store fails. */
export async function checkSearch(
  context: JobContext,
  queue: FetchQueue,
  work: CheckWork,
  first: Step,
  signals: StopSignals,
): Promise<CheckResult> {
  const { store, clock } = context;
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
        step = await store.grouped(() => work.tryAgain());
        break;
      }
      case 'fetch': {
        const fetch = step;
        const outcome = await queue.fetchPage(fetch.job, signals.giveUp);
        if (signals.stop.aborted) work.stop();
        step = await store.grouped(() =>
          outcome.ok ? work.receive(fetch, outcome.answer) : work.fail(fetch, outcome.failure),
        );
        break;
      }
    }
  }
}
