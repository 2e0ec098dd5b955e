// The record of an attempt in Redis: one hash, changed by scripts only, so that two workers never begin one.
import type { Redis } from 'ioredis';
import { keyPrefix, type QueuedService } from './redis.ts';

/** An unread end is kept this long for its coordinator. */
const endKeptMs = 7 * 86_400_000;
/** An outcome in Redis that is larger was written by none of our workers: a page and its reading, compressed. */
const payloadBytesMax = 48 * 1024 * 1024;
/** One that was read is kept for other coordinators with the same slot. */
const endSharedMs = 3_600_000;

/**
 * The state of an attempt. `ended`: it has an outcome, or was called back. `begun`: a living worker works on it.
 * `orphaned`: its worker is dead or paused. `missing`: Redis has lost it. `stale`: it is from before a restart of
 * Redis, and waits to be confirmed. `absent`: it waits, but has no job.
 */
export type AttemptState = 'ended' | 'begun' | 'orphaned' | 'missing' | 'stale' | 'absent' | 'waiting';

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

/** An attempt that a coordinator is about to buy; its number is not known yet. */
export function announcementKey({ queue }: QueuedService, requestKey: string, payer: string): string {
  return `${keyPrefix}:announced:${queue}:${payer}:${requestKey}`;
}

const workerKeys = `${keyPrefix}:worker:`;
/** Changes with every start of Redis: data written under another id may be older than what happened. */
const runId = `local run = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')`;
const isAlive = `local function alive(token) return redis.call('EXISTS', '${workerKeys}' .. string.match(token, '^[^/]+')) == 1 end`;

const scripts = {
  open: `${runId}
    if redis.call('HEXISTS', KEYS[1], 'end') == 1 then return 'ended' end
    redis.call('HSETNX', KEYS[1], 'payer', ARGV[1])
    redis.call('HSETNX', KEYS[1], 'run', run)
    redis.call('PEXPIRE', KEYS[1], ${endKeptMs})
    redis.call('DEL', KEYS[2])
    return 'open'`,
  announce: `${runId}
    redis.call('SET', KEYS[1], run, 'PX', ${endKeptMs})`,
  confirm: `${runId}
    if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('HSET', KEYS[1], 'run', run) end`,
  begin: `${runId}
    local known = redis.call('HMGET', KEYS[1], 'end', 'begun', 'run')
    if known[1] then return 'ended' end
    if known[2] == ARGV[1] then return 'begun' end
    if known[2] then return 'foreign' end
    if known[3] ~= run then return 'stale' end
    redis.call('HSET', KEYS[1], 'begun', ARGV[1])
    return 'begun'`,
  // a try that Redis has forgotten meanwhile is written anew: its answer is not
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
  look: `${runId}
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
      if written ~= run and ARGV[2] ~= 'durable' then return 'stale' end
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

type ScriptName = keyof typeof scripts;
type Argument = string | number | Buffer;

/**
 * The attempts that one connection works on. Every method rejects if Redis fails; then its change may or may not have
 * happened.
 */
export class RedisAttempts {
  readonly #redis: Redis;

  constructor(redis: Redis) {
    this.#redis = redis;
    for (const [name, lua] of Object.entries(scripts)) redis.defineCommand(commandName(name), { lua });
  }

  /**
   * Announces that a purchase is about to be recorded: while this stands and its attempt is unknown, no worker got it.
   */
  async announce(announcement: string): Promise<void> {
    await this.#run('announce', [announcement], []);
  }

  /** The purchase was not recorded. */
  async retract(announcement: string): Promise<void> {
    await this.#redis.del(announcement);
  }

  /** Records the attempt before its job exists, so that it may be begun. The first coordinator pays. */
  async open(key: string, announcement: string, payer: string): Promise<'open' | 'ended'> {
    return (await this.#run('open', [key, announcement], [payer])) as 'open' | 'ended';
  }

  /** After a restart of Redis: the try is still wanted. */
  async confirm(key: string): Promise<void> {
    await this.#run('confirm', [key], []);
  }

  /** Right before the request leaves: only one beginning of a try is ever granted. */
  async begin(key: string, token: string): Promise<BeginVerdict> {
    return (await this.#run('begin', [key], [token])) as BeginVerdict;
  }

  /** Delivers an outcome. `late`: the attempt was abandoned before. */
  async deliver({ key, token, payer }: HeldAttempt, payload: Buffer): Promise<'kept' | 'late'> {
    return (await this.#run('deliver', [key], [token, payer, payload])) as 'kept' | 'late';
  }

  /** A worker's sign of life, with what it has begun: Redis may have forgotten. */
  async beat(worker: string, leaseMs: number, held: readonly HeldAttempt[]): Promise<void> {
    const keys = held.map(({ key }) => key);
    await this.#run('beat', keys, [worker, leaseMs, ...held.flatMap(({ token, payer }) => [token, payer])]);
  }

  /** Removes the worker's heartbeat. The attempts it still holds become orphans at once. */
  async leave(worker: string): Promise<void> {
    await this.#redis.del(workerKeys + worker);
  }

  async readStates(jobs: readonly { readonly key: string; readonly jobKey: string }[]): Promise<AttemptState[]> {
    const keys = jobs.flatMap(({ key, jobKey }) => [key, jobKey]);
    return (await this.#run('look', keys, [])) as AttemptState[];
  }

  /**
   * Ends an attempt without an outcome, unless a living worker has begun it: `withdrawn` if certainly no worker has
   * begun it, `lost` if none can be asked. Returns its state.
   */
  async conclude(
    { key, announcement }: { readonly key: string; readonly announcement: string },
    end: 'withdrawn' | 'lost',
    isDurable: boolean,
  ): Promise<AttemptState> {
    return (await this.#run('conclude', [key, announcement], [end, isDurable ? 'durable' : ''])) as AttemptState;
  }

  /** The outcome of the attempt; null if it has not ended. From now on it is kept only for other coordinators. */
  async read(key: string): Promise<AttemptEnd | null> {
    const [end, payer, payload] = (await this.#run('read', [key], [], 'Buffer')) as (Buffer | null)[];
    const kind = end?.toString();
    if (kind === undefined) return null;
    return {
      kind: kind === 'outcome' || kind === 'withdrawn' ? kind : 'lost',
      payer: payer?.toString() ?? null,
      payload: payload ?? null,
    };
  }

  /** Removes an outcome that cannot be trusted; its attempt stays ended. */
  async drop(key: string): Promise<void> {
    await this.#redis.hdel(key, 'outcome');
  }

  #run(
    name: ScriptName,
    keys: readonly string[],
    values: readonly Argument[],
    form: '' | 'Buffer' = '',
  ): Promise<unknown> {
    const command: unknown = Reflect.get(this.#redis, commandName(name) + form);
    if (typeof command !== 'function') throw new Error(`the script ${name} is not defined`);
    return Promise.resolve(Reflect.apply(command, this.#redis, [keys.length, ...keys, ...values]));
  }
}

function commandName(name: string): string {
  return `rankledger:${name}`;
}
