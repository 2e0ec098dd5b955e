// Cancels a request at its caller's signal or at its time limit, whichever comes first.
import { ServiceError } from '../errors.ts';
import type { Clock } from '../ports.ts';

/**
 * A timer that fires this much late shows that the process was blocked: a database lock, a long computation, a frozen
 * container.
 */
const stallMsMin = 50;
/**
 * After a block, the process gets at least the duration of the block, and at most this long, to read answers that wait
 * in its sockets.
 */
const readMsMax = 5000;

/**
 * `signal` is aborted with a ServiceError (TIMEOUT or ABORTED) as its reason. Always call `end`, which stops the timer.
 */
interface Deadline {
  readonly signal: AbortSignal;
  /**
   * Runs work before the request leaves, such as waiting for a database lock. The time limit starts again afterwards.
   */
  startAfter(work: (() => Promise<void>) | undefined): Promise<void>;
  end(): void;
}

/** Throws INVALID_REQUEST, charged `no`, for a time limit that no timer keeps; Infinity is none. */
export function requireTimeLimit(timeoutMs: number | undefined): void {
  if (timeoutMs === undefined || (typeof timeoutMs === 'number' && timeoutMs > 0)) return;
  throw invalidOption(`timeoutMs must be a number of milliseconds above 0, and is ${timeoutMs}.`);
}

/** Of a call or a host in JavaScript, whose types nothing checks. */
export function invalidOption(message: string): ServiceError {
  return new ServiceError('INVALID_REQUEST', message, { charged: 'no' });
}

/**
 * Starts the time limit of one request. Throws like `requireTimeLimit`. Without `timeoutMs`, only the caller's signal
 * ends it. Time in which this process was blocked does not count.
 */
export function startDeadline(clock: Clock, timeoutMs: number | undefined, caller: AbortSignal | undefined): Deadline {
  requireTimeLimit(timeoutMs);
  if (caller && typeof caller.addEventListener !== 'function') throw invalidOption('signal must be an AbortSignal.');
  const controller = new AbortController();
  const giveUp = () => controller.abort(abortedBy(caller));
  if (caller?.aborted === true) giveUp();
  else caller?.addEventListener('abort', giveUp, { once: true });
  let timer: AbortController | undefined;
  const start = (): void => {
    if (timeoutMs === undefined || controller.signal.aborted) return;
    timer = new AbortController();
    sleepThroughStalls(clock, timeoutMs, timer.signal).then(
      () => controller.abort(new ServiceError('TIMEOUT', `The request took longer than ${timeoutMs} ms.`)),
      () => undefined,
    );
  };
  start();
  return {
    signal: controller.signal,
    async startAfter(work) {
      timer?.abort('restarted');
      await work?.();
      start();
    },
    end() {
      caller?.removeEventListener('abort', giveUp);
      // A constant reason saves creating an exception with its stack.
      timer?.abort('ended');
    },
  };
}

/**
 * If the process was blocked when the time was over, an answer may have arrived: timers fire before sockets are read.
 */
async function sleepThroughStalls(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  for (let leftMs = ms; ; ) {
    const begunAt = performance.now();
    await clock.sleep(leftMs, signal);
    const lateMs = performance.now() - begunAt - leftMs;
    if (lateMs < stallMsMin) return;
    leftMs = Math.min(lateMs, readMsMax);
  }
}

/** The error of a request that its caller cancelled. */
export function abortedBy(signal: AbortSignal | undefined): ServiceError {
  return new ServiceError('ABORTED', 'The caller gave up waiting.', { cause: signal?.reason });
}

/**
 * Waits for `work`, but only until the signal: work that ignores the signal is abandoned. Throws the signal's reason.
 */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason);
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });
}
