// Requests one page from a service, and gives the outcome: the same in this process and on a worker.
import { type SearchDataService, ServiceError } from '../../src/service/index.ts';
import { type PageJob, type PageOutcome, toRequestFailure } from './queue.ts';

export interface PageCallOptions {
  /** Gives up waiting for its turn, and what is in flight. */
  readonly signal: AbortSignal;
  /** Awaited when its turn has come. Where it resolves with null or rejects, nothing is sent. */
  readonly beforeSend: () => Promise<unknown>;
}

/** Sends one request. Never rejects: every failure is an outcome. */
export async function callService(
  services: ReadonlyMap<string, SearchDataService>,
  job: PageJob,
  { signal, beforeSend }: PageCallOptions,
): Promise<PageOutcome> {
  try {
    const service = services.get(job.service);
    if (service === undefined) throw new Error(`the config has no service "${job.service}"`);
    const { page, ...search } = job.request;
    const answer = await service.serp(
      { ...search, start_page: page, end_page: page },
      {
        at: job.at,
        signal,
        // the service takes a rejection for an answer: nothing leaves
        beforeSend: async () => {
          if ((await beforeSend()) === null) throw notSent();
        },
        idempotencyKey: job.requestKey,
      },
    );
    const [first] = answer.pages;
    if (first === undefined) throw new Error('the service answered without a page');
    const { creditsStated = 1 } = answer;
    return { ok: true, answer: first, ...(creditsStated > 1 && { stated: creditsStated }) };
  } catch (error) {
    return { ok: false, failure: toRequestFailure(error) };
  }
}

/** The outcome of a request that did not leave. */
export function notSent(): ServiceError {
  return new ServiceError('ABORTED', 'The run stopped.', { charged: 'no' });
}
