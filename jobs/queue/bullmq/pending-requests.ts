// Follows the requests that a coordinator has enqueued until each has ended.
import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { batchesOf } from '../../../db/connection/batches.ts';
import { type Clock, errorText } from '../../../src/service/index.ts';
import type { Log } from '../../context.ts';
import type { PageJob, PageOutcome } from '../queue.ts';
import { readAsk, sendGrant } from './grants.ts';
import { type JobData, packJob } from './job.ts';
import { droppedOutcome, ForgedOutcome, failed, gaveUp, stranded, toOutcome } from './outcome.ts';
import { Availability, durability, jobKey, type Notify, type QueuedService, type QueueTimings } from './redis.ts';
import {
  type AttemptEnd,
  type AttemptState,
  announcementKey,
  attemptKey,
  type RedisAttempts,
} from './redis-attempts.ts';
import type { MessageSigner } from './signature.ts';

/** How a try has ended for this coordinator. `given-up`: it did not wait for the end. */
export interface RequestEnd {
  readonly kind: AttemptEnd['kind'] | 'given-up';
  readonly outcome: PageOutcome;
}

/** A try without an end. */
export interface PendingRequest {
  readonly service: QueuedService;
  readonly jobId: string;
  readonly key: string;
  readonly announcement: string;
  readonly page: PageJob;
  readonly payer: string;
  readonly ended: PromiseWithResolvers<RequestEnd>;
  /** A worker may have it: if Redis lost it, its outcome is unknown. */
  isEnqueued: boolean;
  /** No longer wanted, unless a worker has begun it. */
  isUnwanted: boolean;
  /** The token of the one beginning that was confirmed to a worker. */
  granted: string | null;
  /** Since when its state is suspect. */
  doubt: { readonly state: AttemptState; readonly since: number } | null;
}

export interface PendingRequestsOptions {
  readonly redis: Redis;
  readonly attempts: RedisAttempts;
  /** By the name of the service. */
  readonly queues: ReadonlyMap<string, Queue<JobData>>;
  /** Whether Redis knows after a restart what it knew before. */
  readonly isDurable: boolean;
  readonly seal: MessageSigner;
  readonly clock: Clock;
  readonly log: Log;
  readonly notify: Notify;
  readonly timings: QueueTimings;
}

/** Attempts that one command reads. */
const sweepBatchMax = 200;
/** The lowest priority; 0 would go before all others. */
const priorityMax = 2_097_151;
const quietMaxMs = 30_000; // without any progress, a warning asks whether workers run at all

export class PendingRequests {
  readonly #options: PendingRequestsOptions;
  readonly #queues: ReadonlyMap<string, Queue<JobData>>;
  readonly #followed = new Map<string, PendingRequest>();
  readonly #closing = new AbortController();
  #isDurable: boolean;
  readonly #availability: Availability;
  #lastMoveAt: number;
  #lastComplaint = '';

  constructor(options: PendingRequestsOptions) {
    this.#options = options;
    this.#queues = options.queues;
    this.#isDurable = options.isDurable;
    this.#availability = new Availability(options.redis, options.timings, options.notify);
    this.#lastMoveAt = options.clock.now();
  }

  /** The number of attempts that are followed. */
  get size(): number {
    return this.#followed.size;
  }

  /** Sweeps the pending requests until it is closed. */
  start(): void {
    const { clock, timings } = this.#options;
    void (async () => {
      while (!this.#closing.signal.aborted) {
        await clock.sleep(timings.sweepMs, this.#closing.signal).catch(() => undefined);
        if (!this.#closing.signal.aborted) await this.#sweep().catch((error: unknown) => this.#complain(error));
      }
    })();
  }

  /** Announces a purchase; the returned function withdraws that. Null where Redis is unreachable. */
  async announce(service: QueuedService, { requestKey }: PageJob, payer: string): Promise<(() => void) | null> {
    const { attempts } = this.#options;
    const announcement = announcementKey(service, requestKey, payer);
    try {
      await attempts.announce(announcement);
      return () => void attempts.retract(announcement).catch(() => undefined);
    } catch (error) {
      this.#complain(error);
      return null;
    }
  }

  /** Follows a try; the same one twice has one outcome. */
  follow(service: QueuedService, page: PageJob, attempt: number, payer: string): PendingRequest {
    const jobId = `${page.requestKey}-${attempt}`;
    const key = attemptKey(service, jobId);
    const known = this.#followed.get(key);
    if (known !== undefined) return known;
    const followed: PendingRequest = {
      service,
      jobId,
      key,
      announcement: announcementKey(service, page.requestKey, payer),
      page,
      payer,
      ended: Promise.withResolvers<RequestEnd>(),
      isEnqueued: false,
      isUnwanted: false,
      granted: null,
      doubt: null,
    };
    if (this.#followed.size === 0) this.#lastMoveAt = this.#options.clock.now();
    this.#followed.set(key, followed);
    return followed;
  }

  /** Enqueues it for the workers. Repeating this changes nothing. If Redis fails, the next sweep repeats it. */
  async enqueue(followed: PendingRequest): Promise<void> {
    const { attempts } = this.#options;
    const { service, jobId, key, announcement, page, payer } = followed;
    const queue = this.#queues.get(service.name);
    if (queue === undefined) throw new Error(`there is no queue for the service "${service.name}"`);
    const priority = Math.min(page.order + 1, priorityMax);
    try {
      const opened = await attempts.open(key, announcement, payer);
      // Redis may take the job, give it to a worker and forget both before its answer is here
      followed.isEnqueued = true;
      if (opened === 'open') {
        const data = packJob(jobId, page, payer, this.#options.seal);
        await queue.add('page', data, { jobId, priority, removeOnComplete: true, removeOnFail: true });
      }
      if (opened === 'ended') await this.#finish(followed);
    } catch (error) {
      this.#complain(error);
    }
  }

  /** Calls it back if no worker has begun it. True if it has ended by now. */
  async withdraw(followed: PendingRequest): Promise<boolean> {
    followed.isUnwanted = true;
    try {
      const state = await this.#options.attempts.conclude(followed, 'withdrawn', this.#isDurable);
      if (state !== 'ended') return false;
      await this.#finish(followed);
      await this.#queues.get(followed.service.name)?.remove(followed.jobId);
      return true;
    } catch (error) {
      this.#complain(error);
      return !this.#followed.has(followed.key);
    }
  }

  /** Stops following it. */
  giveUp(followed: PendingRequest, outcome: PageOutcome): void {
    this.#end(followed, { kind: 'given-up', outcome });
  }

  /** An attempt has ended, of this coordinator or of another one. */
  async onEnded(key: string): Promise<void> {
    const followed = this.#followed.get(key);
    if (followed !== undefined) await this.#finish(followed).catch((error: unknown) => this.#complain(error));
  }

  /** A worker asks whether it may send. Silence refuses: another coordinator may have this purchase open. */
  onAsk(message: string): void {
    const { redis, seal } = this.#options;
    const asked = readAsk(message, seal);
    const followed = asked === null ? undefined : this.#followed.get(asked.key);
    if (asked === null || followed === undefined || followed.isUnwanted || followed.payer !== asked.payer) return;
    followed.granted ??= asked.token;
    if (followed.granted !== asked.token) return;
    sendGrant(redis, seal, asked).catch((error: unknown) => this.#complain(error)); // the worker asks again
  }

  /** The end of a run whose Redis has been away, or has taken no writes, for too long; null before that. */
  stranded(charged: 'no' | 'unknown'): PageOutcome | null {
    const { clock, timings } = this.#options;
    const { awaySince, refusal } = this.#availability;
    const awayMs = awaySince === null ? 0 : clock.now() - awaySince;
    return awaySince === null || awayMs < timings.awayMaxMs ? null : failed(stranded(awayMs, refusal, charged));
  }

  async close(): Promise<void> {
    this.#closing.abort();
    for (const followed of this.#followed.values()) this.giveUp(followed, gaveUp('unknown'));
    await Promise.all([...this.#queues.values()].map((queue) => queue.close().catch(() => undefined)));
  }

  async #finish(followed: PendingRequest): Promise<void> {
    const end = await this.#options.attempts.read(followed.key);
    if (end === null) return;
    this.#lastMoveAt = this.#options.clock.now();
    this.#end(followed, { kind: end.kind, outcome: await this.#readOutcome(end, followed) });
  }

  /** Data in Redis is foreign input: a forged outcome is dropped, and its request counts as spent. */
  async #readOutcome(end: AttemptEnd, { key, payer, isUnwanted }: PendingRequest): Promise<PageOutcome> {
    const { seal, attempts, log } = this.#options;
    try {
      return toOutcome(end, payer, isUnwanted, { key, seal });
    } catch (error) {
      if (!(error instanceof ForgedOutcome)) throw error;
      log.warn({ try: key, reason: error.message }, 'outcome in Redis rejected and dropped');
      await attempts.drop(key).catch(() => undefined);
      return droppedOutcome(error);
    }
  }

  #end(followed: PendingRequest, ending: RequestEnd): void {
    this.#followed.delete(followed.key);
    followed.ended.resolve(ending);
  }

  async #sweep(): Promise<void> {
    const { redis, clock, attempts } = this.#options;
    if (!(await this.#availability.check(clock.now()))) {
      const outcome = this.stranded('unknown');
      if (outcome !== null) for (const followed of this.#followed.values()) this.giveUp(followed, outcome);
      return;
    }
    if (this.#availability.awaySince !== null) {
      // what was lost before stays lost, however well Redis syncs from now on
      this.#isDurable &&= (await durability(redis)).isDurable;
      this.#availability.onReturn();
    }
    for (const some of batchesOf([...this.#followed.values()], sweepBatchMax)) {
      const tracked = some.map(({ service, jobId, key }) => ({ key, jobKey: jobKey(service, jobId) }));
      const states = await attempts.readStates(tracked);
      await Promise.all(some.map((followed, index) => this.#attend(followed, states[index] ?? 'waiting')));
    }
    await this.#missWorkers();
  }

  async #attend(followed: PendingRequest, state: AttemptState): Promise<void> {
    const { clock, timings } = this.#options;
    if (!this.#followed.has(followed.key)) return;
    switch (state) {
      case 'ended':
        return await this.#finish(followed);
      case 'begun':
        followed.doubt = null;
        return;
      case 'waiting':
      case 'absent':
        followed.doubt = null;
        if (followed.isUnwanted) await this.withdraw(followed);
        else if (state === 'absent') await this.enqueue(followed);
        return;
      case 'missing':
      case 'orphaned':
      case 'stale': {
        const now = clock.now();
        if (followed.doubt?.state !== state) followed.doubt = { state, since: now };
        else if (now - followed.doubt.since >= timings.settleMs) await this.#resolveDoubt(followed, state);
        return;
      }
    }
  }

  /** Every process that could know better has had the time to report it. */
  async #resolveDoubt(followed: PendingRequest, state: 'missing' | 'orphaned' | 'stale'): Promise<void> {
    const { attempts } = this.#options;
    followed.doubt = null;
    if (state === 'missing' && !followed.isEnqueued) return await this.enqueue(followed);
    if (state === 'stale' && this.#isDurable) {
      if (followed.isUnwanted) await this.withdraw(followed);
      else await attempts.confirm(followed.key);
      return;
    }
    await attempts.conclude(followed, 'lost', this.#isDurable);
    await this.#finish(followed);
  }

  /** Requests without a worker look like slow ones: a warning is logged now and then. */
  async #missWorkers(): Promise<void> {
    const { clock, log, notify } = this.#options;
    const now = clock.now();
    if (this.#followed.size === 0 || now - this.#lastMoveAt < quietMaxMs) return;
    this.#lastMoveAt = now;
    for (const name of new Set([...this.#followed.values()].map(({ service }) => service.name))) {
      if (((await this.#queues.get(name)?.getWorkersCount()) ?? 0) > 0) continue;
      log.warn({ service: name }, 'service has no worker: start `rankledger worker`');
      notify(`Service ${name} has no worker, and its requests wait. Start one: rankledger worker`);
    }
  }

  /** While Redis is away, its connection has logged that; other errors are logged once. */
  #complain(error: unknown): void {
    this.#availability.onError();
    const message = errorText(error);
    if (this.#options.redis.status !== 'ready' || message === this.#lastComplaint) return;
    this.#lastComplaint = message;
    this.#options.log.warn({ error: message }, 'queue failed; retrying');
  }
}
