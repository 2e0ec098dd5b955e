// A project that tracks prompts and no keywords: config, costs, runs and reports.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { App } from '../../../src/app/app.ts';
import { SimulatedClock } from '../../../src/app/runs/simulation.ts';
import { historyReader } from '../../../src/app/workspace/workspace.ts';
import { answerPath } from '../../../src/workspace/embedded/answer.ts';
import { type Invocation, invoke } from '../fake-host.ts';
import { type ProjectFolder, projectFolder } from '../project-folder.ts';

const config = `timezone: UTC
budget: { keywordDataUsd: { perMonth: 1.00 } }
projects:
  - id: acme
    targets: [acme.com]
    competitors: [globex.com]
    schedule: "0 6 * * *"
    prompts: { engines: [chatgpt, perplexity], samples: 5, every: week, texts: [best shoes, best boots] }
`;
const now = Date.parse('2026-01-14T07:00:00Z');

let folder: ProjectFolder;
beforeAll(() => {
  folder = projectFolder(config);
});

const inFolder = (argv: readonly string[], invocation: Invocation = {}) =>
  invoke(argv, {
    cwd: folder.path,
    now,
    openApp: async (resolved, options) => new App(resolved, { clock: new SimulatedClock(now), ...options }),
    ...invocation,
  });

it('check states the cost of its answers in a month, expected and at worst, against the budget', async () => {
  const { exitCode, out } = await inFolder(['check', '--json']);
  expect(exitCode).toBe(0);
  const report = JSON.parse(out);
  // 2 prompts x 2 engines x 5 samples at $0.005: $0.10 a week; 31 / 7 weeks expected, 5 at worst
  expect(report.projects[0]).toMatchObject({
    keywords: 0,
    creditsPerMonth: 0,
    answers: {
      samplesPerMonth: { expected: 89, worst: 100 },
      microUsdPerMonth: { expected: 442_857, worst: 500_000 },
      // 95 answers of an engine are 48 to each of 2 prompts
      seenChanges: [
        { from: 0.2, to: 0.8, prompts: 1, samples: 10, samplesPerMonth: 200, microUsdPerMonth: 1_000_000 },
        { from: 0.3, to: 0.5, prompts: 2, samples: 48, samplesPerMonth: 960, microUsdPerMonth: 4_800_000 },
      ],
    },
  });
  expect(report.answersMicroUsdPerMonth).toEqual({ expected: 442_857, worst: 500_000 });
  const text = (await inFolder(['check'])).out;
  expect(text).toContain(
    'changes are seen in 80 %: of a prompt from 20 to 80 % with samples: 10 (200 answers a month, $1.00), of all 2 prompts together from 30 to 50 % with samples: 48 (960 answers a month, $4.80)',
  );
  expect(text).toMatch(
    /keyword data and AI answers +\$1\.00 a month; all projects at worst \$0\.50 a month \(50 %\), AI answers expected \$0\.4/,
  );
});

it('check --online names their source, and their cost at it', async () => {
  const { exitCode, out } = await inFolder(['check', '--online', '--json']);
  expect(exitCode).toBe(0);
  const { trials, costs } = JSON.parse(out).online;
  expect(trials).toContainEqual(expect.objectContaining({ what: 'answers', service: 'default', source: 'sandbox' }));
  expect(costs).toContainEqual(
    expect.objectContaining({
      what: 'answers',
      perRun: { expected: 20, worst: 20 },
      perMonth: { expected: 89, worst: 100 },
      amountPerRun: expect.objectContaining({ microUsdMost: { expected: 100_000, worst: 100_000 } }),
    }),
  );
});

it('plan states the samples that the period lacks; a run buys them, and nothing is left', async () => {
  const planned = JSON.parse((await inFolder(['plan', '--all', '--json'])).out);
  expect(planned).toMatchObject({ searches: 0, answers: { samples: 20, microUsdWorstCase: 100_000 } });
  expect((await inFolder(['plan', '--all'])).out).toMatch(/AI answers +20 samples, \$0\.10 at worst/);
  const ran = await inFolder(['run', '--all']);
  expect([ran.exitCode, ran.err]).toEqual([0, expect.not.stringContaining('rror')]);
  const after = JSON.parse((await inFolder(['plan', '--all', '--json'])).out);
  expect(after.answers).toEqual({ samples: 0, microUsdWorstCase: 0 });
  expect((await inFolder(['plan', '--all'])).out).toContain('Nothing would be bought');
  const spent = JSON.parse((await inFolder(['audit', '--json'])).out);
  expect(spent.ok).toBe(true);
});

it('its report has answers.csv and report.html; the tables of ranks are empty', async () => {
  const latest = join(folder.path, 'reports/acme/latest');
  const answers = readFileSync(join(latest, 'answers.csv'), 'utf8').trim().split('\r\n');
  // of each engine all prompts and two, of two targets
  expect(answers).toHaveLength(1 + 2 * 3 * 2);
  expect(readFileSync(join(latest, 'rank-changes.csv'), 'utf8').trim().split('\r\n')).toHaveLength(1);
  expect(existsSync(join(latest, 'report.html'))).toBe(true);
  for (const command of [
    ['status', '--json'],
    ['report', '--json'],
  ])
    expect((await inFolder(command)).exitCode, command.join(' ')).toBe(0);
});

it('the workspace shows its answers, and no keyword', async () => {
  const read = await loadConfig({ cwd: folder.path, env: {} });
  const app = new App(read, { clock: new SimulatedClock(now), isReading: true });
  const reader = historyReader(app);
  const at = (path: string) => answerPath(reader, `/v1/projects${path}`) as { data: readonly object[] };
  expect(at('')).toMatchObject({ data: [{ project: 'acme' }] });
  for (const path of ['/acme', '/acme/summary', '/acme/series', '/acme/competitors']) expect(at(path)).toBeDefined();
  expect(at('/acme/keywords').data).toEqual([]);
  expect(at('/acme/answers').data).toHaveLength(2 * 3 * 2);
  expect(at('/acme/answer-texts').data).toHaveLength(20);
  await app.close();
});
