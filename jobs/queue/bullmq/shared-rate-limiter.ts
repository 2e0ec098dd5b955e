// The rate limiter that requests outside the queue share with the workers.
import { once } from 'node:events';
import type { Redis } from 'ioredis';
import { type Clock, ServiceError } from '../../../src/service/index.ts';
import type { Log } from '../../context.ts';
import type { RateLimiter } from '../paced-service.ts';
import { toRequestFailure } from '../queue.ts';
import { choosePauseMs, connect, limiterKey, limiterOptions, type QueuedService, redisAddress } from './redis.ts';

export interface SharedRateLimiterOptions {
  readonly redisUrl: string;
  readonly services: readonly QueuedService[];
  /** Machine time: limits are kept by Redis. */
  readonly clock: Clock;
  /** Gets a sentence for the caller and the log, when Redis fails or a request waits. */
  readonly onNotice: (words: string) => void;
}

/** The longest wait for an answer of Redis; then the request leaves without the limiter. */
const answerMaxMs = 2000;
/** Longer waits are reported. */
const reportedWaitMsMin = 1000;
/** What BullMQ writes while a provider wants us to wait. */
const paused = '9007199254740991';

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
 * Connects with the first request. Never rejects because of Redis: without it requests leave without a limit, and
 * `onNotice` says so.
 */
export function openSharedRateLimiter(options: SharedRateLimiterOptions): RateLimiter {
  return new SharedRateLimiter(options);
}

/** `onNotice` reports outages, so the connection logs none. */
const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };

class SharedRateLimiter implements RateLimiter {
  readonly #options: SharedRateLimiterOptions;
  readonly #services: ReadonlyMap<string, QueuedService>;
  #redis: Redis | undefined;
  #connected: Promise<void> | undefined;
  #isAway = false;

  constructor(options: SharedRateLimiterOptions) {
    this.#options = options;
    this.#services = new Map(options.services.map((service) => [service.name, service]));
  }

  async acquire(name: string, signal?: AbortSignal): Promise<void> {
    const service = this.#services.get(name);
    if (service === undefined) return;
    const { max, duration } = limiterOptions(service.requestsPerSecond);
    for (let hasTurn = false; ; ) {
      const answer = await this.#ask(takeScript, service, max, duration, hasTurn ? 'peek' : 'take');
      if (!Array.isArray(answer)) return;
      const [isPaused, waitMs] = answer.map(Number);
      if (waitMs === undefined || waitMs <= 0) return;
      if (waitMs >= reportedWaitMsMin) this.#reportWait(name, isPaused === 1, waitMs);
      await this.#wait(waitMs, signal);
      hasTurn ||= isPaused === 0;
    }
  }

  async onFailure(name: string, error: unknown): Promise<void> {
    const service = this.#services.get(name);
    const pauseMs = choosePauseMs(toRequestFailure(error));
    if (service !== undefined && pauseMs !== null) await this.#ask(pauseScript, service, pauseMs);
  }

  close(): void {
    this.#redis?.disconnect();
  }

  /** The answer of the script; undefined where Redis is unreachable. */
  async #ask(script: string, service: QueuedService, ...values: (string | number)[]): Promise<unknown> {
    const redis = await this.#connection();
    if (redis.status !== 'ready') return this.#miss(redis);
    const timer = new AbortController();
    const late = this.#options.clock
      .sleep(answerMaxMs, timer.signal)
      .then(() => Promise.reject(new Error('no answer')));
    try {
      return await Promise.race([redis.eval(script, 1, limiterKey(service), ...values), late]);
    } catch (error) {
      return this.#miss(redis, error);
    } finally {
      timer.abort();
      late.catch(() => undefined);
    }
  }

  /** Waits until the first connection is ready or fails; a lost one reconnects. */
  async #connection(): Promise<Redis> {
    if (this.#redis === undefined) {
      const redis = connect(this.#options.redisUrl, silent, false);
      this.#redis = redis;
      const patience = new AbortController();
      const { signal } = patience;
      const isOver = (): void => patience.abort();
      const stands = once(redis, 'ready', { signal });
      this.#connected = Promise.race([stands, once(redis, 'close', { signal })]).then(isOver, isOver);
      stands.catch(() => undefined);
      this.#options.clock.sleep(answerMaxMs, signal).then(isOver, () => undefined);
      redis.on('ready', () => {
        this.#isAway = false;
      });
    }
    await this.#connected;
    return this.#redis;
  }

  #miss(redis: Redis, error?: unknown): undefined {
    if (this.#isAway) return;
    this.#isAway = true;
    const why = error instanceof Error ? ` (${error.message})` : '';
    this.#options.onNotice(
      `Redis at ${redisAddress(redis)} does not answer${why}: requests are sent without the shared rate limit and pauses.`,
    );
  }

  #reportWait(name: string, isPaused: boolean, waitMs: number): void {
    const why = isPaused ? 'its provider requires all workers to wait' : 'workers use up its rate limit';
    this.#options.onNotice(`Service "${name}": ${why}; the request is sent in ${Math.ceil(waitMs / 1000)} s.`);
  }

  async #wait(waitMs: number, signal: AbortSignal | undefined): Promise<void> {
    try {
      await this.#options.clock.sleep(waitMs, signal);
    } catch (cause) {
      throw new ServiceError('ABORTED', 'The caller gave up waiting.', { charged: 'no', cause });
    }
  }
}
