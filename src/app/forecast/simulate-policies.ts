// Simulates the days ahead under several policies, and compares what each pays and finds.

import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ResolvedConfig } from '../../../config/resolve.ts';
import { projectCost } from '../../../jobs/project-cost.ts';
import { sumOf } from '../../tracker/figures.ts';
import { type DollarRange, keywordMonth, monthDays } from '../../tracker/page-price.ts';
import type { Project } from '../../tracker/project.ts';
import { addDays, localDate, toInstant } from '../../tracker/schedule/local-time.ts';
import { dayMs } from '../../tracker/schedule/time-units.ts';
import { countSearches } from '../../tracker/searches.ts';
import { type FollowedTarget, type FoundChanges, findChanges } from '../../tracker/signal/simulation.ts';
import { UsageError } from '../opening/failures.ts';
import { plannedCost } from '../opening/list-prices.ts';
import { projectsNamed } from '../opening/named-projects.ts';
import {
  adaptivePolicy,
  configuredPolicy,
  dailyPolicy,
  type Lived,
  type Policy,
  type PolicyInput,
  type PolicyName,
  type PolicyRunOptions,
  PolicyRuns,
  ranksByDay,
  tierPolicy,
  weeklyPolicy,
} from './policy-runs.ts';

export interface SimulationRequest {
  /** Ids; empty: all projects. */
  readonly projects: readonly string[];
  readonly days: number;
  readonly policies: readonly PolicyName[];
  /** SERP credits in 30 days, for the adaptive plan. Absent: shares of what daily checks cost. */
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

export interface PolicyForecast extends FoundChanges {
  readonly policy: PolicyName;
  /** Days of `atLeastEvery`, where it is longer than that of the config; null: that of the config. */
  readonly atLeastEveryDays: number | null;
  /** SERP credits that it may spend in 30 days, or as configured in a calendar month; null: no cap. */
  readonly budget: number | null;
  /** SERP credits of the simulated days, of all keywords. */
  readonly credits: number;
  /** Of the credits of daily checks. */
  readonly share: number;
  /** In micro-USD; null: the price of a service is unknown, or it is free. */
  readonly microUsd: DollarRange | null;
  /** Of that, the cost of a keyword in a month of 31 days. */
  readonly microUsdPerKeywordMonth: DollarRange | null;
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

const foundMin = 0.9;
/** Budgets of the adaptive plan that are tried, as shares of the credits of daily checks, until one finds enough. */
const adaptiveShares = [0.06, 0.08, 0.1, 0.12, 0.16, 0.22, 0.3];
/** Longest gaps that are tried beside a shorter one of a project with an adaptive cadence, in days. */
const longerGaps = [14, 30];

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
    return await compare(
      config,
      { ...request, projects, share, start: firstMidnight(config, request.now) },
      folder,
      all,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The credits of the next days as configured. */
export interface MonthForecast {
  readonly days: number;
  readonly credits: number;
  /** Pages of a keyword; null: the price of a service is unknown, or it is free. */
  readonly microUsdPerKeywordMonth: DollarRange | null;
  readonly searches: number;
  /** Searches that were simulated: all, or a sample that stands for all. */
  readonly simulatedSearches: number;
}

interface MonthOptions extends Pick<PolicyRunOptions, 'signal' | 'onProgress'> {
  /** UTC milliseconds. */
  readonly now: number;
  /** Pages of the simulation at worst: more searches are sampled. */
  readonly pagesMax: number;
}

/**
 * Simulates the next 31 days as configured, with at most so many pages at worst; null: no project has a schedule, or a
 * sample would be too small for the budget.
 */
export async function forecastMonth(
  config: ResolvedConfig,
  { pagesMax, ...options }: MonthOptions,
): Promise<MonthForecast | null> {
  const all = config.projects.filter(({ schedule, keywords }) => schedule !== undefined && keywords.length > 0);
  // pages, also where a service sells them at once
  const costs = all.map((project) => projectCost(project, options.now));
  const worst = sumOf(costs, ({ creditsPerMonth }) => creditsPerMonth);
  const keywords = sumOf(costs, (cost) => cost.keywords);
  if (worst === 0) return null;
  const { projects, share } = sample(all, Math.max(keywordsMin, Math.floor((keywords * pagesMax) / worst)));
  const caps = config.budget.serpCredits;
  if (
    share < 1 &&
    Math.min(caps.perRun ?? Number.POSITIVE_INFINITY, caps.perDay ?? Number.POSITIVE_INFINITY) * share <
      deepestCheck(projects)
  )
    return null;
  const folder = mkdtempSync(join(tmpdir(), 'rankledger-simulation-'));
  try {
    const start = firstMidnight(config, options.now);
    const runs = new PolicyRuns(config, folder, { ...options, projects, share, start, days: monthDays, ...usualWorld });
    await runs.open(options.now);
    const { credits, checks } = await runs.live(configuredPolicy(projects, caps));
    const microUsd = await dollarsOf(config, projects, credits / share, checks / share);
    return {
      days: monthDays,
      credits: Math.round(credits / share),
      microUsdPerKeywordMonth: keywordMonth(microUsd, keywords),
      searches: countAllSearches(all),
      simulatedSearches: countAllSearches(projects),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const usualWorld = { from: 'history', seed: 1 } as const;
/** Fewer say little about the others. */
const keywordsMin = 10;

async function compare(
  config: ResolvedConfig,
  request: Omit<SimulationRequest, 'projects'> & PolicyRunOptions,
  folder: string,
  all: readonly Project[],
): Promise<SimulationReport> {
  const { projects, share, start, days, from, seed, budget } = request;
  const runs = new PolicyRuns(config, folder, request);
  const known = await runs.open(request.now);
  const dateOf = (day: number): string => localDate(start + (day + 0.5) * dayMs, config.timezone);
  const input: PolicyInput = {
    projects,
    firstWeekday: new Date(`${dateOf(0)}T00:00Z`).getUTCDay(),
    curve: config.reports.ctrCurve,
    outlookOf: (project, keyword) => known.outlookOf(project, keyword),
  };
  const daily = await runs.live(dailyPolicy(input));
  const policies: PolicyForecast[] = [];
  const forecastOf = async (policy: Policy, asked?: number): Promise<PolicyForecast> => {
    const lived = policy.name === 'daily' ? daily : await runs.live(policy);
    const targets: FollowedTarget[] = [...daily.looks].map(([key, truth]) => ({
      volume: known.volume(key),
      ranks: ranksByDay(truth, days),
      looks: lived.looks.get(key) ?? [],
    }));
    return {
      ...(await cost(config, projects, days, policy, lived, share)),
      // scaled to a sample and back, a budget would be off by rounding
      ...(asked === undefined ? {} : { budget: asked }),
      share: daily.credits === 0 ? 0 : lived.credits / daily.credits,
      ...findChanges(targets, days, config.reports.ctrCurve),
    };
  };
  const makers: Readonly<Record<Exclude<PolicyName, 'adaptive'>, () => Policy>> = {
    daily: () => dailyPolicy(input),
    configured: () => configuredPolicy(projects, config.budget.serpCredits),
    weekly: () => weeklyPolicy(input),
    tier: () => tierPolicy(input),
  };
  for (const name of ['daily', 'configured', 'weekly', 'tier'] as const) {
    const isPossible = name !== 'configured' || projects.some(({ schedule }) => schedule !== undefined);
    if (request.policies.includes(name) && isPossible) policies.push(await forecastOf(makers[name]()));
  }
  if (request.policies.includes('adaptive')) {
    const shares = adaptiveShares.map((part) => Math.ceil((part * daily.credits * 30) / days));
    const budgets = budget === undefined ? shares : [Math.ceil(budget * share)];
    /** With growing budgets, until one finds enough. */
    const adaptive = async (atLeastEveryDays?: number): Promise<PolicyForecast[]> => {
      const tried: PolicyForecast[] = [];
      for (const credits of budgets) {
        const forecast = await forecastOf(adaptivePolicy(input, credits, atLeastEveryDays), budget);
        tried.push(forecast);
        if ((forecast.foundTraffic ?? 1) >= foundMin) break;
      }
      return tried;
    };
    policies.push(...(await adaptive()));
    for (const gap of longerGaps) {
      const isLonger = projects.some((of) => of.adaptive?.cadence === true && of.adaptive.atLeastEveryMs < gap * dayMs);
      if (isLonger) policies.push(...(await adaptive(gap)).slice(-1));
    }
  }
  const enough = policies.filter(({ foundTraffic }) => (foundTraffic ?? 0) >= foundMin);
  return {
    from,
    seed,
    firstDate: dateOf(0),
    lastDate: dateOf(days - 1),
    days,
    projects: projects.map(({ id }) => id),
    searches: countAllSearches(all),
    simulatedSearches: countAllSearches(projects),
    searchesWithHistory: known.withRank,
    policies,
    cheapest: enough.toSorted((a, b) => a.credits - b.credits)[0] ?? null,
    foundMin,
  };
}

/** Local midnight of tomorrow, UTC milliseconds. */
function firstMidnight({ timezone }: ResolvedConfig, now: number): number {
  const tomorrow = addDays(localDate(now, timezone), 1);
  return toInstant(Date.parse(`${tomorrow}T00:00Z`), timezone) ?? Date.parse(tomorrow);
}

/** What a policy costs, scaled from the simulated share of the searches to all. */
async function cost(
  config: ResolvedConfig,
  projects: readonly Project[],
  days: number,
  { name, creditsPer30Days, atLeastEveryDays, caps }: Policy,
  lived: Lived,
  share: number,
): Promise<Omit<PolicyForecast, 'share' | keyof FoundChanges>> {
  const [credits, checks] = [lived.credits / share, lived.checks / share];
  const microUsd = await dollarsOf(config, projects, credits, checks);
  const keywords = sumOf(projects, (project) => project.keywords.length) / share;
  return {
    policy: name,
    atLeastEveryDays: atLeastEveryDays ?? null,
    budget: creditsPer30Days === undefined ? (caps?.perMonth ?? null) : Math.round(creditsPer30Days / share),
    credits: Math.round(credits),
    microUsd: microUsd === null ? null : { least: Math.round(microUsd.least), most: Math.round(microUsd.most) },
    microUsdPerKeywordMonth: keywordMonth(microUsd, keywords, days),
    checks: Math.round(checks),
  };
}

/** At the list price of the service, where all projects share one whose price is known. */
async function dollarsOf(
  config: ResolvedConfig,
  projects: readonly Project[],
  credits: number,
  checks: number,
): Promise<DollarRange | null> {
  const names = new Set(projects.map(({ service }) => service));
  const [service] = names;
  return service === undefined || names.size > 1 ? null : await plannedCost(config, service, credits, checks);
}

function countAllSearches(projects: readonly Project[]): number {
  return sumOf(projects, ({ keywords }) => countSearches(keywords));
}

/** Every n-th keyword of each project, so that at most about `max` are left. */
function sample(
  projects: readonly Project[],
  max: number,
): { readonly projects: readonly Project[]; readonly share: number } {
  const total = sumOf(projects, ({ keywords }) => keywords.length);
  const step = Math.max(1, total / max);
  const sampled = projects
    .map((project) => ({
      ...project,
      keywords: project.keywords.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step)),
    }))
    .filter(({ keywords }) => keywords.length > 0);
  return { projects: sampled, share: countAllSearches(sampled) / Math.max(1, countAllSearches(projects)) };
}

/** Pages of the deepest check. */
function deepestCheck(projects: readonly Project[]): number {
  return Math.max(
    ...projects.flatMap(({ keywords, deep }) => [deep?.depth ?? 0, ...keywords.map(({ depth }) => depth)]),
  );
}

/** Pages of the simulation at worst: a few seconds. */
const pagesMax = 3_000;
/** A larger database takes long to copy. */
const bytesMax = 256 * 1024 * 1024;

/** Null without a history; a simulation that fails must not hide what else `check` says. Throws if interrupted. */
export async function expectedMonth(
  config: ResolvedConfig,
  options: Omit<MonthOptions, 'pagesMax'>,
): Promise<MonthForecast | null> {
  const bytes = statSync(config.databaseFile, { throwIfNoEntry: false })?.size ?? 0;
  if (bytes === 0 || bytes > bytesMax) return null;
  try {
    return await forecastMonth(config, { ...options, pagesMax });
  } catch {
    options.signal.throwIfAborted();
    return null;
  }
}
