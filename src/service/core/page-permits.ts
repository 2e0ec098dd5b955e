// Limits the pages in flight of a service: API users take turns, and no user holds every permit.
import { limits } from '../model/limits.ts';
import { Semaphore } from '../model/semaphore.ts';
import type { SourceKind } from '../model/source.ts';

/** Pages (or keyword data requests) that a source handles at once: for all API users, and for one. */
export interface PagesInFlight {
  readonly total: number;
  /** Default: four fifths of `total`, so that a burst leaves permits for others. */
  readonly perUser?: number;
}

/** Does the work when its user's turn has come. */
export type RunWithPermit = <T>(work: () => Promise<T>) => Promise<T>;

export class PagePermits {
  readonly #permits: Semaphore;
  readonly #isSimulated: boolean;

  constructor(kind: SourceKind, inFlight: PagesInFlight | undefined) {
    this.#isSimulated = kind !== 'live';
    const permits = inFlight?.total ?? (this.#isSimulated ? limits.simulatedPagesInFlight : limits.concurrencyDefault);
    const permitsPerKey = Math.min(permits, inFlight?.perUser ?? Math.max(1, Math.floor(permits * 0.8)));
    this.#permits = new Semaphore({ permits, permitsPerKey });
  }

  forUser(user: string, signal: AbortSignal): RunWithPermit {
    return async (work) => {
      const release = await this.#permits.acquire({ key: user, signal });
      try {
        return await work();
      } finally {
        // A page that is computed here keeps the event loop busy: requests of others are read before the next one.
        if (this.#isSimulated) await new Promise((next) => setImmediate(next));
        release();
      }
    };
  }
}
