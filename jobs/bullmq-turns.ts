// Requests that leave past the queue, such as those for keyword data: they take turns with those of the workers, by the limiter that BullMQ keeps of each queue.
import { once } from 'node:events';
import type { Redis } from 'ioredis';
import { type Clock, ServiceError } from '../src/service/index.ts';
import { connect, limiterKey, limiterOf, pauseMsOf, placeOf, type QueuedService } from './bullmq-redis.ts';
import type { Log } from './context.ts';
import type { Turns } from './paced-service.ts';
import { failureOf } from './queue.ts';

export interface TurnsOptions {
  readonly redisUrl: string;
  readonly services: readonly QueuedService[];
  /** Machine time: limits are kept by Redis. */
  readonly clock: Clock;
  /** A sentence for whoever waits for the request, and for the log. */
  readonly tell: (words: string) => void;
}

/** Redis is asked this long; a request that somebody waits for does not wait for Redis. */
const answerMaxMs = 2000;
/** Of waits that are worth a word. */
const toldFromMs = 1000;
/** What BullMQ writes while a provider wants us to wait. */
const paused = '9007199254740991';

/**
 * Takes the next place in the limiter's window. One that is full is made longer by the share of one request, which leaves at its former end: so nobody
 * overtakes it. Says how long to wait, and whether for a pause, after which it has to be asked again. With `look` it takes nothing.
 */
const takeScript = `local max, duration = tonumber(ARGV[1]), tonumber(ARGV[2])
  local count = tonumber(redis.call('GET', KEYS[1]) or 0)
  local ttl = redis.call('PTTL', KEYS[1])
  if count >= ${paused} and ttl > 0 then return {1, ttl} end
  if ARGV[3] == 'look' then return {0, 0} end
  if count >= max and ttl > 0 then
    redis.call('PEXPIRE', KEYS[1], ttl + math.ceil(duration / max))
    return {0, ttl}
  end
  if count >= max then redis.call('DEL', KEYS[1]) end
  if redis.call('INCR', KEYS[1]) == 1 then redis.call('PEXPIRE', KEYS[1], duration) end
  return {0, 0}`;

/** A shorter pause never ends a longer one. */
const pauseScript = `if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], '${paused}', 'PX', ARGV[1]) end`;

/** Connects with the first request. Nothing of it ever rejects because of Redis: without it requests leave as they would without a queue, and that is told. */
export function openTurns(options: TurnsOptions): Turns {
  return new SharedTurns(options);
}

/** Its outages are told in words of their own. */
const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };

class SharedTurns implements Turns {
  readonly #options: TurnsOptions;
  readonly #services: ReadonlyMap<string, QueuedService>;
  #redis: Redis | undefined;
  #connected: Promise<void> | undefined;
  #isAway = false;

  constructor(options: TurnsOptions) {
    this.#options = options;
    this.#services = new Map(options.services.map((service) => [service.name, service]));
  }

  async take(name: string, signal?: AbortSignal): Promise<void> {
    const service = this.#services.get(name);
    if (service === undefined) return;
    const { max, duration } = limiterOf(service.requestsPerSecond);
    for (let hasPlace = false; ; ) {
      const answer = await this.#ask(takeScript, service, max, duration, hasPlace ? 'look' : 'take');
      if (!Array.isArray(answer)) return;
      const [isPaused, waitMs] = answer.map(Number);
      if (waitMs === undefined || waitMs <= 0) return;
      if (waitMs >= toldFromMs) this.#tellWait(name, isPaused === 1, waitMs);
      await this.#wait(waitMs, signal);
      hasPlace ||= isPaused === 0;
    }
  }

  async heed(name: string, error: unknown): Promise<void> {
    const service = this.#services.get(name);
    const pauseMs = pauseMsOf(failureOf(error));
    if (service !== undefined && pauseMs !== null) await this.#ask(pauseScript, service, pauseMs);
  }

  close(): void {
    this.#redis?.disconnect();
  }

  /** What the script says; undefined where Redis is away. */
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

  /** The first connection is waited for until it stands or fails; one that was lost comes back by itself. */
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
    this.#options.tell(
      `Redis at ${placeOf(redis)} does not answer${why}: requests leave without the limit and the pauses that workers share.`,
    );
  }

  #tellWait(name: string, isPaused: boolean, waitMs: number): void {
    const why = isPaused ? 'its provider wants all workers to wait' : 'workers use its limit up';
    this.#options.tell(`Service "${name}": ${why}; the request leaves in ${Math.ceil(waitMs / 1000)} s.`);
  }

  async #wait(waitMs: number, signal: AbortSignal | undefined): Promise<void> {
    try {
      await this.#options.clock.sleep(waitMs, signal);
    } catch (cause) {
      throw new ServiceError('ABORTED', 'The caller gave up waiting.', { charged: 'no', cause });
    }
  }
}
