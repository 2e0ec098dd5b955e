// `plan`: purchases, costs, budget and deferrals in words.
import { expect, test } from 'vitest';
import { invoke } from '../fake-host.ts';
import { type ProjectFolder, projectFolder } from '../project-folder.ts';

let folder: ProjectFolder;

const plan = async (...argv: string[]) => {
  const ended = await invoke(['plan', ...argv], { cwd: folder.path });
  expect(ended.err).toBe('');
  return ended;
};

test('plan prints what would be bought, what it may cost and what would be deferred', async () => {
  folder = projectFolder(`timezone: UTC
budget: { serpCredits: { perRun: 7 }, keywordDataUsd: { perMonth: 0.01 } }
projects:
  - { id: acme, targets: [acme.com], depth: 3, keywords: [shoes, trail shoes, boots], volumes: { schedule: "0 4 2 * *", limit: 1 } }
  - { id: other, targets: [other.com], depth: 1, keywords: [shoes] }
`);
  const { exitCode, out } = await plan('--all');
  expect(exitCode).toBe(0);
  expect(out).toMatch(/searches +3, 1 of them shared by several projects and bought once/);
  expect(out).toMatch(/SERP credits +\d expected, 9 at worst/);
  expect(out).toMatch(/keyword data +3 requests, \$0\.03 at worst/);
  expect(out).toMatch(/SERP credits +run +7 +0 +0 +7$/m);
  expect(out).toMatch(/Worst case: 1 search would be deferred: /);
  expect(out).toMatch(/"boots", US en desktop: /);
  expect(out).toContain('Worst case: $0.02 of keyword data and AI answers would be deferred');
  expect(JSON.parse((await plan('--all', '--json')).out)).toMatchObject({ searches: 3, deferred: { checks: 1 } });
});

test('plan of nothing says how to plan all projects', async () => {
  folder = projectFolder('projects: [{ id: acme, targets: [acme.com], keywords: [shoes] }]\n');
  expect((await plan()).out).toContain(
    'Nothing would be bought. To plan all projects, due or not: rankledger plan --all',
  );
});

test('plan names the market of each decision of an adaptive plan, with its location', async () => {
  folder = projectFolder(`budget: { serpCredits: { perMonth: 100 } }
projects:
  - id: acme
    targets: [acme.com]
    schedule: "0 6 * * *"
    depth: 1
    cadence: adaptive
    keywords: [{ keyword: dentist, location: "Austin,Texas,United States" }, dentist]
`);
  const { out } = await plan('--all');
  expect(out).toMatch(/dentist +US en desktop Austin,Texas,United States +1 +check: never checked before/);
  expect(out).toMatch(/dentist +US en desktop +1 /);
});
