// Reads what an operator should know of a Redis before work is trusted to it. Reads only.
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { type Persistence, readFact, readPersistence } from './durability.ts';
import { disconnectTimeoutMs, keyPrefix, QueueError, redisAddress } from './redis.ts';

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

const connectTimeoutMs = 5000;
/** Keys that one step of the search for workers reads. */
const scanCount = 1000;

/**
 * Asks Redis about itself, over a connection that gives up at once. Throws QueueError; the signal's reason where it
 * takes too long.
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
  let reason = '';
  redis.on('error', (error) => {
    reason = error.message;
  });
  const giveUp = (): void => redis.disconnect();
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    signal.throwIfAborted();
    await redis.connect();
    return await ask(redis, queues);
  } catch (error) {
    signal.throwIfAborted();
    const words = reason === '' && error instanceof Error ? error.message : reason;
    throw unreachable(redis, words);
  } finally {
    signal.removeEventListener('abort', giveUp);
    redis.disconnect();
  }
}

async function ask(redis: Redis, queues: readonly string[]): Promise<RedisState> {
  const info = await redis.info();
  const fact = (name: string): string | null => readFact(info, name) ?? null;
  const count = (name: string): number | null => {
    const text = fact(name);
    return text === null ? null : Number(text);
  };
  return {
    address: redisAddress(redis),
    version: fact('redis_version'),
    maxmemoryPolicy: fact('maxmemory_policy'),
    maxmemoryBytes: count('maxmemory'),
    usedBytes: count('used_memory'),
    persistence: await readPersistence(redis),
    workers: await livingWorkers(redis),
    unserved: await findUnserved(redis, queues),
  };
}

async function findUnserved(redis: Redis, queues: readonly string[]): Promise<string[]> {
  const unserved: string[] = [];
  for (const name of queues) {
    // BullMQ would print its own words about eviction, which the caller reports
    const checks = { skipMetasUpdate: true, skipVersionCheck: true };
    const queue = new Queue(name, { connection: redis, prefix: keyPrefix, ...checks });
    queue.on('error', () => undefined); // the connection's own listener keeps the reason
    if ((await queue.getWorkersCount()) === 0) unserved.push(name);
  }
  return unserved;
}

async function livingWorkers(redis: Redis): Promise<number> {
  const found = new Set<string>();
  let cursor = '0';
  do {
    const [next, keys] = await redis.scan(cursor, 'MATCH', `${keyPrefix}:worker:*`, 'COUNT', scanCount);
    for (const key of keys) found.add(key);
    cursor = next;
  } while (cursor !== '0');
  return found.size;
}

function unreachable(redis: Redis, words: string): QueueError {
  const isRefusal = /WRONGPASS|NOAUTH|NOPERM|invalid password/i.test(words);
  return new QueueError(
    'REDIS_UNREACHABLE',
    isRefusal
      ? `Redis at ${redisAddress(redis)} rejects the login`
      : `Redis at ${redisAddress(redis)} cannot be reached: ${words}`,
    isRefusal ? 'Check user and password in queue.redisUrl.' : 'Start it, or correct queue.redisUrl.',
  );
}
