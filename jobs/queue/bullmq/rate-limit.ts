// The rate limit of a service: BullMQ's own limiter of its queue, which requests outside the queue share.
import type { Redis } from 'ioredis';
import { type Clock, ServiceError } from '../../../src/service/terms.ts';
import type { RequestFailure } from '../../retry.ts';
import type { RateLimiter } from '../queue.ts';
import { toRequestFailure } from '../queue.ts';
import { connect, keyPrefix, type QueuedService, redisAddress, silentLog } from './redis.ts';

/** Nothing forbids it: BullMQ needs a limit before it heeds a provider's pause. */
const unlimited = { max: 1_000_000_000, duration: 1000 };
/** Limits are counted in windows of about this length. A second holds at most one window's worth above the limit. */
const windowMs = 20;
/** What BullMQ writes while a provider wants us to wait. */
const paused = '9007199254740991';
/** A provider that asks for patience without saying how much, or has refused. */
const pauseDefaultMs = 1000;
/** Longer waits are reported. */
const reportedWaitMsMin = 1000;

/** Windows as short as they can be and still hold a request. `duration` in milliseconds. */
export function limiterOptions(requestsPerSecond: number | null): { readonly max: number; readonly duration: number } {
  if (requestsPerSecond === null) return unlimited;
  const max = Math.max(1, Math.floor((requestsPerSecond * windowMs) / 1000));
  return { max, duration: Math.ceil((max * 1000) / requestsPerSecond) };
}

/** Where BullMQ counts what has left of a queue in its window, and keeps its pause. */
const limiterKey = ({ queue }: QueuedService): string => `${keyPrefix}:${queue}:limiter`;

/**
 * Takes the next turn in the limiter's window. A full window grows by the share of one request, which leaves at its
 * former end: so no request overtakes it. Returns how long to wait, and whether for a pause, after which to ask again.
 * With `peek` it takes nothing.
 */
const takeScript = `local max, duration = tonumber(ARGV[1]), tonumber(ARGV[2])
  local count = tonumber(redis.call('GET', KEYS[1]) or 0)
  local ttl = redis.call('PTTL', KEYS[1])
  if count >= ${paused} and ttl > 0 then return {1, ttl} end
  if ARGV[3] == 'peek' then return {0, 0} end
  if count >= max and ttl > 0 then
    redis.call('PEXPIRE', KEYS[1], ttl + math.ceil(duration / max))
    return {0, ttl}
  end
  if count >= max then redis.call('DEL', KEYS[1]) end
  if redis.call('INCR', KEYS[1]) == 1 then redis.call('PEXPIRE', KEYS[1], duration) end
  return {0, 0}`;

/** A shorter pause never ends a longer one. */
const pauseScript = `if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], '${paused}', 'PX', ARGV[1]) end`;

/**
 * Where a failure demands a pause, it applies to all workers of the service. A halt pauses them as well: that gives the
 * coordinator time to withdraw jobs that no worker has begun.
 */
export async function pauseAfter(redis: Redis, service: QueuedService, failure: RequestFailure): Promise<void> {
  const { disposition, retryAfterMs } = failure;
  if (disposition !== 'wait' && disposition !== 'halt' && retryAfterMs === null) return;
  await redis.eval(pauseScript, 1, limiterKey(service), Math.ceil(retryAfterMs ?? pauseDefaultMs));
}

interface SharedRateLimiterOptions {
  readonly redisUrl: string;
  readonly services: readonly QueuedService[];
  /** Machine time: limits are kept by Redis. */
  readonly clock: Clock;
  /** Gets a sentence for the caller and the log, when Redis fails or a request waits. */
  readonly onNotice: (words: string) => void;
}

/**
 * Connects with the first request. Never rejects because of Redis: without it requests leave without a limit, and
 * `onNotice` says so.
 */
export function openSharedRateLimiter({ redisUrl, services, clock, onNotice }: SharedRateLimiterOptions): RateLimiter {
  const byName = new Map(services.map((service) => [service.name, service]));
  let connection: Redis | undefined;
  let isAway = false;

  /** The answer of the command; undefined where Redis does not give one in time. */
  const ask = async <T>(command: (redis: Redis) => Promise<T>): Promise<T | undefined> => {
    connection ??= connect(redisUrl, silentLog, 'brief');
    const redis = connection;
    if (isAway && redis.status !== 'ready') return undefined;
    try {
      const answer = await command(redis);
      isAway = false;
      return answer;
    } catch (error) {
      if (isAway) return undefined;
      isAway = true;
      const why = error instanceof Error && error.name === 'ReplyError' ? ` (${error.message})` : '';
      onNotice(
        `Redis at ${redisAddress(redis)} does not answer${why}: requests are sent without the shared rate limit and pauses.`,
      );
      return undefined;
    }
  };

  return {
    async acquire(name, signal) {
      const service = byName.get(name);
      if (service === undefined) return;
      const { max, duration } = limiterOptions(service.requestsPerSecond);
      for (let hasTurn = false; ; ) {
        const how: string = hasTurn ? 'peek' : 'take';
        const answer = await ask((redis) => redis.eval(takeScript, 1, limiterKey(service), max, duration, how));
        const [isPaused, waitMs = 0] = Array.isArray(answer) ? answer.map(Number) : [];
        if (waitMs <= 0) return;
        if (waitMs >= reportedWaitMsMin) {
          const why = isPaused === 1 ? 'its provider requires all workers to wait' : 'workers use up its rate limit';
          onNotice(`Service "${name}": ${why}; the request is sent in ${Math.ceil(waitMs / 1000)} s.`);
        }
        try {
          await clock.sleep(waitMs, signal);
        } catch (cause) {
          throw new ServiceError('ABORTED', 'The caller gave up waiting.', { charged: 'no', cause });
        }
        hasTurn ||= isPaused === 0;
      }
    },
    async onFailure(name, error) {
      const service = byName.get(name);
      if (service !== undefined) await ask((redis) => pauseAfter(redis, service, toRequestFailure(error)));
    },
    close: () => connection?.disconnect(),
  };
}
