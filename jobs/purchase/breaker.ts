// The circuit breaker of one service in one run: pauses after consecutive failures, probes, and finally gives up.
import { MonotonicClock } from '../../src/service/terms.ts';
import type { RequestFailure } from '../retry.ts';

/** A service that always fails costs a run `failuresMax` pages, and one for each pause. */
export const breakerLimits = Object.freeze({
  /**
   * Failures in a row, over all checks, that open the breaker. A wait that the service asked for (429) is no
   * failure unless it is billed: see `waitsMax`.
   */
  failuresMax: 10,
  /** A service without a past gets any number of requests at once when it has not failed for so long. */
  patienceMs: 250,
  /**
   * Nothing is bought during a pause. After it one page probes the service; where the probe fails, the next pause
   * begins.
   */
  pausesMs: Object.freeze([60_000, 180_000, 600_000]),
  /**
   * Waits (429) of one page in a row that open the breaker at once: a provider may charge for refused requests without
   * saying so.
   */
  waitsMax: 5,
});

export const breakerStates = ['closed', 'open', 'half_open', 'given_up'] as const;

/**
 * `failed`: the request may have cost something, or would be repeated. `busy`: the service asked one page to wait too
 * often. `neutral`: the request says nothing about the health of the service.
 */
type Verdict = 'answered' | 'failed' | 'busy' | 'neutral';

/** What a failed request says about its service. A request that was refused for its content says nothing. */
export function verdictOn({ code, disposition, charged }: RequestFailure, waits = 0): Verdict {
  if (code === 'ABORTED' || disposition === 'halt') return 'neutral';
  // a wait that is billed costs as much as a failure
  if (disposition === 'wait' && charged !== 'yes') return waits >= breakerLimits.waitsMax ? 'busy' : 'neutral';
  return charged !== 'no' || disposition === 'retry' ? 'failed' : 'neutral';
}

/** A request that was admitted. Call `end` once, with its verdict. */
export interface Admission {
  end(verdict: Verdict, now: number, failure?: RequestFailure): void;
}

/** Immutable: each event gives the next state. */
interface BreakerState {
  /** The last request failed, or none was sent yet. */
  readonly isInDoubt: boolean;
  /** Failures without an answer between them. */
  readonly streak: number;
  readonly underWay: number;
  readonly firstAdmittedAt: number | null;
  /** Pauses begun since it opened; 0 while it is closed. */
  readonly pauses: number;
  readonly pausedUntil: number;
  readonly givenUp: string | null;
}

type BreakerEvent =
  | { readonly kind: 'admitted'; readonly now: number }
  | {
      readonly kind: 'ended';
      readonly wasProbe: boolean;
      readonly verdict: Verdict;
      readonly now: number;
      readonly failure: RequestFailure | undefined;
    };

/**
 * Closed, the breaker admits every request. While the service is in doubt, no more requests may be under way than
 * failures are missing to open the breaker: a dead service costs the same at any concurrency.
 */
export class Breaker {
  readonly service: string;
  readonly #time = new MonotonicClock();
  #state: BreakerState;

  /**
   * `failuresBefore`: how often in a row the service failed last, in other runs; null where it has no past. A run after
   * one that gave the service up begins with one page, and pauses again where that fails.
   */
  constructor(service: string, failuresBefore: number | null) {
    this.service = service;
    this.#state = {
      isInDoubt: failuresBefore !== 0,
      streak: Math.min(failuresBefore ?? 0, breakerLimits.failuresMax - 1),
      underWay: 0,
      firstAdmittedAt: null,
      pauses: 0,
      pausedUntil: 0,
      givenUp: null,
    };
  }

  /** Why nothing more is bought there in this run; null while something may be. */
  get givenUp(): string | null {
    return this.#state.givenUp;
  }

  /** Whether the next request tests if the service answers again. */
  get isProbing(): boolean {
    return this.#state.pauses > 0;
  }

  /** UTC milliseconds of the end of the pause, past or future; 0 after an answer, infinite once given up. */
  get pausedUntil(): number {
    return this.#state.givenUp === null ? this.#state.pausedUntil : Number.POSITIVE_INFINITY;
  }

  /** For monitoring: `half_open` while one request tests the service. */
  stateAt(now: number): (typeof breakerStates)[number] {
    if (this.givenUp !== null) return 'given_up';
    if (!this.isProbing) return 'closed';
    return this.pauseMs(now) === 0 ? 'half_open' : 'open';
  }

  /** How many requests may be under way at this moment. */
  room(now: number): number {
    return roomAt(this.#state, this.#time.at(now));
  }

  /** Milliseconds until a service without a past gets any number of requests; null where only an answer helps. */
  patienceMs(now: number): number | null {
    return patienceAt(this.#state, this.#time.at(now));
  }

  /** Milliseconds of the pause that began last, from its first moment; 0 while the breaker is closed. */
  get decidedPauseMs(): number {
    return breakerLimits.pausesMs[this.#state.pauses - 1] ?? 0;
  }

  /** Milliseconds until a request may leave; 0 where one may now, null once given up. */
  pauseMs(now: number): number | null {
    const { givenUp, pausedUntil } = this.#state;
    return givenUp === null ? Math.max(0, pausedUntil - this.#time.at(now)) : null;
  }

  /** Null where the request must not leave. */
  admit(shown: number): Admission | null {
    const now = this.#time.at(shown);
    if (this.#state.underWay >= roomAt(this.#state, now)) return null;
    const wasProbe = this.isProbing;
    this.#state = reduceBreaker(this.service, this.#state, { kind: 'admitted', now });
    return {
      end: (verdict, at, failure) => {
        const event = { kind: 'ended', wasProbe, verdict, now: this.#time.at(at), failure } as const;
        this.#state = reduceBreaker(this.service, this.#state, event);
      },
    };
  }
}

function roomAt(state: BreakerState, now: number): number {
  if (state.givenUp !== null || now < state.pausedUntil) return 0;
  if (state.pauses > 0) return 1;
  if (!state.isInDoubt || patienceAt(state, now) === 0) return Number.POSITIVE_INFINITY;
  return breakerLimits.failuresMax - state.streak;
}

function patienceAt({ streak, firstAdmittedAt }: BreakerState, now: number): number | null {
  if (streak > 0) return null;
  return Math.max(0, (firstAdmittedAt ?? now) + breakerLimits.patienceMs - now);
}

function reduceBreaker(service: string, state: BreakerState, event: BreakerEvent): BreakerState {
  if (event.kind === 'admitted') {
    return { ...state, underWay: state.underWay + 1, firstAdmittedAt: state.firstAdmittedAt ?? event.now };
  }
  const { wasProbe, verdict, now, failure } = event;
  const rest = { ...state, underWay: state.underWay - 1 };
  if (verdict === 'answered') return { ...rest, isInDoubt: false, streak: 0, pauses: 0, pausedUntil: 0 };
  // a probe that the service puts off finds it unchanged
  const isBusy = verdict === 'busy' || (wasProbe && failure?.disposition === 'wait');
  const isFailure = verdict === 'failed' || isBusy;
  // requests that left before the breaker opened add nothing
  if (!isFailure || (state.pauses > 0 && !wasProbe)) return rest;
  const streak = isBusy ? Math.max(state.streak + 1, breakerLimits.failuresMax) : state.streak + 1;
  const failed = { ...rest, isInDoubt: true, streak };
  if (streak < breakerLimits.failuresMax) return failed;
  const pauseMs = breakerLimits.pausesMs[state.pauses];
  if (pauseMs === undefined) return { ...failed, givenUp: whyGivenUp(service, streak, failure) };
  return { ...failed, pauses: state.pauses + 1, pausedUntil: now + pauseMs };
}

function whyGivenUp(service: string, streak: number, failure: RequestFailure | undefined): string {
  const last = failure === undefined ? '' : `; the last time: ${failure.code}: ${failure.message}`;
  const minutes = breakerLimits.pausesMs.map((ms) => ms / 60_000).join(', ');
  return `service "${service}" failed ${streak} consecutive times, with pauses of ${minutes} minutes between the last ones${last}`;
}
