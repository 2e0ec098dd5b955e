// answers.csv: shares by period, engine, prompt and target, and changes only where chance does not explain them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Project, TrackedPrompts } from '../../../src/tracker/project.ts';
import { JobClock } from '../../helpers/job-clock.ts';
import { keyword, project, service, World } from '../../helpers/jobs.ts';
import { memoryAnswers } from '../../helpers/memory-answers.ts';

const weekMs = 7 * 86_400_000;
const start = Date.UTC(2026, 0, 15, 6);

let world: World | undefined;

const prompts: TrackedPrompts = {
  engines: ['chatgpt'],
  samples: 5,
  every: 'week',
  list: [
    { prompt: 'best shoes', country: 'US', language: 'en' },
    { prompt: 'best boots', country: 'US', language: 'en' },
  ],
};

/** Acme is cited in the second week only, for shoes only; Globex is always named, and never cited. */
function begin(more: Partial<Project> = {}) {
  const clock = new JobClock();
  clock.set(start);
  const acme = { url: 'https://acme.example/shoes', title: 'Acme' };
  const { service: vendor } = memoryAnswers(clock, {
    answer: ({ prompt }) => {
      const isCited = clock.now() > start + weekMs / 2 && prompt === 'best shoes';
      return { text: 'Globex is good.', citations: isCited ? [acme] : [] };
    },
  });
  const tracked = project({
    keywords: [keyword('shoes', { depth: 1 })],
    competitors: [{ match: 'domain', value: 'globex.example' }],
    prompts,
    ...more,
  });
  world = new World({ reports: true, projects: [tracked], services: new Map([[service, vendor]]), clock });
  return world;
}

async function report(of: World): Promise<Record<string, string>[]> {
  const [run] = await of.run();
  const file = join(run?.reports[0]?.directory ?? '', 'answers.csv');
  const [header = '', ...lines] = readFileSync(file, 'utf8').replace('\uFEFF', '').trim().split('\r\n');
  return lines.map((line) => {
    const cells = line.split(',');
    return Object.fromEntries(header.split(',').map((name, at) => [name, cells[at] ?? '']));
  });
}

const shown = (rows: readonly Record<string, string>[], ...names: string[]): string[] =>
  rows.map((row) => names.map((name) => row[name]).join(' '));

it('has a line for each target, of all prompts together and of each', async () => {
  const rows = await report(begin());
  expect(shown(rows, 'period', 'engine', 'prompt', 'target', 'own', 'asked', 'answers')).toEqual([
    '2026-01-12 chatgpt  acme.example true 10 10',
    '2026-01-12 chatgpt  globex.example false 10 10',
    '2026-01-12 chatgpt best shoes acme.example true 5 5',
    '2026-01-12 chatgpt best shoes globex.example false 5 5',
    '2026-01-12 chatgpt best boots acme.example true 5 5',
    '2026-01-12 chatgpt best boots globex.example false 5 5',
  ]);
  expect(shown(rows.slice(2, 4), 'cited', 'cited_share', 'cited_high', 'mentioned_share', 'mentioned_low')).toEqual([
    '0 0 43.4 0 0',
    '0 0 43.4 100 56.6',
  ]);
});

it('says that a citation is new where chance does not explain it, and else the same', async () => {
  const world = begin();
  await report(world);
  world.clock.set(start + weekMs);
  const rows = (await report(world)).filter(
    ({ period, target }) => period === '2026-01-19' && target === 'acme.example',
  );
  expect(shown(rows, 'prompt', 'cited', 'previous_period', 'citation_change', 'cited_pages')).toEqual([
    ' 5 2026-01-12 new https://acme.example/shoes',
    'best shoes 5 2026-01-12 new https://acme.example/shoes',
    'best boots 0 2026-01-12 same ',
  ]);
});

it('says nothing about a change between two sources', async () => {
  const world = begin();
  await report(world);
  world.clock.set(start + weekMs);
  world.db.sql("UPDATE answers SET source = 'vendor/other'").run();
  const rows = (await report(world)).filter(({ period }) => period === '2026-01-19');
  expect(new Set(shown(rows, 'previous_period', 'citation_change'))).toEqual(new Set([' ']));
});

it('is not written for a project without prompts', async () => {
  const { prompts: _, ...without } = project({ keywords: [keyword('shoes', { depth: 1 })] });
  const clock = new JobClock();
  clock.set(start);
  world = new World({
    reports: true,
    projects: [without],
    services: new Map([[service, memoryAnswers(clock).service]]),
    clock,
  });
  const [run] = await world.run();
  expect(run?.reports[0]?.files).not.toContain('answers.csv');
});
