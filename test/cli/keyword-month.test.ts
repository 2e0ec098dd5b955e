// The dollars of a keyword in a month: every command that shows credits of a month has them, by list prices.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { loadConfig } from '../../config/load.ts';
import { App } from '../../src/app/app.ts';
import { pagePrices } from '../../src/app/opening/list-prices.ts';
import { SimulatedClock } from '../../src/app/runs/simulation.ts';
import { historyReader } from '../../src/app/workspace/workspace.ts';
import type { OnlineCost } from '../../src/cli/subcommands/check-online.ts';
import { invoke } from './fake-host.ts';
import { type ProjectFolder, projectFolder } from './project-folder.ts';
import { commandAt } from './real-app.ts';

const hour = 3_600_000;
const first = Date.parse('2026-01-12T06:00:00Z');
const free = '{ mode: embedded, source: sandbox }';
const password = `"\${PASSWORD}"`;
const env = { PASSWORD: 'secret-of-a-test' };
const vendor = (method: string) => `source: dataforseo, login: me, password: ${password}, method: ${method}`;
const priced = `{ mode: embedded, ${vendor('live')} }`;
const chain = `{ mode: embedded, source: chain, sources: [{ ${vendor('queued')} }, { ${vendor('live')} }] }`;
const several = `{ mode: best, of: [dear, cheap] },
  dear: { mode: embedded, source: sandbox, usdPerThousand: 2 },
  cheap: { mode: embedded, source: sandbox, usdPerThousand: 0.5 }`;
const config = (service: string, schedule = 'schedule: "0 6 * * *"') => `timezone: UTC
services: { default: ${service} }
budget: { serpCredits: { perRun: 500, perMonth: 10000 } }
projects:
  - id: acme
    targets: [acme.com]
    depth: 2
    paging: full
    ${schedule}
    keywords: [running shoes, trail shoes, hiking boots, tents]
`;

let folder: ProjectFolder | undefined;
afterEach(() => {
  folder = undefined;
});

async function asked(at: number, ...words: string[]) {
  if (folder === undefined) throw new Error('no folder');
  const host = { cwd: folder.path, now: at, env };
  const { out } = await invoke(words, host);
  const { out: json, err } = await invoke([...words, '--json'], host);
  expect(json, err).not.toContain('"error"');
  return { out, json: JSON.parse(json) };
}

/** Two days were checked for play money; now the service has a price. */
async function checkedTwice(service: string): Promise<void> {
  folder = projectFolder(config(free));
  for (const day of [0, 1]) await commandAt(folder, first + day * 24 * hour, 'run');
  writeFileSync(join(folder.path, 'rankledger.yaml'), config(service));
}

// 2 pages on 31 days at $0.002
const month = { least: 124_000, most: 124_000 };

it.each([
  ['one source', priced, month, '$0.124'],
  [
    'a chain, from its cheapest source to its most expensive one',
    chain,
    { least: 37_200, most: 124_000 },
    '$0.0372 to $0.124',
  ],
  [
    'several sources, from the cheapest one to the first, with pages that are bought twice',
    several,
    { least: 31_000, most: Math.round(1.029 * 124_000) },
    '$0.031 to $0.128',
  ],
])('check shows the dollars of a keyword in a month: %s', async (_, service, microUsd, text) => {
  folder = projectFolder(config(service));
  const { out, json } = await asked(first, 'check');
  expect(json.projects[0].microUsdPerKeywordMonth).toEqual(microUsd);
  expect(out).toMatch(
    new RegExp(
      `USD a keyword\\n.*  ${text.replaceAll('$', '\\$')}\\n  USD a keyword: its pages in a month, by list prices\\n`,
    ),
  );
});

it('plan shows what a month of such runs costs a keyword', async () => {
  folder = projectFolder(config(priced));
  const { out, json } = await asked(first, 'plan', '--all');
  const [project] = json.projects;
  expect(project.run).toEqual({ checks: 4, creditsExpected: 8, creditsWorstCase: 8 });
  expect(project.microUsdPerKeywordMonth).toEqual(month);
  expect(out).toMatch(/ {2}USD a keyword {2}why\n.* \$0\.124 {2}/);
});

it('simulate shows the dollars of each policy', async () => {
  await checkedTwice(priced);
  const { out, json } = await asked(first + 25 * hour, 'simulate', '--days', '2', '--policy', 'daily');
  const [daily] = json.policies;
  expect(daily).toMatchObject({ credits: 16, microUsd: { least: 32_000 }, microUsdPerKeywordMonth: month });
  expect(out).toContain('  USD a keyword');
});

it('check --forecast shows the dollars that are expected', async () => {
  await checkedTwice(priced);
  const { out, json } = await asked(first + 25 * hour, 'check', '--forecast');
  expect(json.expectedMonth).toMatchObject({ credits: 248, microUsdPerKeywordMonth: month });
  expect(out).toContain('all projects at worst 248 a month (3 %), expected 248 (3 %), $0.124 a keyword\n');
});

it('status and the workspace follow what this month spent', async () => {
  await checkedTwice(priced);
  const { out, json } = await asked(first + 25 * hour, 'status');
  // 16 credits in 13 days
  const microUsd = Math.round((16 / 13 / 4) * 31 * 2000);
  expect(json.microUsdPerKeywordMonth).toEqual({ least: microUsd, most: microUsd });
  expect(out).toContain('  A keyword a month: $0.0191 by list prices, at the pace of this month\n');
  const found = await loadConfig({ cwd: folder?.path ?? '', env });
  const app = new App(found, { clock: new SimulatedClock(first + 25 * hour), isReading: true });
  try {
    const [overview] = historyReader(app, await pagePrices(app.config)).projects();
    expect(overview?.pageMicroUsd).toEqual({ least: 2000, most: 2000 });
  } finally {
    await app.close();
  }
});

it.each([
  ['a free source', config(free)],
  ['a project without a schedule', config(priced, '')],
])('no dollars are shown for %s', async (_, written) => {
  folder = projectFolder(written);
  for (const command of ['check', 'plan', 'status']) {
    const { out, json } = await asked(first, command);
    expect(out).not.toMatch(/USD a keyword|A keyword a month/);
    expect(json.projects[0].microUsdPerKeywordMonth ?? json.microUsdPerKeywordMonth ?? null).toBeNull();
  }
});

it('plan and check --online name the price of each source of a service of several', async () => {
  folder = projectFolder(config(several));
  const planned = await asked(first, 'plan', '--all');
  expect(planned.json.projects[0].microUsdPerKeywordMonth).toEqual({ least: 31_000, most: 127_596 });
  const { json } = await asked(first, 'check', '--online');
  expect(
    json.online.costs.map((cost: OnlineCost) => [cost.service, cost.source, cost.microUsdPerKeywordMonth]),
  ).toEqual([
    ['dear', 'sandbox', month],
    ['cheap', 'sandbox', { least: 31_000, most: 31_000 }],
  ]);
});
