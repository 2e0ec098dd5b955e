// The moment at which a request is given up: its caller's signal or its time, whichever ends first. What to do then is left to others.
import { ServiceError } from './errors.ts';
import type { Clock } from './ports.ts';

/** `signal` is aborted with a ServiceError (TIMEOUT or ABORTED) as its reason. `end` stops the clock and must always be called. */
export interface Deadline {
  readonly signal: AbortSignal;
  end(): void;
}

/** Starts the clock of one request. Without `timeoutMs` only the caller's signal ends it. */
export function startDeadline(clock: Clock, timeoutMs: number | undefined, caller: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  const giveUp = () => controller.abort(abortedBy(caller));
  if (caller?.aborted === true) giveUp();
  else caller?.addEventListener('abort', giveUp, { once: true });
  let timer: AbortController | undefined;
  if (timeoutMs !== undefined && !controller.signal.aborted) {
    timer = new AbortController();
    clock.sleep(timeoutMs, timer.signal).then(
      () => controller.abort(new ServiceError('TIMEOUT', `The request took longer than ${timeoutMs} ms.`)),
      () => undefined,
    );
  }
  return {
    signal: controller.signal,
    end() {
      caller?.removeEventListener('abort', giveUp);
      // A reason of one's own spares the making of an exception with its stack.
      timer?.abort('ended');
    },
  };
}

/** The error of a request whose caller gave up. */
export function abortedBy(signal: AbortSignal | undefined): ServiceError {
  return new ServiceError('ABORTED', 'The caller gave up waiting.', { cause: signal?.reason });
}

/** Waits for `work`, but not beyond the signal: work that ignores it is left to end unseen. Throws the signal's reason. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason);
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });
}
