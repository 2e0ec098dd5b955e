// Runs every slot of some simulated days, one after the other, on a simulated clock.
import { setTimeout as wait } from 'node:timers/promises';
import type { ResolvedConfig } from '../../../config/resolve.ts';
import type { Clock } from '../../service/index.ts';
import { localDate } from '../../tracker/schedule/local-time.ts';
import { slotsBetween } from '../../tracker/schedule/schedule.ts';
import { dayMs } from '../../tracker/schedule/time-units.ts';
import type { RunResult } from './run.ts';

/** A sleep takes at least this share of real time: otherwise polling work would spin. */
const pauseMs = 1;

export class SimulatedClock implements Clock {
  readonly isSimulated = true;
  #now: number;

  /** `start` in UTC milliseconds. */
  constructor(start: number) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  /** Moves forward to a moment; never back. */
  goTo(moment: number): void {
    this.#now = Math.max(this.#now, moment);
  }

  /** Sleeps `ms` of simulated time, and a moment of real time. */
  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const wakeAt = this.#now + ms;
    await wait(pauseMs, undefined, signal === undefined ? {} : { signal });
    this.goTo(wakeAt);
  }
}

interface SimulatedDays {
  /** Moments at which something is due, oldest first, UTC milliseconds. */
  readonly moments: readonly number[];
  /**
   * Local date to compare the last day with, in the config's time zone: the second day, because the first checks are
   * deep ones and a shallow check does not compare with them. Null if nothing is ever due.
   */
  readonly baselineDate: string | null;
}

interface SimulationOptions {
  /** Runs the slots that are due at the moment of the clock. */
  readonly run: (options: { readonly signal: AbortSignal }) => Promise<{ readonly runs: readonly RunResult[] }>;
  readonly clock: SimulatedClock;
  readonly moments: readonly number[];
  readonly signal: AbortSignal;
  readonly onMoment: (done: number, runs: readonly RunResult[]) => void;
}

/** A slot is due from its moment on; a run starts a second later. */
const lateMs = 1_000;
const slotsMax = 100_000;

/**
 * Every moment in the last `days` days before `now` at which a project's schedule fires. Volumes are bought with them.
 */
export function daysBefore(config: ResolvedConfig, now: number, days: number): SimulatedDays {
  const moments = new Set<number>();
  for (const { schedule, timezone } of config.projects) {
    if (schedule === undefined) continue;
    for (const { at } of slotsBetween(schedule, timezone, now - days * dayMs, now, slotsMax)) moments.add(at);
  }
  const sorted = [...moments].sort((a, b) => a - b);
  const dates = [...new Set(sorted.map((at) => localDate(at, config.timezone)))];
  return { moments: sorted, baselineDate: (dates.length > 2 ? dates[1] : dates[0]) ?? null };
}

/**
 * Runs the due slots of each moment. Ends early when a run is halted or interrupted. Moments that have already run take
 * no time.
 */
export async function simulate(options: SimulationOptions): Promise<readonly RunResult[]> {
  const { run, clock, moments, signal, onMoment } = options;
  const all: RunResult[] = [];
  for (const [at, moment] of moments.entries()) {
    if (signal.aborted) break;
    clock.goTo(moment + lateMs);
    const { runs } = await run({ signal });
    all.push(...runs);
    onMoment(at + 1, runs);
    if (runs.some(({ state }) => state === 'halted' || state === 'interrupted')) break;
  }
  return all;
}
