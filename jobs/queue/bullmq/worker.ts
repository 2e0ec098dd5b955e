// The worker process: takes page jobs of its services from Redis, begins each at most once, and delivers the outcome.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { type Job, type Queue, RateLimitError, WaitingError, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { errorText, type SearchDataService, Semaphore, ServiceError } from '../../../src/service/terms.ts';
import { callService, type PageOutcome } from '../queue.ts';
import { AttemptRecords, attemptKey, type BeginVerdict, type HeldAttempt } from './attempt.ts';
import {
  askChannel,
  ForgedMessage,
  failed,
  grantChannel,
  type JobData,
  MessageSigner,
  packNote,
  packOutcome,
  unpackJob,
  unpackNote,
} from './messages.ts';
import { pauseAfter, pauseOf, takeTurn } from './rate-limit.ts';
import {
  admit,
  bullQueue,
  connect,
  keyPrefix,
  type QueuedService,
  type QueueTimings,
  queueTimings,
  type RedisMember,
  redisAddress,
  silentLog,
} from './redis.ts';

interface PageWorkerOptions extends RedisMember {
  readonly queued: readonly QueuedService[];
  readonly services: ReadonlyMap<string, SearchDataService>;
  /** Pages in flight at most, of each service. */
  readonly concurrency: number;
  /** Called with each outcome, for monitoring. */
  readonly onPage?: (service: string, outcome: PageOutcome) => void;
}

/** Delivering a job repeatedly does no harm here, however often its workers die. */
const stalledMax = 1_000_000;
/** BullMQ's own waits after an error of the connection: shorter than the time in which we must have resumed. */
const retryDelayMs = 1000;
/** Turns are ours: BullMQ only needs a limit before it heeds `rateLimit`. */
const unlimited = { max: 1_000_000_000, duration: 1000 };
/** A worker waits itself for a turn that comes sooner. Otherwise the job goes back, and BullMQ holds the queue. */
const turnWaitMsMax = 1000;
/** A worker keeps so many turns ready: a late one must not add much to the next. */
const turnsAheadMs = 20;
/** A worker that is stopped while it waits for the rate limit ends after this wait. */
const rateLimitWaitMs = 1000;
/** A worker that has missed the signal of a waiting job takes it after this time. */
const pollSeconds = 1;
/** After giving up, so long may it take to say so; then the connection is dropped. */
const cancelGraceMs = 1500;

/** Starts to work. Throws QueueError where Redis cannot be reached, or would throw work away. */
export async function startPageWorker(options: PageWorkerOptions): Promise<PageWorker> {
  const redis = connect(options.redisUrl, options.log, 'patient');
  try {
    await admit(redis, options.log);
  } catch (error) {
    redis.disconnect();
    throw error;
  }
  const worker = new PageWorker(options, redis);
  await worker.start();
  return worker;
}

export class PageWorker {
  /** Host, port and database of Redis; no password. */
  readonly redis: string;
  readonly #options: PageWorkerOptions;
  readonly #timings: QueueTimings;
  readonly #redis: Redis;
  /** Hears which purchases are open; null: without a key, every job of the queue is believed. */
  readonly #subscriber: Redis | null;
  readonly #signer: MessageSigner;
  readonly #records: AttemptRecords;
  readonly #name = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  readonly #workers: Worker[] = [];
  readonly #queues = new Map<QueuedService, Queue>();
  /** Jobs that wait for a turn. */
  readonly #lines = new Map<QueuedService, Semaphore>();
  /** Begun work that is not delivered yet, by the key of its attempt. */
  readonly #held = new Map<string, HeldAttempt>();
  /** Called when a beginning is confirmed, by its token. */
  readonly #asking = new Map<string, () => void>();
  /** Begins no new work. */
  readonly #stop = new AbortController();
  /** Cancels work in flight. */
  readonly #giveUp = new AbortController();
  readonly #end = new AbortController();
  #begun = 0;

  constructor(options: PageWorkerOptions, redis: Redis) {
    this.redis = redisAddress(redis);
    this.#options = options;
    this.#timings = options.timings ?? queueTimings;
    this.#redis = redis;
    this.#records = new AttemptRecords(redis);
    this.#signer = new MessageSigner(options.signingKey ?? null);
    this.#subscriber = this.#signer.isSigning ? connect(options.redisUrl, silentLog, 'patient') : null;
    this.#subscriber?.on('message', (_channel: string, message: string) => {
      const granted = unpackNote('grant', message, this.#signer);
      if (granted !== null) this.#asking.get(`${granted.key} ${granted.token}`)?.();
    });
    this.#subscriber?.subscribe(grantChannel(this.#name)).catch(() => undefined); // it is repeated when Redis is back
  }

  async start(): Promise<void> {
    const { queued, concurrency, log } = this.#options;
    const { leaseMs } = this.#timings;
    for (const service of queued) {
      this.#queues.set(service, bullQueue(this.#redis, service.queue));
      const ahead = Math.ceil(((service.requestsPerSecond ?? Number.POSITIVE_INFINITY) * turnsAheadMs) / 1000);
      this.#lines.set(service, new Semaphore({ permits: ahead }));
    }
    // before any job is taken: a beginning without a sign of life is an orphan
    await this.#beat();
    this.#redis.on('ready', () => void this.#beat().catch(() => undefined));
    for (const service of queued) {
      const worker = new Worker(service.queue, (job, lock) => this.#carryOut(service, job, lock), {
        connection: this.#redis,
        prefix: keyPrefix,
        concurrency: Math.min(concurrency, service.concurrency ?? Number.POSITIVE_INFINITY),
        limiter: unlimited,
        lockDuration: leaseMs,
        stalledInterval: leaseMs / 2,
        maxStalledCount: stalledMax,
        runRetryDelay: retryDelayMs,
        maximumRateLimitDelay: rateLimitWaitMs,
        drainDelay: pollSeconds,
        removeOnComplete: { count: 0 },
        removeOnFail: { count: 0 },
      });
      worker.on('error', (error) => log.debug({ service: service.name, error: error.message }, 'queue error'));
      this.#workers.push(worker);
    }
    await Promise.all(this.#workers.map((worker) => worker.waitUntilReady()));
    void this.#beatUntilEnd();
  }

  /** Jobs of its services in Redis, by their state in BullMQ. Rejects while Redis is away. */
  async queueDepths(): Promise<{ service: string; state: string; jobs: number }[]> {
    const depths = [...this.#queues].map(async ([{ name: service }, queue]) => {
      const counts = await queue.getJobCounts('waiting', 'prioritized', 'delayed', 'active');
      return Object.entries(counts).map(([state, jobs]) => ({ service, state, jobs }));
    });
    return (await Promise.all(depths)).flat();
  }

  /**
   * Begins nothing more, lets what is in flight come to its end, or drops it on the signal. What was not begun waits
   * for other workers.
   */
  async close(late: AbortSignal): Promise<void> {
    const over = new AbortController();
    const dropped = Promise.withResolvers<void>();
    const drop = (): void => {
      this.#giveUp.abort();
      this.#options.clock.sleep(cancelGraceMs, over.signal).then(dropped.resolve, dropped.resolve);
    };
    this.#stop.abort();
    if (late.aborted) drop();
    late.addEventListener('abort', drop, { signal: over.signal });
    // while Redis is away, pausing takes for ever
    const finished = Promise.all(this.#workers.map((worker) => worker.pause())).catch(() => undefined);
    await Promise.race([finished, dropped.promise]);
    over.abort();
    this.#end.abort();
    if (this.#redis.status === 'ready') await this.#records.leave(this.#name).catch(() => undefined);
    // ends connections at once: BullMQ's own close would wait for Redis, and keep the process alive
    const closed = [
      ...this.#workers.map((worker) => worker.close(true)),
      ...[...this.#queues.values()].map((queue) => queue.close()),
    ];
    await Promise.all(closed).catch(() => undefined);
    this.#redis.disconnect();
    this.#subscriber?.disconnect();
  }

  /** Renews what a flushed Redis has forgotten: the sign of life, the attempts in work, the limits of the queues. */
  async #beat(): Promise<void> {
    await this.#records.beat(this.#name, this.#timings.leaseMs, [...this.#held.values()]);
    for (const [{ concurrency }, queue] of this.#queues)
      if (concurrency !== null) await queue.setGlobalConcurrency(concurrency);
  }

  async #beatUntilEnd(): Promise<void> {
    const { signal } = this.#end;
    while (!signal.aborted) {
      await this.#options.clock.sleep(this.#timings.beatMs, signal).catch(() => undefined);
      if (this.#redis.status === 'ready' && !signal.aborted) await this.#beat().catch(() => undefined);
    }
  }

  /** The return value is only for people who inspect the queue: the outcome is delivered separately. */
  async #carryOut(service: QueuedService, job: Job, lock: string | undefined): Promise<string> {
    const { services, log, clock } = this.#options;
    const jobId = job.id ?? '';
    const key = attemptKey(service, jobId);
    const token = `${this.#name}/${++this.#begun}`;
    let taken: JobData;
    try {
      taken = unpackJob(jobId, job.data, this.#signer);
    } catch (error) {
      if (!(error instanceof ForgedMessage)) throw error;
      log.warn({ service: service.name, try: key, reason: error.message }, 'request in Redis rejected');
      // a coordinator without our key gets the reason
      const refusal = new ServiceError('INVALID_REQUEST', `A worker rejected the request: ${error.message}.`, {
        disposition: 'halt',
        hint: 'Set the same queue.signingKey for all coordinators and workers.',
      });
      return await this.#deliver({ key, token, payer: '' }, failed(refusal));
    }
    await this.#untilTurn(service, taken.page.order);
    const held: HeldAttempt = { key, token, payer: taken.payer };
    const leaving = new AbortController();
    const over = new AbortController();
    let verdict = null as BeginVerdict | null;
    const leave = (): void => {
      if (verdict === null || this.#giveUp.signal.aborted) leaving.abort();
    };
    for (const signal of [this.#stop.signal, this.#giveUp.signal]) {
      if (signal.aborted) leave();
      signal.addEventListener('abort', leave, { signal: over.signal });
    }
    const { newestAnswer: before } = clock;
    const outcome = await callService(services, taken.page, {
      signal: leaving.signal,
      beforeSend: async () => {
        verdict = await this.#insist(key, () => this.#records.begin(key, token));
        if (verdict !== 'begun') throw new Error(`the attempt is ${verdict}`);
        this.#held.set(key, held);
        await this.#confirm(service, held);
      },
    });
    over.abort();
    if (verdict !== null && verdict !== 'begun') return verdict;
    if (verdict === null && leaving.signal.aborted) {
      await job.moveToWait(lock);
      throw new WaitingError();
    }
    this.#options.onPage?.(service.name, outcome);
    if (!outcome.ok) await pauseAfter(this.#redis, service, outcome.failure).catch(() => undefined);
    // the coordinator asks no provider: the dates of answers are what its clock can be checked against
    const { newestAnswer } = clock;
    const dated = newestAnswer === before || newestAnswer == null ? {} : { answeredAt: newestAnswer.answeredAt };
    const said = await this.#deliver(held, { ...asRetryable(outcome), ...dated });
    const { code, charged } = outcome.ok ? { code: null, charged: 'yes' } : outcome.failure;
    log.debug({ service: service.name, try: jobId, code, charged }, outcome.ok ? 'page answered' : 'page failed');
    if (said === 'late')
      log.warn({ try: jobId }, 'answer arrived after its attempt was given up: it counts as unknown');
    return said;
  }

  /** Throws RateLimitError where the turn comes too late. */
  async #untilTurn(service: QueuedService, order: number): Promise<void> {
    const { signal } = this.#stop;
    const release = await this.#lines
      .get(service)
      ?.acquire({ order, signal })
      .catch(() => null);
    if (signal.aborted) return release?.();
    try {
      let wait = await takeTurn(this.#redis, service, turnWaitMsMax);
      for (; wait.ms > 0 && wait.ms <= turnWaitMsMax && !signal.aborted; wait = await pauseOf(this.#redis, service))
        await this.#options.clock.sleep(wait.ms, signal).catch(() => undefined);
      if (wait.ms === 0 || signal.aborted) return;
      await this.#queues.get(service)?.rateLimit(wait.ms - turnWaitMsMax / 2);
      throw new RateLimitError();
    } finally {
      release?.();
    }
  }

  /** A job may be the copy of one that a coordinator has written, bought and settled. Throws where it is. */
  async #confirm(service: QueuedService, held: HeldAttempt): Promise<void> {
    if (this.#subscriber === null) return;
    const { clock, log } = this.#options;
    const { beatMs, leaseMs } = this.#timings;
    const message = packNote('ask', held, this.#signer);
    const name = `${held.key} ${held.token}`;
    const granted = new AbortController();
    this.#asking.set(name, () => granted.abort());
    for (let leftMs = 2 * leaseMs; leftMs > 0 && !granted.signal.aborted; leftMs -= beatMs) {
      await Promise.all([
        this.#redis.publish(askChannel, message).catch(() => undefined),
        clock.sleep(beatMs, granted.signal).catch(() => undefined),
      ]);
    }
    this.#asking.delete(name);
    if (granted.signal.aborted) return;
    const reason = 'no coordinator has it open';
    log.warn({ service: service.name, try: held.key, reason }, 'request in Redis rejected');
    throw new ServiceError('CONNECTION_FAILED', 'No coordinator confirmed to the worker that the purchase is open.', {
      charged: 'no',
      hint: 'If it repeats, update all coordinators and workers to the same version.',
    });
  }

  async #deliver(held: HeldAttempt, outcome: PageOutcome): Promise<'kept' | 'late'> {
    const payload = packOutcome(outcome, held.key, this.#signer);
    const said = await this.#insist(held.key, () => this.#records.deliver(held, payload));
    this.#held.delete(held.key);
    return said;
  }

  /** Repeats a command that Redis refuses, as a full one does: while this worker lives, no other ends its requests. */
  async #insist<T>(key: string, command: () => Promise<T>): Promise<T> {
    const { clock, log } = this.#options;
    for (let isFirst = true; ; isFirst = false) {
      try {
        return await command();
      } catch (error) {
        if (this.#giveUp.signal.aborted) throw error;
        const facts = { try: key, error: errorText(error) };
        if (isFirst) log.warn(facts, 'outcome could not be delivered to Redis; sending it again');
      }
      await clock.sleep(this.#timings.sweepMs, this.#giveUp.signal).catch(() => undefined);
    }
  }
}

/** A stopped worker is not a caller that gave up: the coordinator retries the page. */
function asRetryable(outcome: PageOutcome): PageOutcome {
  if (outcome.ok || outcome.failure.code !== 'ABORTED') return outcome;
  const message = 'The worker was stopped before the answer arrived.';
  return { ok: false, failure: { ...outcome.failure, code: 'CONNECTION_LOST', message, disposition: 'retry' } };
}
