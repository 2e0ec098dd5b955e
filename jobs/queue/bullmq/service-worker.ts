// The worker of one service's queue: it begins each job at most once, and delivers the outcome.
import { type Job, Queue, WaitingError, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { type Clock, errorText, type SearchDataService, ServiceError } from '../../../src/service/index.ts';
import type { Log } from '../../context.ts';
import { callService } from '../page-call.ts';
import { type PageOutcome, toRequestFailure } from '../queue.ts';
import type { Grants } from './grants.ts';
import { type JobData, unpackJob } from './job.ts';
import { packOutcome } from './outcome.ts';
import { choosePauseMs, keyPrefix, limiterOptions, type QueuedService, type QueueTimings } from './redis.ts';
import { attemptKey, type BeginVerdict, type HeldAttempt, type RedisAttempts } from './redis-attempts.ts';
import { type MessageSigner, SignatureError } from './signature.ts';

export interface ServiceWorkerOptions {
  readonly redis: Redis;
  readonly attempts: RedisAttempts;
  readonly seal: MessageSigner;
  /** Null: without a key, every job of the queue is believed. */
  readonly grants: Grants | null;
  readonly service: QueuedService;
  readonly services: ReadonlyMap<string, SearchDataService>;
  readonly concurrency: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly timings: QueueTimings;
  /** Begins no new work. */
  readonly stop: AbortSignal;
  /** Cancels work in flight. */
  readonly giveUp: AbortSignal;
  /** A token that no other beginning has. */
  readonly token: () => string;
}

/** Delivering a job repeatedly does no harm here, however often its workers die. */
const stalledMax = 1_000_000;
/** BullMQ's own waits after an error of the connection: shorter than the time in which we must have resumed. */
const retryDelayMs = 1000;
/** A worker that is stopped while it waits for the rate limit ends after this wait. */
const rateLimitWaitMs = 1000;

export class ServiceWorker {
  /** Begun work that is not delivered yet. */
  readonly held = new Map<string, HeldAttempt>();
  readonly #options: ServiceWorkerOptions;
  /** Of commands that Redis has not answered. */
  readonly #timers = new Set<AbortController>();
  readonly #queue: Queue<JobData>;
  #worker: Worker<JobData, string>;
  #active = 0;
  #lastMoveAt: number;

  constructor(options: ServiceWorkerOptions) {
    this.#options = options;
    this.#lastMoveAt = options.clock.now();
    const { redis, service } = options;
    this.#queue = new Queue(service.queue, { connection: redis, prefix: keyPrefix, skipMetasUpdate: true });
    this.#queue.on('error', () => undefined); // the connection's own listener has logged it
    this.#worker = this.#openWorker();
  }

  /** Resolves when jobs are taken. */
  async ready(): Promise<void> {
    await this.#limit();
    await this.#worker.waitUntilReady();
  }

  /**
   * Restores the queue's limits, which a flushed Redis has forgotten. Reconnects the worker if jobs wait but it
   * receives none: after an outage it may wait for ever.
   */
  async recover(): Promise<void> {
    await this.#limit();
    const { clock, timings, concurrency, log, service, stop } = this.#options;
    if (stop.aborted || this.#active >= concurrency || clock.now() - this.#lastMoveAt < timings.idleMs) return;
    const waiting = await this.#queue.getJobCountByTypes('waiting', 'prioritized');
    if (waiting === 0 || (await this.#queue.getRateLimitTtl()) > 0 || (await this.#queue.isMaxed())) {
      this.#lastMoveAt = clock.now();
      return;
    }
    log.warn({ service: service.name, waiting }, 'queue is stuck: requests wait, but none is delivered; reconnecting');
    const idle = this.#worker;
    this.#lastMoveAt = clock.now();
    this.#worker = this.#openWorker();
    await idle.close(true).catch(() => undefined);
  }

  /** Lets begun work finish; the rest goes back to the queue. Never resolves while Redis is away. */
  async finish(): Promise<void> {
    await this.#worker.pause();
  }

  /** Ends connections and timers at once: BullMQ's own close would wait for Redis, and keep the process alive. */
  async close(): Promise<void> {
    await this.#worker.close(true);
    await this.#queue.close();
    for (const timer of this.#timers) timer.abort();
  }

  #openWorker(): Worker<JobData, string> {
    const { redis, service, concurrency, timings, log } = this.#options;
    const worker = new Worker<JobData, string>(service.queue, (job, token) => this.#process(job, token), {
      connection: redis,
      prefix: keyPrefix,
      concurrency,
      limiter: limiterOptions(service.requestsPerSecond),
      lockDuration: timings.leaseMs,
      stalledInterval: timings.leaseMs / 2,
      maxStalledCount: stalledMax,
      runRetryDelay: retryDelayMs,
      maximumRateLimitDelay: rateLimitWaitMs,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    });
    worker.on('error', (error) => log.debug({ service: service.name, error: error.message }, 'queue error'));
    return worker;
  }

  async #limit(): Promise<void> {
    const { concurrency } = this.#options.service;
    if (concurrency !== null) await this.#queue.setGlobalConcurrency(concurrency);
  }

  async #process(job: Job<JobData, string>, lock: string | undefined): Promise<string> {
    this.#active += 1;
    this.#lastMoveAt = this.#options.clock.now();
    try {
      return await this.#carryOut(job, lock);
    } finally {
      this.#active -= 1;
      this.#lastMoveAt = this.#options.clock.now();
    }
  }

  /** The return value is only for people who inspect the queue: the outcome is delivered separately. */
  async #carryOut(job: Job<JobData, string>, lock: string | undefined): Promise<string> {
    const { attempts, service, services, stop, giveUp, token, log, seal } = this.#options;
    const jobId = job.id ?? '';
    const key = attemptKey(service, jobId);
    const taken = this.#unpacked(job);
    if (taken instanceof SignatureError) return await this.#refuse({ key, token: token(), payer: '' }, taken);
    const { page, payer } = taken;
    const held: HeldAttempt = { key, token: token(), payer };
    const leaving = new AbortController();
    let verdict: BeginVerdict | null = null;
    const leave = (): void => {
      if (giveUp.aborted || verdict === null) leaving.abort();
    };
    for (const signal of [stop, giveUp]) signal.addEventListener('abort', leave);
    if (stop.aborted || giveUp.aborted) leave();
    const { newestAnswer: before } = this.#options.clock;
    const outcome = await callService(services, page, {
      signal: leaving.signal,
      beforeSend: async () => {
        verdict = await this.#insist(held, () => attempts.begin(held.key, held.token));
        if (verdict !== 'begun') throw new Error(`the try is ${verdict}`);
        this.held.set(held.key, held);
        await this.#confirm(held);
      },
    });
    for (const signal of [stop, giveUp]) signal.removeEventListener('abort', leave);
    const judged = verdict as BeginVerdict | null;
    if (judged !== null && judged !== 'begun') return judged;
    if (judged === null && leaving.signal.aborted) {
      await job.moveToWait(lock);
      throw new WaitingError();
    }
    await this.#pause(outcome).catch(() => undefined);
    const { newestAnswer } = this.#options.clock;
    // the coordinator asks no provider: the dates of answers are what its clock can be checked against
    const dated = newestAnswer === before || newestAnswer == null ? {} : { answeredAt: newestAnswer.answeredAt };
    const payload = packOutcome({ ...asRetryable(outcome), ...dated }, { key, seal });
    const said = await this.#insist(held, () => attempts.deliver(held, payload));
    this.held.delete(held.key);
    const { code, charged } = outcome.ok ? { code: null, charged: 'yes' } : outcome.failure;
    log.debug({ service: service.name, try: job.id, code, charged }, outcome.ok ? 'page answered' : 'page failed');
    if (said === 'late')
      log.warn({ try: job.id }, 'answer arrived after its attempt was given up: it counts as unknown');
    return said;
  }

  /** A job may be the copy of one that a coordinator has written, bought and settled. Throws where it is. */
  async #confirm(held: HeldAttempt): Promise<void> {
    const { grants, clock, timings, log, service } = this.#options;
    const times = Math.ceil((2 * timings.leaseMs) / timings.beatMs);
    if (grants === null || (await grants.ask(held, clock, timings.beatMs, times))) return;
    log.warn(
      { service: service.name, try: held.key, reason: 'no coordinator has it open' },
      'request in Redis rejected',
    );
    throw new ServiceError('CONNECTION_FAILED', 'No coordinator confirmed to the worker that the purchase is open.', {
      charged: 'no',
      hint: 'If it repeats, update all coordinators and workers to the same version.',
    });
  }

  /** Jobs are foreign input: others may write to Redis. */
  #unpacked(job: Job<JobData, string>): Pick<JobData, 'page' | 'payer'> | SignatureError {
    try {
      return unpackJob(job.id ?? '', job.data, this.#options.seal);
    } catch (error) {
      if (error instanceof SignatureError) return error;
      throw error;
    }
  }

  /**
   * Nothing is bought for a job that no coordinator of ours has written; a coordinator without our key gets the reason.
   */
  async #refuse(held: HeldAttempt, { message }: SignatureError): Promise<string> {
    const { attempts, seal, service, log } = this.#options;
    log.warn({ service: service.name, try: held.key, reason: message }, 'request in Redis rejected');
    const refusal = new ServiceError('INVALID_REQUEST', `A worker rejected the request: ${message}.`, {
      disposition: 'halt',
      hint: 'Set the same queue.signingKey for all coordinators and workers.',
    });
    const payload = packOutcome({ ok: false, failure: toRequestFailure(refusal) }, { key: held.key, seal });
    return await this.#insist(held, () => attempts.deliver(held, payload));
  }

  /**
   * Retries until Redis answers: while this worker lives, no other worker ends its requests. An answer may be an
   * error, as of a full Redis, or be lost with its connection. Repeating these commands does not change their answer.
   */
  async #insist<T>({ key }: HeldAttempt, ask: () => Promise<T>): Promise<T> {
    const { redis, clock, timings, log, giveUp } = this.#options;
    // an outcome that waits for Redis to reconnect is not sent twice
    const silence = async (signal: AbortSignal): Promise<never> => {
      do await clock.sleep(timings.leaseMs, signal);
      while (redis.status !== 'ready');
      throw new Error('no answer');
    };
    for (let isDelivered = false; ; isDelivered = true) {
      const timer = new AbortController();
      this.#timers.add(timer);
      const late = silence(timer.signal);
      late.catch(() => undefined);
      try {
        return await Promise.race([ask(), late]);
      } catch (error) {
        if (giveUp.aborted) throw error;
        const message = errorText(error);
        if (!isDelivered)
          log.warn({ try: key, error: message }, 'outcome could not be delivered to Redis; sending it again');
      } finally {
        timer.abort();
        this.#timers.delete(timer);
      }
      await clock.sleep(timings.sweepMs, giveUp).catch(() => undefined);
    }
  }

  /** A pause that a provider demands applies to every worker. A shorter pause never ends a longer one. */
  async #pause(outcome: PageOutcome): Promise<void> {
    if (outcome.ok) return;
    const pauseMs = choosePauseMs(outcome.failure);
    if (pauseMs !== null && pauseMs > (await this.#queue.getRateLimitTtl())) await this.#queue.rateLimit(pauseMs);
  }
}

/** A stopped worker is not a caller that gave up: the coordinator retries the page. */
function asRetryable(outcome: PageOutcome): PageOutcome {
  if (outcome.ok || outcome.failure.code !== 'ABORTED') return outcome;
  const { failure } = outcome;
  return {
    ok: false,
    failure: {
      ...failure,
      code: 'CONNECTION_LOST',
      message: 'The worker was stopped before the answer arrived.',
      disposition: 'retry',
    },
  };
}
