// Keeps paid responses that are not used yet.

import type { Clock } from '../../../model/ports.ts';
import type { Fields } from '../../../net/fields.ts';

/** A request is retried within minutes, or not at all. */
const partKeptMs = 15 * 60_000;
const partsMax = 8;

/**
 * Answers to the first calls of requests that failed at a later call: they are paid, and the retry does not buy them
 * again.
 */
export class PaidParts {
  readonly #clock: Clock;
  readonly #kept = new Map<string, { readonly root: Fields; readonly until: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(part: string): Fields | undefined {
    const kept = this.#kept.get(part);
    return kept !== undefined && kept.until > this.#clock.now() ? kept.root : undefined;
  }

  keep(part: string, root: Fields): void {
    this.#kept.set(part, { root, until: this.#clock.now() + partKeptMs });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > partsMax && oldest !== undefined) this.#kept.delete(oldest);
  }

  drop(parts: readonly string[]): void {
    for (const part of parts) this.#kept.delete(part);
  }
}
