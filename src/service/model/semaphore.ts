// A semaphore with a fair queue: round robin among keys, so that a burst of one key delays another by one turn at most.
import { ServiceError } from './errors.ts';

interface SemaphoreOptions {
  /** Permits in total, and how many of them one key may hold (default: all). */
  readonly permits: number;
  readonly permitsPerKey?: number;
  /** How many one key may hold while another had one of the last turns. Default: as many. */
  readonly permitsShared?: number;
  /**
   * Limit of waiting callers. Beyond it, the newest caller of the key with the longest queue is refused. Default: no
   * limit.
   */
  readonly waitingMax?: number;
}

interface AcquireOptions {
  /** Callers with the same key share a queue. */
  readonly key?: string;
  /** Among the waiting callers of a key, the lowest goes first; on a tie, the one that came first. */
  readonly order?: number;
  readonly signal?: AbortSignal;
}

interface Waiter {
  readonly order: number;
  readonly grant: () => void;
  readonly refuse: (error: unknown) => void;
}

const busyRetryMs = 1000;
/** Turns after which a key is taken for gone. */
const recentTurns = 1_024;

/** A key, and the number of its last turn. */
interface Turn {
  readonly key: string | undefined;
  readonly at: number;
}

const noTurn: Turn = { key: undefined, at: Number.NEGATIVE_INFINITY };

export class Semaphore {
  readonly #permits: number;
  readonly #permitsPerKey: number;
  readonly #permitsShared: number;
  /** The last turns of two keys. */
  #turns: readonly [Turn, Turn] = [noTurn, noTurn];
  readonly #waitingMax: number;
  #free: number;
  #waitingCount = 0;
  /** Permits that each key holds. */
  readonly #held = new Map<string, number>();
  /** The number of the last turn of each key that holds a permit or waits for one. */
  readonly #lastGrants = new Map<string, number>();
  #grantCount = 0;
  readonly #waiting = new Map<string, Waiter[]>();

  constructor({
    permits,
    permitsPerKey = permits,
    permitsShared = permitsPerKey,
    waitingMax = Number.POSITIVE_INFINITY,
  }: SemaphoreOptions) {
    this.#permits = permits;
    this.#free = permits;
    this.#permitsPerKey = permitsPerKey;
    this.#permitsShared = permitsShared;
    this.#waitingMax = waitingMax;
  }

  /** Whether no permit is held. */
  get isIdle(): boolean {
    return this.#free === this.#permits;
  }

  /**
   * Waits for a permit and returns its release. Throws the signal's reason, or RATE_LIMIT_EXCEEDED where too many wait.
   */
  async acquire({ key = '', order = 0, signal }: AcquireOptions = {}): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#free > 0 && this.#mayTake(key) && !this.#waiting.has(key)) this.#take(key);
    else await this.#wait(key, order, signal);
    let isHeld = true;
    return () => {
      if (isHeld) this.#release(key);
      isHeld = false;
    };
  }

  #wait(key: string, order: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.#remove(key, waiter);
        reject(signal?.reason);
      };
      const waiter: Waiter = {
        order,
        grant: () => {
          signal?.removeEventListener('abort', abort);
          resolve();
        },
        refuse: (error) => {
          signal?.removeEventListener('abort', abort);
          reject(error);
        },
      };
      signal?.addEventListener('abort', abort, { once: true });
      const queue = this.#waiting.get(key) ?? [];
      const before = queue.findLastIndex((other) => other.order <= order);
      queue.splice(before + 1, 0, waiter);
      this.#waiting.set(key, queue);
      this.#waitingCount++;
      if (this.#waitingCount > this.#waitingMax) this.#refuseOne();
    });
  }

  /** Refuses the newest caller of the longest queue, so that a burst of one key does not push out another key. */
  #refuseOne(): void {
    let longest: readonly [string, Waiter[]] | undefined;
    for (const entry of this.#waiting) if (entry[1].length > (longest?.[1].length ?? 0)) longest = entry;
    const newest = longest?.[1].at(-1);
    if (longest === undefined || newest === undefined) return;
    this.#remove(longest[0], newest);
    newest.refuse(new ServiceError('RATE_LIMIT_EXCEEDED', 'Too many requests at once.', { retryAfterMs: busyRetryMs }));
  }

  #remove(key: string, waiter: Waiter): void {
    const queue = this.#waiting.get(key);
    const at = queue?.indexOf(waiter) ?? -1;
    if (queue === undefined || at === -1) return;
    queue.splice(at, 1);
    this.#waitingCount--;
    if (queue.length > 0) return;
    this.#waiting.delete(key);
    if (!this.#held.has(key)) this.#lastGrants.delete(key);
  }

  #mayTake(key: string): boolean {
    const other = this.#turns.find((turn) => turn.key !== key) ?? noTurn;
    const isShared = this.#grantCount - other.at < recentTurns;
    return (this.#held.get(key) ?? 0) < (isShared ? this.#permitsShared : this.#permitsPerKey);
  }

  #take(key: string): void {
    this.#free--;
    this.#held.set(key, (this.#held.get(key) ?? 0) + 1);
    this.#lastGrants.set(key, ++this.#grantCount);
    const [newest, second] = this.#turns;
    this.#turns = [{ key, at: this.#grantCount }, newest.key === key ? second : newest];
  }

  #release(key: string): void {
    this.#free++;
    const rest = (this.#held.get(key) ?? 1) - 1;
    if (rest > 0) this.#held.set(key, rest);
    else {
      this.#held.delete(key);
      if (!this.#waiting.has(key)) this.#lastGrants.delete(key);
    }
    this.#grantNext();
  }

  /** Grants the free permit to the eligible key whose last turn was longest ago. */
  #grantNext(): void {
    let first: { readonly key: string; readonly waiter: Waiter; readonly lastGrant: number } | undefined;
    for (const [key, [waiter]] of this.#waiting) {
      const lastGrant = this.#lastGrants.get(key) ?? 0;
      if (waiter === undefined || !this.#mayTake(key) || lastGrant >= (first?.lastGrant ?? Number.POSITIVE_INFINITY))
        continue;
      first = { key, waiter, lastGrant };
    }
    if (first === undefined) return;
    this.#take(first.key);
    this.#remove(first.key, first.waiter);
    first.waiter.grant();
    // a key that shares no longer may hold more than it has
    if (this.#free > 0) this.#grantNext();
  }
}
