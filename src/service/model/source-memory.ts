// The port for what a source must remember over a restart, such as unfinished paid tasks, and an in-memory form.
import type { Clock } from './ports.ts';

/** Small texts by key, of one service. Who made an entry puts it again or deletes it; what has expired is gone. */
export interface SourceMemory {
  get(key: string): Promise<string | undefined>;
  /** Durable when it resolves. `expiresAt` in UTC milliseconds. */
  put(key: string, value: string, expiresAt: number): Promise<void>;
  delete(key: string): Promise<void>;
}

/**
 * In the memory of this process: for tests, and for hosts that would rather pay again after a restart than keep a file.
 */
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

  /** The oldest entries are first, and mostly the first to expire. */
  #forgetExpired(): void {
    const now = this.#clock.now();
    for (const [key, { expiresAt }] of this.#entries) {
      if (expiresAt > now) return;
      this.#entries.delete(key);
    }
  }
}
