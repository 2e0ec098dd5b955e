// Runs policies on copies of the database: the product's own planner, runs and ledger, on a simulated clock.
import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ResolvedConfig } from '../../../config/resolve.ts';
import { openForReading } from '../../../db/connection/client.ts';
import { databaseExists } from '../../../db/connection/guards.ts';
import { backUp } from '../../../db/integrity/backup.ts';
import { secondLookDelayMs } from '../../../jobs/run/judge-changes.ts';
import { isProcessRunning, type SearchDataService } from '../../service/index.ts';
import type { Project } from '../../tracker/project.ts';
import { localDate, monthWindowKey } from '../../tracker/schedule/local-time.ts';
import { dayMs, minuteMs } from '../../tracker/schedule/time-units.ts';
import { historyMs } from '../../tracker/signal/sightings.ts';
import type { DailyLook } from '../../tracker/signal/simulation.ts';
import { type App, type AppOptions, openApp } from '../app.ts';
import { SimulatedClock } from '../opening/simulated-clock.ts';
import { UsageError } from '../opening/usage-error.ts';
import { run } from '../runs/run.ts';
import { daysBefore, simulate } from '../runs/simulation.ts';
import { type CreditCaps, type Policy, policyConfig } from './forecast-policies.ts';
import { KnownHistory, readLooks } from './known-history.ts';
import { SimulatedWorld } from './simulated-world.ts';

/** What a policy paid, and what its checks saw of each target in each search. */
export interface Lived {
  readonly credits: number;
  readonly checks: number;
  /** By target and search. */
  readonly looks: ReadonlyMap<string, readonly DailyLook[]>;
}

/** What all policies of a simulation share. */
export interface PolicyRunOptions {
  readonly projects: readonly Project[];
  /** Share of the searches that these projects have, where they are a sample; 1: all. */
  readonly share: number;
  /** Local midnight of the first simulated day, UTC milliseconds. */
  readonly start: number;
  readonly days: number;
  readonly from: 'history' | 'sandbox';
  readonly seed: number;
  readonly signal: AbortSignal;
  readonly onProgress: (done: number, total: number, policy: string) => void;
}

const sandbox = { mode: 'embedded', source: 'sandbox', options: {} } as const;

export class PolicyRuns {
  readonly #config: ResolvedConfig;
  readonly #options: PolicyRunOptions;
  /** The sandbox stands in for the services of the config: its ranks do not continue theirs. */
  readonly #isOtherWorld: boolean;
  /** A folder that the caller removes. */
  readonly #folder: string;
  readonly #base: string;
  /** Null: the world of the sandbox. */
  #world: SimulatedWorld | null = null;

  constructor(config: ResolvedConfig, folder: string, options: PolicyRunOptions) {
    const services = [...config.services.values()];
    const isSandbox = services.every((service) => service.mode === 'embedded' && service.source === 'sandbox');
    this.#isOtherWorld = options.from === 'sandbox' && !isSandbox;
    this.#config = this.#isOtherWorld
      ? { ...config, services: new Map([...config.services.keys()].map((name) => [name, sandbox] as const)) }
      : config;
    this.#options = options;
    this.#folder = folder;
    this.#base = join(folder, 'base.sqlite');
  }

  /** Copies the database, and reads what it knows. `at`: UTC milliseconds of now. */
  async open(at: number): Promise<KnownHistory> {
    const { signal, projects, from, start, days, seed } = this.#options;
    const { databaseFile } = this.#config;
    if (databaseExists(databaseFile) && !this.#isOtherWorld) {
      openForReading(databaseFile, { isCurrent: true }).close(); // a copy would be refused under its own name
      await backUp(databaseFile, this.#base, { at, signal, isRunning: isProcessRunning });
    }
    const app = await openApp({ ...this.#config, databaseFile: this.#base }, { isReading: true });
    try {
      const { store } = app.context;
      if (from === 'history') {
        this.#world = new SimulatedWorld({ start, days, seed });
        for (const project of projects) this.#world.add(store, project);
      }
      return new KnownHistory(store, projects, start - historyMs);
    } finally {
      await app.close();
    }
  }

  /** Runs a policy for all days, month by month. Throws UsageError if its runs are halted, and if it is interrupted. */
  async live(policy: Policy): Promise<Lived> {
    const { projects, start, days, signal, onProgress } = this.#options;
    const place = { databaseFile: join(this.#folder, 'policy.sqlite'), reports: join(this.#folder, 'reports') };
    for (const suffix of ['', '-wal', '-shm']) rmSync(place.databaseFile + suffix, { force: true });
    if (existsSync(this.#base)) copyFileSync(this.#base, place.databaseFile);
    const uncapped = policyConfig(this.#config, policy.projects, place);
    const slots = daysBefore(uncapped, start + days * dayMs - 1, days).moments;
    const moments = policy.projects.some(({ confirm }) => confirm !== undefined) ? withSecondLooks(slots) : slots;
    const byMonth = Map.groupBy(moments, (at) => monthWindowKey(at, this.#config.timezone));
    const clock = new SimulatedClock(start);
    let [credits, checks, done] = [0, 0, 0];
    for (const [month, ofMonth] of byMonth) {
      const caps = await this.#capsOf(policy, uncapped, month, ofMonth);
      const isOfSimulation = policy.creditsPer30Days !== undefined;
      const horizon = isOfSimulation ? { budgetEndsAt: start + days * dayMs - 1 } : {};
      const work = (app: App) =>
        simulate({
          run: (options) => run(app, { ...options, skipsReports: true }),
          clock,
          moments: ofMonth,
          signal,
          onMoment() {
            done += 1;
            onProgress(done, moments.length, policy.name);
          },
        });
      const runs = await this.#withApp(uncapped, caps, clock, work, horizon);
      for (const each of runs) {
        if (each.haltReason !== null) throw new UsageError(`The simulation was halted: ${each.haltReason}`);
        credits += each.serpCredits.spent;
        checks += Object.values(each.checks).reduce((sum, count) => sum + count, 0) - each.checks.deferred;
      }
      signal.throwIfAborted();
    }
    const looks = await this.#withApp(uncapped, {}, clock, async ({ context }) =>
      readLooks(context.store, projects, start),
    );
    return { credits, checks, looks };
  }

  /**
   * The caps of a calendar month, on top of what the ledger has spent in it before the simulation. A budget of the
   * simulation is for 30 days: a month has its share of it for the simulated days. Of the config's own caps, a sample
   * has its share.
   */
  async #capsOf(
    { creditsPer30Days, caps = {} }: Policy,
    config: ResolvedConfig,
    month: string,
    moments: readonly number[],
  ): Promise<CreditCaps> {
    if (creditsPer30Days === undefined && caps.perMonth === undefined) return this.#ofSample(caps);
    const spent = await this.#spentIn(month, config);
    if (creditsPer30Days !== undefined) {
      const dates = new Set(moments.map((at) => localDate(at, config.timezone)));
      return { perMonth: spent + Math.round((creditsPer30Days * dates.size) / 30) };
    }
    const left = Math.max(0, (caps.perMonth ?? 0) - spent);
    const sampled = this.#ofSample({ ...caps, perMonth: left });
    return { ...sampled, perMonth: spent + (sampled.perMonth ?? 0) };
  }

  #ofSample(caps: CreditCaps): CreditCaps {
    const { share } = this.#options;
    return Object.fromEntries(Object.entries(caps).map(([scope, cap]) => [scope, Math.ceil(cap * share)]));
  }

  /** What the ledger has spent in this month before the simulation. */
  async #spentIn(month: string, config: ResolvedConfig): Promise<number> {
    const clock = new SimulatedClock(this.#options.start);
    return await this.#withApp(config, {}, clock, async ({ context: { store } }) => {
      const windows = store.ledger.windows('', { day: '', month });
      return windows.find(({ currency, scope }) => currency === 'serp_credit' && scope === 'month')?.spent ?? 0;
    });
  }

  async #withApp<Result>(
    config: ResolvedConfig,
    caps: CreditCaps,
    clock: SimulatedClock,
    work: (app: App) => Promise<Result>,
    horizon: Pick<AppOptions, 'budgetEndsAt'> = {},
  ): Promise<Result> {
    const services = new Map<string, SearchDataService>();
    const capped = { ...config, budget: { serpCredits: caps, microUsd: {} } };
    if (this.#world !== null)
      for (const { service } of this.#options.projects) services.set(service, this.#world.service(service, clock));
    const app = await openApp(capped, { clock, isScratch: true, ...horizon, ...(services.size > 0 && { services }) });
    try {
      return await work(app);
    } finally {
      await app.close();
    }
  }
}

/** Second looks are due some time after each slot. */
function withSecondLooks(slots: readonly number[]): number[] {
  return [...slots, ...slots.map((at) => at + secondLookDelayMs + minuteMs)].sort((a, b) => a - b);
}
