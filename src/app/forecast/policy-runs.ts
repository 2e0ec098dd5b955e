// Runs policies on copies of the database: the product's own planner, runs and ledger, on a simulated clock.

import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ResolvedConfig } from '../../../config/resolve.ts';
import { openForReading } from '../../../db/connection/client.ts';
import { databaseExists } from '../../../db/connection/guards.ts';
import { backUp } from '../../../db/integrity/backup.ts';
import type { Store } from '../../../db/store.ts';
import { secondLookDelayMs } from '../../../jobs/run/judge-changes.ts';
import { isProcessRunning, type PageRange, type SearchDataService } from '../../service/terms.ts';
import { ctr } from '../../tracker/changes/visibility.ts';
import { sumOf } from '../../tracker/figures.ts';
import { type Budget, expandSearches, type Project, type TrackedKeyword } from '../../tracker/project.ts';
import { localDate, monthWindowKey } from '../../tracker/schedule/local-time.ts';
import { dayMs, daysBetween, minuteMs } from '../../tracker/schedule/time-units.ts';
import { historyMs, seenDownTo } from '../../tracker/signal/sightings.ts';
import type { DailyLook } from '../../tracker/signal/simulation.ts';
import { targetKey } from '../../tracker/targets/target.ts';
import { type App, type AppOptions, openApp } from '../app.ts';
import { UsageError } from '../opening/failures.ts';
import { pageRanges } from '../opening/services.ts';
import { run } from '../runs/run.ts';
import { daysBefore, SimulatedClock, simulate } from '../runs/simulation.ts';
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

export class PolicyRuns {
  #config: ResolvedConfig;
  readonly #options: PolicyRunOptions;
  /** The sandbox stands in for the services of the config: its ranks do not continue theirs. */
  readonly #isOtherWorld: boolean;
  /** A folder that the caller removes. */
  readonly #folder: string;
  readonly #base: string;
  /** What services sell besides single pages. */
  #ranges: ReadonlyMap<string, PageRange> = new Map();
  /** Null: the world of the sandbox. */
  #world: SimulatedWorld | null = null;

  constructor(config: ResolvedConfig, folder: string, options: PolicyRunOptions) {
    const services = [...config.services.values()];
    const isSandbox = services.every((service) => service.mode === 'embedded' && service.source === 'sandbox');
    this.#isOtherWorld = options.from === 'sandbox' && !isSandbox;
    this.#config = config;
    this.#options = options;
    this.#folder = folder;
    this.#base = join(folder, 'base.sqlite');
  }

  /** Copies the database, and reads what it knows. `at`: UTC milliseconds of now. */
  async open(at: number): Promise<KnownHistory> {
    const { signal, projects, from, start, days, seed } = this.#options;
    this.#ranges = await pageRanges(this.#config);
    if (this.#isOtherWorld) this.#config = { ...this.#config, services: this.#sandboxes() };
    const { databaseFile } = this.#config;
    if (databaseExists(databaseFile) && !this.#isOtherWorld) {
      openForReading(databaseFile, { isCurrent: true }).close(); // a copy would be refused under its own name
      await backUp(databaseFile, this.#base, { at, signal, isRunning: isProcessRunning });
    }
    const app = await openApp({ ...this.#config, databaseFile: this.#base }, { isReading: true, allowsLoss: true });
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

  /** Each with the prices of the service for which it stands. */
  #sandboxes(): ResolvedConfig['services'] {
    return new Map(
      [...this.#config.services.keys()].map((name) => {
        const range = this.#ranges.get(name);
        const options = range === undefined ? {} : { atOnceCredits: range.credits(range.pagesMax) };
        return [name, { mode: 'embedded', source: 'sandbox', options }] as const;
      }),
    );
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
        checks += sumOf(Object.values(each.checks)) - each.checks.deferred;
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
      for (const { service } of this.#options.projects)
        services.set(service, this.#world.service(service, clock, this.#ranges.get(service)));
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

export type PolicyName = 'configured' | 'daily' | 'weekly' | 'tier' | 'adaptive';

/** What tiers need to know of a keyword: its volume and last rank on any device; null: unknown, not found. */
interface KeywordOutlook {
  readonly volume: number | null;
  readonly rank: number | null;
}

/** One policy of a simulation. */
export interface Policy {
  readonly name: PolicyName;
  readonly projects: readonly Project[];
  /** Credits that it may spend in 30 days; absent: no such budget. */
  readonly creditsPer30Days?: number;
  /** Longest gap of all projects, in days; absent: that of each. */
  readonly atLeastEveryDays?: number;
  /** Caps of each run, day and calendar month, of all searches; absent: none. */
  readonly caps?: CreditCaps;
}

type CreditCaps = Budget['serpCredits'];

export interface PolicyInput {
  readonly projects: readonly Project[];
  /** Day of the week of the first simulated day, 0: Sunday. */
  readonly firstWeekday: number;
  readonly curve: string;
  readonly outlookOf: (project: Project, keyword: TrackedKeyword) => KeywordOutlook;
}

const daily = '0 6 * * *';
const weekMs = 7 * dayMs;
/** Tiers: this share of the keywords is checked daily. */
const topShare = 0.1;

/** Every search each day. */
export function dailyPolicy({ projects }: PolicyInput): Policy {
  return { name: 'daily', projects: projects.map((each) => fixed(each, daily)) };
}

/** Every search once a week, on the weekday of the first day. */
export function weeklyPolicy({ projects, firstWeekday }: PolicyInput): Policy {
  const weekly = `0 6 * * ${firstWeekday}`;
  return { name: 'weekly', projects: projects.map((each) => fixed(each, weekly)) };
}

/** The tenth with the most volume x change of CTR daily, the rest once a week, spread over its days. */
export function tierPolicy({ projects, curve, outlookOf }: PolicyInput): Policy {
  const tiers = projects.flatMap((project) => {
    const worth = new Map(
      project.keywords.map((keyword) => {
        const { volume, rank } = outlookOf(project, keyword);
        return [keyword, (volume ?? 0) * Math.abs(ctr(curve, rank) - ctr(curve, (rank ?? 100) + 1))];
      }),
    );
    const ordered = project.keywords.toSorted((a, b) => (worth.get(b) ?? 0) - (worth.get(a) ?? 0));
    const topCount = Math.ceil(ordered.length * topShare);
    const weekdays = Array.from({ length: 7 }, (_, weekday) => ({
      ...fixed(project, `0 6 * * ${weekday}`),
      id: `${project.id}~${weekday}`,
      keywords: ordered.slice(topCount).filter((_, index) => index % 7 === weekday),
    }));
    return [{ ...fixed(project, daily), keywords: ordered.slice(0, topCount) }, ...weekdays];
  });
  return { name: 'tier', projects: tiers.filter(({ keywords }) => keywords.length > 0) };
}

/** The adaptive plan, each day, within this budget. Projects keep longest gaps above `atLeastEveryDays`. */
export function adaptivePolicy({ projects }: PolicyInput, creditsPer30Days: number, atLeastEveryDays?: number): Policy {
  const adaptive = projects.map((project) => {
    const ownMs = project.adaptive?.atLeastEveryMs ?? weekMs;
    const atLeastEveryMs = Math.max(ownMs, (atLeastEveryDays ?? 0) * dayMs);
    return { ...fixed(project, daily), adaptive: { cadence: true, paging: true, atLeastEveryMs } };
  });
  return {
    name: 'adaptive',
    projects: adaptive,
    creditsPer30Days,
    atLeastEveryDays,
  };
}

/** The projects as they are configured, within the budget as it is configured. */
export function configuredPolicy(projects: readonly Project[], caps: CreditCaps): Policy {
  return { name: 'configured', projects: projects.map(withoutVolumes), caps };
}

function fixed(project: Project, schedule: string): Project {
  const { adaptive: _, deep: _deep, ...rest } = withoutVolumes(project);
  return { ...rest, schedule, catchUp: 'latest' };
}

function withoutVolumes(project: Project): Project {
  const { volumes: _, jitterSeconds: _jitter, ...rest } = project;
  return { ...rest, competitors: rest.paging === 'until-all-found' ? rest.competitors : [] };
}

/** The config of one policy: its own database, an embedded queue, no budget, and nothing that leaves this machine. */
function policyConfig(
  config: ResolvedConfig,
  projects: readonly Project[],
  { databaseFile, reports }: { readonly databaseFile: string; readonly reports: string },
): ResolvedConfig {
  return {
    ...config,
    databaseFile,
    projects,
    reports: { ...config.reports, directory: reports, deliveries: [] },
    budget: { serpCredits: {}, microUsd: {} },
    queue: { driver: 'embedded', concurrency: 8 },
    heartbeat: {},
    alerts: { channels: new Map(), rules: [], ownRules: new Map() },
    unset: [],
    unsetServices: new Set(),
  };
}

/** Ranks and volumes that the database knows before the simulation. */
class KnownHistory {
  readonly withRank: number;
  readonly #volumes = new Map<string, number | null>();
  readonly #ranks = new Map<string, number | null>();
  readonly #medianVolume: number;

  /** `since`: older ranks are left out, as in the plan and the world. UTC milliseconds. */
  constructor(store: Store, projects: readonly Project[], since: number) {
    const volumes = store.sightings.volumes();
    let withRank = 0;
    for (const project of projects) {
      const ranks = lastRanks(store, project, since);
      for (const keyword of project.keywords) {
        for (const search of expandSearches(project, keyword)) {
          const key = JSON.stringify(search);
          const searchId = store.names.knownSearchId(search);
          if (searchId === null) continue;
          this.#volumes.set(key, volumes.get(searchId) ?? null);
          if (ranks.has(searchId)) withRank += 1;
          this.#ranks.set(key, ranks.get(searchId) ?? null);
        }
      }
    }
    const sorted = [...this.#volumes.values()].flatMap((volume) => volume ?? []).sort((a, b) => a - b);
    this.#medianVolume = sorted[Math.floor(sorted.length / 2)] ?? 1;
    this.withRank = withRank;
  }

  /** Searches a month of a followed target's search; the median where it is unknown. */
  volume(lookKey: string): number {
    return this.#volumes.get(lookKey.slice(lookKey.indexOf('\0') + 1)) ?? this.#medianVolume;
  }

  outlookOf(project: Project, keyword: TrackedKeyword): KeywordOutlook {
    const keys = [...expandSearches(project, keyword)].map((search) => JSON.stringify(search));
    const ranks = keys.flatMap((key) => this.#ranks.get(key) ?? []);
    return {
      volume: keys.map((key) => this.#volumes.get(key) ?? null).find((volume) => volume !== null) ?? this.#medianVolume,
      rank: ranks.length === 0 ? null : Math.min(...ranks),
    };
  }
}

/** The last known rank of the first target, by search. */
function lastRanks(store: Store, { targets: [first] }: Project, since: number): Map<number, number | null> {
  const targetId = first === undefined ? null : store.names.knownTargetId(targetKey(first));
  const ranks = new Map<number, number | null>();
  if (targetId === null) return ranks;
  for (const [searchId, sightings] of store.sightings.ofTarget(targetId, since))
    ranks.set(searchId, sightings.at(-1)?.rank ?? null);
  return ranks;
}

/** The checks since the start, by target and search. */
function readLooks(store: Store, projects: readonly Project[], start: number): Map<string, DailyLook[]> {
  const looks = new Map<string, DailyLook[]>();
  for (const project of projects) {
    const keys = new Map<number, string>();
    for (const keyword of project.keywords) {
      for (const search of expandSearches(project, keyword)) {
        const searchId = store.names.knownSearchId(search);
        if (searchId !== null) keys.set(searchId, JSON.stringify(search));
      }
    }
    for (const target of project.targets) {
      const targetId = store.names.knownTargetId(targetKey(target));
      if (targetId === null) continue;
      for (const [searchId, sightings] of store.sightings.ofTarget(targetId, start)) {
        const key = keys.get(searchId);
        if (key === undefined) continue;
        const list = sightings.map((sighting) => ({
          day: Math.floor(daysBetween(start, sighting.checkedAt)),
          rank: sighting.rank,
          seenDownTo: seenDownTo(sighting),
        }));
        looks.set(`${targetKey(target)}\0${key}`, list);
      }
    }
  }
  return looks;
}

/** The rank on each day, from daily checks. A day without a check has the rank of the day before. */
export function ranksByDay(looks: readonly DailyLook[], days: number): (number | null)[] {
  const ranks: (number | null)[] = [];
  let at = 0;
  let rank = looks[0]?.rank ?? null;
  for (let day = 0; day < days; day += 1) {
    for (; (looks[at]?.day ?? days) <= day; at += 1) rank = looks[at]?.rank ?? null;
    ranks.push(rank);
  }
  return ranks;
}
