// The next days under several policies, simulated on copies of a database that a sandbox has filled.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import type { ResolvedConfig } from '../../../config/resolve.ts';
import { openApp } from '../../../src/app/app.ts';
import type { PolicyName } from '../../../src/app/forecast/policy-runs.ts';
import {
  forecastMonth,
  type SimulationReport,
  type SimulationRequest,
  simulatePolicies,
} from '../../../src/app/forecast/simulate-policies.ts';
import { run } from '../../../src/app/runs/run.ts';
import { daysBefore, SimulatedClock, simulate } from '../../../src/app/runs/simulation.ts';
import { type ProjectFolder, projectFolder } from '../../cli/project-folder.ts';

const dayMs = 86_400_000;
const policyNames: readonly PolicyName[] = ['daily', 'configured', 'weekly', 'tier', 'adaptive'];
const now = Date.UTC(2026, 2, 30, 12);
const signal = new AbortController().signal;
const keywordCount = 6;
const days = 4;

let folder: ProjectFolder;
let config: ResolvedConfig;
beforeAll(async () => {
  folder = folderWith(keywordCount);
  config = await loadConfig({ cwd: folder.path, env: {} });
  await live(now, 6);
});

function folderWith(count: number): ProjectFolder {
  const keywords = Array.from({ length: count }, (_, index) => `running shoes ${index}`);
  return projectFolder(`timezone: Europe/Berlin
budget: { serpCredits: { perMonth: 100000 } }
projects:
  - id: acme
    targets: [acme.com, { match: prefix, value: "https://www.acme.com/shop/" }]
    schedule: "0 6 * * *"
    market: { country: US, language: en, devices: [desktop] }
    depth: 3
    keywords: ${JSON.stringify(keywords)}
`);
}

/** Lets the sandbox run for the days before `until`; returns the credits of those days. */
async function live(until: number, count: number, lived = config): Promise<number> {
  const { moments } = daysBefore(lived, until, count);
  const clock = new SimulatedClock(moments[0] ?? until);
  const app = await openApp(lived, { clock });
  try {
    const runs = await simulate({
      run: (options) => run(app, { ...options, skipsReports: true }),
      clock,
      moments,
      signal,
      onMoment: () => {},
    });
    return runs.reduce((sum, { serpCredits }) => sum + serpCredits.spent, 0);
  } finally {
    await app.close();
  }
}

async function spentInMonth(): Promise<number> {
  const app = await openApp(config, { clock: new SimulatedClock(now) });
  try {
    const windows = app.context.store.ledger.windows('', { day: '', month: '2026-03' });
    return windows.find(({ currency, scope }) => currency === 'serp_credit' && scope === 'month')?.spent ?? 0;
  } finally {
    await app.close();
  }
}

const forecast = (request: Partial<SimulationRequest> = {}, simulated = config): Promise<SimulationReport> =>
  simulatePolicies(simulated, {
    projects: [],
    days,
    policies: policyNames,
    from: 'history',
    keywordsMax: 200,
    seed: 1,
    now,
    signal,
    onProgress: () => {},
    ...request,
  });

/** Names and contents of all files beside the config. */
function fingerprint(): string {
  const digest = createHash('sha256');
  for (const entry of readdirSync(folder.path, { recursive: true, withFileTypes: true })) {
    digest.update(entry.name);
    if (entry.isFile()) digest.update(readFileSync(join(entry.parentPath, entry.name)));
  }
  return digest.digest('hex');
}

describe('simulatePolicies', () => {
  it('compares every policy with daily checks, and changes no file of the project', async () => {
    const before = fingerprint();
    const days = 8;
    const report = await forecast({ days });
    expect(fingerprint()).toBe(before);
    expect(report).toMatchObject({ searches: keywordCount, simulatedSearches: keywordCount, projects: ['acme'] });
    expect(report.searchesWithHistory).toBe(keywordCount);
    const [daily, configured, weekly, tier] = report.policies;
    expect(report.policies.slice(0, 5).map(({ policy }) => policy)).toEqual([
      'daily',
      'configured',
      'weekly',
      'tier',
      'adaptive',
    ]);
    expect(daily).toMatchObject({ share: 1, longestGapDays: 1, checks: days * keywordCount, oldTargets: 0 });
    expect(configured?.credits).toBe(daily?.credits);
    expect(weekly?.credits).toBeLessThan(daily?.credits ?? 0);
    expect(tier?.credits).toBeLessThan(daily?.credits ?? 0);
    const adaptive = report.policies.filter(({ policy }) => policy === 'adaptive');
    for (const { credits, budget } of adaptive)
      expect(credits).toBeLessThanOrEqual(Math.ceil(((budget ?? 0) * days) / 30));
    expect(report.cheapest?.credits).toBe(
      Math.min(...report.policies.filter(({ foundTraffic }) => (foundTraffic ?? 0) >= 0.9).map((each) => each.credits)),
    );
  });

  it('tries longer gaps than that of an adaptive project, each in one line', async () => {
    const adaptive = (atLeastDays: number) => ({
      ...config,
      projects: config.projects.map((each) => ({
        ...each,
        adaptive: { cadence: true, paging: true, atLeastEveryMs: atLeastDays * dayMs },
      })),
    });
    const policies = ['adaptive'] as const;
    const gaps = async (simulated: ResolvedConfig) =>
      (await forecast({ policies, budget: 30 }, simulated)).policies.map(({ atLeastEveryDays }) => atLeastEveryDays);
    expect(await gaps(config)).toEqual([null]);
    expect(await gaps(adaptive(2))).toEqual([null, 14, 30]);
    expect(await gaps(adaptive(14))).toEqual([null, 30]);
    const { policies: tried } = await forecast({ policies, days: 12, budget: 100 }, adaptive(2));
    const [own, , longest] = tried.map(({ longestGapDays }) => longestGapDays);
    expect(longest).toBeGreaterThan(own ?? 0);
  });

  it('gives the same forecast for the same history and seed, and another one for another seed', async () => {
    const policies = ['configured'] as const;
    const first = await forecast({ policies });
    expect(await forecast({ policies })).toEqual(first);
    expect((await forecast({ policies, seed: 2 })).policies).not.toEqual(first.policies);
  });

  it('counts the credits of second looks', async () => {
    const confirming = { ...config, projects: config.projects.map((each) => ({ ...each, confirm: { share: 0.5 } })) };
    const policies = ['daily'] as const;
    const [without, withLooks] = await Promise.all([forecast({ policies }), forecast({ policies }, confirming)]);
    const [alone, looked] = [without, withLooks].map((report) => report.policies[0]?.credits ?? 0);
    expect(looked).toBeGreaterThan(alone ?? 0);
    expect(looked).toBeLessThanOrEqual(1.5 * (alone ?? 0));
  });

  it('keeps and spends a budget that is asked for, also where the days end within a month', async () => {
    const { policies } = await forecast({ policies: ['adaptive'], budget: 120 });
    expect(policies.map(({ policy, budget }) => [policy, budget])).toEqual([['adaptive', 120]]);
    expect(policies[0]?.credits).toBeLessThanOrEqual((120 * days) / 30);
    expect(policies[0]?.credits).toBeGreaterThan((0.8 * 120 * days) / 30);
  });

  it('keeps the budgets of a day and a run that are configured, also in the month of `check`', async () => {
    for (const serpCredits of [{ perDay: 4 }, { perRun: 4 }]) {
      const capped = { ...config, budget: { ...config.budget, serpCredits } };
      const { policies } = await forecast({ policies: ['daily', 'configured'], days: 3 }, capped);
      const [daily, configured] = policies.map(({ credits }) => credits);
      expect(daily).toBeGreaterThan(4 * 3);
      expect(configured).toBeLessThanOrEqual(4 * 3);
      expect(configured).toBeGreaterThan(0);
    }
    const serpCredits = { perDay: 4 };
    const capped = { ...config, budget: { ...config.budget, serpCredits } };
    const month = await forecastMonth(capped, { now, signal, onProgress: () => {}, pagesMax: 10_000 });
    expect(month?.credits).toBeLessThanOrEqual(4 * 31);
    expect(month?.credits).toBeGreaterThan(0);
  });

  it('forecasts no month from a sample whose share of the budget holds no check', async () => {
    const many = folderWith(20);
    const own = await loadConfig({ cwd: many.path, env: {} });
    const capped = { ...own, budget: { ...own.budget, serpCredits: { perDay: 4 } } };
    expect(await forecastMonth(capped, { now, signal, onProgress: () => {}, pagesMax: 1 })).toBeNull();
  });

  it('counts what the month has spent once, also where a sample of the searches is simulated', async () => {
    const spent = await live(now, 1);
    expect(spent).toBe(0);
    const policies = ['configured'] as const;
    const small = { policies, days: 2, keywordsMax: 2 };
    const free = await forecast(small);
    const credits = free.policies[0]?.credits ?? 0;
    const ofMonth = await spentInMonth();
    // the first day is the last of March: what it may spend is more than it needs
    const enough = { ...config, budget: { ...config.budget, serpCredits: { perMonth: ofMonth + credits } } };
    expect((await forecast(small, enough)).policies[0]?.credits).toBe(credits);
  });

  it('simulates a sample of many keywords, and scales it up', async () => {
    const whole = await forecast({ policies: ['weekly'] });
    const half = await forecast({ policies: ['weekly'], keywordsMax: keywordCount / 2 });
    expect(half).toMatchObject({ searches: keywordCount, simulatedSearches: keywordCount / 2 });
    expect(half.policies[0]?.checks).toBe(whole.policies[0]?.checks);
    const asked = await forecast({ policies: ['configured', 'adaptive'], budget: 41, days: 3, keywordsMax: 3 });
    expect(asked.policies.map(({ budget }) => budget)).toEqual([100_000, 41]);
  });

  it('starts from usual ranks without a database, and creates none', async () => {
    const empty = { ...config, databaseFile: join(folder.path, 'none.sqlite') };
    const report = await simulatePolicies(empty, {
      projects: ['acme'],
      days: 3,
      policies: ['configured'],
      from: 'history',
      keywordsMax: 200,
      seed: 1,
      now,
      signal,
      onProgress: () => {},
    });
    expect(report.searchesWithHistory).toBe(0);
    expect(report.policies[0]?.credits).toBeGreaterThan(0);
    expect(readdirSync(folder.path)).not.toContain('none.sqlite');
  });

  it('moves places in local results, however they are named', async () => {
    const keywords = Array.from({ length: 15 }, (_, index) => `pizza ${index}`);
    for (const value of ['cid:174459995934739710', 'ChIJN1t_tDeuEmsRUsoyG83frY4', "Joe's Pizza, 52 Main Street"]) {
      const local = projectFolder(`
projects:
  - id: local
    targets: [{ match: place, value: ${JSON.stringify(value)} }]
    market: { country: US, language: en, location: "Austin, Texas" }
    depth: 1
    keywords: ${JSON.stringify(keywords)}
`);
      const own = await loadConfig({ cwd: local.path, env: {} });
      const [daily] = (await forecast({ policies: ['daily'], days: 8 }, own)).policies;
      expect(daily?.changes).toBeGreaterThan(0);
    }
  });

  it('counts no history that is too old for the world to follow, and begins tomorrow on a day of 25 hours', async () => {
    const later = Date.UTC(2026, 9, 24, 22, 30); // half past midnight in Berlin
    const { searchesWithHistory, firstDate } = await forecast({ now: later, days: 1, policies: ['daily'] });
    expect({ searchesWithHistory, firstDate }).toEqual({ searchesWithHistory: 0, firstDate: '2026-10-26' });
  });

  it('rejects a project that does not exist, and one without keywords', async () => {
    await expect(forecast({ projects: ['globex'] })).rejects.toThrow('globex');
    const bare = { ...config, projects: config.projects.map((project) => ({ ...project, keywords: [] })) };
    await expect(
      simulatePolicies(bare, {
        projects: [],
        days: 3,
        policies: [],
        from: 'history',
        keywordsMax: 200,
        seed: 1,
        now,
        signal,
        onProgress: () => {},
      }),
    ).rejects.toThrow('No project has a keyword to simulate.');
  });

  it('forecasts the month of `check` from history, also from a sample of the searches', async () => {
    const options = { now, signal, onProgress: () => {} };
    const whole = await forecastMonth(config, { ...options, pagesMax: 10_000 });
    expect(whole).toMatchObject({ days: 31, searches: keywordCount, simulatedSearches: keywordCount });
    expect(whole?.credits).toBeLessThanOrEqual(31 * keywordCount * 3);
    expect(whole?.credits).toBeGreaterThanOrEqual(31 * keywordCount);
    const unscheduled = config.projects.map(({ schedule: _, ...project }) => project);
    expect(await forecastMonth({ ...config, projects: unscheduled }, { ...options, pagesMax: 100 })).toBeNull();
  });

  it('forecasts the credits that the ledger shows after the sandbox has lived the days', async () => {
    const month = 8;
    const larger = folderWith(keywordCount);
    const own = await loadConfig({ cwd: larger.path, env: {} });
    await live(now, 6, own);
    const seeds = [1, 2];
    let sum = 0;
    for (const seed of seeds) {
      const { policies } = await forecast({ policies: ['configured'], seed, days: month }, own);
      sum += policies[0]?.credits ?? 0;
    }
    const expected = sum / seeds.length;
    const lived = await live(now + month * dayMs, month, own);
    const error = Math.abs(expected - lived) / lived;
    process.stderr.write(
      `forecast of ${month} days: ${Math.round(expected)} credits; the ledger after them: ${lived} (${(100 * error).toFixed(1)} % off)\n`,
    );
    expect(error).toBeLessThan(0.2);
  });
});
