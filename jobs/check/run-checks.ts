// Executes the planned checks of a run with bounded concurrency, in order, and defers what the budget cannot pay.
import { setImmediate } from 'node:timers/promises';
import { StoreError } from '../../db/connection/errors.ts';
import type { PlannedCheck } from '../../db/history/checks/checks.ts';
import { addTo } from '../../src/tracker/maps.ts';
import { linkKey, RunPages, runPagesMax } from '../../src/tracker/trust/page-trust.ts';
import type { JobContext, StopSignals } from '../context.ts';
import {
  heartbeatEveryMs,
  type ServiceState,
  ServiceStates,
  type ServiceStop,
  type ServiceWait,
} from '../purchase/service-states.ts';
import type { FetchQueue, PageOutcome } from '../queue/queue.ts';
import { type ShownRun, shownRun } from '../slot-day.ts';
import { type CheckResult, checkSearch } from './check-search.ts';
import { TargetSets } from './evidence.ts';
import { type CheckJob, checkJob, claimedState, deferredEnd, reduceCheck, type Transition } from './reduce-check.ts';
import { SourceChoice } from './source-choice.ts';

/**
 * `stops`: services that nothing more is bought from; their checks are still planned, and `closeRun` defers them.
 * `remarks`: sources that need attention although the work was done without them.
 */
type ChecksResult =
  | { readonly kind: 'done'; readonly stops: readonly ServiceStop[]; readonly remarks: readonly string[] }
  | { readonly kind: 'interrupted' };

interface CheckListener {
  onEnded(): void;
  /** The run waits for other services than before, or for longer. */
  onWaits?(waits: readonly ServiceWait[]): void;
}

const deferralsPerClaim = 500; // in one transaction, when the budget is gone

interface Claimed {
  readonly service: ServiceState;
  readonly job: CheckJob;
  readonly first: Transition;
}

/** Adopted when its transaction is durable. */
interface Claim {
  readonly claimed: readonly Claimed[];
  readonly deferred: number;
  /** Some checks were not claimed, because their service had no room. */
  readonly isHeldBack: boolean;
}

const nothing: Claim = { claimed: [], deferred: 0, isHeldBack: false };

/** Works until only checks of stopped services are planned, or the signal ends it. Rejects where the store fails. */
export async function runChecks(
  context: JobContext,
  queue: FetchQueue,
  runId: number,
  signals: StopSignals,
  listener: CheckListener,
): Promise<ChecksResult> {
  return new CheckRunner(context, queue, runId, signals, listener).run();
}

class CheckRunner {
  readonly #context: JobContext;
  readonly #queue: FetchQueue;
  readonly #runId: number;
  readonly #signals: StopSignals;
  readonly #listener: CheckListener;
  readonly #targets: TargetSets;
  readonly #run: ShownRun;
  readonly #pages = new RunPages();
  /** Checks under way. */
  #inFlight = 0;
  readonly #claimsMax: number;
  readonly #services: ServiceStates;
  readonly #choice: SourceChoice;
  /** Checks under way that compare sources; until they end, others of their services wait for what they show. */
  #comparing = 0;
  /** Sources that could not complete a check, by its id. */
  readonly #left = new Map<number, ReadonlySet<string>>();
  /** Checks wait for room at their service: then each page that comes back wakes the runner. */
  #isHeldBack = false;
  /** Resolved and replaced when a check ends, or a page may have made room. */
  #room = Promise.withResolvers<void>();
  #broken: { readonly error: unknown } | null = null;
  #lastHeartbeat = 0;

  constructor(context: JobContext, queue: FetchQueue, runId: number, signals: StopSignals, listener: CheckListener) {
    this.#context = context;
    this.#queue = queue;
    this.#claimsMax = queue.claimsMax ?? queue.concurrency;
    this.#runId = runId;
    this.#signals = signals;
    this.#listener = listener;
    this.#services = new ServiceStates(context, signals.stop);
    this.#choice = new SourceChoice(context);
    this.#targets = new TargetSets(context);
    this.#run = shownRun(context, runId);
    const read = context.store.pageHistory.ofRun(runId, runPagesMax).reverse();
    for (const { keyword, page, links } of read) this.#pages.add(keyword, page, links.map(linkKey));
  }

  async run(): Promise<ChecksResult> {
    for (;;) {
      const mayStart = !this.#signals.stop.aborted && this.#broken === null;
      const { claimed, deferred } = mayStart ? await this.#claim(this.#claimsMax - this.#inFlight) : nothing;
      for (const check of claimed) this.#start(check);
      if (this.#inFlight === 0) {
        if (claimed.length === 0 && deferred === 0 && !(mayStart && (await this.#pause()))) break;
        await setImmediate(); // long lists of deferrals leave room for a signal
        continue;
      }
      if (claimed.length === 0 || this.#inFlight >= this.#claimsMax) {
        await this.#untilRoom();
        // Checks whose pages became durable together end together: claim their successors together, too.
        await setImmediate();
      }
    }
    if (this.#broken !== null) throw this.#broken.error;
    if (this.#isPlanned(this.#stops())) return { kind: 'interrupted' };
    const { stops, remarks } = this.#stopsThatMatter();
    return { kind: 'done', stops, remarks: [...remarks, ...this.#choice.remarks(), ...this.#services.remarks()] };
  }

  /** A service that chooses among sources stops when all of them do. */
  #stops(): ServiceStop[] {
    const stops = this.#services.stops();
    const stopOf = (source: string) => stops.find(({ service }) => service === source);
    const choosing = this.#choice.names.flatMap((service) => {
      const sources = this.#choice.sourcesOf(service).map(stopOf);
      const [first] = sources;
      return first === undefined || sources.includes(undefined) ? [] : [{ ...first, service }];
    });
    return [...stops, ...choosing];
  }

  /** A source that stopped while others sold its pages leaves nothing undone: that is a remark. */
  #stopsThatMatter(): { readonly stops: readonly ServiceStop[]; readonly remarks: readonly string[] } {
    const stops: ServiceStop[] = [];
    const remarks: string[] = [];
    for (const stop of this.#stops()) {
      const isSource = this.#choice.names.some((name) => this.#choice.sourcesOf(name).includes(stop.service));
      if (isSource && this.#context.store.jointLooks.planned(this.#runId, stop.service).length === 0)
        remarks.push(`${stop.reason}: other sources took its searches`);
      else stops.push(stop);
    }
    return { stops, remarks };
  }

  /** Until a check ends, or a page outcome may have made room at its service. */
  async #untilRoom(): Promise<void> {
    if (!this.#isHeldBack) {
      await this.#room.promise;
      return;
    }
    const { clock } = this.#context;
    const over = new AbortController();
    const patienceMs = this.#services.patienceMs(clock.now());
    const patience = patienceMs === null ? [] : [clock.sleep(patienceMs, over.signal).catch(() => undefined)];
    await Promise.race([this.#room.promise, ...patience]);
    over.abort();
  }

  /** Sleeps for part of a pause if all remaining checks wait for paused services. False if there are none. */
  async #pause(): Promise<boolean> {
    const { clock } = this.#context;
    const pauseMs = this.#services.pauseMs(clock.now());
    if (pauseMs === null || !this.#isPlanned(this.#stops())) return false;
    // In pieces, so that the heartbeat goes on.
    await clock.sleep(Math.min(pauseMs, heartbeatEveryMs), this.#signals.stop).catch(() => undefined);
    this.#reportWaits();
    return true;
  }

  #reportWaits(): void {
    const waits = this.#services.newWaits(this.#context.clock.now());
    if (waits !== null) this.#listener.onWaits?.(waits);
  }

  /** Whether a check is left at a service that is not stopped. */
  #isPlanned(stops: readonly ServiceStop[]): boolean {
    const stopped = stops.map(({ service }) => service);
    return this.#context.store.checks.next(this.#runId, 1, stopped).length > 0;
  }

  #start({ service, job, first }: Claimed): void {
    const signals = {
      breaker: service.breaker,
      stop: service.signal,
      giveUp: this.#signals.giveUp,
      halt: () => service.stopBuying(),
      refuse: (stop: ServiceStop) => service.refuse(stop),
      onPage: (outcome: PageOutcome) => {
        service.onPage(this.#context, this.#runId, outcome);
        this.#reportWaits();
        if (this.#isHeldBack) this.#wake();
      },
    };
    const isComparing = job.check.sequence < 0;
    service.checks += 1;
    this.#inFlight += 1;
    this.#comparing += Number(isComparing);
    void checkSearch(this.#queue, job, first, signals)
      .then((result) => {
        this.#logResult(job.check, result);
        if (result.kind === 'halted') service.halt(result.failure);
        if (result.kind === 'ended') this.#onEnded(job.check);
      })
      .catch((error: unknown) => {
        this.#broken ??= { error };
        this.#services.stopBuying(); // what cannot be recorded must not be bought
      })
      .finally(() => {
        service.checks -= 1;
        this.#inFlight -= 1;
        this.#comparing -= Number(isComparing);
        this.#wake();
      });
  }

  #onEnded(check: PlannedCheck): void {
    const { store } = this.#context;
    if (this.#choice.names.length > 0) store.transaction(() => this.#choice.onEnded(check));
    if (check.doubles === null) this.#listener.onEnded();
  }

  /** A check that one of several sources cannot complete is made at the next one. */
  #moveOn({ id, seller, market }: PlannedCheck): boolean {
    const left = new Set(this.#left.get(id)).add(seller);
    const now = this.#context.clock.now();
    const isOther = (source: string) => !left.has(source) && this.#services.isWorking(source, now);
    if (!this.#choice.sourcesOf(market.service).some(isOther)) return false;
    this.#left.set(id, left);
    return true;
  }

  #logResult({ id: checkId, searchId, seller: service }: PlannedCheck, result: CheckResult): void {
    const { log } = this.#context;
    const facts = { runId: this.#runId, checkId, searchId, service };
    if (result.kind === 'ended') log.debug({ ...facts, status: result.status }, 'check ended');
    else if (result.kind === 'put-back') log.debug(facts, 'check put back');
    else if (result.kind === 'moved') log.info(facts, 'check goes on at another source');
    else log.warn({ ...facts, errorCode: result.failure.code, message: result.failure.message }, 'service halted');
  }

  #wake(): void {
    this.#room.resolve();
    this.#room = Promise.withResolvers<void>();
  }

  /** Claims up to `slots` checks. A failing store ends the loop, after the checks in flight have ended. */
  async #claim(slots: number): Promise<Claim> {
    try {
      const claim = await this.#context.store.whenUnlocked(() => this.#claimInTransaction(slots), this.#signals.stop);
      this.#isHeldBack = claim.isHeldBack;
      for (let ended = 0; ended < claim.deferred; ended += 1) this.#listener.onEnded();
      return claim;
    } catch (error) {
      this.#broken = { error };
      return nothing;
    }
  }

  /** A check that the budget cannot pay is deferred when nothing is in flight: until then credits may come back. */
  #claimInTransaction(slots: number): Claim {
    this.#beat();
    if (slots <= 0) return { ...nothing, isHeldBack: this.#isHeldBack };
    const { store, clock } = this.#context;
    return store.transaction(() => {
      store.runs.assertHeld(this.#runId);
      const claimed: Claimed[] = [];
      let deferred = 0;
      let started = 0;
      const start = (): void => {
        if (started < claimed.length) store.checks.start(claimed.slice(started).map(({ job }) => job.check.id));
        started = claimed.length;
      };
      let full = this.#services.full(clock.now(), countByService(claimed));
      const held = new Set<string>();
      let planned: PlannedCheck[] = [];
      while (claimed.length < slots && deferred < deferralsPerClaim) {
        if (planned.length === 0) {
          start();
          planned = store.checks.next(this.#runId, slots - claimed.length, [...full, ...held]);
        }
        const next = planned.shift();
        if (next === undefined) break;
        const { service } = next.market;
        if (full.includes(service) || held.has(service)) continue;
        const check = this.#isHeld(next, claimed)
          ? null
          : this.#choice.withSeller(this.#instead(next), this.#usable(next), this.#left.has(next.id));
        if (check === null || full.includes(check.seller)) {
          held.add(service);
          continue;
        }
        const isLast = this.#inFlight === 0 && claimed.length === 0;
        const begun = this.#begin(check, isLast);
        const [, step] = begun.first;
        if (step.kind === 'moved') continue;
        if (step.kind !== 'short') claimed.push(begun);
        else if (isLast) {
          this.#defer(begun.job.check.id, step.reason);
          deferred += 1;
        } else break;
        full = this.#services.full(clock.now(), countByService(claimed));
      }
      start();
      return { claimed, deferred, isHeldBack: full.length + held.size > 0 };
    });
  }

  /** What compares sources goes first, so that all others buy from one that is believed today. */
  #isHeld({ sequence, market }: PlannedCheck, claimed: readonly Claimed[]): boolean {
    if (sequence < 0 || !this.#choice.names.includes(market.service)) return false;
    return this.#comparing > 0 || claimed.some(({ job }) => job.check.sequence < 0);
  }

  /** Sources that work; those that could not complete the check only where no other works. */
  #usable({ id, market }: PlannedCheck): (source: string) => boolean {
    const now = this.#context.clock.now();
    const left = this.#left.get(id);
    const working = this.#choice.sourcesOf(market.service).filter((source) => this.#services.isWorking(source, now));
    const fresh = left === undefined ? working : working.filter((source) => !left.has(source));
    const usable = fresh.length > 0 ? fresh : working;
    return (source) => usable.includes(source);
  }

  /** A probe tests the service, so it takes the search with the fewest failures: some searches always fail. */
  #instead(next: PlannedCheck): PlannedCheck {
    const { service } = next.market;
    if (this.#services.of(service).breaker?.isProbing !== true) return next;
    return this.#context.store.checks.leastFailed(this.#runId, service) ?? next;
  }

  /** `isLast`: no further reservation can return to the budget. */
  #begin(check: PlannedCheck, isLast: boolean): Claimed {
    const service = this.#services.of(check.seller);
    const elsewhere = { depthBelieved: this.#choice.depthBelieved(check), moveOn: () => this.#moveOn(check) };
    const job = checkJob(this.#context, check, this.#targets.of(check.projects), this.#run, this.#pages, elsewhere);
    return { service, job, first: reduceCheck(job, claimedState, { kind: 'claimed', isLast }) };
  }

  #defer(checkId: number, reason: string): void {
    this.#context.store.checks.end(checkId, deferredEnd(reason, this.#context.clock.now()));
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

function countByService(claimed: readonly Claimed[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { service } of claimed) addTo(counts, service.name);
  return counts;
}

/** Beside the reserve so much must be free. */
const freeBytesMin = 4 * 1024 * 1024;
/** What one answer may take: its body, its page, and the pages of the database that its commit writes to the log. */
const answerBytes = 256 * 1024;

/** Throws StoreError DISK_FULL where there is no room for the answers of so many requests. */
function guardDisk({ store, services, freeBytes }: JobContext, requestsMax: number): void {
  if (freeBytes() < freeBytesMin) {
    throw new StoreError(
      'DISK_FULL',
      `the disk of ${store.file} has less than ${freeBytesMin / 1_048_576} MiB free: nothing more is bought`,
      'Free some space and run again; the run resumes where it stopped.',
    );
  }
  const isPaid = [...services.values()].some(({ kind }) => kind === 'live');
  if (isPaid) store.diskReserve.hold(freeBytesMin + requestsMax * answerBytes);
}
