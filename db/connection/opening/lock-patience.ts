// How long this process waits for a write lock of another program, without blocking.
import { setTimeout } from 'node:timers/promises';
import { isLocked } from '../errors.ts';

/** Between two attempts to get the write lock; answers are read meanwhile. */
export const lockPauseMs = 200;
export const lockedMsMax = 600_000;

/**
 * Does the work, and repeats it while another program's write lock keeps its transaction from beginning. `stop` ends
 * the wait; `onLocked` is called at each attempt that fails.
 */
export async function untilUnlocked<T>(work: () => T, stop: AbortSignal, onLocked?: () => void): Promise<T> {
  for (const until = performance.now() + lockedMsMax; ; await setTimeout(lockPauseMs)) {
    try {
      return work();
    } catch (error) {
      if (!isLocked(error) || stop.aborted || performance.now() >= until) throw error;
      onLocked?.();
    }
  }
}
