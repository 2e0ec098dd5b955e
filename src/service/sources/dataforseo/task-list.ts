// The vendor's task list: number and cost by tag. One request serves all callers that wait for it.

import { ServiceError } from '../../model/errors.ts';
import type { Clock } from '../../model/ports.ts';
import { untilAborted } from '../../model/time/deadline.ts';
import type { VendorClient } from '../vendor-kit/client/vendor-client.ts';
import { numberAt, objectAt, objectsAt, wordsAt } from '../vendor-kit/values.ts';
import { findTask, readCost } from './answer.ts';
import { authorization } from './task.ts';

export interface ListedTask {
  readonly id: string;
  readonly tag: string | undefined;
  /** Micro-USD. */
  readonly cost: number | undefined;
}

/** The tasks of an account from some moment on. `isWhole`: none is missing. */
export interface Listing {
  readonly tasks: readonly ListedTask[];
  readonly isWhole: boolean;
}

/** The vendor takes 10 calls a minute here, of 1,000 tasks each. */
const pauseMs = 7000;
const tasksMax = 1000;
const callsMax = 5;
/** How far the clocks may differ, ours and the vendor's. */
const skewMs = 300_000;

export class TaskList {
  readonly #line: VendorClient;
  readonly #key: string;
  readonly #clock: Clock;
  readonly #closed = new AbortController();
  /** A listing that others may still join: it has not been asked for yet. */
  #coming: { from: number; readonly listing: Promise<Listing> } | undefined;
  #lastAskedAt = Number.NEGATIVE_INFINITY;

  /** `key` is `login:password`. */
  constructor(line: VendorClient, key: string, clock: Clock) {
    this.#line = line;
    this.#key = key;
    this.#clock = clock;
  }

  /**
   * Tasks that were posted since that moment, as the vendor lists them after this call. Throws ServiceError, charged
   * `no`.
   */
  async since(moment: number, signal: AbortSignal): Promise<Listing> {
    const from = moment - skewMs;
    if (this.#coming === undefined) this.#coming = { from, listing: this.#ask() };
    else this.#coming.from = Math.min(this.#coming.from, from);
    return await untilAborted(this.#coming.listing, signal);
  }

  /** Ends what is asked, for everybody. */
  close(): void {
    this.#closed.abort(new ServiceError('ABORTED', 'The source was closed.', { charged: 'no' }));
  }

  async #ask(): Promise<Listing> {
    const { signal } = this.#closed;
    let from: number;
    try {
      await this.#clock.sleep(Math.max(0, this.#lastAskedAt + pauseMs - this.#clock.now()), signal);
    } finally {
      from = this.#coming?.from ?? this.#clock.now();
      this.#coming = undefined;
    }
    const tasks: ListedTask[] = [];
    for (let calls = 0; calls < callsMax; calls++) {
      if (calls > 0) await this.#clock.sleep(pauseMs, signal);
      const page = await this.#askPage(from, calls * tasksMax, signal);
      tasks.push(...page);
      if (page.length < tasksMax) return { tasks, isWhole: true };
    }
    return { tasks, isWhole: false };
  }

  async #askPage(from: number, offset: number, signal: AbortSignal): Promise<ListedTask[]> {
    this.#lastAskedAt = this.#clock.now();
    const json = {
      datetime_from: written(from),
      datetime_to: written(this.#lastAskedAt),
      limit: tasksMax,
      offset,
      sort: 'desc',
      include_metadata: true,
    };
    const call = { method: 'POST', path: '/v3/serp/id_list', headers: authorization(this.#key), json: [json] } as const;
    const { root } = await this.#line.ask(call, signal).catch((error: unknown) => {
      if (!(error instanceof ServiceError)) throw error;
      // a refusal of this request says nothing about the page
      throw error.disposition === 'abandon' ? noList(error) : error.with({ charged: 'no' });
    });
    const task = findTask(root);
    if (task === undefined || numberAt(task, 'status_code') !== 20_000) throw noList(undefined);
    return objectsAt(task, 'result').flatMap((entry) => {
      const id = wordsAt(entry, 'id');
      const tag = wordsAt(objectAt(entry, 'metadata'), 'tag');
      return id === undefined ? [] : [{ id, tag, cost: readCost(entry) }];
    });
  }
}

function noList(cause: ServiceError | undefined): ServiceError {
  const why = cause === undefined ? '' : `: ${cause.message}`;
  return new ServiceError('SERP_FAILED', `The list of tasks could not be retrieved${why}.`, {
    charged: 'no',
    hint: 'Try again later, and check that the clock of this machine is right.',
    ...(cause !== undefined && { cause }),
  });
}

/** `2026-01-15 06:00:00 +00:00` */
function written(moment: number): string {
  return `${new Date(moment).toISOString().slice(0, 19).replace('T', ' ')} +00:00`;
}
