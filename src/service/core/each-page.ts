// Iterates over the pages of a search, one request each, in process or over HTTP.
import { randomUUID } from 'node:crypto';
import { limits } from '../model/limits.ts';
import type { AnsweredPage, CallOptions, SerpRequestInput } from './calls.ts';
import type { SearchDataService } from './service.ts';

/**
 * `for await (const page of eachPage(service, {keyword, end_page: 10}))`: each page is bought when it is asked for, so
 * that `break` stops paying. Without `end_page` it goes on for 10 pages. Each page has its own idempotency key, derived
 * from the given one. Throws like `serp`.
 */
export async function* eachPage(
  service: SearchDataService,
  request: SerpRequestInput,
  options: CallOptions = {},
): AsyncGenerator<AnsweredPage, void, undefined> {
  const { start_page: first = 1, end_page: last = first + limits.pagesPerRequestMax - 1 } = request;
  const key = options.idempotencyKey ?? randomUUID();
  for (let page = first; page <= last; page++) {
    const asked = { ...request, start_page: page, end_page: page };
    const { pages } = await service.serp(asked, { ...options, idempotencyKey: `${key}/page/${page}` });
    yield* pages;
  }
}
