// The worker process: takes page jobs of its services from Redis. It uses no database.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Redis } from 'ioredis';
import type { Clock, SearchDataService } from '../../../src/service/index.ts';
import type { Log } from '../../context.ts';
import { Grants } from './grants.ts';
import {
  admit,
  connect,
  type QueuedService,
  type QueueTimings,
  queueTimings,
  redisAddress,
  silentLog,
} from './redis.ts';
import { RedisAttempts } from './redis-attempts.ts';
import { ServiceWorker } from './service-worker.ts';
import { MessageSigner } from './signature.ts';

export interface PageWorkerOptions {
  readonly redisUrl: string;
  /** Signs messages; the same for all coordinators and workers of a Redis. Null: they travel unsigned. */
  readonly signingKey?: string | null;
  readonly queued: readonly QueuedService[];
  readonly services: ReadonlyMap<string, SearchDataService>;
  /** Pages in flight at most, of each service. */
  readonly concurrency: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly timings?: QueueTimings;
}

export interface PageWorker {
  /** Host, port and database of Redis; no password. */
  readonly redis: string;
  /**
   * Begins nothing more, lets what is in flight come to its end, or drops it on the signal. What was not begun waits
   * for other workers.
   */
  close(giveUp: AbortSignal): Promise<void>;
}

/** After giving up, so long may it take to say so; then the connection is dropped. */
const cancelGraceMs = 1500;

/** Starts to work. Throws QueueError where Redis cannot be reached, or would throw work away. */
export async function startPageWorker(options: PageWorkerOptions): Promise<PageWorker> {
  const redis = connect(options.redisUrl, options.log, true);
  try {
    await admit(redis, options.log);
  } catch (error) {
    redis.disconnect();
    throw error;
  }
  const worker = new LivingWorker(options, redis);
  await worker.start();
  return worker;
}

class LivingWorker implements PageWorker {
  readonly redis: string;
  readonly #options: PageWorkerOptions;
  readonly #timings: QueueTimings;
  readonly #redis: Redis;
  readonly #subscriber: Redis | null;
  readonly #seal: MessageSigner;
  readonly #grants: Grants | null;
  readonly #attempts: RedisAttempts;
  readonly #name = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  readonly #lines: ServiceWorker[] = [];
  readonly #stop = new AbortController();
  readonly #giveUp = new AbortController();
  readonly #end = new AbortController();
  #begun = 0;

  constructor(options: PageWorkerOptions, redis: Redis) {
    this.redis = redisAddress(redis);
    this.#options = options;
    this.#timings = options.timings ?? queueTimings;
    this.#redis = redis;
    this.#seal = new MessageSigner(options.signingKey ?? null);
    this.#subscriber = this.#seal.isSigning ? connect(options.redisUrl, silentLog, true) : null;
    this.#grants = this.#subscriber && new Grants(redis, this.#subscriber, this.#seal, this.#name);
    this.#attempts = new RedisAttempts(redis);
  }

  async start(): Promise<void> {
    // before any job is taken: a beginning without a sign of life is an orphan
    await this.#beat();
    this.#redis.on('ready', () => void this.#beat().catch(() => undefined));
    for (const service of this.#options.queued) this.#lines.push(this.#openServiceWorker(service));
    await Promise.all(this.#lines.map((line) => line.ready()));
    void this.#every(this.#timings.beatMs, () => this.#beat());
    void this.#every(this.#timings.sweepMs, () => Promise.all(this.#lines.map((line) => line.recover())));
  }

  async close(late: AbortSignal): Promise<void> {
    this.#stop.abort();
    const drop = (): void => this.#giveUp.abort();
    if (late.aborted) drop();
    else late.addEventListener('abort', drop);
    const finished = Promise.all(this.#lines.map((line) => line.finish())).catch(() => undefined);
    await this.#untilOver(finished);
    late.removeEventListener('abort', drop);
    this.#end.abort();
    if (this.#redis.status === 'ready') await this.#attempts.leave(this.#name).catch(() => undefined);
    await Promise.all(this.#lines.map((line) => line.close())).catch(() => undefined);
    this.#redis.disconnect();
    this.#subscriber?.disconnect();
  }

  #openServiceWorker(service: QueuedService): ServiceWorker {
    const { services, clock, log, concurrency } = this.#options;
    return new ServiceWorker({
      redis: this.#redis,
      attempts: this.#attempts,
      seal: this.#seal,
      grants: this.#grants,
      service,
      services,
      concurrency: Math.min(concurrency, service.concurrency ?? Number.POSITIVE_INFINITY),
      clock,
      log,
      timings: this.#timings,
      stop: this.#stop.signal,
      giveUp: this.#giveUp.signal,
      token: () => `${this.#name}/${++this.#begun}`,
    });
  }

  #beat(): Promise<void> {
    const held = this.#lines.flatMap((line) => [...line.held.values()]);
    return this.#attempts.beat(this.#name, this.#timings.leaseMs, held);
  }

  /** Does it again and again while Redis is there; what fails is done again. */
  async #every(ms: number, work: () => Promise<unknown>): Promise<void> {
    const { signal } = this.#end;
    while (!signal.aborted) {
      await this.#options.clock.sleep(ms, signal).catch(() => undefined);
      if (this.#redis.status === 'ready' && !signal.aborted) await work().catch(() => undefined);
    }
  }

  /** Until it is finished, or has been given up for a while. */
  async #untilOver(finished: Promise<unknown>): Promise<void> {
    const { clock } = this.#options;
    const timer = new AbortController();
    const { signal } = this.#giveUp;
    const left = new Promise<void>((resolve) => {
      const wait = (): void => void clock.sleep(cancelGraceMs, timer.signal).then(resolve, resolve);
      if (signal.aborted) wait();
      else signal.addEventListener('abort', wait);
    });
    await Promise.race([finished, left]);
    timer.abort();
  }
}
