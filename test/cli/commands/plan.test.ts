// `plan`: purchases, costs, budget and deferrals in words.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PlanReport } from '../../../jobs/query/planning.ts';
import { type Invocation, invoke } from '../fake-host.ts';
import { type ProjectFolder, projectFolder } from '../project-folder.ts';
import { market } from '../samples.ts';

let folder: ProjectFolder;
beforeAll(() => {
  folder = projectFolder();
});
afterAll(() => folder.remove());

const inFolder = (argv: readonly string[], invocation: Invocation = {}) =>
  invoke(argv, { cwd: folder.path, ...invocation });

test('plan prints what would be bought, what it may cost and what would be deferred', async () => {
  const plan: PlanReport = {
    projects: [{ project: 'acme', slot: '2026-01-15T06:00', due: true, reason: 'due', keywords: 2, searches: 3 }],
    searches: 3,
    sharedSearches: 1,
    deepChecks: 2,
    pagesWorstCase: 1_021,
    pagesExpected: 9,
    pagesFresh: 2,
    creditsWorstCase: 1_019,
    creditsExpected: 7,
    keywordRequests: 2,
    microUsdWorstCase: 20_000,
    budget: [{ currency: 'serp_credit', scope: 'month', key: '2026-01', cap: 1_000, reserved: 10, spent: 500 }],
    deferred: {
      checks: 1,
      reason: 'the month is short',
      sample: [{ keyword: 'trail shoes', market, reason: 'no room' }],
    },
  };
  const { exitCode, out } = await inFolder(['plan', '--all'], { fakes: { plan: async () => plan } });
  expect(exitCode).toBe(0);
  expect(out).toContain('3, 1 of them shared by several projects and bought once, 2 deep checks among them');
  expect(out).toContain('7 expected, 1,019 at worst');
  expect(out).toContain('2 requests, $0.02 at worst');
  expect(out).toMatch(/SERP credits +month 2026-01 +1,000 +500 +10 +490/);
  expect(out).toContain('Worst case: 1 search would be deferred: the month is short');
  expect(out).toContain('"trail shoes", US en desktop: no room');
  expect(JSON.parse((await inFolder(['plan', '--json'], { fakes: { plan: async () => plan } })).out)).toEqual(plan);
});

const decision = { project: 'acme', keyword: 'dentist', check: true, pages: 1, reason: 'check: never checked before' };
const small: PlanReport = {
  projects: [{ project: 'acme', slot: '2026-01-15T06:00', due: true, reason: 'due', keywords: 2, searches: 2 }],
  ...{ searches: 2, sharedSearches: 0, deepChecks: 0, pagesWorstCase: 2, pagesExpected: 2, pagesFresh: 0 },
  ...{ creditsWorstCase: 2, creditsExpected: 2, keywordRequests: 0, microUsdWorstCase: 0, budget: [] },
  deferred: { checks: 0, reason: null, sample: [] },
};

test('plan says what of keyword data and AI answers the budget would defer', async () => {
  const answers = { samples: 10, microUsdWorstCase: 40_000 };
  const window = { currency: 'micro_usd', scope: 'run', key: '', cap: 30_000, reserved: 0, spent: 0 } as const;
  const fakes = { plan: async () => ({ ...small, answers, budget: [window] }) };
  const { out } = await inFolder(['plan'], { fakes });
  expect(out).toContain('Worst case: $0.01 of keyword data and AI answers would be deferred');
  const enough = { plan: async () => ({ ...small, answers, budget: [{ ...window, cap: 40_000 }] }) };
  expect((await inFolder(['plan'], { fakes: enough })).out).not.toContain('would be deferred');
});

test('plan names the market of each decision, with its location', async () => {
  const adaptive = [
    { ...decision, market: { ...market, location: 'Austin,Texas,United States' } },
    { ...decision, market },
  ];
  const { out } = await inFolder(['plan'], { fakes: { plan: async () => ({ ...small, adaptive }) } });
  expect(out).toMatch(/dentist +US en desktop Austin,Texas,United States +1 /);
  expect(out).toMatch(/dentist +US en desktop +1 /);
});

test('plan gives the reason of each decision, too, where the budget allows no check', async () => {
  const adaptive = [{ ...decision, market, check: false, reason: 'no credits left: never checked before' }];
  const plan = async () => ({ ...small, searches: 0, adaptive });
  const { out } = await inFolder(['plan'], { fakes: { plan } });
  expect(out).toMatch(/dentist +US en desktop +- +no credits left: never checked before/);
  expect(out).toMatch(/Nothing would be bought\.$/m);
  const waits = { ...small, searches: 0, projects: small.projects.map((each) => ({ ...each, due: false })) };
  expect((await inFolder(['plan'], { fakes: { plan: async () => waits } })).out).toContain('rankledger plan --all');
});
