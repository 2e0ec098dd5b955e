// Spend of projects that share searches: every door says the same number, and the parts add up to the ledger.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Papa from 'papaparse';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { App } from '../../../src/app/app.ts';
import { historyReader } from '../../../src/app/workspace/workspace.ts';
import type { HistoryReader } from '../../../src/read/contract.ts';
import { tools } from '../../../src/workspace/mcp/tools.ts';
import { type ProjectFolder, projectFolder } from '../../cli/project-folder.ts';
import { commandAt, readingApp } from '../../cli/real-app.ts';

const projects = ['large', 'small', 'failing'];
const market = 'market: { country: US, language: en, devices: [desktop] }';
const config = `services:
  default: { mode: embedded, source: sandbox }
  blocked: { mode: embedded, source: sandbox, blockedShare: 1 }
budget: { keywordDataUsd: { perMonth: 5 } }
projects:
  - id: large
    schedule: "0 6 * * *"
    targets: [acme.com]
    ${market}
    depth: 3
    keywords: [running shoes, trail shoes, hiking boots, tents, rain jackets]
    volumes: { schedule: "0 4 * * *" }
    prompts: { engines: [chatgpt], samples: 10, every: day, texts: [best shoes] }
  - id: small
    schedule: "0 6 * * *"
    targets: [globex.com]
    ${market}
    depth: 3
    keywords: [running shoes, trail shoes, hats]
    volumes: { schedule: "0 4 * * *" }
  - id: failing
    service: blocked
    schedule: "0 6 * * *"
    targets: [acme.com]
    ${market}
    depth: 2
    keywords: [lamps, desks]
`;

let folder: ProjectFolder;
let app: App;
let reader: HistoryReader;

beforeAll(async () => {
  folder = projectFolder(config);
  for (const slot of ['2026-01-12T06:00:00Z', '2026-01-13T06:00:00Z']) {
    const { exitCode } = await commandAt(folder, Date.parse(slot) + 3_600_000, 'run', '--all', '--slot', slot);
    // one of the projects reads nothing
    expect(exitCode).toBe(3);
  }
  app = await readingApp(folder.path, Date.parse('2026-01-13T12:00:00Z'));
  reader = historyReader(app);
});
afterAll(async () => {
  await app.close();
});

type Spent = Readonly<Record<'serp_credit' | 'micro_usd', number>>;
const sum = (lines: readonly { readonly currency: string; readonly amount: number }[]): Spent => {
  const of = (name: string) =>
    lines.filter(({ currency }) => currency === name).reduce((total, { amount }) => total + amount, 0);
  return { serp_credit: of('serp_credit'), micro_usd: of('micro_usd') };
};
const ofDays = (days: readonly { currency: string; spent: number; unknown: number }[]): Spent =>
  sum(days.map(({ currency, spent, unknown }) => ({ currency, amount: spent + unknown })));

/** The lines of the project in spend.csv of all its reports. */
function ofFiles(project: string): Spent {
  const reports = join(folder.path, 'reports', project);
  const slots = readdirSync(reports).filter((name) => name !== 'latest');
  const lines = slots.flatMap((slot) => {
    const text = readFileSync(join(reports, slot, 'spend.csv'), 'utf8').replace(/^\uFEFF/, '');
    return Papa.parse<Record<string, string>>(text, { header: true, skipEmptyLines: true }).data;
  });
  return sum(
    lines
      .filter(({ scope }) => scope === 'project')
      .map(({ unit, spent, unknown }) => ({
        currency: unit === 'usd' ? 'micro_usd' : 'serp_credit',
        amount: Math.round((Number(spent) + Number(unknown)) * (unit === 'usd' ? 1_000_000 : 1)),
      })),
  );
}

it('is the same in the API, the cards, MCP and spend.csv, and adds up to the ledger', () => {
  const total = ofDays(reader.spend({}));
  const runs = [...reader.runs({})];
  const booked = (currency: 'serp_credit' | 'micro_usd') =>
    runs
      .map(({ runId }) => app.context.store.ledger.totals(runId, currency))
      .reduce((a, b) => a + b.spent + b.unknown, 0);
  expect(total).toEqual({ serp_credit: booked('serp_credit'), micro_usd: booked('micro_usd') });
  expect(total.serp_credit).toBeGreaterThan(20);
  expect(total.micro_usd).toBeGreaterThan(20_000);

  const tool = tools.find(({ name }) => name === 'spend');
  const cards = new Map(reader.projects().map((one) => [one.project, one]));
  const parts = projects.map((project) => {
    const own = ofDays(reader.spend({ project }));
    const card = (cards.get(project)?.ownSpend ?? []).map(({ currency, spent }) => ({ currency, amount: spent }));
    const told = tool?.read(reader, { project }) as { days: { currency: string; spent: number; unknown: number }[] };
    expect({ card: sum(card), mcp: ofDays(told.days), files: ofFiles(project) }).toEqual({
      card: own,
      mcp: own,
      files: own,
    });
    return own;
  });
  expect(parts.reduce((all, { serp_credit }) => all + serp_credit, 0)).toBe(total.serp_credit);
  expect(parts.reduce((all, { micro_usd }) => all + micro_usd, 0)).toBe(total.micro_usd);
  // only the large project has prompts, and answers cost more than its keyword data
  expect(parts[0]?.micro_usd).toBeGreaterThan(2 * (parts[1]?.micro_usd ?? 0));
  expect(parts[2]?.micro_usd).toBe(0);
});

it('names what was paid for searches of several projects', () => {
  const shared = (project?: string) =>
    reader
      .spend(project === undefined ? {} : { project })
      .filter(({ currency }) => currency === 'serp_credit')
      .reduce((all, day) => all + day.shared, 0);
  expect(shared('failing')).toBe(0);
  expect(shared('large')).toBeGreaterThan(0);
  expect(shared('large') + shared('small')).toBe(shared());
});
