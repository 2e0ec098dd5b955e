// The rate limit of a service over all machines: workers, and requests outside the queue, take turns in Redis.
import type { Redis } from 'ioredis';
import { type Clock, ServiceError } from '../../../src/service/terms.ts';
import type { RequestFailure } from '../../retry.ts';
import type { RateLimiter } from '../queue.ts';
import { toRequestFailure } from '../queue.ts';
import { connect, keyPrefix, type QueuedService, redisAddress, silentLog } from './redis.ts';

/** A provider that asks for patience without saying how much, or has refused. */
const pauseDefaultMs = 1000;
/** Longer waits are reported. */
const reportedWaitMsMin = 1000;

/** Holds when the next turn is free, in microseconds of the clock of Redis. */
export const turnKey = ({ queue }: QueuedService): string => `${keyPrefix}:turn:${queue}`;
/** Exists while a provider requires all to wait. */
const pauseKey = ({ queue }: QueuedService): string => `${keyPrefix}:pause:${queue}`;

/**
 * Turns are evenly spaced, so that no second holds more than the limit, and none overtakes another. One that comes
 * later than the caller would wait is not taken. Returns the wait, and what is left of a pause, in milliseconds.
 */
const turnScript = `local time = redis.call('TIME')
  local now = time[1] * 1000000 + time[2]
  local pauseMs = math.max(redis.call('PTTL', KEYS[2]), 0)
  local wait = math.max((redis.call('GET', KEYS[1]) or now) - now, pauseMs * 1000)
  local waitMs = math.ceil(wait / 1000)
  if waitMs <= tonumber(ARGV[2]) then
    redis.call('SET', KEYS[1], now + wait + ARGV[1], 'PX', waitMs + math.ceil(ARGV[1] / 1000) + 1)
  end
  return {waitMs, pauseMs}`;

/** A shorter pause never ends a longer one. */
const pauseScript = `if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], '', 'PX', ARGV[1]) end`;

interface Wait {
  readonly ms: number;
  /** Its provider requires it. */
  readonly isPause: boolean;
}

/**
 * The wait for the next turn of the service, which is taken if the wait is at most `waitMsMax`. After the wait, ask
 * `pauseOf`.
 */
export async function takeTurn(redis: Redis, service: QueuedService, waitMsMax: number): Promise<Wait> {
  const { requestsPerSecond } = service;
  const spacing = requestsPerSecond === null ? 0 : Math.ceil(1_000_000 / requestsPerSecond);
  const answer = await redis.eval(turnScript, 2, turnKey(service), pauseKey(service), spacing, waitMsMax);
  const [ms = 0, pauseMs = 0] = Array.isArray(answer) ? answer.map(Number) : [];
  return { ms, isPause: pauseMs > 0 };
}

/** What is left of the pause of a service. One may begin while a request waits for its turn. */
export async function pauseOf(redis: Redis, service: QueuedService): Promise<Wait> {
  const ms = Math.max(await redis.pttl(pauseKey(service)), 0);
  return { ms, isPause: true };
}

/**
 * Where a failure demands a pause, it applies to all workers of the service. A halt pauses them as well: that gives the
 * coordinator time to withdraw jobs that no worker has begun.
 */
export async function pauseAfter(redis: Redis, service: QueuedService, failure: RequestFailure): Promise<void> {
  const { disposition, retryAfterMs } = failure;
  if (disposition !== 'wait' && disposition !== 'halt' && retryAfterMs === null) return;
  await redis.eval(pauseScript, 1, pauseKey(service), Math.ceil(retryAfterMs ?? pauseDefaultMs));
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
      const wait = await ask((redis) => takeTurn(redis, service, Number.MAX_SAFE_INTEGER));
      for (let left = wait; left !== undefined && left.ms > 0; left = await ask((redis) => pauseOf(redis, service))) {
        if (left.ms >= reportedWaitMsMin) {
          const why = left.isPause ? 'its provider requires all workers to wait' : 'workers use up its rate limit';
          onNotice(`Service "${name}": ${why}; the request is sent in ${Math.ceil(left.ms / 1000)} s.`);
        }
        try {
          await clock.sleep(left.ms, signal);
        } catch (cause) {
          throw new ServiceError('ABORTED', 'The caller gave up waiting.', { charged: 'no', cause });
        }
      }
    },
    async onFailure(name, error) {
      const service = byName.get(name);
      if (service !== undefined) await ask((redis) => pauseAfter(redis, service, toRequestFailure(error)));
    },
    close: () => connection?.disconnect(),
  };
}
