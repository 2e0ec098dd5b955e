// Pages in flight, shared among the API users of a service: round robin, and never all of them one user's.
import { FairTurns } from './fair-turns.ts';
import { limits } from './limits.ts';
import type { SourceKind } from './sources/source.ts';

/** Pages (or requests for keyword data) that a source works on at once: of all API users, and of one. */
export interface PagesInFlight {
  readonly total: number;
  /** Default: four fifths of `total`, so that a burst leaves places for others. */
  readonly perUser?: number;
}

/** Does the work when its user's turn has come. */
export type Turn = <T>(work: () => Promise<T>) => Promise<T>;

export class PageTurns {
  readonly #turns: FairTurns;
  readonly #isSimulated: boolean;

  constructor(kind: SourceKind, inFlight: PagesInFlight | undefined) {
    this.#isSimulated = kind !== 'live';
    const places = inFlight?.total ?? (this.#isSimulated ? limits.simulatedPagesInFlight : limits.concurrencyDefault);
    const placesPerKey = Math.min(places, inFlight?.perUser ?? Math.max(1, Math.floor(places * 0.8)));
    this.#turns = new FairTurns({ places, placesPerKey });
  }

  of(user: string, signal: AbortSignal): Turn {
    return async (work) => {
      const leave = await this.#turns.enter(user, signal);
      try {
        return await work();
      } finally {
        // A page that is computed here keeps the event loop busy: requests of others are read before the next one.
        if (this.#isSimulated) await new Promise((next) => setImmediate(next));
        leave();
      }
    };
  }
}
