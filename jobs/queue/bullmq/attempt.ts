// One attempt of a purchase: its record in Redis, and what its coordinator does about it.

import type { Redis } from 'ioredis';
import { dayMs, hourMs } from '../../../src/tracker/schedule/time-units.ts';
import { keyPrefix, type QueuedService } from './redis.ts';

/** An unread end is kept this long for its coordinator. */
const endKeptMs = 7 * dayMs;
/** One that was read is kept for other coordinators with the same slot. */
const endSharedMs = hourMs;
/** An outcome in Redis that is larger was written by none of our workers: a page and its reading, compressed. */
const payloadBytesMax = 48 * 1024 * 1024;

/**
 * The state of an attempt. `ended`: it has an outcome, or was called back. `begun`: a living worker works on it.
 * `orphaned`: its worker is dead or paused. `missing`: Redis has lost it. `stale`: it is from before a restart of
 * Redis, and waits to be confirmed. `absent`: it waits, but has no job.
 */
export type AttemptState = 'ended' | 'begun' | 'orphaned' | 'missing' | 'stale' | 'absent' | 'waiting';

/** An attempt as its coordinator follows it. */
export interface Following {
  /** A worker may have it: if Redis lost it, its outcome is unknown. */
  readonly isEnqueued: boolean;
  /** No longer wanted, unless a worker has begun it. */
  readonly isUnwanted: boolean;
  /** The token of the one beginning that was confirmed to a worker. */
  readonly granted: string | null;
  /** Since when its state is suspect. */
  readonly doubt: { readonly state: AttemptState; readonly since: number } | null;
}

export type AttemptEvent =
  | { readonly kind: 'enqueued' | 'unwanted' }
  /** A worker asks whether the purchase is open. */
  | { readonly kind: 'asked'; readonly token: string }
  /** A sweep has read its state. `isDurable`: Redis knows after a restart all that it knew before. */
  | {
      readonly kind: 'seen';
      readonly state: AttemptState;
      readonly at: number;
      readonly settleMs: number;
      readonly isDurable: boolean;
    };

/** `confirm`: enqueues it although its record is from before a restart. `lose`: its outcome is unknown. */
export type AttemptEffect = 'enqueue' | 'confirm' | 'withdraw' | 'lose' | 'read' | 'grant';

/** What follows from an event. */
export function followAttempt(attempt: Following, event: AttemptEvent): [Following, AttemptEffect | null] {
  switch (event.kind) {
    case 'enqueued':
      return [{ ...attempt, isEnqueued: true }, null];
    case 'unwanted':
      return [{ ...attempt, isUnwanted: true }, 'withdraw'];
    case 'asked': {
      if (attempt.isUnwanted) return [attempt, null];
      const granted = attempt.granted ?? event.token;
      return [{ ...attempt, granted }, granted === event.token ? 'grant' : null];
    }
    case 'seen': {
      const { state, at, settleMs, isDurable } = event;
      const settled = { ...attempt, doubt: null };
      const wanted = (effect: AttemptEffect | null) => (attempt.isUnwanted ? 'withdraw' : effect);
      if (state === 'ended') return [settled, 'read'];
      if (state === 'begun') return [settled, null];
      if (state === 'waiting') return [settled, wanted(null)];
      if (state === 'absent') return [settled, wanted('enqueue')];
      if (attempt.doubt?.state !== state) return [{ ...attempt, doubt: { state, since: at } }, null];
      // every process that could know better needs the time to report it
      if (at - attempt.doubt.since < settleMs) return [attempt, null];
      if (state === 'missing' && !attempt.isEnqueued) return [settled, 'enqueue'];
      if (state === 'stale' && isDurable) return [settled, wanted('confirm')];
      return [settled, 'lose'];
    }
  }
}

/** `foreign`: another worker had begun it. */
export type BeginVerdict = 'begun' | 'foreign' | 'ended' | 'stale';

/** `lost`: its outcome is unknown. `withdrawn`: no worker had begun it, and none will. */
export interface AttemptEnd {
  readonly kind: 'outcome' | 'lost' | 'withdrawn';
  /** Identity of the coordinator that pays; null where Redis has forgotten it. */
  readonly payer: string | null;
  /** Only with `outcome`. */
  readonly payload: Buffer | null;
}

/** An attempt that a worker has begun: `token` is `worker/number`, unique for each beginning. */
export interface HeldAttempt {
  readonly key: string;
  readonly token: string;
  readonly payer: string;
}

/** Its messages are keys of attempts that have ended. */
export const endedChannel = `${keyPrefix}:ended`;

export function attemptKey({ queue }: QueuedService, jobId: string): string {
  return `${keyPrefix}:try:${queue}:${jobId}`;
}

const workerKeys = `${keyPrefix}:worker:`;
/** Changes with every start of Redis: data written under another id may be older than what happened. */
const runId = `local run = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')`;
const isAlive = `local function alive(token) return redis.call('EXISTS', '${workerKeys}' .. string.match(token, '^[^/]+')) == 1 end`;

/** The transitions of the record, a hash: `payer`, `run`, then `begun`, then `end` with `by` and `outcome`. */
const scripts = {
  announce: `${runId}
    redis.call('SET', KEYS[1], run, 'PX', ${endKeptMs})`,
  open: `${runId}
    local known = redis.call('HMGET', KEYS[1], 'end', 'payer')
    if known[1] then return 'ended' end
    if ARGV[2] ~= 'first' and not known[2] then return 'missing' end
    redis.call('HSETNX', KEYS[1], 'payer', ARGV[1])
    redis.call(ARGV[2] == 'confirmed' and 'HSET' or 'HSETNX', KEYS[1], 'run', run)
    redis.call('PEXPIRE', KEYS[1], ${endKeptMs})
    redis.call('DEL', KEYS[2])
    return 'open'`,
  begin: `${runId}
    local known = redis.call('HMGET', KEYS[1], 'end', 'begun', 'run')
    if known[1] then return 'ended' end
    if known[2] == ARGV[1] then return 'begun' end
    if known[2] then return 'foreign' end
    if known[3] ~= run then return 'stale' end
    redis.call('HSET', KEYS[1], 'begun', ARGV[1])
    return 'begun'`,
  // an attempt that Redis has forgotten meanwhile is written anew: its answer is not
  deliver: `if redis.call('HSETNX', KEYS[1], 'end', 'outcome') == 0 then
      return redis.call('HGET', KEYS[1], 'by') == ARGV[1] and 'kept' or 'late'
    end
    redis.call('HSETNX', KEYS[1], 'payer', ARGV[2])
    redis.call('HSET', KEYS[1], 'by', ARGV[1], 'outcome', ARGV[3])
    redis.call('PEXPIRE', KEYS[1], ${endKeptMs})
    redis.call('PUBLISH', '${endedChannel}', KEYS[1])
    return 'kept'`,
  beat: `redis.call('SET', '${workerKeys}' .. ARGV[1], '1', 'PX', ARGV[2])
    for i = 1, #KEYS do
      if redis.call('HEXISTS', KEYS[i], 'end') == 0 then
        redis.call('HSETNX', KEYS[i], 'begun', ARGV[2 * i + 1])
        redis.call('HSETNX', KEYS[i], 'payer', ARGV[2 * i + 2])
        redis.call('PEXPIRE', KEYS[i], ${endKeptMs})
      end
    end`,
  states: `${runId}
    ${isAlive}
    local states = {}
    for i = 1, #KEYS, 2 do
      local known = redis.call('HMGET', KEYS[i], 'end', 'begun', 'run')
      local state = 'waiting'
      if known[1] then state = 'ended'
      elseif known[2] then state = alive(known[2]) and 'begun' or 'orphaned'
      elseif not known[3] then state = 'missing'
      elseif known[3] ~= run then state = 'stale'
      elseif redis.call('EXISTS', KEYS[i + 1]) == 0 then state = 'absent' end
      states[#states + 1] = state
    end
    return states`,
  conclude: `${runId}
    ${isAlive}
    local known = redis.call('HMGET', KEYS[1], 'end', 'begun', 'run')
    if known[1] then return 'ended' end
    if ARGV[1] == 'withdrawn' then
      if known[2] then return 'begun' end
      local written = known[3] or redis.call('GET', KEYS[2])
      if not written then return 'missing' end
      if written ~= run and ARGV[2] ~= 'true' then return 'stale' end
    elseif known[2] and alive(known[2]) then
      return 'begun'
    end
    redis.call('HSET', KEYS[1], 'end', ARGV[1])
    redis.call('PEXPIRE', KEYS[1], ${endKeptMs})
    redis.call('PUBLISH', '${endedChannel}', KEYS[1])
    return 'ended'`,
  read: `if redis.call('HSTRLEN', KEYS[1], 'outcome') > ${payloadBytesMax} then redis.call('HDEL', KEYS[1], 'outcome') end
    redis.call('PEXPIRE', KEYS[1], ${endSharedMs})
    return redis.call('HMGET', KEYS[1], 'end', 'payer', 'outcome')`,
} as const;

/**
 * The records of attempts, over one connection. Only scripts change them, so that two workers never begin one. Every
 * method rejects if Redis fails; then its change may or may not have happened, and repeating it does no harm.
 */
export class AttemptRecords {
  readonly #redis: Redis;

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  /**
   * Announces that a purchase is about to be recorded, whose attempt has no number yet: while this stands and its
   * attempt is unknown, no worker got it. Its key names the purchase and its payer.
   */
  async announce(announcement: string): Promise<void> {
    await this.#run('announce', [announcement]);
  }

  /** The purchase was not recorded. */
  async retract(announcement: string): Promise<void> {
    await this.#redis.del(announcement);
  }

  /**
   * Records the attempt before its job exists, so that it may be begun. The first coordinator pays. Only `first`
   * creates a record; `confirmed`: it may be begun although it is from before a restart.
   */
  open(key: string, announcement: string, payer: string, how: 'first' | 'again' | 'confirmed') {
    return this.#run<'open' | 'ended' | 'missing'>('open', [key, announcement], payer, how);
  }

  /** Right before the request leaves: only one beginning of an attempt is ever granted. */
  begin(key: string, token: string): Promise<BeginVerdict> {
    return this.#run('begin', [key], token);
  }

  /** Delivers an outcome. `late`: the attempt was abandoned before. */
  deliver({ key, token, payer }: HeldAttempt, payload: Buffer): Promise<'kept' | 'late'> {
    return this.#run('deliver', [key], token, payer, payload);
  }

  /** A worker's sign of life, with what it has begun: Redis may have forgotten. */
  async beat(worker: string, leaseMs: number, held: readonly HeldAttempt[]): Promise<void> {
    const begun = held.flatMap(({ token, payer }) => [token, payer]);
    await this.#run(
      'beat',
      held.map(({ key }) => key),
      worker,
      leaseMs,
      ...begun,
    );
  }

  /** Removes the worker's heartbeat. The attempts it still holds become orphans at once. */
  async leave(worker: string): Promise<void> {
    await this.#redis.del(workerKeys + worker);
  }

  states(jobs: readonly { readonly key: string; readonly jobKey: string }[]): Promise<AttemptState[]> {
    return this.#run(
      'states',
      jobs.flatMap(({ key, jobKey }) => [key, jobKey]),
    );
  }

  /**
   * Ends an attempt without an outcome, unless a living worker has begun it: `withdrawn` if certainly no worker has
   * begun it, `lost` if none can be asked. Returns its state.
   */
  conclude(key: string, announcement: string, end: 'withdrawn' | 'lost', isDurable: boolean): Promise<AttemptState> {
    return this.#run('conclude', [key, announcement], end, String(isDurable));
  }

  /** The end of the attempt; null if it has not ended. From now on it is kept only for other coordinators. */
  async read(key: string): Promise<AttemptEnd | null> {
    const answer = await this.#redis.callBuffer('EVAL', scripts.read, 1, key);
    const [end, payer, payload = null] = answer as (Buffer | null)[];
    const kind = end?.toString();
    if (kind === undefined) return null;
    const known = kind === 'outcome' || kind === 'withdrawn' ? kind : 'lost';
    return { kind: known, payer: payer?.toString() ?? null, payload };
  }

  /** Removes an outcome that cannot be trusted; its attempt stays ended. */
  async drop(key: string): Promise<void> {
    await this.#redis.hdel(key, 'outcome');
  }

  /** Each script returns what its method says. */
  async #run<T>(
    name: keyof typeof scripts,
    keys: readonly string[],
    ...values: readonly (string | number | Buffer)[]
  ): Promise<T> {
    return (await this.#redis.eval(scripts[name], keys.length, ...keys, ...values)) as T;
  }
}
