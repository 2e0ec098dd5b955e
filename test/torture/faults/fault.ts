// A fault: how it is injected once, and the planted bug that it must reveal.
import type { Random } from '../../simulation/random.ts';

export interface Injection {
  /** How often the fault happened. */
  readonly injected: number;
  /** Violations as text; empty is right. */
  readonly violations: readonly string[];
}

export interface Fault {
  readonly name: string;
  /** The invariant of the planted bug (test/mutations) that must cause violations. */
  readonly plant: string;
  /** `quick`: in `npm test`, 0 if a round takes longer than a second. `plant`: enough to reveal the planted bug. */
  readonly rounds: { readonly quick: number; readonly plant: number; readonly full: number };
  /** Why it cannot be injected on this machine; null if it can. */
  readonly missing?: () => string | null;
  /** Injects the fault into a new world. `round` counts from 0. */
  readonly inject: (random: Random, round: number) => Promise<Injection>;
}
