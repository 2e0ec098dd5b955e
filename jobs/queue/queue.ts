// The queue's contract: it executes page requests. Claims, money and results live in the store, not here.
import {
  type AnsweredPage,
  type CallOptions,
  errorText,
  type PageRequest,
  type SearchDataService,
  Semaphore,
  ServiceError,
} from '../../src/service/terms.ts';
import type { RequestFailure } from '../retry.ts';

/** One page to fetch, with everything that a worker on another machine needs besides its credentials. */
export interface PageJob {
  /** Name of the service in the config. */
  readonly service: string;
  readonly request: PageRequest;
  /** The moment to show; only simulated services use it. UTC milliseconds. */
  readonly at: number;
  /** The same on every attempt of this purchase. */
  readonly requestKey: string;
  /** Position in the order of work: of waiting jobs, the lowest goes first. */
  readonly order: number;
}

export interface ReceivedPage {
  readonly answer: AnsweredPage;
  /** The cost in SERP credits that the provider states, if it is more than one. */
  readonly stated?: number;
  /** Another coordinator had bought this page, for its own ledger: nothing was charged to ours. */
  readonly isShared?: boolean;
}

export type PageOutcome = (
  | ({ readonly ok: true } & ReceivedPage)
  | { readonly ok: false; readonly failure: RequestFailure }
) & {
  /** From a worker on another machine: the newest date in answers while it worked on the page, UTC milliseconds. */
  readonly answeredAt?: number;
};

export interface FetchOptions {
  /** Cancels waiting requests and requests in flight. */
  readonly signal: AbortSignal;
  /** Starts nothing new: requests that no worker has begun are called back. */
  readonly stop: AbortSignal;
  /**
   * Awaited when the request's turn has come, right before it leaves this process. Resolves when the purchase is
   * durable, with the number of its attempt (from 1); null: the request must not leave. If it is null or rejects,
   * nothing is sent and the outcome is a failure.
   */
  readonly beforeSend: () => Promise<number | null>;
}

/** A purchase opened by a process that died: one attempt of a job. */
export interface OpenAttempt extends PageJob {
  readonly attempt: number;
}

/**
 * What a queue knows about such an attempt. `never-sent`: no worker had begun it, and none will. `lost`: it may have
 * left, and its outcome is unknown.
 */
export type Recalled =
  | { readonly kind: 'outcome'; readonly outcome: PageOutcome }
  | { readonly kind: 'never-sent' }
  | { readonly kind: 'lost' };

export interface FetchQueue {
  /** Limit of pages in flight. */
  readonly concurrency: number;
  /** Limit of claimed checks, including those that wait for a permit. Default: `concurrency`. */
  readonly claimsMax?: number;
  /**
   * Called before the first page of a run: connects. Rejects if the queue cannot be used; nothing has left then, and
   * the run can wait.
   */
  prepare(): Promise<void>;
  /** Carries out one request. Never rejects: every failure is an outcome. */
  fetchPage(job: PageJob, options: FetchOptions): Promise<PageOutcome>;
  /**
   * After a restart: the outcome of an attempt. Waits for one that is still in progress elsewhere, until the signal.
   * Never rejects.
   */
  recall(open: OpenAttempt, signal: AbortSignal): Promise<Recalled>;
  close(): Promise<void>;
}

/** Sends one request, in this process or on a worker. Never rejects: every failure is an outcome. */
export async function callService(
  services: ReadonlyMap<string, SearchDataService>,
  job: PageJob,
  { signal, beforeSend }: { readonly signal: AbortSignal; readonly beforeSend: () => Promise<unknown> },
): Promise<PageOutcome> {
  try {
    const service = services.get(job.service);
    if (service === undefined) throw new Error(`the config has no service "${job.service}"`);
    const { page, through, ...search } = job.request;
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
        through,
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
function notSent(): ServiceError {
  return new ServiceError('ABORTED', 'The run stopped.', { charged: 'no' });
}

/** Any error as a failure; an error that no service threw is a bug of ours and is not retried. */
export function toRequestFailure(error: unknown): RequestFailure {
  if (error instanceof ServiceError) {
    const { code, message, hint, disposition, charged, stated, retryAfterMs = null, body = null } = error;
    const { source, requests, passedOver } = error;
    return {
      code,
      message,
      hint,
      disposition,
      charged,
      stated,
      retryAfterMs,
      body,
      source,
      requests,
      passedOver,
    };
  }
  return {
    code: 'INTERNAL_ERROR',
    message: errorText(error),
    hint: 'This is a bug in rankledger; please report it.',
    disposition: 'abandon',
    charged: 'unknown',
    retryAfterMs: null,
    body: null,
  };
}

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

/** The turns of all who ask the services of a config. */
export interface RateLimiter {
  /** Resolves when a request may leave. Rejects with ABORTED, charged `no`, where the signal ended the wait. */
  acquire(service: string, signal?: AbortSignal): Promise<void>;
  /** What a failure says about waiting holds for all. */
  onFailure(service: string, error: unknown): Promise<void>;
  close(): void;
}

/**
 * Keyword metrics of a separate source, and AI answers, are another provider's and do not wait here. Simulated services
 * have no limits.
 */
export function pacedService(name: string, service: SearchDataService, limiter: RateLimiter): SearchDataService {
  if (service.kind !== 'live') return service;
  const paced = async <Answer>(options: CallOptions | undefined, call: () => Promise<Answer>): Promise<Answer> => {
    await limiter.acquire(name, options?.signal);
    try {
      return await call();
    } catch (error) {
      await limiter.onFailure(name, error);
      throw error;
    }
  };
  const { source, kind, metrics, answers, keepsKeys, firstPageCredits, range, probe } = service;
  return {
    source,
    kind,
    metrics,
    answers,
    keepsKeys,
    firstPageCredits,
    range,
    serp: (request, options) => paced(options, () => service.serp(request, options)),
    keywordData: (request, options) => {
      const call = () => service.keywordData(request, options);
      return metrics === undefined ? paced(options, call) : call();
    },
    readPage: (body, request, receivedAt) => service.readPage(body, request, receivedAt),
    probe: probe && ((signal) => probe.call(service, signal)),
    close: () => service.close(),
  };
}
