// Coordinators and workers over one Redis, in this process, with short leases so that tests take less time.

import type { Log } from '../../jobs/context.ts';
import { openBullmqQueue } from '../../jobs/queue/bullmq/coordinator.ts';
import { type QueuedService, type QueueTimings, queueTimings } from '../../jobs/queue/bullmq/redis.ts';
import { type PageWorker, startPageWorker } from '../../jobs/queue/bullmq/worker.ts';
import type { FetchQueue } from '../../jobs/queue/queue.ts';
import { type Clock, type SearchDataService, systemClock } from '../../src/service/index.ts';
import { service } from './jobs.ts';
import type { RedisServer } from './redis.ts';

export const shortTimings: QueueTimings = {
  ...queueTimings,
  sweepMs: 50,
  settleMs: 500,
  beatMs: 200,
  leaseMs: 1500,
  noticeMs: 200,
};

let queues = 0;

/** The service of the worlds with a queue that no other test uses. */
export function queuedService(more: Partial<QueuedService> = {}): QueuedService {
  queues += 1;
  return {
    name: service,
    queue: `${service}-${process.pid}-${queues}`,
    concurrency: null,
    requestsPerSecond: null,
    ...more,
  };
}

/** A log that keeps its lines. */
export interface KeptLog extends Log {
  readonly lines: string[];
  /** Those of level debug. */
  readonly details: string[];
}

function keptLog(): KeptLog {
  const lines: string[] = [];
  const details: string[] = [];
  const keepIn =
    (kept: string[]) =>
    (facts: object, message: string): void =>
      void kept.push(`${message} ${JSON.stringify(facts)}`);
  const keep = keepIn(lines);
  return { lines, details, debug: keepIn(details), info: keep, warn: keep, error: keep };
}

/** What one test has open over a Redis; `close` ends it in the order of an operator. */
export class Fleet {
  readonly redis: Pick<RedisServer, 'url'>;
  readonly queued: QueuedService;
  /** Further services, by name, each with its queue. */
  readonly #others: readonly QueuedService[];
  readonly log = keptLog();
  /** Sentences for the operator. */
  readonly notices: string[] = [];
  #noticed = Promise.withResolvers<void>();
  /** For all coordinators and workers that are opened from now on. */
  signingKey: string | null = null;
  clock: Clock = systemClock;
  witness: Clock['witness'];
  readonly timings: QueueTimings;
  readonly #workers: PageWorker[] = [];
  readonly #queues: FetchQueue[] = [];

  constructor(
    redis: Pick<RedisServer, 'url'>,
    queued: Partial<QueuedService> = {},
    timings: QueueTimings = shortTimings,
    others: readonly string[] = [],
  ) {
    this.redis = redis;
    this.queued = queuedService(queued);
    this.#others = others.map((name) => queuedService({ name, queue: `${name}-of-${this.queued.queue}` }));
    this.timings = timings;
  }

  /** `signingKey`: another one than the fleet's, or none. */
  async worker(
    services: ReadonlyMap<string, SearchDataService>,
    concurrency = 4,
    signingKey: string | null = this.signingKey,
  ): Promise<PageWorker> {
    const worker = await startPageWorker({
      ...this.#common,
      signingKey,
      queued: this.#queued(services),
      services,
      concurrency,
    });
    this.#workers.push(worker);
    return worker;
  }

  /** `redisUrl` if it reaches Redis by another way. */
  async coordinator(
    payer: string | (() => string) = 'coordinator',
    concurrency = 4,
    redisUrl = this.redis.url,
  ): Promise<FetchQueue> {
    const identity = typeof payer === 'string' ? () => payer : payer;
    const options = {
      ...{ ...this.#common, redisUrl, services: [this.queued, ...this.#others], concurrency, payer: identity },
      ...(this.witness !== undefined && { witness: this.witness }),
      notify: (sentence: string) => this.#note(sentence),
    };
    const queue = await openBullmqQueue(options);
    this.#queues.push(queue);
    return queue;
  }

  /** Resolves when the operator has got so many sentences. */
  async untilNotices(count: number): Promise<void> {
    while (this.notices.length < count) await this.#noticed.promise;
  }

  #note(sentence: string): void {
    this.notices.push(sentence);
    this.#noticed.resolve();
    this.#noticed = Promise.withResolvers<void>();
  }

  async close(): Promise<void> {
    await Promise.all(this.#queues.splice(0).map((queue) => queue.close()));
    await Promise.all(this.#workers.splice(0).map((worker) => worker.close(AbortSignal.abort())));
  }

  /** Those of its services: a worker takes the pages of no other. */
  #queued(services: ReadonlyMap<string, SearchDataService>): QueuedService[] {
    return [this.queued, ...this.#others].filter(({ name }) => services.has(name));
  }

  get #common() {
    return {
      redisUrl: this.redis.url,
      clock: this.clock,
      log: this.log,
      timings: this.timings,
      signingKey: this.signingKey,
    };
  }
}
