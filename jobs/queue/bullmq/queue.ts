// The queue over Redis on the coordinator, the only process that uses the store. Workers fetch the pages.
import type { Queue } from 'bullmq';
import type { Clock } from '../../../src/service/index.ts';
import type { Log } from '../../context.ts';
import type { FetchOptions, FetchQueue, OpenAttempt, PageJob, PageOutcome, Recalled } from '../queue.ts';
import { askChannel } from './grants.ts';
import type { JobData } from './job.ts';
import { openQueue, persist } from './opening.ts';
import { failed, gaveUp } from './outcome.ts';
import { type PendingRequest, PendingRequests, type RequestEnd } from './pending-requests.ts';
import {
  admit,
  connect,
  type Notify,
  type QueuedService,
  type QueueTimings,
  queueTimings,
  silentLog,
} from './redis.ts';
import { endedChannel, RedisAttempts } from './redis-attempts.ts';
import { MessageSigner } from './signature.ts';

export interface BullmqQueueOptions {
  readonly redisUrl: string;
  /** Signs messages; the same for all coordinators and workers of a Redis. Null: they travel unsigned. */
  readonly signingKey?: string | null;
  readonly services: readonly QueuedService[];
  /** Pages handed out at once. */
  readonly concurrency: number;
  /**
   * Identity of the ledger that pays: the same after a restart, and no other ledger's. Asked for when something is
   * reserved.
   */
  readonly payer: () => string;
  readonly clock: Clock;
  /** Called with the dates of the answers that workers had. Absent: nothing is learned. */
  readonly witness?: Clock['witness'];
  readonly log: Log;
  /** Default: nothing is reported to an operator. */
  readonly notify?: Notify;
  readonly timings?: QueueTimings;
}

/** An outcome that took longer says too little of the time now. */
const witnessMsMax = 30 * 60_000;

/** How long a request that is given up may take to say that it had not begun. */
const cancelGraceMs = 1000;

/** Opens the queue. Throws QueueError where Redis cannot be reached, or would throw work away. */
export async function openBullmqQueue(options: BullmqQueueOptions): Promise<FetchQueue> {
  const { redisUrl, services, clock, log } = options;
  const redis = connect(redisUrl, log, false);
  const subscriber = connect(redisUrl, silentLog, true);
  try {
    const { isDurable } = await persist(redis, clock, () => admit(redis, log));
    const queues = new Map<string, Queue<JobData>>();
    for (const service of services) {
      queues.set(service.name, await persist(redis, clock, () => openQueue<JobData>(service, redis)));
    }
    const timings = options.timings ?? queueTimings;
    const seal = new MessageSigner(options.signingKey ?? null);
    const pending = new PendingRequests({
      redis,
      attempts: new RedisAttempts(redis),
      queues,
      isDurable,
      seal,
      clock,
      log,
      notify: options.notify ?? (() => undefined),
      timings,
    });
    subscriber.on('message', (channel, message) => {
      if (channel === askChannel) pending.onAsk(message);
      else void pending.onEnded(message);
    });
    // the next sweep sees messages sent before the subscription exists, and workers ask again
    const channels = seal.isSigning ? [endedChannel, askChannel] : [endedChannel];
    subscriber.subscribe(...channels).catch(() => undefined);
    pending.start();
    const disconnect = (): void => {
      subscriber.disconnect();
      redis.disconnect();
    };
    return new BullmqQueue(options, pending, () => redis.status === 'ready', disconnect);
  } catch (error) {
    subscriber.disconnect();
    redis.disconnect();
    throw error;
  }
}

class BullmqQueue implements FetchQueue {
  readonly concurrency: number;
  readonly #options: BullmqQueueOptions;
  readonly #services: ReadonlyMap<string, QueuedService>;
  readonly #pending: PendingRequests;
  readonly #isThere: () => boolean;
  readonly #disconnect: () => void;

  constructor(options: BullmqQueueOptions, pending: PendingRequests, isThere: () => boolean, disconnect: () => void) {
    this.concurrency = options.concurrency;
    this.#options = options;
    this.#services = new Map(options.services.map((service) => [service.name, service]));
    this.#pending = pending;
    this.#isThere = isThere;
    this.#disconnect = disconnect;
  }

  /** Connected when it was opened. */
  async prepare(): Promise<void> {}

  async fetchPage(page: PageJob, { signal, stop, beforeSend }: FetchOptions): Promise<PageOutcome> {
    try {
      const service = this.#findService(page);
      const payer = this.#options.payer();
      const announced = await this.#announce(service, page, payer, AbortSignal.any([signal, stop]));
      if (typeof announced !== 'function') return announced;
      const attempt = await beforeSend().catch((error: unknown) => {
        announced();
        throw error;
      });
      if (attempt === null) {
        announced();
        return gaveUp('no');
      }
      const followed = this.#pending.follow(service, page, attempt, payer);
      const handedAt = this.#options.clock.now();
      void this.#pending.enqueue(followed);
      const { outcome } = await this.#end(followed, stop, signal);
      this.#witness(outcome, handedAt);
      return outcome;
    } catch (error) {
      return failed(error);
    }
  }

  /** Passes the date of an answer on, unless the clock jumped or the machine was suspended meanwhile. */
  #witness({ answeredAt }: PageOutcome, handedAt: number): void {
    const tookMs = this.#options.clock.now() - handedAt;
    if (answeredAt === undefined || tookMs < 0 || tookMs > witnessMsMax) return;
    this.#options.witness?.({ date: new Date(answeredAt).toUTCString() });
  }

  async recall(open: OpenAttempt, signal: AbortSignal): Promise<Recalled> {
    try {
      const { attempt, ...page } = open;
      const followed = this.#pending.follow(this.#findService(page), page, attempt, this.#options.payer());
      followed.isEnqueued = true;
      const { kind, outcome } = await this.#end(followed, AbortSignal.abort(), signal);
      if (kind === 'withdrawn') return { kind: 'never-sent' };
      return kind === 'outcome' ? { kind, outcome } : { kind: 'lost' };
    } catch {
      return { kind: 'lost' };
    }
  }

  async close(): Promise<void> {
    await this.#pending.close();
    this.#disconnect();
  }

  #findService({ service: name }: PageJob): QueuedService {
    const service = this.#services.get(name);
    if (service === undefined) throw new Error(`the config has no service "${name}"`);
    return service;
  }

  /** While Redis is away nothing is written down that could not leave. The function takes the announcement back. */
  async #announce(
    service: QueuedService,
    page: PageJob,
    payer: string,
    leave: AbortSignal,
  ): Promise<(() => void) | PageOutcome> {
    const { clock, timings = queueTimings } = this.#options;
    while (!leave.aborted) {
      const retract = this.#isThere() ? await this.#pending.announce(service, page, payer) : null;
      if (retract !== null) return retract;
      const stranded = this.#pending.stranded('no');
      if (stranded !== null) return stranded;
      await clock.sleep(timings.sweepMs, leave).catch(() => undefined);
    }
    return gaveUp('no');
  }

  async #end(followed: PendingRequest, stop: AbortSignal, giveUp: AbortSignal): Promise<RequestEnd> {
    const withdraw = (): void => void this.#pending.withdraw(followed);
    const leave = (): void => void this.#leave(followed);
    if (giveUp.aborted) leave();
    else if (stop.aborted) withdraw();
    stop.addEventListener('abort', withdraw);
    giveUp.addEventListener('abort', leave);
    try {
      return await followed.ended.promise;
    } finally {
      stop.removeEventListener('abort', withdraw);
      giveUp.removeEventListener('abort', leave);
    }
  }

  /** What a worker has begun may be charged; its answer comes too late for this run. */
  async #leave(followed: PendingRequest): Promise<void> {
    const { clock } = this.#options;
    const timer = new AbortController();
    await Promise.race([
      this.#pending.withdraw(followed),
      clock.sleep(cancelGraceMs, timer.signal).catch(() => undefined),
    ]);
    timer.abort();
    this.#pending.giveUp(followed, gaveUp('unknown'));
  }
}
