// The embedded queue: pages are fetched in this process. No server, nothing to restore.
import type { SearchDataService } from '../src/service/index.ts';
import { callService } from './page-call.ts';
import type { FetchQueue } from './queue.ts';

export function createEmbeddedQueue(services: ReadonlyMap<string, SearchDataService>, concurrency: number): FetchQueue {
  return {
    concurrency,
    async prepare() {},
    fetchPage: (job, options) => callService(services, job, options),
    async recall() {
      return { kind: 'lost' };
    },
    async close() {},
  };
}
