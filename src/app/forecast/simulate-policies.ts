// Simulates the days ahead under several policies: the product's own planner, runs and ledger on scratch databases.
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ResolvedConfig } from '../../../config/resolve.ts';
import { backUp } from '../../../db/integrity/backup.ts';
import { isProcessRunning, type SearchDataService } from '../../service/index.ts';
import type { Project } from '../../tracker/project.ts';
import { localDate, monthWindowKey, toInstant } from '../../tracker/schedule/local-time.ts';
import {
  type DailyLook,
  type FollowedTarget,
  type FoundChanges,
  findChanges,
} from '../../tracker/signal/found-changes.ts';
import { type App, openApp } from '../app.ts';
import { projectsNamed } from '../opening/named-projects.ts';
import { SimulatedClock } from '../opening/simulated-clock.ts';
import { UsageError } from '../opening/usage-error.ts';
import { pagePrice } from '../preflight/service-checks.ts';
import { run } from '../runs/run.ts';
import { daysBefore, simulate } from '../runs/simulation.ts';
import {
  adaptivePolicy,
  configuredPolicy,
  dailyPolicy,
  type Policy,
  type PolicyInput,
  type PolicyName,
  policyConfig,
  tierPolicy,
  weeklyPolicy,
} from './forecast-policies.ts';
import { KnownHistory, ranksByDay, readLooks } from './known-history.ts';
import { SimulatedWorld } from './simulated-world.ts';

export interface SimulationRequest {
  /** Ids; empty: all projects. */
  readonly projects: readonly string[];
  readonly days: number;
  readonly policies: readonly PolicyName[];
  /** SERP credits a month, in place of the config's. */
  readonly budget?: number;
  /** `history`: ranks move as they have moved so far. `sandbox`: the world of the built-in sandbox. */
  readonly from: 'history' | 'sandbox';
  /** More keywords than this are sampled. */
  readonly keywordsMax: number;
  readonly seed: number;
  /** UTC milliseconds. */
  readonly now: number;
  readonly signal: AbortSignal;
  readonly onProgress: (done: number, total: number, policy: string) => void;
}

/** Dollars at list prices, from the cheapest plan to the most expensive one. */
export interface DollarRange {
  readonly least: number;
  readonly most: number;
}

export interface PolicyForecast extends FoundChanges {
  readonly policy: PolicyName;
  /** SERP credits that it may spend in 30 days, or as configured in a calendar month; null: no cap. */
  readonly budget: number | null;
  /** SERP credits of the simulated days, of all keywords. */
  readonly credits: number;
  /** Of the credits of daily checks. */
  readonly share: number;
  /** In micro-USD; null: the price of a service is unknown, or it is free. */
  readonly microUsd: DollarRange | null;
  readonly checks: number;
}

export interface SimulationReport {
  readonly from: 'history' | 'sandbox';
  readonly seed: number;
  /** Local dates, both inclusive. */
  readonly firstDate: string;
  readonly lastDate: string;
  readonly days: number;
  readonly projects: readonly string[];
  readonly searches: number;
  /** Searches that were simulated: all, or a sample. */
  readonly simulatedSearches: number;
  /** Searches with a known rank; the others start from usual ranks. */
  readonly searchesWithHistory: number;
  readonly policies: readonly PolicyForecast[];
  /** The forecast with the fewest credits that finds `foundMin` of the traffic within a day; null: none does. */
  readonly cheapest: PolicyForecast | null;
  readonly foundMin: number;
}

const dayMs = 86_400_000;
const foundMin = 0.9;
/** Budgets of the adaptive plan that are tried, as shares of the credits of daily checks, until one finds enough. */
const adaptiveShares = [0.06, 0.08, 0.1, 0.12, 0.16, 0.22, 0.3];

/**
 * Simulates every policy on its own copy of the database. Buys nothing and sends nothing; the config's database is only
 * read. Daily checks come first: what they see is the truth that the other policies are held against. Throws UsageError
 * for an unknown project, or without keywords.
 */
export async function simulatePolicies(config: ResolvedConfig, request: SimulationRequest): Promise<SimulationReport> {
  const all = projectsNamed(config, request.projects);
  const { projects, share } = sample(all, request.keywordsMax);
  if (projects.length === 0) throw new UsageError('No project has a keyword to simulate.');
  const folder = mkdtempSync(join(tmpdir(), 'rankledger-simulation-'));
  try {
    return await new Simulation(config, request, projects, share, folder).report(countSearches(all));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What a policy paid, and what its checks saw of each target in each search. */
interface Lived {
  readonly credits: number;
  readonly checks: number;
  /** By target and search. */
  readonly looks: ReadonlyMap<string, readonly DailyLook[]>;
}

class Simulation {
  readonly #config: ResolvedConfig;
  readonly #request: SimulationRequest;
  /** The config's services are replaced by the sandbox. */
  readonly #isOtherWorld: boolean;
  readonly #projects: readonly Project[];
  /** Simulated keywords of all keywords. */
  readonly #share: number;
  readonly #folder: string;
  readonly #base: string;
  /** Local midnight of the first simulated day, UTC milliseconds. */
  readonly #start: number;
  /** Null: the world of the sandbox. */
  #world: SimulatedWorld | null = null;

  constructor(
    config: ResolvedConfig,
    request: SimulationRequest,
    projects: readonly Project[],
    share: number,
    folder: string,
  ) {
    this.#isOtherWorld = request.from === 'sandbox' && !isSandbox(config);
    this.#config = this.#isOtherWorld ? withSandbox(config) : config;
    this.#request = request;
    this.#projects = projects;
    this.#share = share;
    this.#folder = folder;
    this.#base = join(folder, 'base.sqlite');
    const tomorrow = localDate(request.now + dayMs, config.timezone);
    this.#start = toInstant(Date.parse(`${tomorrow}T00:00Z`), config.timezone) ?? Date.parse(tomorrow);
  }

  async report(searches: number): Promise<SimulationReport> {
    const { from, seed, days, policies: asked } = this.#request;
    await this.#copyDatabase();
    const known = await this.#readHistory();
    const input: PolicyInput = {
      projects: this.#projects,
      firstWeekday: new Date(`${this.#date(0)}T00:00Z`).getUTCDay(),
      curve: this.#config.reports.ctrCurve,
      outlookOf: (project, keyword) => known.outlookOf(project, keyword),
    };
    const daily = await this.#live(dailyPolicy(input), 'daily');
    const policies: PolicyForecast[] = [];
    const live = async (policy: Policy) => {
      const lived = policy.name === 'daily' ? daily : await this.#live(policy, policy.name);
      const forecast = await this.#forecast(policy, lived, daily, known);
      policies.push(forecast);
      return forecast;
    };
    if (asked.includes('daily')) await live(dailyPolicy(input));
    const cap = this.#monthlyBudget();
    if (asked.includes('configured') && this.#projects.some(({ schedule }) => schedule !== undefined))
      await live(configuredPolicy(input, cap));
    if (asked.includes('weekly')) await live(weeklyPolicy(input));
    if (asked.includes('tier')) await live(tierPolicy(input));
    if (asked.includes('adaptive')) {
      const per30Days = (part: number) => Math.ceil((part * daily.credits * 30) / days);
      const budgets = this.#request.budget !== undefined && cap !== undefined ? [cap] : adaptiveShares.map(per30Days);
      for (const budget of budgets) {
        const made = await live(adaptivePolicy(input, budget));
        if ((made.foundTraffic ?? 1) >= foundMin) break;
      }
    }
    const enough = policies.filter(({ foundTraffic }) => (foundTraffic ?? 0) >= foundMin);
    return {
      from,
      seed,
      firstDate: this.#date(0),
      lastDate: this.#date(days - 1),
      days,
      projects: this.#projects.map(({ id }) => id),
      searches,
      simulatedSearches: countSearches(this.#projects),
      searchesWithHistory: known.withRank,
      policies,
      cheapest: enough.toSorted((a, b) => a.credits - b.credits)[0] ?? null,
      foundMin,
    };
  }

  #date(day: number): string {
    return localDate(this.#start + day * dayMs + dayMs / 2, this.#config.timezone);
  }

  /** Of the simulated keywords; undefined: no cap. */
  #monthlyBudget(): number | undefined {
    const written = this.#request.budget ?? this.#config.budget.serpCredits.perMonth;
    return written === undefined ? undefined : Math.ceil(written * this.#share);
  }

  /** The history that every policy starts from. The sandbox does not go on from ranks of another source. */
  async #copyDatabase(): Promise<void> {
    const { databaseFile } = this.#config;
    if (!existsSync(databaseFile) || this.#isOtherWorld) return;
    const { now: at, signal } = this.#request;
    await backUp(databaseFile, this.#base, { at, signal, isRunning: isProcessRunning });
  }

  async #readHistory(): Promise<KnownHistory> {
    const app = await openApp({ ...this.#config, databaseFile: this.#base }, { isReading: true });
    try {
      const { store } = app.context;
      if (this.#request.from === 'history') {
        this.#world = new SimulatedWorld({ start: this.#start, days: this.#request.days, seed: this.#request.seed });
        for (const project of this.#projects) this.#world.add(store, project);
      }
      return new KnownHistory(store, this.#projects);
    } finally {
      await app.close();
    }
  }

  /** Runs a policy for all days, month by month. Throws UsageError if its runs are halted, and if it is interrupted. */
  async #live(policy: Policy, label: string): Promise<Lived> {
    const { days, onProgress } = this.#request;
    const place = { databaseFile: join(this.#folder, 'policy.sqlite'), reports: join(this.#folder, 'reports') };
    for (const suffix of ['', '-wal', '-shm']) rmSync(place.databaseFile + suffix, { force: true });
    if (existsSync(this.#base)) copyFileSync(this.#base, place.databaseFile);
    const uncapped = policyConfig(this.#config, policy.projects, place);
    const { moments } = daysBefore(uncapped, this.#start + days * dayMs - 1, days);
    const byMonth = Map.groupBy(moments, (at) => monthWindowKey(at, this.#config.timezone));
    const clock = new SimulatedClock(this.#start);
    let [credits, checks, done] = [0, 0, 0];
    for (const [month, ofMonth] of byMonth) {
      const cap = await this.#capOf(policy, uncapped, month, ofMonth);
      const runs = await this.#withApp(uncapped, cap, clock, (app) =>
        simulate({
          run: (options) => run(app, { ...options, skipsReports: true }),
          clock,
          moments: ofMonth,
          signal: this.#request.signal,
          onMoment() {
            done += 1;
            onProgress(done, moments.length, label);
          },
        }),
      );
      for (const each of runs) {
        if (each.haltReason !== null) throw new UsageError(`The simulation was halted: ${each.haltReason}`);
        credits += each.serpCredits.spent;
        checks += Object.values(each.checks).reduce((sum, count) => sum + count, 0) - each.checks.deferred;
      }
      this.#request.signal.throwIfAborted();
    }
    const looks = await this.#withApp(uncapped, undefined, clock, async ({ context }) =>
      readLooks(context.store, this.#projects, this.#start),
    );
    return { credits, checks, looks };
  }

  /**
   * The cap of a calendar month. A budget of the simulation is for 30 days: a month has its share of it for the
   * simulated days, on top of what the ledger has spent before them. The config's own cap is what it is.
   */
  async #capOf(
    { creditsPer30Days, cap }: Policy,
    config: ResolvedConfig,
    month: string,
    moments: readonly number[],
  ): Promise<number | undefined> {
    if (creditsPer30Days === undefined) return cap;
    const dates = new Set(moments.map((at) => localDate(at, config.timezone)));
    const spent = await this.#withApp(
      config,
      undefined,
      new SimulatedClock(this.#start),
      async ({ context }) =>
        context.store.ledger
          .windows('', { day: '', month })
          .find(({ currency, scope }) => currency === 'serp_credit' && scope === 'month')?.spent,
    );
    return (spent ?? 0) + Math.round((creditsPer30Days * dates.size) / 30);
  }

  async #withApp<Result>(
    config: ResolvedConfig,
    cap: number | undefined,
    clock: SimulatedClock,
    work: (app: App) => Promise<Result>,
  ): Promise<Result> {
    const services = new Map<string, SearchDataService>();
    const capped = { ...config, budget: { serpCredits: cap === undefined ? {} : { perMonth: cap }, microUsd: {} } };
    if (this.#world !== null)
      for (const { service } of this.#projects) services.set(service, this.#world.service(service, clock));
    const app = await openApp(capped, { clock, isScratch: true, ...(services.size > 0 && { services }) });
    try {
      return await work(app);
    } finally {
      await app.close();
    }
  }

  async #forecast(policy: Policy, lived: Lived, daily: Lived, known: KnownHistory): Promise<PolicyForecast> {
    const { days } = this.#request;
    const targets: FollowedTarget[] = [...daily.looks].map(([key, truth]) => ({
      volume: known.volume(key),
      ranks: ranksByDay(truth, days),
      looks: lived.looks.get(key) ?? [],
    }));
    const scale = 1 / this.#share;
    const capOrBudget = policy.creditsPer30Days ?? policy.cap;
    return {
      policy: policy.name,
      budget: capOrBudget === undefined ? null : Math.round(capOrBudget * scale),
      credits: Math.round(lived.credits * scale),
      share: daily.credits === 0 ? 0 : lived.credits / daily.credits,
      microUsd: await this.#dollars(lived.credits * scale, lived.checks * scale),
      checks: Math.round(lived.checks * scale),
      ...findChanges(targets, days, this.#config.reports.ctrCurve),
    };
  }

  /** At the list price of the service, where all projects share one whose price is known. */
  async #dollars(credits: number, checks: number): Promise<DollarRange | null> {
    const names = new Set(this.#projects.map(({ service }) => service));
    const [service] = [...names].map((name) => this.#config.services.get(name));
    if (names.size !== 1 || service?.mode !== 'embedded') return null;
    const price = await pagePrice(service.source, service.options);
    if (price === null) return null;
    const units = checks * price.first + Math.max(0, credits - checks) * price.further;
    return {
      least: Math.round(units * price.unitMicroUsd.least),
      most: Math.round(units * price.unitMicroUsd.most),
    };
  }
}

function countSearches(projects: readonly Project[]): number {
  return projects.reduce(
    (sum, { keywords }) => sum + keywords.reduce((total, { devices }) => total + devices.length, 0),
    0,
  );
}

/** Every n-th keyword of each project, so that at most about `max` are left. */
function sample(
  projects: readonly Project[],
  max: number,
): { readonly projects: readonly Project[]; readonly share: number } {
  const total = projects.reduce((sum, { keywords }) => sum + keywords.length, 0);
  const step = Math.max(1, total / max);
  const sampled = projects
    .map((project) => ({
      ...project,
      keywords: project.keywords.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step)),
    }))
    .filter(({ keywords }) => keywords.length > 0);
  return { projects: sampled, share: countSearches(sampled) / Math.max(1, countSearches(projects)) };
}

function isSandbox({ services }: ResolvedConfig): boolean {
  return [...services.values()].every((service) => service.mode === 'embedded' && service.source === 'sandbox');
}

function withSandbox(config: ResolvedConfig): ResolvedConfig {
  const services = [...config.services.keys()].map((name) => [name, sandbox] as const);
  return { ...config, services: new Map(services) };
}

const sandbox = { mode: 'embedded', source: 'sandbox', options: {} } as const;
