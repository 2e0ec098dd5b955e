// The embedded queue: fetches pages in this process. No server, nothing to restore.
import { type SearchDataService, Semaphore } from '../../src/service/index.ts';
import { callService, type FetchQueue, notSent, toRequestFailure } from './queue.ts';

/**
 * `ahead`: checks that may be claimed beside those in flight, so that a request is ready to leave when a permit comes
 * free. Its purchase and the page before it are then recorded together: requests in flight that are not recorded are
 * never more than `concurrency`.
 */
export function createEmbeddedQueue(
  services: ReadonlyMap<string, SearchDataService>,
  concurrency: number,
  { ahead = 0 }: { readonly ahead?: number } = {},
): FetchQueue {
  const permits = new Semaphore({ permits: concurrency });
  return {
    concurrency,
    claimsMax: concurrency + ahead,
    async prepare() {},
    async fetchPage(job, options) {
      const release = await permits.acquire({ order: job.order, signal: options.signal }).catch(() => null);
      if (release === null) {
        return { ok: false, failure: toRequestFailure(notSent()) };
      }
      try {
        return await callService(services, job, options);
      } finally {
        release();
      }
    },
    async recall() {
      return { kind: 'lost' };
    },
    async close() {},
  };
}
