// The embedded queue: pages are fetched in this process, so many at once. No server, nothing to restore.
import { type SearchDataService, ServiceError } from '../src/service/index.ts';
import { callService } from './page-call.ts';
import { type FetchQueue, failureOf } from './queue.ts';

/**
 * `ahead`: checks that may be claimed beside those in flight, so that a request is ready to leave when a place comes free. Its purchase and the page
 * that made room are then written down together: what is in flight and not recorded is never more than `concurrency`.
 */
export function createEmbeddedQueue(
  services: ReadonlyMap<string, SearchDataService>,
  concurrency: number,
  { ahead = 0 }: { readonly ahead?: number } = {},
): FetchQueue {
  const places = new Places(concurrency);
  return {
    concurrency,
    claimsMax: concurrency + ahead,
    async prepare() {},
    async fetchPage(job, options) {
      if (!(await places.take(job.order, options.signal))) {
        return { ok: false, failure: failureOf(new ServiceError('ABORTED', 'The run stopped.', { charged: 'no' })) };
      }
      try {
        return await callService(services, job, options);
      } finally {
        places.giveBack();
      }
    },
    async recall() {
      return { kind: 'lost' };
    },
    async close() {},
  };
}

interface Waiting {
  readonly order: number;
  readonly begin: () => void;
}

/** Places for requests in flight. Of those that wait, the lowest in the order of work goes first. */
class Places {
  #free: number;
  readonly #waiting = new Set<Waiting>();

  constructor(count: number) {
    this.#free = count;
  }

  /** False where the signal ended the wait. */
  take(order: number, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const end = (hasPlace: boolean): void => {
        this.#waiting.delete(waiting);
        signal.removeEventListener('abort', giveUp);
        resolve(hasPlace);
      };
      const giveUp = (): void => end(false);
      const waiting = { order, begin: () => end(true) };
      this.#waiting.add(waiting);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  giveBack(): void {
    let first: Waiting | null = null;
    for (const waiting of this.#waiting) if (first === null || waiting.order < first.order) first = waiting;
    if (first === null) this.#free += 1;
    else first.begin();
  }
}
