// Works through the planned checks of a run with bounded concurrency: claims in order, defers what the budget cannot pay, stops cleanly.
import { setImmediate } from 'node:timers/promises';
import { StoreError } from '../db/errors.ts';
import { type CheckSignals, checkSearch, type StopSignals } from './check-search.ts';
import { CheckWork, type Step } from './check-work.ts';
import type { JobContext } from './context.ts';
import type { FetchQueue } from './queue.ts';
import type { Failure } from './retry.ts';
import { TargetSets } from './targets.ts';

export type DrainResult =
  | { readonly kind: 'done' }
  | { readonly kind: 'interrupted' }
  | { readonly kind: 'halted'; readonly failure: Failure };

/** With less than this free on the disk nothing more is bought: what cannot be recorded must not be paid. */
const freeBytesMin = 4 * 1024 * 1024;
const heartbeatEveryMs = 5000;
/** Checks deferred in one transaction when the budget is gone. */
const deferralsPerClaim = 500;

interface Claimed {
  readonly work: CheckWork;
  readonly first: Step;
}

interface Claim {
  readonly claimed: readonly Claimed[];
  readonly deferred: number;
}

const nothing: Claim = { claimed: [], deferred: 0 };

/** Works until no check of the run is planned any more, the signal stops it, or a failure halts it. Rejects where the store fails. */
export async function drainRun(
  context: JobContext,
  queue: FetchQueue,
  runId: number,
  signals: StopSignals,
  onEnded: () => void,
): Promise<DrainResult> {
  const drain = new Drain(context, queue, runId, signals, onEnded);
  return drain.run();
}

class Drain {
  readonly #context: JobContext;
  readonly #queue: FetchQueue;
  readonly #runId: number;
  readonly #signals: CheckSignals;
  readonly #onEnded: () => void;
  readonly #targets: TargetSets;
  readonly #moment: number;
  readonly #inFlight = new Set<Promise<void>>();
  /** What halts one check stops all: those that wait for their turn give up, those in flight end with the page they wait for. */
  readonly #stop = new AbortController();
  #halt: Failure | null = null;
  #broken: { readonly error: unknown } | null = null;
  #lastHeartbeat = 0;

  constructor(context: JobContext, queue: FetchQueue, runId: number, signals: StopSignals, onEnded: () => void) {
    this.#context = context;
    this.#queue = queue;
    this.#runId = runId;
    const stop = AbortSignal.any([signals.stop, this.#stop.signal]);
    this.#signals = { stop, giveUp: signals.giveUp, halt: () => this.#stop.abort() };
    this.#onEnded = onEnded;
    this.#targets = new TargetSets(context);
    const run = context.store.runs.run(runId);
    if (run === null) throw new Error(`there is no run ${runId}`);
    this.#moment = run.moment;
  }

  async run(): Promise<DrainResult> {
    for (;;) {
      const mayStart = !this.#signals.stop.aborted && this.#broken === null;
      const { claimed, deferred } = mayStart
        ? this.#claimOrBreak(this.#queue.concurrency - this.#inFlight.size)
        : nothing;
      for (const check of claimed) this.#start(check);
      if (this.#inFlight.size === 0) {
        if (claimed.length === 0 && deferred === 0) break;
        await setImmediate(); // long lists of deferrals leave room for a signal
        continue;
      }
      if (claimed.length === 0 || this.#inFlight.size >= this.#queue.concurrency) {
        await Promise.race(this.#inFlight);
        await setImmediate(); // checks whose pages became durable together end together: claim their successors together
      }
    }
    if (this.#broken !== null) throw this.#broken.error;
    if (this.#halt !== null) return { kind: 'halted', failure: this.#halt };
    const { planned } = this.#context.store.checks.counts(this.#runId);
    return planned > 0 ? { kind: 'interrupted' } : { kind: 'done' };
  }

  /** A store that fails ends the drain, but only after what is in flight has come back. */
  #claimOrBreak(slots: number): Claim {
    try {
      return this.#claim(slots);
    } catch (error) {
      this.#broken = { error };
      return nothing;
    }
  }

  #start({ work, first }: Claimed): void {
    const task = checkSearch(this.#context, this.#queue, work, first, this.#signals)
      .then((result) => {
        if (result.kind === 'halted') this.#halt ??= result.failure;
        if (result.kind === 'ended') this.#onEnded();
      })
      .catch((error: unknown) => {
        this.#broken ??= { error };
      })
      .finally(() => this.#inFlight.delete(task));
    this.#inFlight.add(task);
  }

  /**
   * Claims up to `slots` checks in one transaction. A check whose worst case does not fit is deferred once nothing is in flight any
   * more: until then reservations may still come back.
   */
  #claim(slots: number): Claim {
    this.#beat();
    const { store } = this.#context;
    return store.transaction(() => {
      const claimed: Claimed[] = [];
      let deferred = 0;
      const planned = store.checks.next(this.#runId, slots);
      while (planned.length > 0 && claimed.length < slots && deferred < deferralsPerClaim) {
        const check = planned.shift();
        if (check === undefined) break;
        if (!this.#context.services.has(check.market.service)) {
          this.#defer(check.id, `the config has no service "${check.market.service}" any more`);
          deferred += 1;
          if (planned.length === 0) planned.push(...store.checks.next(this.#runId, slots));
          continue;
        }
        const work = new CheckWork(this.#context, check, this.#targets.of(check.projects), this.#moment);
        const first = work.claim();
        if (first.kind !== 'short') {
          claimed.push({ work, first });
          continue;
        }
        if (this.#inFlight.size > 0 || claimed.length > 0) break;
        this.#defer(check.id, first.reason);
        deferred += 1;
        if (planned.length === 0) planned.push(...store.checks.next(this.#runId, slots));
      }
      return { claimed, deferred };
    });
  }

  #defer(checkId: number, reason: string): void {
    this.#context.store.checks.end(checkId, deferredEnd(reason, this.#context.clock.now()));
    this.#onEnded();
  }

  #beat(): void {
    const { store, clock, freeBytes } = this.#context;
    const now = clock.now();
    if (now - this.#lastHeartbeat < heartbeatEveryMs) return;
    this.#lastHeartbeat = now;
    if (freeBytes() < freeBytesMin) {
      throw new StoreError(
        'DISK_FULL',
        `the disk of ${store.file} has less than ${freeBytesMin / 1_048_576} MiB free: nothing more is bought`,
        'Free some space and run again; the run resumes where it stopped.',
      );
    }
    store.transaction(() => store.runs.heartbeat(this.#runId, now));
  }
}

function deferredEnd(reason: string, at: number) {
  return {
    state: 'deferred',
    pagesRead: 0,
    pagesReused: 0,
    checkedAt: null,
    source: null,
    features: [],
    reason,
    remedy: 'It goes first next time; raise the budget to check it sooner.',
    at,
  } as const;
}
