// `run`: its calls to the app, its output, its exit codes, its log and its progress.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunOptions } from '../../../src/app/runs/run.ts';
import type { RunResult } from '../../../src/app/runs/run-result.ts';
import { type Invocation, invoke } from '../fake-host.ts';
import { type ProjectFolder, projectFolder } from '../project-folder.ts';
import { market, mover, runResult } from '../samples.ts';

let folder: ProjectFolder;
beforeAll(() => {
  folder = projectFolder();
});
afterAll(() => folder.remove());

const inFolder = (argv: readonly string[], invocation: Invocation = {}) =>
  invoke(argv, { cwd: folder.path, ...invocation });

describe('run', () => {
  const running = async (argv: readonly string[], ...runs: RunResult[]) => {
    let asked: RunOptions | undefined;
    const run = async (options: RunOptions) => {
      asked = options;
      return { runs, notDue: [], overdue: [], missed: [], unwritten: [], broken: { projects: [], problems: [] } };
    };
    return { ...(await inFolder(['run', ...argv], { fakes: { run } })), asked };
  };

  test('exits with 3 if something is still overdue, even if the runs succeeded', async () => {
    const dueness = {
      project: 'acme',
      kind: 'ranks' as const,
      due: true,
      reason: 'due at 06:00',
      nextSlot: null,
      startsAt: null,
      runUnderWay: null,
      overdueSince: '2026-01-15T06:00 UTC',
      nothingChecked: null,
    };
    for (const runs of [[], [runResult()]]) {
      const run = async () => ({
        runs,
        notDue: [],
        overdue: [dueness],
        missed: [],
        unwritten: [],
        broken: { projects: [], problems: [] },
      });
      const { exitCode, out } = await inFolder(['run'], { fakes: { run } });
      expect(exitCode).toBe(3);
      expect(out).toContain('OVERDUE: ranks of acme since 2026-01-15T06:00 UTC (due at 06:00)');
    }
  });

  test('calls second looks by their name, and names the run that they are at', async () => {
    const { out } = await running([], runResult({ runId: 8, confirms: 7 }));
    expect(out).toContain('Second looks at run 7, run 8: acme 2026-01-15T06:00');
  });

  test('prints searches, credits, reports and movers', async () => {
    const directory = join(folder.path, 'reports/acme/2026-01-15T0600');
    const report = {
      project: 'acme',
      directory,
      files: ['rank-changes.csv'],
      rows: 1234,
      movers: [mover],
      headline: null,
    };
    const { exitCode, out } = await running([], runResult({ reports: [report] }));
    expect(exitCode).toBe(0);
    expect(out).toContain('Ranks, run 7: acme 2026-01-15T06:00');
    expect(out).toContain('1,234: 1,234 ok');
    expect(out).toContain('SERP credits  2,345 spent; 3 pages reused at no cost');
    expect(out).toContain('reports/acme/2026-01-15T0600 (1,234 rows)');
    expect(out).toMatch(/running shoes +US en desktop +acme\.com +12 -> 4 +likely +\+1,203/);
  });

  test.each([
    {
      name: 'failed searches',
      changes: { checks: { ok: 1, incomplete: 0, failed: 2, deferred: 0, unknown_paid: 0 } },
      exitCode: 3,
      says: '3: 1 ok, 2 failed',
    },
    {
      name: 'a suspect run',
      changes: { suspectReason: '80% of the ranks were lost at once' },
      exitCode: 3,
      says: 'SUSPECT: 80% of the ranks were lost at once.',
    },
    {
      name: 'a partial run',
      changes: { state: 'partial', notes: ['no keyword data for x'] },
      exitCode: 3,
      says: 'no keyword data for x',
    },
    {
      name: 'a halted run',
      changes: { state: 'halted', haltReason: 'out of credits' },
      exitCode: 4,
      says: 'HALTED: out of credits.',
    },
    {
      name: 'a run that was halted by a sentence',
      changes: { state: 'halted', haltReason: 'INVALID_API_KEY: the token was revoked.' },
      exitCode: 4,
      says: 'HALTED: INVALID_API_KEY: the token was revoked. The rest',
    },
    {
      name: 'an interrupted run',
      changes: { state: 'interrupted' },
      exitCode: 130,
      says: 'INTERRUPTED: the next `rankledger run` continues from here.',
    },
    {
      name: 'credits that are perhaps spent',
      changes: { serpCredits: { reserved: 9, spent: 5, unknown: 2, released: 1 } },
      exitCode: 0,
      says: '5 spent, 2 perhaps spent (counted; see rankledger audit), 1 still reserved',
    },
  ] as const)('$name: exit code $exitCode and a line that says so', async ({ changes, exitCode, says }) => {
    const ended = await running([], runResult(), runResult(changes as Partial<RunResult>));
    expect(ended.exitCode).toBe(exitCode);
    expect(ended.out).toContain(says);
  });

  test('names each problem with its remedy', async () => {
    const problem = {
      project: 'acme',
      keyword: 'trail shoes',
      market,
      status: 'failed',
      reason: 'blocked\u001B[2J.',
      remedy: 'Try later.',
      alike: 1,
    } as const;
    const { out } = await running([], runResult({ problems: [problem] }));
    expect(out).toContain('failed  acme, "trail shoes", US en desktop: blocked\uFFFD[2J. Try later.');
  });

  test('counts the problems that it does not name, and separates causes from remedies', async () => {
    const problem = { project: 'acme', keyword: 'shoes', market, status: 'deferred', reason: 'halted' } as const;
    const problems = Array.from({ length: 19 }, () => ({ ...problem, remedy: 'Top up.', alike: 59 }));
    const other = { ...problem, keyword: 'boots', remedy: 'Wait.', alike: 1 };
    const { out } = await running(
      [],
      runResult({ problems: [other, ...problems], checks: { ...runResult().checks, deferred: 62 } }),
    );
    expect(out).toContain('"shoes", US en desktop and 58 more: halted. Top up.\n');
    expect(out).toContain('"boots", US en desktop: halted. Wait.\n');
    expect(out).toContain('... and 2 more\n');
  });

  test('exits with 3 if the clock is in doubt, even if the run succeeded', async () => {
    const clock = 'the clock of this machine is 30 days ahead';
    const { exitCode, out } = await running([], runResult({ clock, notes: [clock] }));
    expect(exitCode).toBe(3);
    expect(out).toContain('note  the clock of this machine is 30 days ahead');
  });

  test('prints the average rank, the top ranks and the visibility with their changes', async () => {
    const headline = {
      total: 10,
      checked: 9,
      older: 0,
      olderDaysMax: null,
      comparable: 9,
      averageRank: 16.33,
      averageRankChange: 0.7,
      top3: 2,
      top3Change: 0,
      top10: 3,
      top10Change: -1,
      visibility: 3.4369,
      visibilityChange: null,
      estimatedClicks: null,
      estimatedClicksChange: null,
    };
    const report = { project: 'acme', directory: '/r/acme', files: [], rows: 10, movers: [], headline };
    const { out } = await running([], runResult({ reports: [report] }));
    expect(out).toMatch(/average rank +16\.3 \(\+0\.7\)\n/);
    expect(out).toMatch(/top 3, top 10 +2 \(0\), 3 \(-1\)\n/);
    expect(out).toMatch(/visibility +3\.44 %\n/);
  });

  test('prints missed slots as one line per stretch', async () => {
    const missed = [
      {
        project: 'acme',
        kind: 'ranks',
        slot: '2026-01-02T06:00',
        lastSlot: '2026-01-14T06:00',
        count: 13,
        timezone: 'UTC',
        reason: 'no process ran',
      },
    ] as const;
    const run = async () => ({
      runs: [],
      notDue: [],
      overdue: [],
      missed,
      unwritten: [],
      broken: { projects: [], problems: [] },
    });
    const { out } = await inFolder(['run'], { fakes: { run } });
    expect(out).toContain('13 slots missed, 2 to 14 Jan: ranks of acme (no process ran)\n');
  });

  test('passes projects, slot and signal to the app', async () => {
    const { asked } = await running(['--project', 'a', '-p', 'b', '--slot', '2026-01-15T06:00:00+01:00']);
    expect(asked).toMatchObject({ projects: ['a', 'b'], slot: Date.UTC(2026, 0, 15, 5) });
    expect(asked?.signal).toBeInstanceOf(AbortSignal);
    expect((await running(['--all'])).asked).toMatchObject({ all: true });
  });

  test('says why nothing is due, and when it will be', async () => {
    const dueness = {
      project: 'acme',
      kind: 'ranks',
      due: false,
      reason: 'ran for today',
      nextSlot: '2026-01-16T06:00 Europe/Berlin',
      startsAt: null,
      runUnderWay: null,
      overdueSince: null,
      nothingChecked: null,
    } as const;
    const none = { runs: [], overdue: [], missed: [], unwritten: [], broken: { projects: [], problems: [] } };
    const runWith = (runUnderWay: number | null) =>
      inFolder(['run'], { fakes: { run: async () => ({ ...none, notDue: [{ ...dueness, runUnderWay }] }) } });
    const { exitCode, out } = await runWith(null);
    expect(exitCode).toBe(0);
    expect(out).toMatch(/^Nothing is due\.\n/);
    expect(out).toContain('rankledger run --all');
    expect((await runWith(7)).out).not.toContain('rankledger run --all');
    expect(out).toMatch(/acme +ranks +no +2026-01-16T06:00 Europe\/Berlin +ran for today/);
  });

  test('with a config without projects says that nothing is tracked, not how to run it', async () => {
    const { exitCode, out } = await inFolder(['run', '--all'], {
      fakes: {
        run: async () => ({
          runs: [],
          notDue: [],
          overdue: [],
          missed: [],
          unwritten: [],
          broken: { projects: [], problems: [] },
        }),
      },
    });
    expect([exitCode, out]).toEqual([0, 'The config tracks nothing: it has no projects.\n']);
  });

  test('prints the outcome with --json, with plain numbers', async () => {
    const { out } = await running(['--json'], runResult());
    expect(JSON.parse(out)).toEqual({
      runs: [JSON.parse(JSON.stringify(runResult()))],
      notDue: [],
      overdue: [],
      missed: [],
      unwritten: [],
      broken: { projects: [], problems: [] },
    });
  });

  test('shows progress only on a terminal, and removes it', async () => {
    const run = async ({ onProgress }: RunOptions) => {
      onProgress?.({ phase: 'checking', done: 1, total: 4_000, creditsSpent: 1_500 });
      return {
        runs: [runResult()],
        notDue: [],
        overdue: [],
        missed: [],
        unwritten: [],
        broken: { projects: [], problems: [] },
      };
    };
    const terminal = await inFolder(['run'], { fakes: { run }, isTerminal: true });
    expect(terminal.err).toBe('\r\u001B[2KChecking searches 1 of 4,000 | 1,500 credits\r\u001B[2K');
    expect((await inFolder(['run'], { fakes: { run } })).err).toBe('');
  });
});

test('a run prints the warnings of its config', async () => {
  const risky = projectFolder(`services:
  default: { mode: remote, baseUrl: "https://api.example.com", user: u, password: "\${PASSWORD}" }
projects: [{ id: acme, targets: [acme.com], keywords: [shoes] }]
`);
  const run = async () => ({
    runs: [],
    notDue: [],
    overdue: [],
    missed: [],
    unwritten: [],
    broken: { projects: [], problems: [] },
  });
  const invocation = { cwd: risky.path, fakes: { run }, env: { PASSWORD: 'p' } };
  const terminal = await invoke(['run'], { ...invocation, isTerminal: true });
  const cron = await invoke(['run'], invocation);
  risky.remove();
  expect(terminal.err).toMatch(/Warning:.* budget/);
  expect(cron.err).toMatch(/^Warning:.* budget/);
});

describe('the log of `run`', () => {
  const run = (invocation: Invocation, argv: readonly string[] = []) =>
    inFolder(['run', ...argv], {
      ...invocation,
      fakes: {
        run: async () => ({
          runs: [],
          notDue: [],
          overdue: [],
          missed: [],
          unwritten: [],
          broken: { projects: [], problems: [] },
        }),
      },
      openApp: async (config, { log }) => {
        log?.info({ runId: 7 }, 'run opened');
        return { config, close: async () => {} } as never;
      },
    });

  test('is JSON lines on stderr if that is not a terminal, only with --verbose', async () => {
    expect((await run({})).err).toBe('');
    const { err, out } = await run({}, ['--verbose']);
    expect(JSON.parse(err)).toMatchObject({ level: 30, runId: 7, msg: 'run opened' });
    expect(out).not.toContain('run opened');
  });

  test('is off on a terminal, and readable there with --verbose', async () => {
    expect((await run({ isTerminal: true })).err).toBe('');
    const { err } = await run({ isTerminal: true }, ['--verbose']);
    expect(err).toContain('run opened');
    expect(err).not.toMatch(/^\{/);
  });
});
