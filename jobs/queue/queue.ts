// The queue's contract: it executes page requests. Claims, money and results live in the store, not here.
import type { PurchaseSettlement } from '../../db/ledger/ledger.ts';
import { type AnsweredPage, type PageRequest, ServiceError, sumOfRequests } from '../../src/service/index.ts';
import type { AnsweringSource, RequestFailure } from '../retry.ts';

/** One page to fetch; everything a worker on another machine needs beside its credentials. */
export interface PageJob {
  /** Name of the service in the config. */
  readonly service: string;
  readonly request: PageRequest;
  /** The moment to show; only simulated services heed it. UTC milliseconds. */
  readonly at: number;
  /** The same on every try of this purchase. */
  readonly requestKey: string;
  /** Place in the order of work: of jobs that wait, the lowest goes first. */
  readonly order: number;
}

export interface ReceivedPage {
  readonly answer: AnsweredPage;
  /** SERP credits that the provider says it cost, where that is more than one. */
  readonly stated?: number | undefined;
  /** Another coordinator had the very page bought, for its own ledger: nothing was charged to ours. */
  readonly isShared?: boolean | undefined;
}

export type PageOutcome = (
  | ({ readonly ok: true } & ReceivedPage)
  | { readonly ok: false; readonly failure: RequestFailure }
) & {
  /**
   * From a worker on another machine: the newest date that answers gave while it worked on the page, UTC milliseconds.
   */
  readonly answeredAt?: number | undefined;
};

export interface FetchOptions {
  /** Gives up waiting, and what is in flight. */
  readonly signal: AbortSignal;
  /** Begins nothing new: a request that left this process and that no worker has begun is called back. */
  readonly stop: AbortSignal;
  /**
   * Awaited when the request's turn has come, right before it leaves this process. Resolves when the purchase is
   * durable, with the number of its attempt (from 1); null: the request must not leave. Where it is null or rejects,
   * nothing is sent and the outcome is a failure.
   */
  readonly beforeSend: () => Promise<number | null>;
}

/** A purchase that a process which died had opened: one try of a job. */
export interface OpenAttempt extends PageJob {
  readonly attempt: number;
}

/**
 * What a queue knows of such a try. `never-sent`: no worker had begun it, and none will. `lost`: it may have left, and
 * its outcome is unknown.
 */
export type Recalled =
  | { readonly kind: 'outcome'; readonly outcome: PageOutcome }
  | { readonly kind: 'never-sent' }
  | { readonly kind: 'lost' };

export interface FetchQueue {
  /** Pages in flight at most. */
  readonly concurrency: number;
  /** Checks that may be claimed at once, those that wait for a place included. Default: `concurrency`. */
  readonly claimsMax?: number;
  /**
   * Before the first page of a run: connects to what it needs. Rejects where that cannot be used; then nothing has
   * left, and the run can wait.
   */
  prepare(): Promise<void>;
  /** Carries out one request. Never rejects: every failure is an outcome. */
  fetchPage(job: PageJob, options: FetchOptions): Promise<PageOutcome>;
  /**
   * After a restart: what became of a try. Waits for one that is still under way elsewhere, until the signal. Never
   * rejects.
   */
  recall(open: OpenAttempt, signal: AbortSignal): Promise<Recalled>;
  close(): Promise<void>;
}

/**
 * How a purchase whose page was received is settled: a shared page was paid in another ledger, and is free in ours. A
 * page is one credit. If its source needed more than one request, the settlement says so.
 */
export function receivedSettlement(
  isShared: boolean,
  at: number,
  { source, requests }: Pick<AnsweredPage, 'source' | 'requests'>,
  stated?: number,
): PurchaseSettlement {
  if (!isShared) {
    const price = stated === undefined ? {} : { stated };
    const count = requests === undefined ? 1 : sumOfRequests(requests);
    const told = settledSource({ source, requests });
    return { state: 'paid', at, ...price, ...(count !== 1 && { message: `it took ${count} requests` }), ...told };
  }
  return {
    state: 'free',
    at,
    errorCode: 'SHARED',
    message: 'another coordinator of the same queue had bought the page',
  };
}

/** The answering source as reported by a service, for the settlement. */
export function settledSource({ source, requests }: AnsweringSource): Pick<PurchaseSettlement, 'source'> {
  if (source === undefined && requests === undefined) return {};
  return {
    source: { ...(source !== undefined && { part: source }), ...(requests !== undefined && { requests }) },
  };
}

/** Any error as a failure; one that no service threw is a bug of ours and is not tried again. */
export function toRequestFailure(error: unknown): RequestFailure {
  if (error instanceof ServiceError) {
    return {
      code: error.code,
      message: error.message,
      hint: error.hint,
      disposition: error.disposition,
      charged: error.charged,
      ...(error.stated !== undefined && { stated: error.stated }),
      retryAfterMs: error.retryAfterMs ?? null,
      body: error.body ?? null,
      ...(error.source !== undefined && { source: error.source }),
      ...(error.requests !== undefined && { requests: error.requests }),
      ...(error.passedOver !== undefined && { passedOver: error.passedOver }),
    };
  }
  return {
    code: 'INTERNAL_ERROR',
    message: error instanceof Error ? error.message : String(error),
    hint: 'This is a bug in rankledger; please report it.',
    disposition: 'abandon',
    charged: 'unknown',
    retryAfterMs: null,
    body: null,
  };
}
