// The port for data that a source keeps across restarts, such as unfinished paid tasks, and an in-memory store.
import type { Clock } from './ports.ts';

/** Small texts by key, for one service. Their creator updates or deletes them; expired ones disappear. */
export interface SourceMemory {
  get(key: string): Promise<string | undefined>;
  /** Durable when it resolves. `expiresAt` in UTC milliseconds. */
  put(key: string, value: string, expiresAt: number): Promise<void>;
  delete(key: string): Promise<void>;
}

/** In memory: for tests, and for hosts that accept paying again after a restart. */
export class ProcessMemory implements SourceMemory {
  readonly #clock: Clock;
  readonly #entries = new Map<string, { readonly value: string; readonly expiresAt: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async get(key: string): Promise<string | undefined> {
    const entry = this.#entries.get(key);
    if (entry !== undefined && entry.expiresAt > this.#clock.now()) return entry.value;
    this.#entries.delete(key);
    return undefined;
  }

  async put(key: string, value: string, expiresAt: number): Promise<void> {
    this.#forgetExpired();
    this.#entries.delete(key);
    this.#entries.set(key, { value, expiresAt });
  }

  async delete(key: string): Promise<void> {
    this.#entries.delete(key);
  }

  /** The oldest entries come first, and mostly expire first. */
  #forgetExpired(): void {
    const now = this.#clock.now();
    for (const [key, { expiresAt }] of this.#entries) {
      if (expiresAt > now) return;
      this.#entries.delete(key);
    }
  }
}
