// Stops buying from a service that fails page after page: pauses, probes, and gives it up for the run in the end. Pure; waiting is the caller's part.
import { SteadyTime } from '../src/service/index.ts';
import type { Failure } from './retry.ts';

/** What a service that fails for everything may cost a run: `failuresMax` pages, and one for each pause. */
export const breakerLimits = Object.freeze({
  /** Failures in a row, of whatever checks, that open the breaker. Waits that the service asked for (429) are none: see `waitsMax`. */
  failuresMax: 10,
  /** How long a service that was never asked before has to fail, before it is trusted with any number of requests at once. */
  patienceMs: 250,
  /** How long nothing is bought; after each pause one page is asked for, and where that fails as well the next pause begins. */
  pausesMs: Object.freeze([60_000, 180_000, 600_000]),
  /** Waits (429) of one page in a row that open the breaker at once: a provider may charge for what it refuses, and say nothing of it. */
  waitsMax: 5,
});

/**
 * `failed`: it may have cost something, or would be tried again. `busy`: the service asked one page to wait too often. `neutral`: it says nothing about
 * the service's health.
 */
export type Verdict = 'answered' | 'failed' | 'busy' | 'neutral';

/** What a failed request says of its service. A request that was refused for what is in it says nothing. */
export function verdictOn({ code, disposition, charged }: Failure, waits = 0): Verdict {
  if (code === 'ABORTED' || disposition === 'halt') return 'neutral';
  if (disposition === 'wait') return waits >= breakerLimits.waitsMax ? 'busy' : 'neutral';
  return charged !== 'no' || disposition === 'retry' ? 'failed' : 'neutral';
}

/** A request that may leave. To be ended once, with what came of it. */
export interface Admission {
  end(verdict: Verdict, now: number, failure?: Failure): void;
}

/**
 * One service of one run. Closed, it lets everything through; only while the service is in doubt (its last answer was a failure, or it was never asked
 * and has had no time to fail) no more requests may be under way than failures are missing to open it: a dead service costs the same at any concurrency.
 */
export class Breaker {
  readonly service: string;
  #isInDoubt: boolean;
  /** Failures without an answer between them. */
  readonly #time = new SteadyTime();
  #streak: number;
  #underWay = 0;
  #firstAskedAt: number | null = null;
  /** Pauses begun since it opened; 0 while it is closed. */
  #pauses = 0;
  #pausedUntil = 0;
  #givenUp: string | null = null;

  /**
   * `failuresBefore`: how often in a row the service failed when it was last asked, in other runs; null where it never was. A run after one that gave
   * it up begins with one page, and pauses again where that fails.
   */
  constructor(service: string, failuresBefore: number | null) {
    this.service = service;
    this.#isInDoubt = failuresBefore !== 0;
    this.#streak = Math.min(failuresBefore ?? 0, breakerLimits.failuresMax - 1);
  }

  /** Why nothing more is bought there in this run; null while something may be. */
  get givenUp(): string | null {
    return this.#givenUp;
  }

  /** Whether the next request is to find out if it answers again. */
  get isProbing(): boolean {
    return this.#pauses > 0;
  }

  /** UTC milliseconds of the end of the pause, over or not; 0 after an answer, infinite where there is no more to come. */
  get pausedUntil(): number {
    return this.#givenUp === null ? this.#pausedUntil : Number.POSITIVE_INFINITY;
  }

  /** The way back to this moment: what was told since did not come to pass, and may be told again. */
  mark(): () => void {
    const asked = [this.#isInDoubt, this.#streak, this.#underWay, this.#firstAskedAt] as const;
    const paused = [this.#pauses, this.#pausedUntil, this.#givenUp] as const;
    return () => {
      [this.#isInDoubt, this.#streak, this.#underWay, this.#firstAskedAt] = asked;
      [this.#pauses, this.#pausedUntil, this.#givenUp] = paused;
    };
  }

  /** How many requests may be under way at this moment. */
  room(now: number): number {
    return this.#roomAt(this.#time.at(now));
  }

  #roomAt(now: number): number {
    if (this.#givenUp !== null || now < this.#pausedUntil) return 0;
    if (this.#pauses > 0) return 1;
    if (!this.#isInDoubt || this.#patienceAt(now) === 0) return Number.POSITIVE_INFINITY;
    return breakerLimits.failuresMax - this.#streak;
  }

  /** Milliseconds until a service of which nothing is known yet is trusted, at the earliest; null where nothing but an answer helps. */
  patienceMs(now: number): number | null {
    return this.#patienceAt(this.#time.at(now));
  }

  #patienceAt(now: number): number | null {
    if (this.#streak > 0) return null;
    return Math.max(0, (this.#firstAskedAt ?? now) + breakerLimits.patienceMs - now);
  }

  /** Milliseconds until a page may be asked for again; 0 where one may be now, null where none will be. */
  pauseMs(now: number): number | null {
    return this.#givenUp === null ? Math.max(0, this.#pausedUntil - this.#time.at(now)) : null;
  }

  /** Lets a request leave, or not: null. */
  admit(shown: number): Admission | null {
    const now = this.#time.at(shown);
    if (this.#underWay >= this.#roomAt(now)) return null;
    this.#underWay += 1;
    this.#firstAskedAt ??= now;
    const isProbe = this.#pauses > 0;
    return {
      end: (verdict, at, failure) => {
        this.#underWay -= 1;
        if (verdict === 'answered') this.#close();
        // a probe that is asked to wait has found the service as it was
        const isBusy = verdict === 'busy' || (isProbe && failure?.disposition === 'wait');
        if (verdict === 'failed' || isBusy) this.#fail(isProbe, isBusy, this.#time.at(at), failure);
      },
    };
  }

  #close(): void {
    this.#isInDoubt = false;
    this.#streak = 0;
    this.#pauses = 0;
    this.#pausedUntil = 0;
  }

  #fail(isProbe: boolean, isBusy: boolean, now: number, failure: Failure | undefined): void {
    // what had left before it opened adds nothing to what is known
    if (this.#pauses > 0 && !isProbe) return;
    this.#isInDoubt = true;
    this.#streak = isBusy ? Math.max(this.#streak + 1, breakerLimits.failuresMax) : this.#streak + 1;
    if (this.#streak < breakerLimits.failuresMax) return;
    const pauseMs = breakerLimits.pausesMs[this.#pauses];
    if (pauseMs === undefined) {
      this.#givenUp = this.#reason(failure);
      return;
    }
    this.#pauses += 1;
    this.#pausedUntil = now + pauseMs;
  }

  #reason(failure: Failure | undefined): string {
    const last = failure === undefined ? '' : `; the last time: ${failure.code}: ${failure.message}`;
    const minutes = breakerLimits.pausesMs.map((ms) => ms / 60_000).join(', ');
    return `service "${this.service}" failed ${this.#streak} times in a row, pauses of ${minutes} minutes between the last ones${last}`;
  }
}
