// Works through the planned checks of a run with bounded concurrency: claims in order, defers what the budget cannot pay, pauses where a service fails, stops cleanly.
import { setImmediate } from 'node:timers/promises';
import type { PlannedCheck } from '../db/checks.ts';
import { untilUnlocked } from '../db/lock-patience.ts';
import { linkKey } from '../src/tracker/link-key.ts';
import { RunPages, runPagesMax } from '../src/tracker/run-pages.ts';
import { deferredEnd } from './check-end.ts';
import { type CheckResult, checkSearch, type StopSignals } from './check-search.ts';
import type { Short, Step } from './check-step.ts';
import { CheckWork } from './check-work.ts';
import type { JobContext } from './context.ts';
import { guardDisk } from './disk-guard.ts';
import type { FetchQueue, PageOutcome } from './queue.ts';
import {
  heartbeatEveryMs,
  type ServiceLine,
  ServiceLines,
  type ServiceStop,
  type ServiceWait,
} from './service-lines.ts';
import { type ShownRun, shownRun } from './slot-day.ts';
import { TargetSets } from './targets.ts';

/**
 * `stops`: services that nothing more is bought from; their checks are still planned, and `closeRun` puts them off. `remarks`: what somebody should see
 * to although the work was done without.
 */
export type DrainResult =
  | { readonly kind: 'done'; readonly stops: readonly ServiceStop[]; readonly remarks: readonly string[] }
  | { readonly kind: 'interrupted' };

export interface DrainListener {
  onEnded(): void;
  /** Other services are waited for than before, or for longer. */
  onWaits?(waits: readonly ServiceWait[]): void;
}

const deferralsPerClaim = 500; // in one transaction, when the budget is gone

interface Claimed {
  readonly kind: 'claimed';
  readonly line: ServiceLine;
  readonly work: CheckWork;
  readonly first: Step;
}

interface Claim {
  readonly claimed: readonly Claimed[];
  readonly deferred: number;
}

const nothing: Claim = { claimed: [], deferred: 0 };
/** Works until no check of the run is planned any more but those of stopped services, or the signal ends it. Rejects where the store fails. */
export async function drainRun(
  context: JobContext,
  queue: FetchQueue,
  runId: number,
  signals: StopSignals,
  listener: DrainListener,
): Promise<DrainResult> {
  return new Drain(context, queue, runId, signals, listener).run();
}

class Drain {
  readonly #context: JobContext;
  readonly #queue: FetchQueue;
  readonly #runId: number;
  readonly #signals: StopSignals;
  readonly #listener: DrainListener;
  readonly #targets: TargetSets;
  readonly #run: ShownRun;
  readonly #pages = new RunPages();
  readonly #inFlight = new Set<Promise<void>>();
  readonly #claimsMax: number;
  readonly #lines: ServiceLines;
  /** Whether checks could not be claimed for want of room at their service; then each page that comes back may make room. */
  #isHeldBack = false;
  #pageBack = Promise.withResolvers<void>();
  #broken: { readonly error: unknown } | null = null;
  #lastHeartbeat = 0;

  constructor(context: JobContext, queue: FetchQueue, runId: number, signals: StopSignals, listener: DrainListener) {
    this.#context = context;
    this.#queue = queue;
    this.#claimsMax = queue.claimsMax ?? queue.concurrency;
    this.#runId = runId;
    this.#signals = signals;
    this.#listener = listener;
    this.#lines = new ServiceLines(context, signals.stop);
    this.#targets = new TargetSets(context);
    this.#run = shownRun(context, runId);
    const read = context.store.pagePast.ofRun(runId, runPagesMax).reverse();
    for (const { keyword, page, links } of read) this.#pages.add(keyword, page, links.map(linkKey));
  }

  async run(): Promise<DrainResult> {
    for (;;) {
      const mayStart = !this.#signals.stop.aborted && this.#broken === null;
      const { claimed, deferred } = mayStart
        ? await this.#claimOrBreak(this.#claimsMax - this.#inFlight.size)
        : nothing;
      for (const check of claimed) this.#start(check);
      if (this.#inFlight.size === 0) {
        if (claimed.length === 0 && deferred === 0 && !(mayStart && (await this.#pause()))) break;
        await setImmediate(); // long lists of deferrals leave room for a signal
        continue;
      }
      if (claimed.length === 0 || this.#inFlight.size >= this.#claimsMax) {
        await this.#untilRoom();
        await setImmediate(); // checks whose pages became durable together end together: claim their successors together
      }
    }
    if (this.#broken !== null) throw this.#broken.error;
    const stops = this.#lines.stops();
    return this.#isPlanned(stops) ? { kind: 'interrupted' } : { kind: 'done', stops, remarks: this.#lines.remarks() };
  }

  /** Until a check has ended, or a page that came back, or did not come, may have made room at its service. */
  async #untilRoom(): Promise<void> {
    if (!this.#isHeldBack) {
      await Promise.race(this.#inFlight);
      return;
    }
    const { clock } = this.#context;
    const over = new AbortController();
    const patienceMs = this.#lines.patienceMs(clock.now());
    const patience = patienceMs === null ? [] : [clock.sleep(patienceMs, over.signal).catch(() => undefined)];
    await Promise.race([...this.#inFlight, this.#pageBack.promise, ...patience]);
    over.abort();
  }

  /** Where all that is left waits for services that pause: sleeps a little towards the end of the pause. False where nothing is left to wait for. */
  async #pause(): Promise<boolean> {
    const { clock } = this.#context;
    const pauseMs = this.#lines.pauseMs(clock.now());
    if (pauseMs === null || !this.#isPlanned(this.#lines.stops())) return false;
    // in pieces, because a run that is at work says so
    await clock.sleep(Math.min(pauseMs, heartbeatEveryMs), this.#signals.stop).catch(() => undefined);
    this.#tellWaits();
    return true;
  }

  #tellWaits(): void {
    const waits = this.#lines.newWaits(this.#context.clock.now());
    if (waits !== null) this.#listener.onWaits?.(waits);
  }

  /** Whether a check is left that none of these stops concerns. */
  #isPlanned(stops: readonly ServiceStop[]): boolean {
    const stopped = stops.map(({ service }) => service);
    return this.#context.store.checks.next(this.#runId, 1, stopped).length > 0;
  }

  /** A store that fails ends the drain, but only after what is in flight has come back. */
  async #claimOrBreak(slots: number): Promise<Claim> {
    try {
      return await untilUnlocked(() => this.#claim(slots), this.#signals.stop);
    } catch (error) {
      this.#broken = { error };
      return nothing;
    }
  }

  #start({ line, work, first }: Claimed): void {
    const signals = {
      stop: line.signal,
      giveUp: this.#signals.giveUp,
      halt: () => line.leave(),
      refuse: (stop: ServiceStop) => line.refuse(stop),
      onPage: (outcome: PageOutcome) => {
        line.passOver(this.#context, this.#runId, outcome);
        if (!outcome.ok) line.heard(this.#context, this.#runId, outcome.failure);
        line.tell(this.#context, this.#runId);
        this.#tellWaits();
        this.#wake();
      },
    };
    const task = checkSearch(this.#context, this.#queue, work, first, signals)
      .then((result) => {
        this.#tell(work.check, result);
        if (result.kind === 'halted') line.halt(result.failure);
        if (result.kind === 'ended') this.#listener.onEnded();
      })
      .catch((error: unknown) => {
        this.#broken ??= { error };
        this.#lines.leave(); // what cannot be recorded must not be bought
      })
      .finally(() => {
        line.checks -= 1;
        this.#inFlight.delete(task);
      });
    this.#inFlight.add(task);
  }

  #tell({ id: checkId, searchId, market: { service } }: PlannedCheck, result: CheckResult): void {
    const { log } = this.#context;
    const facts = { runId: this.#runId, checkId, searchId, service };
    if (result.kind === 'ended') log.debug({ ...facts, status: result.status }, 'check ended');
    else if (result.kind === 'put-back') log.debug(facts, 'check put back');
    else log.warn({ ...facts, errorCode: result.failure.code, message: result.failure.message }, 'service halted');
  }

  #wake(): void {
    if (!this.#isHeldBack) return;
    this.#pageBack.resolve();
    this.#pageBack = Promise.withResolvers<void>();
  }

  /**
   * Claims up to `slots` checks in one transaction, as many of each service as it has room for. A check whose worst case does not fit is deferred once
   * nothing is in flight any more: until then reservations may still come back.
   */
  #claim(slots: number): Claim {
    this.#beat();
    if (slots <= 0) return nothing;
    const { store, services, clock } = this.#context;
    return store.transaction(() => {
      store.runs.assertHeld(this.#runId);
      const claimed: Claimed[] = [];
      let deferred = 0;
      let started = 0;
      const start = (): void => {
        if (started < claimed.length) store.checks.start(claimed.slice(started).map(({ work }) => work.check.id));
        started = claimed.length;
      };
      let full = this.#lines.full(clock.now());
      let planned = store.checks.next(this.#runId, slots, full);
      while (claimed.length < slots && deferred < deferralsPerClaim) {
        const next = planned.shift();
        if (next === undefined) break;
        const { service } = next.market;
        if (full.includes(service)) continue;
        const check = this.#instead(next);
        const isLast = this.#inFlight.size === 0 && claimed.length === 0;
        const begun = services.has(service)
          ? this.#begin(check, isLast)
          : { kind: 'short' as const, reason: `the config has no service "${service}" any more` };
        if (begun.kind === 'short') {
          if (services.has(service) && !isLast) break;
          this.#defer(check.id, begun.reason);
          deferred += 1;
        } else claimed.push(begun);
        full = this.#lines.full(clock.now());
        const open = slots - claimed.length;
        if (planned.length === 0 && open > 0) {
          start();
          planned = store.checks.next(this.#runId, open, full);
        }
      }
      start();
      this.#isHeldBack = full.length > 0;
      return { claimed, deferred };
    });
  }

  /** A probe is to tell how the service is, not what is wrong with a search that fails while others do not. */
  #instead(next: PlannedCheck): PlannedCheck {
    const { service } = next.market;
    if (this.#lines.known(service)?.breaker?.isProbing !== true) return next;
    return this.#context.store.checks.leastFailed(this.#runId, service) ?? next;
  }

  /** `isLast`: no reservation can come back to the budget any more. */
  #begin(check: PlannedCheck, isLast: boolean): Claimed | Short {
    const line = this.#lines.of(check.market.service);
    const targets = this.#targets.of(check.projects);
    const work = new CheckWork(this.#context, check, targets, this.#run, line.breaker, this.#pages);
    const claimed = work.claim();
    const first = claimed.kind === 'short' && isLast ? (work.endShort(claimed) ?? claimed) : claimed;
    if (first.kind === 'short') return first;
    line.checks += 1;
    return { kind: 'claimed', line, work, first };
  }

  #defer(checkId: number, reason: string): void {
    this.#context.store.checks.end(checkId, deferredEnd(reason, this.#context.clock.now()));
    this.#listener.onEnded();
  }

  #beat(): void {
    const { store, clock } = this.#context;
    guardDisk(this.#context, this.#claimsMax);
    const now = clock.now();
    if (now - this.#lastHeartbeat < heartbeatEveryMs) return;
    store.transaction(() => store.runs.heartbeat(this.#runId, now));
    this.#lastHeartbeat = now;
  }
}
