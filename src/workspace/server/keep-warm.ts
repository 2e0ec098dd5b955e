// Reads history ahead of requests: at the start, and again after each run. Between two steps, requests are answered.
import type { HistoryReader } from '../../read/contract.ts';

/** How often it looks for a run that ended. */
const pollMs = 2_000;

/** `onError` is not called again for the same error; requests say what is wrong, too. */
export function keepWarm(reader: HistoryReader, onError: (error: unknown) => void): { stop(): void } {
  let version = '';
  let steps: Iterator<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let immediate: NodeJS.Immediate | undefined;
  let isStopped = false;
  let lastError = '';
  const next = (): void => {
    if (isStopped) return;
    try {
      const current = reader.version();
      if (current !== version) {
        version = current;
        steps = reader.warm?.()[Symbol.iterator]() ?? null;
      }
      if (steps !== null && steps.next().done === true) steps = null;
    } catch (error) {
      steps = null;
      if (String(error) !== lastError) onError(error);
      lastError = String(error);
    }
    if (steps === null) timer = setTimeout(next, pollMs).unref();
    else immediate = setImmediate(next);
  };
  immediate = setImmediate(next);
  return {
    stop() {
      isStopped = true;
      clearTimeout(timer);
      clearImmediate(immediate);
    },
  };
}
