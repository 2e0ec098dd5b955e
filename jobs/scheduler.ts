// The long-running scheduler: each look starts what may be started now, runs of different projects side by side. When it looks is left to others.
import { isTakenOver } from '../db/run-fence.ts';
import type { RunRow } from '../db/runs.ts';
import type { Project } from '../src/tracker/project.ts';
import { claimRun, dueGroups, type RecordedMiss, takeOver, takeUnreported } from './agenda.ts';
import type { JobContext } from './context.ts';
import { pausesAt } from './due.ts';
import type { FetchQueue } from './queue.ts';
import { reportOn, retryReports } from './run-reports.ts';
import { closeAdhoc, type ExecutedRun, executeRun, type PipelineSettings } from './run-work.ts';

/** The most runs that are under way at once. Each has an even share of the queue's hands; one that joins waits for nobody to let go of theirs. */
export const runsMax = 4;

export type SchedulerEvent =
  | {
      readonly kind: 'claimed';
      readonly run: RunRow;
      readonly slots: readonly { readonly project: string; readonly slot: string }[];
      readonly resumed: boolean;
    }
  | { readonly kind: 'ended'; readonly run: ExecutedRun }
  | { readonly kind: 'missed'; readonly missed: RecordedMiss }
  /** A look or a run that failed, most often because of the disk or the database; it is tried again at the next look. */
  | { readonly kind: 'failed'; readonly runId: number | null; readonly error: unknown };

export interface SchedulerSettings extends Omit<PipelineSettings, 'onProgress'> {
  readonly onEvent: (event: SchedulerEvent) => void;
}

/**
 * Everything follows from history: a scheduler remembers nothing but what it has in hand, so that any number of them, and `run` beside them, may work
 * on one database. Stopped by `settings.signals.stop`.
 */
export class Scheduler {
  readonly #context: JobContext;
  readonly #settings: SchedulerSettings;
  readonly #inHand = new Set<Promise<void>>();
  #isRetired = false;

  constructor(context: JobContext, settings: SchedulerSettings) {
    this.#context = context;
    this.#settings = settings;
  }

  /** Runs of this scheduler that are under way. */
  get runsUnderWay(): number {
    return this.#inHand.size;
  }

  /** Looks once: takes up what dead processes left, records what was missed, starts what is due. Never throws. */
  tick(): void {
    this.#attempt(() => this.#context.store.assertSameFile());
    this.#attempt(() => this.#resume());
    this.#attempt(() => this.#startWhatIsDue());
    this.#attempt(() => this.#report());
  }

  /** Starts nothing more; what is under way ends by itself. */
  retire(): void {
    this.#isRetired = true;
  }

  /** Resolves when nothing is under way any more, what the end of a run has started included. */
  async idle(): Promise<void> {
    while (this.#inHand.size > 0) await Promise.all(this.#inHand);
  }

  #attempt(work: () => void): void {
    if (this.#isRetired || this.#settings.signals.stop.aborted) return;
    try {
      work();
    } catch (error) {
      this.#failed(null, error);
    }
  }

  #resume(): void {
    const { store } = this.#context;
    const open = store.runs.openRuns();
    const buysMetrics = (run: RunRow): boolean => run.kind === 'volumes' && store.runs.inHand.has(run.id);
    for (const run of open) {
      if (this.#inHand.size >= runsMax) return;
      if (run.kind === 'volumes' && open.some(buysMetrics)) continue;
      if (!takeOver(this.#context, run)) continue;
      if (run.kind === 'adhoc') {
        store.runs.inHand.add(run.id);
        const closing = closeAdhoc(this.#context, this.#pipelineSettings(), run.id);
        this.#keep(
          run.id,
          closing.finally(() => store.runs.inHand.delete(run.id)).then(() => false),
        );
      } else {
        this.#start(run, true);
      }
    }
  }

  #report(): void {
    for (const run of takeUnreported(this.#context)) {
      const executed = reportOn(this.#context, this.#pipelineSettings(), run.id);
      this.#tell({ kind: 'ended', run: executed });
    }
    retryReports(this.#context, this.#pipelineSettings(), true);
  }

  #startWhatIsDue(): void {
    const { store, clock, projects } = this.#context;
    const now = clock.now();
    const pauses = pausesAt(store, projects.values(), now);
    const groups = dueGroups(this.#context, [...projects.values()], {
      now,
      jitter: true,
      isPaused: (project: Project) => pauses.has(project.service),
      onMissed: (missed) => this.#tell({ kind: 'missed', missed }),
    });
    for (const group of groups) {
      if (this.#inHand.size >= runsMax) return;
      const run = claimRun(this.#context, group);
      if (run !== null) this.#start(run, false);
    }
  }

  #start(run: RunRow, resumed: boolean): void {
    const { store } = this.#context;
    const slots = store.runs.slotsOf(run.id).map(({ project, slot }) => ({ project, slot }));
    this.#tell({ kind: 'claimed', run, slots, resumed });
    store.runs.inHand.add(run.id);
    // in the next turn, when all runs of this look are counted and each knows its share
    const executed = Promise.resolve().then(() =>
      executeRun(this.#context, this.#pipelineSettings(), { run, resumed }),
    );
    this.#keep(
      run.id,
      executed.then((result) => {
        this.#tell({ kind: 'ended', run: result });
        return !result.interrupted;
      }),
    );
  }

  /** What has waited for the end of a run starts at once; after a failure the next look is soon enough. */
  #keep(runId: number, work: Promise<boolean>): void {
    const task = work
      .catch((error: unknown) => {
        this.#failed(runId, error);
        return false;
      })
      .then((isDone) => {
        this.#inHand.delete(task);
        if (isDone) this.tick();
      });
    this.#inHand.add(task);
  }

  #pipelineSettings(): PipelineSettings {
    const { onEvent: _, ...settings } = this.#settings;
    return { ...settings, queue: this.#sharedQueue(), onProgress() {} };
  }

  /** The queue with this run's share of its hands. */
  #sharedQueue(): FetchQueue {
    const { queue } = this.#settings;
    const inHand = this.#inHand;
    return {
      get concurrency() {
        return Math.max(1, Math.floor(queue.concurrency / Math.max(1, inHand.size)));
      },
      prepare: () => queue.prepare(),
      fetchPage: (...call) => queue.fetchPage(...call),
      recall: (...call) => queue.recall(...call),
      close: async () => {},
    };
  }

  #failed(runId: number | null, error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    const facts = { ...(runId === null ? {} : { runId }), error: message };
    if (isTakenOver(error)) this.#context.log.warn(facts, 'run left to the process that took it over');
    else this.#context.log.error(facts, 'failed; tried again at the next look');
    this.#tell({ kind: 'failed', runId, error });
  }

  #tell(event: SchedulerEvent): void {
    this.#settings.onEvent(event);
  }
}
