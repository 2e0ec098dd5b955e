// The cost of a run at its provider: pages and keyword data, and when the balance is too low.
import { beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import type { ResolvedConfig } from '../../../config/resolve.ts';
import type { PlanReport } from '../../../jobs/query/planning.ts';
import type { ListPrice } from '../../../src/app/opening/list-prices.ts';
import { type ProjectCost, projectCosts } from '../../../src/app/planning.ts';
import type { PreflightCheck } from '../../../src/app/preflight/online-checks.ts';
import { onlineCosts, type ProjectOutlook, shortages } from '../../../src/cli/subcommands/check-online.ts';
import { type ProjectFolder, projectFolder } from '../../cli/project-folder.ts';

let folder: ProjectFolder;
let config: ResolvedConfig;
let monthly: ProjectCost[];

beforeAll(async () => {
  const keywords = Array.from({ length: 100 }, (_, index) => `word ${index}`).join(', ');
  folder = projectFolder(`timezone: UTC
services:
  web: { mode: embedded, source: sandbox }
projects:
  - id: acme
    service: web
    targets: [acme.com]
    depth: 3
    schedule: "0 6 * * *"
    volumes: { schedule: "0 4 2 * *", limit: 33 }
    keywords: [${keywords}]
`);
  config = await loadConfig({ cwd: folder.path, env: {} });
  monthly = await projectCosts(config, now);
});

const now = Date.UTC(2026, 0, 15);

function outlooks(plan: Partial<PlanReport> | null): ReadonlyMap<string, ProjectOutlook> {
  const outlook = (cost: ProjectOutlook['cost']) => ({ cost, answers: null, plan: plan as PlanReport | null });
  return new Map(monthly.map((cost) => [cost.project, outlook(cost)]));
}

const price: ListPrice = {
  unit: 'credit',
  first: 10,
  further: 4,
  together: null,
  unitMicroUsd: { least: 100, most: 300 },
  asOf: '2026-08',
};

function trial(changes: Partial<PreflightCheck> = {}): PreflightCheck {
  const found = {
    state: 'ok',
    says: '',
    problems: [],
    warnings: [],
    creditsLeft: null,
    unit: null,
    plan: null,
  } as const;
  return { what: 'pages', service: 'web', source: 'one', ...found, price, parts: [], ...changes };
}

const plan = { creditsExpected: 150, creditsWorstCase: 300, keywordRequests: 100 };

describe('the cost of pages', () => {
  it('adds the first and the further ones of each search, on the cheapest plan and the dearest', () => {
    const [cost] = onlineCosts(config, outlooks(plan), [trial()]);
    expect(cost).toMatchObject({
      perRun: { expected: 150, worst: 300 },
      amountPerRun: {
        units: { expected: 100 * 10 + 50 * 4, worst: 100 * 10 + 200 * 4 },
        microUsdLeast: { expected: 120_000, worst: 180_000 },
        microUsdMost: { expected: 360_000, worst: 540_000 },
      },
    });
  });

  it('in a month is a multiple of the worst case, as of the next run', () => {
    const [cost] = onlineCosts(config, outlooks(plan), [trial()]);
    expect(cost?.perMonth).toEqual({ expected: 31 * 150, worst: 31 * 300 });
    expect(cost?.amountPerMonth?.units.worst).toBe(31 * 1800);
  });

  it('without a plan includes all pages down to the depth', () => {
    expect(onlineCosts(config, outlooks(null), [trial()])[0]?.perRun).toEqual({ expected: 300, worst: 300 });
  });

  it('at a chain is computed for each of its sources, as if it sold all', () => {
    const parts = [trial({ source: 'one' }), trial({ source: 'two', price: { ...price, first: 1, further: 1 } })];
    const costs = onlineCosts(config, outlooks(plan), [trial({ source: 'chain', parts })]);
    expect(costs.map(({ source, amountPerRun }) => [source, amountPerRun?.units.worst])).toEqual([
      ['one', 1800],
      ['two', 300],
    ]);
  });
});

describe('the cost of keyword data', () => {
  const metrics = trial({ what: 'keyword-data', source: 'words', price: { ...price, together: 2 } });

  it('is at best that of joint requests, and at worst that of single requests with all extras', () => {
    const [cost] = onlineCosts(config, outlooks(plan), [metrics]);
    expect(cost).toMatchObject({ what: 'keyword-data', perRun: { worst: 100 }, perMonth: { worst: 100 } });
    expect(cost?.amountPerRun?.units).toEqual({ expected: 4 * 10 + 96 * 2, worst: 100 * (10 + 32 * 4) });
  });

  it('at a provider of the specification follows the formula of the specification', () => {
    const remote = trial({ what: 'pages-and-keyword-data', source: 'remote', price: null });
    const costs = onlineCosts(config, outlooks(plan), [remote]);
    expect(costs.map(({ what, amountPerRun }) => [what, amountPerRun?.microUsdMost])).toEqual([
      ['pages', undefined],
      ['keyword-data', { expected: 1_000_000, worst: 1_000_000 }],
    ]);
  });
});

describe('a balance', () => {
  const lacking = (changes: Partial<PreflightCheck>) => {
    const trials = [trial(changes)];
    return shortages(onlineCosts(config, outlooks(plan), trials), trials);
  };

  it('is too low if the worst case of the next run is higher', () => {
    expect(lacking({ creditsLeft: 1799, unit: 'credit' })).toEqual([
      'web (one) has 1799 credits left, and the next run of everything may take 1800 credits.',
    ]);
    expect(lacking({ creditsLeft: 1800, unit: 'credit' })).toEqual([]);
    expect(
      lacking({ creditsLeft: 1_000_000, unit: 'micro_usd', price: { ...price, unit: 'micro_usd', first: 20_000 } }),
    ).toEqual(['web (one) has 1 USD left, and the next run of everything may take 2.0008 USD.']);
  });

  it('is not compared with another unit, nor if it is unknown', () => {
    expect(lacking({ creditsLeft: 1, unit: 'micro_usd' })).toEqual([]);
    expect(lacking({ creditsLeft: null })).toEqual([]);
  });
});
