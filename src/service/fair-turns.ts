// A semaphore whose places go round robin among keys: one key's burst makes no other key wait for more than its turn.
import { ServiceError } from './errors.ts';

export interface FairTurnsOptions {
  /** Inside at once, of all keys and of one. */
  readonly places: number;
  readonly placesPerKey: number;
  /** Waiting at once. Beyond it the newest of the key that has the most waiting is refused. Default: no limit. */
  readonly waitingMax?: number;
}

interface Waiter {
  readonly enter: () => void;
  readonly refuse: (error: unknown) => void;
}

const busyRetryMs = 1000;

export class FairTurns {
  readonly #placesPerKey: number;
  readonly #waitingMax: number;
  #free: number;
  #waitingCount = 0;
  readonly #inside = new Map<string, number>();
  /** The last turn of each key that is inside or waits. */
  readonly #turns = new Map<string, number>();
  #lastTurn = 0;
  readonly #waiting = new Map<string, Waiter[]>();

  constructor({ places, placesPerKey, waitingMax = Number.POSITIVE_INFINITY }: FairTurnsOptions) {
    this.#free = places;
    this.#placesPerKey = placesPerKey;
    this.#waitingMax = waitingMax;
  }

  /** Waits for a place and gives the way out. Throws the signal's reason, or RATE_LIMIT_EXCEEDED where too many wait. */
  async enter(key: string, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#free > 0 && this.#mayEnter(key) && !this.#waiting.has(key)) this.#take(key);
    else await this.#wait(key, signal);
    let isInside = true;
    return () => {
      if (isInside) this.#leave(key);
      isInside = false;
    };
  }

  #wait(key: string, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        this.#forget(key, waiter);
        reject(signal?.reason);
      };
      const waiter: Waiter = {
        enter: () => {
          signal?.removeEventListener('abort', giveUp);
          resolve();
        },
        refuse: (error) => {
          signal?.removeEventListener('abort', giveUp);
          reject(error);
        },
      };
      signal?.addEventListener('abort', giveUp, { once: true });
      const queue = this.#waiting.get(key) ?? [];
      queue.push(waiter);
      this.#waiting.set(key, queue);
      this.#waitingCount++;
      if (this.#waitingCount > this.#waitingMax) this.#refuseOne();
    });
  }

  /** The newest of the longest queue: a key that waits alone is not refused for what another one sends. */
  #refuseOne(): void {
    let longest: readonly [string, Waiter[]] | undefined;
    for (const entry of this.#waiting) if (entry[1].length > (longest?.[1].length ?? 0)) longest = entry;
    const newest = longest?.[1].at(-1);
    if (longest === undefined || newest === undefined) return;
    this.#forget(longest[0], newest);
    newest.refuse(new ServiceError('RATE_LIMIT_EXCEEDED', 'Too many requests at once.', { retryAfterMs: busyRetryMs }));
  }

  #forget(key: string, waiter: Waiter): void {
    const queue = this.#waiting.get(key);
    const at = queue?.indexOf(waiter) ?? -1;
    if (queue === undefined || at === -1) return;
    queue.splice(at, 1);
    this.#waitingCount--;
    if (queue.length > 0) return;
    this.#waiting.delete(key);
    if (!this.#inside.has(key)) this.#turns.delete(key);
  }

  #mayEnter(key: string): boolean {
    return (this.#inside.get(key) ?? 0) < this.#placesPerKey;
  }

  #take(key: string): void {
    this.#free--;
    this.#inside.set(key, (this.#inside.get(key) ?? 0) + 1);
    this.#turns.set(key, ++this.#lastTurn);
  }

  #leave(key: string): void {
    this.#free++;
    const rest = (this.#inside.get(key) ?? 1) - 1;
    if (rest > 0) this.#inside.set(key, rest);
    else {
      this.#inside.delete(key);
      if (!this.#waiting.has(key)) this.#turns.delete(key);
    }
    this.#next();
  }

  /** Gives the free place to the key, of those that may take it, whose last turn was longest ago. */
  #next(): void {
    let first: { readonly key: string; readonly waiter: Waiter; readonly turn: number } | undefined;
    for (const [key, [waiter]] of this.#waiting) {
      const turn = this.#turns.get(key) ?? 0;
      if (waiter === undefined || !this.#mayEnter(key) || turn >= (first?.turn ?? Number.POSITIVE_INFINITY)) continue;
      first = { key, waiter, turn };
    }
    if (first === undefined) return;
    this.#take(first.key);
    this.#forget(first.key, first.waiter);
    first.waiter.enter();
  }
}
