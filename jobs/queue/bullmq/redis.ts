// Connects to Redis for the queue, and judges whether work may be trusted to it.
import { Redis } from 'ioredis';
import { backoffMs } from '../../../src/service/index.ts';
import type { Log } from '../../context.ts';
import type { RequestFailure } from '../../retry.ts';
import { type Persistence, readFact, readPersistence } from './durability.ts';

/** Every key of ours begins with it. */
export const keyPrefix = 'rankledger';

/** A service as its queue knows it. */
export interface QueuedService {
  /** Its name in the config. */
  readonly name: string;
  /** Name of its queue, the same wherever its account is the same: no two accounts ever share a purchase. */
  readonly queue: string;
  /** Requests in flight at most, over all workers; null: the sum of the workers' concurrency. */
  readonly concurrency: number | null;
  /** Over all workers; null: not limited. */
  readonly requestsPerSecond: number | null;
}

/** Times of the queue. All are machine time: leases are kept by Redis, not by a clock of ours. */
export interface QueueTimings {
  /** How often a coordinator checks its requests, and a worker its queues. */
  readonly sweepMs: number;
  /** An attempt must seem lost for this long: workers need a moment to reconnect and to renew their heartbeat. */
  readonly settleMs: number;
  /** How often a worker writes its heartbeat, with the attempts that it holds. */
  readonly beatMs: number;
  /** A worker that was silent for this long is dead, or paused. */
  readonly leaseMs: number;
  /**
   * Jobs wait, nothing moves and nothing forbids it for this long: the worker's connection to its queue is made anew.
   */
  readonly idleMs: number;
  /** A Redis that is away for this long is reported to the operator. */
  readonly noticeMs: number;
  /** A Redis that is away for this long ends the run. */
  readonly awayMaxMs: number;
}

/** Called with sentences for the operator, such as those about a Redis that is away. */
export type Notify = (sentence: string) => void;

export const queueTimings: QueueTimings = Object.freeze({
  sweepMs: 500,
  settleMs: 3000,
  beatMs: 1500,
  leaseMs: 6000,
  idleMs: 5000,
  noticeMs: 5000,
  awayMaxMs: 600_000,
});

/** Waits between attempts to connect. The longest leaves time to resume within 10 s. */
const reconnect = { firstMs: 100, maxMs: 1000 };
const connectTimeoutMs = 5000;
/**
 * A connection that owes an answer for this long is dropped: half of it may be gone. Longer than any blocking command.
 */
const silenceMaxMs = 20_000;
/**
 * How long closing waits for a Redis that does not answer, or whose connection is still being made.
 */
export const disconnectTimeoutMs = 100;
/** How long a connection is waited for while a queue is opened. */
const reachTimeoutMs = 10_000;

/** Redis cannot be used as a queue. */
export class QueueError extends Error {
  override readonly name = 'QueueError';
  readonly code: 'REDIS_UNREACHABLE' | 'REDIS_EVICTS';
  readonly hint: string;

  constructor(code: QueueError['code'], message: string, hint: string) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

/**
 * A connection that never gives up. `patient` commands wait for Redis to come back; the others fail at once while it is
 * away. An outage is logged once, and so is its end.
 */
export function connect(url: string, log: Log, isPatient: boolean): Redis {
  const redis = new Redis(url, {
    disconnectTimeout: disconnectTimeoutMs,
    connectTimeout: connectTimeoutMs,
    socketTimeout: silenceMaxMs,
    maxRetriesPerRequest: isPatient ? null : 0,
    enableOfflineQueue: isPatient,
    retryStrategy: (times) => backoffMs(reconnect, times),
  });
  let isAway = false;
  const leave = (error?: Error): void => {
    if (isAway || redis.status === 'end') return;
    isAway = true;
    log.warn({ error: error?.message ?? 'the connection was closed' }, 'Redis is unreachable; waiting for it');
  };
  redis.on('error', leave);
  redis.on('close', leave);
  redis.on('ready', () => {
    if (isAway) log.info({}, 'Redis is back');
    isAway = false;
  });
  return redis;
}

/** For a second connection: both lose Redis at once, so only one of them logs it. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** Whether the settings of Redis allow work to be trusted to it. */
export interface RedisFacts {
  /** Whether Redis knows after a restart all that it knew before. */
  readonly isDurable: boolean;
}

/**
 * Waits for a first answer, refuses a Redis that may throw work away, and warns about one that forgets it. Throws
 * QueueError.
 */
export async function admit(redis: Redis, log: Log): Promise<RedisFacts> {
  await reached(redis, false);
  const policy = readFact(await redis.info('memory'), 'maxmemory_policy');
  if (policy !== undefined && policy !== 'noeviction') {
    throw new QueueError(
      'REDIS_EVICTS',
      `Redis at ${redisAddress(redis)} may evict work to free memory: its maxmemory-policy is ${policy}`,
      'Set it to noeviction: `redis-cli config set maxmemory-policy noeviction`, and the same in redis.conf.',
    );
  }
  const { isDurable, persistence } = await durability(redis);
  if (!isDurable) log.warn({}, `${forgets[persistence]}: after a restart of Redis, requests in flight count as spent`);
  return { isDurable };
}

export async function durability(redis: Redis): Promise<RedisFacts & { readonly persistence: Persistence }> {
  const persistence = (await readPersistence(redis)) ?? 'none';
  return { isDurable: persistence === 'log', persistence };
}

const writeTestKey = `${keyPrefix}:write-test`;

/** Whether Redis takes work. One that answers may refuse every write: it is full, cannot save, or became a replica. */
export class Availability {
  /** Since when Redis takes no work, UTC milliseconds; null again after `onReturn`. */
  awaySince: number | null = null;
  /** What Redis says to a write; null where it takes it or does not answer. */
  refusal: string | null = null;
  readonly #redis: Redis;
  readonly #timings: QueueTimings;
  readonly #notify: Notify;
  #isInDoubt = false;
  #isReported = false;

  constructor(redis: Redis, timings: QueueTimings, notify: Notify) {
    this.#redis = redis;
    this.#timings = timings;
    this.#notify = notify;
  }

  /** A command has failed: the next check writes. */
  onError(): void {
    this.#isInDoubt = true;
  }

  /** Whether it takes work now. */
  async check(now: number): Promise<boolean> {
    this.refusal = null;
    if (this.#redis.status === 'ready' && (!this.#isInDoubt || (await this.#takesWrites()))) return true;
    this.awaySince ??= now;
    if (!this.#isReported && now - this.awaySince >= this.#timings.noticeMs) this.#report();
    return false;
  }

  /** Its return has been noted. */
  onReturn(): void {
    this.awaySince = null;
    if (this.#isReported) this.#notify('Redis is back.');
    this.#isReported = false;
  }

  #report(): void {
    const trouble = this.refusal === null ? 'does not answer' : `refuses writes (${this.refusal})`;
    const minutes = Math.ceil(this.#timings.awayMaxMs / 60_000);
    this.#notify(`Redis at ${redisAddress(this.#redis)} ${trouble}. The run waits for it, at most ${minutes} minutes.`);
    this.#isReported = true;
  }

  async #takesWrites(): Promise<boolean> {
    try {
      await this.#redis.set(writeTestKey, '', 'PX', 1);
      this.#isInDoubt = false;
      return true;
    } catch (error) {
      if (error instanceof Error && error.name === 'ReplyError') this.refusal = error.message;
      return false;
    }
  }
}

const forgets: Readonly<Record<Persistence, string>> = {
  log: 'Redis persists every write',
  unsynced: 'Redis does not sync each write to its disk (appendfsync is not always)',
  snapshots: 'Redis persists snapshots only (appendonly no)',
  none: 'Redis persists nothing (appendonly no, no save)',
};

/** For messages: without the password. */
export function redisAddress({ options }: Redis): string {
  return `${options.host ?? 'localhost'}:${options.port ?? 6379}/${options.db ?? 0}`;
}

/** The keys of a service's queue are BullMQ's own; this is the one of a job. */
export function jobKey(service: QueuedService, jobId: string): string {
  return `${keyPrefix}:${service.queue}:${jobId}`;
}

/** Where BullMQ counts what has left of a queue in its window, and keeps its pause. */
export function limiterKey(service: QueuedService): string {
  return `${keyPrefix}:${service.queue}:limiter`;
}

/** Nothing forbids it: BullMQ needs a limit before it heeds a provider's pause. */
const unlimited = { max: 1_000_000_000, duration: 1000 };
/** Limits are counted in windows of this length: short ones, so that no second holds two windows' worth. */
const windowMs = 100;

/** Windows as short as they can be and still hold a request. `duration` in milliseconds. */
export function limiterOptions(requestsPerSecond: number | null): { readonly max: number; readonly duration: number } {
  if (requestsPerSecond === null) return unlimited;
  const max = Math.max(1, Math.floor((requestsPerSecond * windowMs) / 1000));
  return { max, duration: Math.ceil((max * 1000) / requestsPerSecond) };
}

/** A provider that asks for patience without saying how much, or has refused. */
const pauseDefaultMs = 1000;

/**
 * How long a failure pauses all workers; null: not at all. A halt gives the coordinator time to withdraw jobs that no
 * worker has begun.
 */
export function choosePauseMs({
  disposition,
  retryAfterMs,
}: Pick<RequestFailure, 'disposition' | 'retryAfterMs'>): number | null {
  if (disposition !== 'wait' && disposition !== 'halt' && retryAfterMs === null) return null;
  return Math.ceil(retryAfterMs ?? pauseDefaultMs);
}

/**
 * Waits for Redis to take commands; one that `wasThere` may refuse meanwhile. Throws QueueError where it does not come
 * in time.
 */
export async function reached(redis: Redis, wasThere: boolean): Promise<void> {
  if (redis.status === 'ready') return;
  let reason = 'no answer';
  const ready = Promise.withResolvers<void>();
  const late = AbortSignal.timeout(reachTimeoutMs);
  const giveUp = (): void => {
    const address = `Redis at ${redisAddress(redis)}`;
    const hint = 'Start it, or correct queue.redisUrl.';
    ready.reject(new QueueError('REDIS_UNREACHABLE', `${address} cannot be reached: ${reason}`, hint));
  };
  const note = (error: Error): void => {
    reason = error.message;
    if (!wasThere) giveUp();
  };
  redis.on('error', note);
  redis.on('ready', ready.resolve);
  late.addEventListener('abort', giveUp);
  try {
    await ready.promise;
  } finally {
    redis.off('error', note);
    redis.off('ready', ready.resolve);
    late.removeEventListener('abort', giveUp);
  }
}
