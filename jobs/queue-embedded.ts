// The embedded queue: pages are fetched in this process. No server, nothing to restore.
import type { SearchDataService } from '../src/service/index.ts';
import { type FetchQueue, failureOf } from './queue.ts';

export function createEmbeddedQueue(services: ReadonlyMap<string, SearchDataService>, concurrency: number): FetchQueue {
  return {
    concurrency,
    async fetchPage(job, { signal, beforeSend }) {
      try {
        const service = services.get(job.service);
        if (service === undefined) throw new Error(`the config has no service "${job.service}"`);
        const { keyword, country, language, mobile, page } = job.request;
        const answer = await service.serp(
          { keyword, country, language, mobile, start_page: page, end_page: page },
          { at: job.at, signal, beforeSend: async () => void (await beforeSend()), idempotencyKey: job.requestKey },
        );
        const [first] = answer.pages;
        if (first === undefined) throw new Error('the service answered without a page');
        return { ok: true, answer: first };
      } catch (error) {
        return { ok: false, failure: failureOf(error) };
      }
    },
    async recall() {
      return { kind: 'lost' };
    },
    async close() {},
  };
}
