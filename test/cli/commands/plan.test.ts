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
