// The queue over Redis on the coordinator, the only process that uses the store. Workers fetch the pages.

import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { batchesOf } from '../../../db/connection/batches.ts';
import { type Clock, errorText, ServiceError } from '../../../src/service/terms.ts';
import { getOrInsert } from '../../../src/tracker/maps.ts';
import type { FetchOptions, FetchQueue, OpenAttempt, PageJob, PageOutcome, Recalled } from '../queue.ts';
import {
  type AttemptEffect,
  type AttemptEnd,
  type AttemptEvent,
  AttemptRecords,
  attemptKey,
  endedChannel,
  type Following,
  followAttempt,
} from './attempt.ts';
import {
  askChannel,
  droppedOutcome,
  ForgedMessage,
  failed,
  grantChannel,
  type JobData,
  MessageSigner,
  outcomeOfEnd,
  packJob,
  packNote,
  unpackNote,
} from './messages.ts';
import {
  admit,
  bullQueue,
  connect,
  keyPrefix,
  type QueuedService,
  type QueueTimings,
  queueTimings,
  type RedisMember,
  readPersistence,
  redisAddress,
  silentLog,
} from './redis.ts';

interface BullmqQueueOptions extends RedisMember {
  readonly services: readonly QueuedService[];
  /** Pages handed out at once. */
  readonly concurrency: number;
  /**
   * Identity of the ledger that pays: the same after a restart, and no other ledger's. Asked for when something is
   * reserved.
   */
  readonly payer: () => string;
  /** Called with the dates of the answers that workers had. Absent: nothing is learned. */
  readonly witness?: Clock['witness'];
  /** Called with sentences for the operator, such as those about a Redis that is away. */
  readonly notify?: (sentence: string) => void;
}

/** An outcome that took longer says too little of the time now. */
const witnessMsMax = 30 * 60_000;
/** How long a request that is given up may take to say that it had not begun. */
const cancelGraceMs = 1000;
/** Attempts that one command reads. */
const sweepBatchMax = 200;
/** The lowest priority of BullMQ; the highest is 0, and goes before all others. */
const priorityMax = 2_097_151;
/** Without any progress, a warning asks whether workers run at all. */
const quietMaxMs = 30_000;

/** How an attempt has ended for this coordinator. `given-up`: it did not wait for the end. */
interface AttemptResult {
  readonly kind: AttemptEnd['kind'] | 'given-up';
  readonly outcome: PageOutcome;
}

interface ServiceQueue extends QueuedService {
  readonly jobs: Queue<JobData>;
}

/** An attempt that has not ended. */
interface PendingAttempt {
  readonly service: ServiceQueue;
  readonly jobId: string;
  readonly key: string;
  readonly announcement: string;
  readonly page: PageJob;
  readonly payer: string;
  readonly result: PromiseWithResolvers<AttemptResult>;
  following: Following;
}

/** Opens the queue. Throws QueueError where Redis cannot be reached, or would throw work away. */
export async function openBullmqQueue(options: BullmqQueueOptions): Promise<FetchQueue> {
  const redis = connect(options.redisUrl, options.log, 'impatient');
  const subscriber = connect(options.redisUrl, silentLog, 'patient');
  try {
    return new BullmqQueue(options, redis, subscriber, await admit(subscriber, options.log));
  } catch (error) {
    subscriber.disconnect();
    redis.disconnect();
    throw error;
  }
}

class BullmqQueue implements FetchQueue {
  readonly concurrency: number;
  readonly #options: BullmqQueueOptions;
  readonly #timings: QueueTimings;
  readonly #redis: Redis;
  readonly #subscriber: Redis;
  readonly #records: AttemptRecords;
  readonly #signer: MessageSigner;
  readonly #services: ReadonlyMap<string, ServiceQueue>;
  readonly #pending = new Map<string, PendingAttempt>();
  readonly #closing = new AbortController();
  /** Whether Redis knows after a restart all that it knew before. */
  #isDurable: boolean;
  /** Since when Redis takes no work, UTC milliseconds. */
  #awaySince: number | null = null;
  /** What Redis says to a write; null where it takes it or does not answer. */
  #refusal: string | null = null;
  /** A command has failed: Redis may be full, unable to save, or a replica. */
  #isInDoubt = false;
  #isOutageReported = false;
  #lastMoveAt: number;
  #lastComplaint = '';

  constructor(options: BullmqQueueOptions, redis: Redis, subscriber: Redis, isDurable: boolean) {
    this.concurrency = options.concurrency;
    this.#options = options;
    this.#timings = options.timings ?? queueTimings;
    this.#redis = redis;
    this.#subscriber = subscriber;
    this.#isDurable = isDurable;
    this.#records = new AttemptRecords(redis);
    this.#signer = new MessageSigner(options.signingKey ?? null);
    const queueOf = ({ queue }: QueuedService) => bullQueue<JobData>(redis, queue);
    this.#services = new Map(options.services.map((service) => [service.name, { ...service, jobs: queueOf(service) }]));
    this.#lastMoveAt = options.clock.now();
    subscriber.on('message', (channel: string, message: string) => {
      if (channel === askChannel) return this.#onAsk(message);
      const attempt = this.#pending.get(message);
      if (attempt !== undefined) void this.#carryOut('read', attempt);
    });
    // the next sweep sees messages sent before the subscription exists, and workers ask again
    const channels = this.#signer.isSigning ? [endedChannel, askChannel] : [endedChannel];
    subscriber.subscribe(...channels).catch(() => undefined);
    void this.#sweepUntilClosed();
  }

  /** Connected when it was opened. */
  async prepare(): Promise<void> {}

  async fetchPage(page: PageJob, { signal, stop, beforeSend }: FetchOptions): Promise<PageOutcome> {
    const { clock, witness, payer } = this.#options;
    try {
      const announcement = announcementKey(this.#service(page), page.requestKey, payer());
      const refusal = await this.#announce(announcement, AbortSignal.any([signal, stop]));
      if (refusal !== null) return refusal;
      let number: number | null = null;
      try {
        number = await beforeSend();
      } finally {
        if (number === null) this.#records.retract(announcement).catch(() => undefined);
      }
      if (number === null) return gaveUp('no');
      const attempt = this.#follow(page, number, false);
      const enqueuedAt = clock.now();
      void this.#carryOut('enqueue', attempt);
      const { outcome } = await this.#resultOf(attempt, stop, signal);
      const { answeredAt } = outcome;
      const tookMs = clock.now() - enqueuedAt;
      // unless the clock jumped or the machine was suspended meanwhile
      if (answeredAt !== undefined && tookMs >= 0 && tookMs <= witnessMsMax) {
        witness?.({ date: new Date(answeredAt).toUTCString() });
      }
      return outcome;
    } catch (error) {
      return failed(error);
    }
  }

  async recall({ attempt: number, ...page }: OpenAttempt, signal: AbortSignal): Promise<Recalled> {
    try {
      const attempt = this.#follow(page, number, true);
      const { kind, outcome } = await this.#resultOf(attempt, AbortSignal.abort(), signal);
      if (kind === 'withdrawn') return { kind: 'never-sent' };
      return kind === 'outcome' ? { kind, outcome } : { kind: 'lost' };
    } catch {
      return { kind: 'lost' };
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    for (const attempt of this.#pending.values()) this.#end(attempt, { kind: 'given-up', outcome: gaveUp('unknown') });
    await Promise.all([...this.#services.values()].map(({ jobs }) => jobs.close().catch(() => undefined)));
    this.#subscriber.disconnect();
    this.#redis.disconnect();
  }

  #service({ service: name }: PageJob): ServiceQueue {
    const service = this.#services.get(name);
    if (service === undefined) throw new Error(`the config has no service "${name}"`);
    return service;
  }

  /** While Redis is away nothing is written down that could not leave. Null: it is announced. */
  async #announce(announcement: string, leave: AbortSignal): Promise<PageOutcome | null> {
    while (!leave.aborted) {
      try {
        if (this.#redis.status === 'ready') return await this.#records.announce(announcement).then(() => null);
      } catch (error) {
        this.#complain(error);
      }
      const stranded = this.#stranded('no');
      if (stranded !== null) return stranded;
      await this.#options.clock.sleep(this.#timings.sweepMs, leave).catch(() => undefined);
    }
    return gaveUp('no');
  }

  /** Follows an attempt; the same one twice has one result. */
  #follow(page: PageJob, number: number, isEnqueued: boolean): PendingAttempt {
    const service = this.#service(page);
    const payer = this.#options.payer();
    const jobId = `${page.requestKey}-${number}`;
    const key = attemptKey(service, jobId);
    const announcement = announcementKey(service, page.requestKey, payer);
    const attempt: PendingAttempt = getOrInsert(this.#pending, key, () => ({
      service,
      jobId,
      key,
      announcement,
      page,
      payer,
      result: Promise.withResolvers<AttemptResult>(),
      following: { isEnqueued, isUnwanted: false, granted: null, doubt: null },
    }));
    if (this.#pending.size === 0) this.#lastMoveAt = this.#options.clock.now();
    return attempt;
  }

  async #resultOf(attempt: PendingAttempt, stop: AbortSignal, giveUp: AbortSignal): Promise<AttemptResult> {
    const over = new AbortController();
    const withdraw = (): Promise<void> => this.#on(attempt, { kind: 'unwanted' });
    const leave = async (): Promise<void> => {
      await Promise.race([withdraw(), this.#options.clock.sleep(cancelGraceMs, over.signal).catch(() => undefined)]);
      // what a worker has begun may be charged; its answer comes too late for this run
      this.#end(attempt, { kind: 'given-up', outcome: gaveUp('unknown') });
    };
    if (giveUp.aborted) void leave();
    else if (stop.aborted) void withdraw();
    stop.addEventListener('abort', withdraw, { signal: over.signal });
    giveUp.addEventListener('abort', leave, { signal: over.signal });
    try {
      return await attempt.result.promise;
    } finally {
      over.abort();
    }
  }

  #end(attempt: PendingAttempt, result: AttemptResult): void {
    this.#pending.delete(attempt.key);
    attempt.result.resolve(result);
  }

  async #on(attempt: PendingAttempt, event: AttemptEvent): Promise<void> {
    const [following, effect] = followAttempt(attempt.following, event);
    attempt.following = following;
    if (effect !== null) await this.#carryOut(effect, attempt);
  }

  /** Repeating an effect changes nothing. If Redis fails, the next sweep repeats it. */
  async #carryOut(effect: AttemptEffect, attempt: PendingAttempt): Promise<void> {
    const { key, announcement, jobId, service, payer, page, following } = attempt;
    try {
      if (effect === 'enqueue' || effect === 'confirm') {
        const how = effect === 'confirm' ? 'confirmed' : following.isEnqueued ? 'again' : 'first';
        const opened = await this.#records.open(key, announcement, payer, how);
        // Redis may take the job, give it to a worker and forget both before its answer is here
        await this.#on(attempt, { kind: 'enqueued' });
        if (opened === 'ended') return await this.#read(attempt);
        if (opened === 'missing') return;
        const priority = Math.min(Math.max(page.order + 1, 0), priorityMax);
        const ends = { removeOnComplete: true, removeOnFail: true };
        await service.jobs.add('page', packJob(jobId, page, payer, this.#signer), { jobId, priority, ...ends });
      } else if (effect === 'withdraw') {
        const state = await this.#records.conclude(key, announcement, 'withdrawn', this.#isDurable);
        if (state !== 'ended') return;
        await this.#read(attempt);
        await service.jobs.remove(jobId);
      } else if (effect === 'lose') {
        await this.#records.conclude(key, announcement, 'lost', this.#isDurable);
        await this.#read(attempt);
      } else if (effect === 'read') {
        await this.#read(attempt);
      } else {
        const token = following.granted ?? '';
        await this.#redis.publish(grantChannel(token), packNote('grant', { key, token, payer }, this.#signer));
      }
    } catch (error) {
      this.#complain(error);
    }
  }

  /** Data in Redis is foreign input: a forged outcome is dropped, and its request counts as spent. */
  async #read(attempt: PendingAttempt): Promise<void> {
    const { key, payer } = attempt;
    const end = await this.#records.read(key);
    if (end === null) return;
    this.#lastMoveAt = this.#options.clock.now();
    this.#pending.delete(key); // a second reading would miss what is dropped
    try {
      const { isUnwanted } = attempt.following;
      this.#end(attempt, { kind: end.kind, outcome: outcomeOfEnd(end, { key, payer, isUnwanted }, this.#signer) });
    } catch (error) {
      if (!(error instanceof ForgedMessage)) throw error;
      this.#options.log.warn({ try: key, reason: error.message }, 'outcome in Redis rejected and dropped');
      await this.#records.drop(key).catch(() => undefined);
      this.#end(attempt, { kind: end.kind, outcome: droppedOutcome(error) });
    }
  }

  /** A worker asks whether it may send. Silence refuses: another coordinator may have this purchase open. */
  #onAsk(message: string): void {
    const asked = unpackNote('ask', message, this.#signer);
    const attempt = asked === null ? undefined : this.#pending.get(asked.key);
    if (asked === null || attempt === undefined || attempt.payer !== asked.payer) return;
    void this.#on(attempt, { kind: 'asked', token: asked.token });
  }

  async #sweepUntilClosed(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      await this.#options.clock.sleep(this.#timings.sweepMs, signal).catch(() => undefined);
      if (!signal.aborted) await this.#sweep().catch((error: unknown) => this.#complain(error));
    }
  }

  async #sweep(): Promise<void> {
    const { clock, notify } = this.#options;
    if (!(await this.#takesWork())) {
      const outcome = this.#stranded('unknown');
      if (outcome === null) return;
      for (const attempt of this.#pending.values()) this.#end(attempt, { kind: 'given-up', outcome });
      return;
    }
    if (this.#awaySince !== null) {
      // what was lost before stays lost, however well Redis syncs from now on
      this.#isDurable &&= (await readPersistence(this.#redis)) === 'log';
      this.#awaySince = null;
      if (this.#isOutageReported) notify?.('Redis is back.');
      this.#isOutageReported = false;
    }
    for (const some of batchesOf([...this.#pending.values()], sweepBatchMax)) {
      const keys = some.map(({ service, jobId, key }) => ({ key, jobKey: service.jobs.toKey(jobId) }));
      const states = await this.#records.states(keys);
      const [at, { settleMs }, isDurable] = [clock.now(), this.#timings, this.#isDurable];
      const seen = states.map((state): AttemptEvent => ({ kind: 'seen', state, at, settleMs, isDurable }));
      await Promise.all(
        some.map((attempt, index) => {
          const event = seen[index];
          return event !== undefined && this.#pending.has(attempt.key) && this.#on(attempt, event);
        }),
      );
    }
    await this.#reportMissingWorkers();
  }

  /** Requests without a worker look like slow ones: a warning is logged now and then. */
  async #reportMissingWorkers(): Promise<void> {
    const { clock, log, notify } = this.#options;
    if (this.#pending.size === 0 || clock.now() - this.#lastMoveAt < quietMaxMs) return;
    this.#lastMoveAt = clock.now();
    for (const { name, jobs } of new Set([...this.#pending.values()].map(({ service }) => service))) {
      if ((await jobs.getWorkersCount()) > 0) continue;
      log.warn({ service: name }, 'service has no worker: start `rankledger worker`');
      notify?.(`Service ${name} has no worker, and its requests wait. Start one: rankledger worker`);
    }
  }

  /** Whether Redis takes work now. One that answers may refuse every write, so that one in doubt is asked to write. */
  async #takesWork(): Promise<boolean> {
    let refusal: string | null = null;
    if (this.#redis.status === 'ready') {
      try {
        if (this.#isInDoubt) await this.#redis.set(`${keyPrefix}:write-test`, '', 'PX', 1);
        this.#isInDoubt = false;
        return true;
      } catch (error) {
        if (error instanceof Error && error.name === 'ReplyError') refusal = error.message;
      }
    }
    this.#refusal = refusal;
    const now = this.#options.clock.now();
    this.#awaySince ??= now;
    if (!this.#isOutageReported && now - this.#awaySince >= this.#timings.noticeMs) {
      const trouble = this.#refusal === null ? 'does not answer' : `refuses writes (${this.#refusal})`;
      const minutes = Math.ceil(this.#timings.awayMaxMs / 60_000);
      const address = redisAddress(this.#redis);
      this.#options.notify?.(`Redis at ${address} ${trouble}. The run waits for it, at most ${minutes} minutes.`);
      this.#isOutageReported = true;
    }
    return false;
  }

  /**
   * Once Redis has been away, or has taken no writes, for too long, the run ends, so that it can be resumed; null
   * before that.
   */
  #stranded(charged: 'no' | 'unknown'): PageOutcome | null {
    const awayMs = this.#awaySince === null ? 0 : this.#options.clock.now() - this.#awaySince;
    if (this.#awaySince === null || awayMs < this.#timings.awayMaxMs) return null;
    const seconds = Math.round(awayMs / 1000);
    const [message, remedy] =
      this.#refusal === null
        ? [`Redis has been unreachable for ${seconds} s.`, 'Start Redis']
        : [`Redis has refused writes for ${seconds} s: ${this.#refusal}`, 'Correct that'];
    const hint = `${remedy} and run again; the run resumes where it stopped.`;
    return failed(new ServiceError('CONNECTION_FAILED', message, { disposition: 'halt', charged, hint }));
  }

  /** While Redis is away, its connection has logged that; other errors are logged once. */
  #complain(error: unknown): void {
    this.#isInDoubt = true;
    const message = errorText(error);
    if (this.#redis.status !== 'ready' || message === this.#lastComplaint) return;
    this.#lastComplaint = message;
    this.#options.log.warn({ error: message }, 'queue failed; retrying');
  }
}

/** An attempt that a coordinator is about to buy; its number is not known yet. */
function announcementKey({ queue }: QueuedService, requestKey: string, payer: string): string {
  return `${keyPrefix}:announced:${queue}:${payer}:${requestKey}`;
}

/** The caller stopped waiting. `unknown`: a worker may be at it. */
function gaveUp(charged: 'no' | 'unknown'): PageOutcome {
  return failed(new ServiceError('ABORTED', 'The caller gave up waiting.', { charged }));
}
