// Connects to Redis for the queue, and judges whether work may be trusted to it.
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { backoffMs, type Clock } from '../../../src/service/terms.ts';
import type { Log } from '../../context.ts';

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
  /** How often a coordinator checks its requests, and how long a worker waits before it repeats a command. */
  readonly sweepMs: number;
  /** An attempt must seem lost for this long: workers need a moment to reconnect and to renew their heartbeat. */
  readonly settleMs: number;
  /** How often a worker writes its heartbeat, with the attempts that it holds. */
  readonly beatMs: number;
  /** A worker that was silent for this long is dead, or paused. */
  readonly leaseMs: number;
  /** A Redis that is away for this long is reported to the operator. */
  readonly noticeMs: number;
  /** A Redis that is away for this long ends the run. */
  readonly awayMaxMs: number;
}

/** What a coordinator and a worker need alike. */
export interface RedisMember {
  readonly redisUrl: string;
  /** Signs messages; the same for all coordinators and workers of a Redis. Null: they travel unsigned. */
  readonly signingKey?: string | null;
  readonly clock: Clock;
  readonly log: Log;
  readonly timings?: QueueTimings;
}

export const queueTimings: QueueTimings = Object.freeze({
  sweepMs: 500,
  settleMs: 3000,
  beatMs: 1500,
  leaseMs: 6000,
  noticeMs: 5000,
  awayMaxMs: 600_000,
});

/** Waits between attempts to connect. The longest leaves time to resume within 10 s. */
const reconnect = { firstMs: 100, maxMs: 1000 };
const connectTimeoutMs = 5000;
/** A connection that owes an answer for so long is dropped: half of it may be gone. Blocking commands are shorter. */
const silenceMaxMs = 20_000;
/** How long closing waits for a Redis that does not answer, or whose connection is still being made. */
const disconnectTimeoutMs = 100;
/** How long a Redis is waited for while a queue is opened. */
const admitTimeoutMs = 10_000;
/** Keys that one step of the search for workers reads. */
const scanCount = 1000;

/** Redis cannot be used as a queue. */
class QueueError extends Error {
  override readonly name = 'QueueError';
  readonly code: 'REDIS_UNREACHABLE' | 'REDIS_EVICTS';
  readonly hint: string;

  constructor(code: QueueError['code'], message: string, hint: string) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

/** For connections beside one that logs: both lose Redis at once. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** What a command does while Redis is away: it waits for it, it fails at once, or it waits for so long at most. */
const patience = {
  patient: { maxRetriesPerRequest: null, enableOfflineQueue: true },
  impatient: { maxRetriesPerRequest: 0, enableOfflineQueue: false },
  brief: { maxRetriesPerRequest: 0, enableOfflineQueue: true, commandTimeout: 2000 },
};

/** A connection that never gives up. An outage is logged once, and so is its end. */
export function connect(url: string, log: Log, kind: keyof typeof patience): Redis {
  const redis = new Redis(url, {
    disconnectTimeout: disconnectTimeoutMs,
    connectTimeout: connectTimeoutMs,
    socketTimeout: silenceMaxMs,
    ...patience[kind],
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

/**
 * Refuses a Redis that may throw work away, and warns about one that forgets it. Resolves with whether it knows after a
 * restart all that it knew before. Throws QueueError, at once where it was never reachable. `redis` is patient.
 */
export async function admit(redis: Redis, log: Log): Promise<boolean> {
  let reason = 'no answer';
  let wasReady = redis.status === 'ready';
  const refused = Promise.withResolvers<never>();
  const giveUp = (): void => refused.reject(unreachable(redis, reason));
  const onReady = (): void => {
    wasReady = true;
  };
  const onError = (error: Error): void => {
    reason = error.message;
    if (!wasReady) giveUp();
  };
  redis.on('ready', onReady);
  redis.on('error', onError);
  const timer = setTimeout(giveUp, admitTimeoutMs);
  try {
    return await Promise.race([judge(redis, log), refused.promise]);
  } finally {
    clearTimeout(timer);
    redis.off('ready', onReady);
    redis.off('error', onError);
  }
}

async function judge(redis: Redis, log: Log): Promise<boolean> {
  const policy = readFact(await redis.info('memory'), 'maxmemory_policy');
  if (policy !== undefined && policy !== 'noeviction') {
    throw new QueueError(
      'REDIS_EVICTS',
      `Redis at ${redisAddress(redis)} may evict work to free memory: its maxmemory-policy is ${policy}`,
      'Set it to noeviction: `redis-cli config set maxmemory-policy noeviction`, and the same in redis.conf.',
    );
  }
  const persistence = (await readPersistence(redis)) ?? 'none';
  if (persistence === 'log') return true;
  log.warn({}, `${forgets[persistence]}: after a restart of Redis, requests in flight count as spent`);
  return false;
}

/**
 * `log`: every write is on disk before it is answered. `unsynced`: in a log whose last writes a crash of the machine
 * may lose.
 */
type Persistence = 'log' | 'unsynced' | 'snapshots' | 'none';

const forgets: Readonly<Record<Exclude<Persistence, 'log'>, string>> = {
  unsynced: 'Redis does not sync each write to its disk (appendfsync is not always)',
  snapshots: 'Redis persists snapshots only (appendonly no)',
  none: 'Redis persists nothing (appendonly no, no save)',
};

/** Null where Redis keeps no log and does not say what else it keeps. */
export async function readPersistence(redis: Redis): Promise<Persistence | null> {
  const isLogged = readFact(await redis.info('persistence'), 'aof_enabled');
  if (isLogged === '1') return (await isSynced(redis)) ? 'log' : 'unsynced';
  const rule = await readSetting(redis, 'save');
  if (rule === null) return isLogged === undefined ? null : 'none';
  return rule === '' ? 'none' : 'snapshots';
}

/** A replica that took over may lack the last writes of the Redis before it, however well it syncs. */
async function isSynced(redis: Redis): Promise<boolean> {
  const before = readFact(await redis.info('replication'), 'master_replid2') ?? '';
  const always = (await readSetting(redis, 'appendfsync')) === 'always';
  return always && (await readSetting(redis, 'no-appendfsync-on-rewrite')) === 'no' && /^0*$/.test(before);
}

/** Null where Redis does not say: some hosts forbid CONFIG. */
async function readSetting(redis: Redis, name: string): Promise<string | null> {
  try {
    const answer: unknown = await redis.config('GET', name);
    return Array.isArray(answer) ? String(answer[1] ?? '') : null;
  } catch {
    return null;
  }
}

/** The value of a fact in an answer of INFO. */
function readFact(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
}

/** For messages: without the password. */
export function redisAddress({ options }: Redis): string {
  return `${options.host ?? 'localhost'}:${options.port ?? 6379}/${options.db ?? 0}`;
}

function unreachable(redis: Redis, reason: string): QueueError {
  const address = `Redis at ${redisAddress(redis)}`;
  return /WRONGPASS|NOAUTH|NOPERM|invalid password/i.test(reason)
    ? new QueueError('REDIS_UNREACHABLE', `${address} rejects the login`, 'Check user and password in queue.redisUrl.')
    : new QueueError(
        'REDIS_UNREACHABLE',
        `${address} cannot be reached: ${reason}`,
        'Start it, or correct queue.redisUrl.',
      );
}

/** A queue of BullMQ over a connection whose own listener logs outages. */
export function bullQueue<Data>(redis: Redis, name: string): Queue<Data> {
  // BullMQ would print its own words about eviction, write a version, and wait for ever for a Redis that is away
  const skipped = { skipMetasUpdate: true, skipVersionCheck: true, skipWaitingForReady: true };
  const queue = new Queue<Data>(name, { connection: redis, prefix: keyPrefix, ...skipped });
  queue.on('error', () => undefined);
  return queue;
}

/** What an operator should know of a Redis before work is trusted to it. */
export interface RedisState {
  /** Host, port and database, without the password. */
  readonly address: string;
  /** Null where Redis does not say, here and below. */
  readonly version: string | null;
  readonly maxmemoryPolicy: string | null;
  /** 0: as much as there is. */
  readonly maxmemoryBytes: number | null;
  readonly usedBytes: number | null;
  readonly persistence: Persistence | null;
  /** Workers that gave a sign of life within their lease. */
  readonly workers: number;
  /** Those of the queues in question that none of these workers serves. */
  readonly unserved: readonly string[];
}

/**
 * Asks Redis about itself, over a connection that gives up at once, and writes nothing. Throws QueueError; the signal's
 * reason where it takes too long.
 */
export async function redisState(
  redisUrl: string,
  signal: AbortSignal,
  queues: readonly string[] = [],
): Promise<RedisState> {
  const redis = new Redis(redisUrl, {
    lazyConnect: true,
    connectTimeout: connectTimeoutMs,
    maxRetriesPerRequest: 0,
    disconnectTimeout: disconnectTimeoutMs,
    retryStrategy: () => null,
  });
  let reason: string | null = null;
  redis.on('error', ({ message }) => {
    reason = message;
  });
  const giveUp = (): void => redis.disconnect();
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    signal.throwIfAborted();
    await redis.connect();
    const info = await redis.info();
    const fact = (name: string): string | null => readFact(info, name) ?? null;
    const count = (name: string): number | null => {
      const text = fact(name);
      return text === null ? null : Number(text);
    };
    const workers = new Set<string>();
    for await (const keys of redis.scanStream({ match: `${keyPrefix}:worker:*`, count: scanCount })) {
      for (const key of keys as string[]) workers.add(key);
    }
    const unserved: string[] = [];
    for (const name of queues) {
      if ((await bullQueue(redis, name).getWorkersCount()) === 0) unserved.push(name);
    }
    return {
      address: redisAddress(redis),
      version: fact('redis_version'),
      maxmemoryPolicy: fact('maxmemory_policy'),
      maxmemoryBytes: count('maxmemory'),
      usedBytes: count('used_memory'),
      persistence: await readPersistence(redis),
      workers: workers.size,
      unserved,
    };
  } catch (error) {
    signal.throwIfAborted();
    throw unreachable(redis, reason ?? (error instanceof Error ? error.message : ''));
  } finally {
    signal.removeEventListener('abort', giveUp);
    redis.disconnect();
  }
}
