// The scheduler: each tick starts the runs that are due, side by side for different projects.

import type { RunRow } from '../../db/history/runs/runs.ts';
import type { MissedSlots } from '../../db/history/runs/slots.ts';
import { isTakenOver } from '../../db/ledger/run-fence.ts';
import { errorText } from '../../src/service/terms.ts';
import type { Project } from '../../src/tracker/project.ts';
import type { JobContext } from '../context.ts';
import type { FetchQueue } from '../queue/queue.ts';
import { claimRun, claimSecondLooks, dueGroups, retriedRuns, takeOver, takeUnreported } from './claim-runs.ts';
import { ClockError, clockDoubt, doubtAfterAsking, isFarFromHistory } from './clock-doubt.ts';
import { pausesAt } from './due.ts';
import { closeAdhoc, executeRun } from './execute-run.ts';
import { releaseAlerts, reportOn, retryReports } from './run-reports.ts';
import type { ExecutedRun, PipelineSettings } from './run-request.ts';

/**
 * The most runs at once. They share the concurrency of the queue evenly; a run that joins does not wait for requests of
 * the others.
 */
export const runsMax = 4;

/**
 * Interval between date requests to live services while the clock is in doubt. A jump that nothing contradicts for that
 * long is accepted.
 */
const clockHoldMs = 10 * 60_000;
/** A clock that moves by more meanwhile has jumped again. */
const clockDriftMsMax = 60_000;

export type SchedulerEvent =
  | {
      readonly kind: 'claimed';
      readonly run: RunRow;
      readonly slots: readonly { readonly project: string; readonly slot: string }[];
      readonly resumed: boolean;
    }
  | { readonly kind: 'ended'; readonly run: ExecutedRun }
  | { readonly kind: 'missed'; readonly missed: MissedSlots }
  /** A tick or a run that failed, most often because of the disk or the database. The next tick retries it. */
  | { readonly kind: 'failed'; readonly runId: number | null; readonly error: unknown };

interface SchedulerSettings extends Omit<PipelineSettings, 'onProgress'> {
  readonly onEvent: (event: SchedulerEvent) => void;
}

/**
 * The scheduler is stateless but for its active runs: each tick reads history. Any number of schedulers, and `run`
 * beside them, may share one database. `settings.signals.stop` stops it.
 */
export class Scheduler {
  readonly #context: JobContext;
  readonly #settings: SchedulerSettings;
  readonly #activeRuns = new Set<Promise<void>>();
  readonly #retired = new AbortController();
  /** Services are being asked for the date: until that has ended no slot is claimed. */
  #isClockHeld = false;
  /** The newest run was far from the clock at the start, and services were asked. */
  #hasAskedForDates = false;

  constructor(context: JobContext, settings: SchedulerSettings) {
    this.#context = context;
    this.#settings = settings;
  }

  /** Runs of this scheduler that are under way. */
  get runsUnderWay(): number {
    return this.#activeRuns.size;
  }

  /** Takes over runs of dead processes, records missed slots and starts the runs that are due. Never throws. */
  tick(): void {
    this.#attempt(() => this.#context.store.assertSameFile());
    this.#attempt(() => this.#resume());
    this.#attempt(() => this.#startWhatIsDue());
    this.#attempt(() => this.#report());
  }

  /** Starts no more runs; the active ones go on to their end. */
  retire(): void {
    this.#retired.abort();
  }

  /** Resolves when no run is active, including those that the end of a run has started. */
  async idle(): Promise<void> {
    while (this.#activeRuns.size > 0) await Promise.all(this.#activeRuns);
  }

  #attempt(work: () => void): void {
    if (this.#retired.signal.aborted || this.#settings.signals.stop.aborted) return;
    try {
      work();
    } catch (error) {
      this.#failed(null, error);
    }
  }

  #resume(): void {
    const { store } = this.#context;
    const open = store.runs.openRuns();
    const buysMetrics = (run: RunRow): boolean => run.kind === 'volumes' && store.runs.activeRuns.has(run.id);
    for (const run of open) {
      if (this.#activeRuns.size >= runsMax) return;
      if (run.kind === 'volumes' && open.some(buysMetrics)) continue;
      if (!takeOver(this.#context, run)) continue;
      if (run.kind === 'adhoc') {
        store.runs.activeRuns.add(run.id);
        const closing = closeAdhoc(this.#context, this.#pipelineSettings(), run.id);
        this.#keep(
          run.id,
          closing.finally(() => store.runs.activeRuns.delete(run.id)).then(() => false),
        );
      } else {
        this.#start(run, true);
      }
    }
  }

  #report(): void {
    for (const run of takeUnreported(this.#context)) {
      const executed = reportOn(this.#context, this.#pipelineSettings(), run.id);
      this.#emit({ kind: 'ended', run: executed });
    }
    releaseAlerts(this.#context, this.#pipelineSettings());
    retryReports(this.#context, this.#pipelineSettings(), 'due');
  }

  #startWhatIsDue(): void {
    const { store, clock, projects } = this.#context;
    if (this.#isHeldByClock()) return;
    const now = clock.now();
    const pauses = pausesAt(store, projects.values(), now);
    const isPaused = ({ service }: Project): boolean => pauses.has(service);
    const groups = dueGroups(this.#context, [...projects.values()], {
      now,
      jitter: true,
      isPaused,
      onMissed: (missed) => this.#emit({ kind: 'missed', missed }),
    });
    for (const group of groups) {
      if (this.#activeRuns.size >= runsMax) return;
      const run = claimRun(this.#context, group);
      if (run !== null) this.#start(run, false);
    }
    for (const run of this.#activeRuns.size < runsMax ? retriedRuns(this.#context, { isPaused }) : [])
      this.#start(run, true);
    while (this.#activeRuns.size < runsMax) {
      const run = claimSecondLooks(this.#context, (project) => !isPaused(project));
      if (run === null) return;
      this.#start(run, false);
    }
  }

  /** Whether the clock is in doubt, so that no slot may be claimed; evidence is then sought beside the ticks. */
  #isHeldByClock(): boolean {
    const isInDoubt = clockDoubt(this.#context) !== null;
    const isUnasked = !this.#hasAskedForDates && isFarFromHistory(this.#context);
    if (!isInDoubt && !isUnasked) return false;
    if (!this.#isClockHeld) {
      this.#isClockHeld = true;
      void this.#askForDates().finally(() => {
        this.#isClockHeld = false;
      });
    }
    return true;
  }

  async #askForDates(): Promise<void> {
    const { clock, projects, log } = this.#context;
    const stop = AbortSignal.any([this.#settings.signals.stop, this.#retired.signal]);
    const doubt = await doubtAfterAsking(this.#context, projects.values(), stop);
    this.#hasAskedForDates = true;
    if (doubt === null) {
      this.tick();
      return;
    }
    const jumpMs = clock.jumpMs ?? null;
    this.#failed(null, new ClockError(doubt));
    // timers run on the monotonic clock
    await clock.sleep(clockHoldMs, stop).catch(() => undefined);
    const jumpsOn = Math.abs((clock.jumpMs ?? 0) - (jumpMs ?? 0)) > clockDriftMsMax;
    if (stop.aborted || jumpMs === null || clock.jumpMs === null || jumpsOn) return;
    log.warn({ jumpMs }, 'clock accepted after its jump: no answer contradicts it');
    clock.acceptLeap?.();
    this.tick();
  }

  #start(run: RunRow, resumed: boolean): void {
    const { store } = this.#context;
    const slots = store.runs.slotsOf(run.id).map(({ project, slot }) => ({ project, slot }));
    this.#emit({ kind: 'claimed', run, slots, resumed });
    store.runs.activeRuns.add(run.id);
    // in the next turn, when all runs of this tick are counted and each knows its share
    const executed = Promise.resolve().then(() =>
      executeRun(this.#context, this.#pipelineSettings(), { run, resumed }),
    );
    this.#keep(
      run.id,
      executed.then((result) => {
        this.#emit({ kind: 'ended', run: result });
        return !result.interrupted;
      }),
    );
  }

  /**
   * The end of a run triggers a tick at once, for slots that waited for it; after a failure the next regular tick is
   * soon enough.
   */
  #keep(runId: number, work: Promise<boolean>): void {
    const task = work
      .catch((error: unknown) => {
        this.#failed(runId, error);
        return false;
      })
      .then((isDone) => {
        this.#activeRuns.delete(task);
        if (isDone) this.tick();
      });
    this.#activeRuns.add(task);
  }

  #pipelineSettings(): PipelineSettings {
    const { onEvent: _, ...settings } = this.#settings;
    return { ...settings, queue: this.#sharedQueue(), onProgress() {} };
  }

  /** The queue with this run's share of its concurrency. */
  #sharedQueue(): FetchQueue {
    const { queue } = this.#settings;
    const activeRuns = this.#activeRuns;
    return {
      get concurrency() {
        return Math.max(1, Math.floor(queue.concurrency / Math.max(1, activeRuns.size)));
      },
      prepare: () => queue.prepare(),
      fetchPage: (...call) => queue.fetchPage(...call),
      recall: (...call) => queue.recall(...call),
      close: async () => {},
    };
  }

  #failed(runId: number | null, error: unknown): void {
    const message = errorText(error);
    const facts = { ...(runId === null ? {} : { runId }), error: message };
    if (isTakenOver(error)) this.#context.log.warn(facts, 'run taken over by another process');
    else
      this.#context.log.error(
        facts,
        runId === null ? 'tick failed; the next tick retries' : 'run failed; the next tick retries',
      );
    this.#emit({ kind: 'failed', runId, error });
  }

  #emit(event: SchedulerEvent): void {
    this.#settings.onEvent(event);
  }
}
