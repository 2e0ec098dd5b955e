// Remembers which source of a chain may have sold a purchase: retries go only there; others would sell it again.
import { createHash } from 'node:crypto';
import type { Clock } from '../../model/ports.ts';
import type { PageRequest } from '../../model/source.ts';
import type { SourceMemory } from '../../model/source-memory.ts';

/** Longer than any key is retried. */
const keptMs = 3 * 86_400_000;

/** For sources that keep keys. Purchases without a key are not retried, so they are not remembered. */
export class StickySource {
  readonly #memory: SourceMemory;
  readonly #clock: Clock;

  constructor(memory: SourceMemory, clock: Clock) {
    this.#memory = memory;
    this.#clock = clock;
  }

  /** The name of the remembered source. */
  async of(request: PageRequest, key: string | undefined): Promise<string | undefined> {
    return key === undefined ? undefined : await this.#memory.get(pageKey(request, key));
  }

  /** Durable when it resolves: only then may the source be used. */
  async bind(part: string, request: PageRequest, key: string | undefined): Promise<void> {
    if (key !== undefined) await this.#memory.put(pageKey(request, key), part, this.#clock.now() + keptMs);
  }

  /** The source has certainly sold nothing. */
  async free(request: PageRequest, key: string | undefined): Promise<void> {
    if (key !== undefined) await this.#memory.delete(pageKey(request, key));
  }
}

function pageKey({ keyword, country, language, mobile, page, location }: PageRequest, key: string): string {
  const where = location === undefined ? [] : [location];
  const facts = JSON.stringify([key, keyword, country, language, mobile, page, ...where]);
  return `chain:${createHash('sha256').update(facts).digest('hex').slice(0, 40)}`;
}
