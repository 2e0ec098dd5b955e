// Token buckets per caller, bounded in memory.
import type { Clock } from '../../model/ports.ts';

/** Capacity of the bucket, refilled evenly over each window. */
export interface RatePolicy {
  readonly count: number;
  readonly windowMs: number;
}

/** The state of a caller under one policy. */
export interface RateState extends RatePolicy {
  /**
   * `requests` of an API user, failed `logins` of an address, or `pages` that an address requests without credentials.
   */
  readonly name: 'requests' | 'logins' | 'pages';
  /** Whole tokens that are left now. */
  readonly remaining: number;
  /** Time until the next token if none is left, else until the bucket is full. */
  readonly resetMs: number;
}

interface Bucket {
  tokens: number;
  /** When `tokens` was true, UTC milliseconds. */
  at: number;
}

/** Buckets by key. Beyond `keysMax`, the least recently used one is dropped: a full bucket carries no information. */
export class TokenBuckets {
  readonly #clock: Clock;
  readonly #name: RateState['name'];
  readonly #policy: RatePolicy;
  readonly #keysMax: number;
  readonly #buckets = new Map<string, Bucket>();

  constructor(clock: Clock, name: RateState['name'], policy: RatePolicy, keysMax = 20_000) {
    this.#clock = clock;
    this.#name = name;
    this.#policy = policy;
    this.#keysMax = keysMax;
  }

  /** Takes one token. False if none is left. */
  take(key: string): boolean {
    const bucket = this.#refilled(key);
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }

  /** Takes tokens that are already used, or all that are left. */
  spend(key: string, count: number): void {
    const bucket = this.#refilled(key);
    bucket.tokens = Math.max(0, bucket.tokens - count);
  }

  /** Returns a token that turned out not to count. */
  giveBack(key: string): void {
    const bucket = this.#refilled(key);
    bucket.tokens = Math.min(this.#policy.count, bucket.tokens + 1);
  }

  state(key: string): RateState {
    const { count, windowMs } = this.#policy;
    const { tokens } = this.#buckets.has(key) ? this.#refilled(key) : { tokens: count };
    const missing = tokens < 1 ? 1 - tokens : count - tokens;
    const resetMs = Math.ceil((missing * windowMs) / count);
    return { name: this.#name, count, windowMs, remaining: Math.floor(tokens), resetMs };
  }

  /** The bucket as it is now, moved to the end of the map: its order is the order of use. */
  #refilled(key: string): Bucket {
    const { count, windowMs } = this.#policy;
    const at = this.#clock.now();
    const bucket = this.#buckets.get(key) ?? { tokens: count, at };
    // After the clock is put back, nothing is refilled and nothing is taken.
    bucket.tokens = Math.min(count, bucket.tokens + (Math.max(0, at - bucket.at) * count) / windowMs);
    bucket.at = at;
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    if (this.#buckets.size > this.#keysMax) {
      for (const oldest of this.#buckets.keys()) {
        this.#buckets.delete(oldest);
        break;
      }
    }
    return bucket;
  }
}
