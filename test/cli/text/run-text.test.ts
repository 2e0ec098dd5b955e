// The results of runs as text, and their exit codes.
import { describe, expect, test } from 'vitest';
import type { RunResult } from '../../../src/app/runs/run.ts';
import { Printer } from '../../../src/cli/terminal/printer.ts';
import {
  biggestMovers,
  missedLine,
  printMovers,
  printRun,
  runExitCode,
} from '../../../src/cli/text/results/run-text.ts';
import { TextStream } from '../fake-host.ts';
import { market, mover, runResult } from '../samples.ts';

function said(changes: Partial<RunResult> = {}): string {
  const stream = new TextStream();
  printRun(new Printer(stream), runResult(changes), (file) => file.replace('/data/', ''));
  return stream.text;
}

const report = {
  project: 'acme',
  directory: '/data/reports/acme',
  files: [],
  rows: 1234,
  movers: [mover],
  headline: null,
};

test('a run names its searches, credits and reports', () => {
  const text = said({ reports: [report] });
  expect(text).toContain('Ranks, run 7: acme 2026-01-15T06:00');
  expect(text).toContain('1,234: 1,234 ok');
  expect(text).toContain('SERP credits  2,345 spent; 3 pages reused at no cost');
  expect(text).toContain('reports/acme (1,234 rows)');
  expect(said({ runId: 8, confirms: 7 })).toContain('Second looks at run 7, run 8: acme 2026-01-15T06:00');
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
    changes: { state: 'halted', haltReason: 'INVALID_API_KEY: the token was revoked.' },
    exitCode: 4,
    says: 'HALTED: INVALID_API_KEY: the token was revoked. The rest is deferred.',
  },
  {
    name: 'an interrupted run',
    changes: { state: 'interrupted' },
    exitCode: 130,
    says: 'INTERRUPTED: the next `rankledger run` continues from here.',
  },
  {
    name: 'a clock in doubt',
    changes: { clock: 'the clock is 30 days ahead', notes: ['the clock is 30 days ahead'] },
    exitCode: 3,
    says: 'note  the clock is 30 days ahead',
  },
  {
    name: 'credits that are perhaps spent',
    changes: { serpCredits: { reserved: 9, spent: 5, unknown: 2, released: 1 } },
    exitCode: 0,
    says: '5 spent, 2 perhaps spent (counted; see rankledger audit), 1 still reserved',
  },
] as const)('$name: exit code $exitCode and a line that says so', ({ changes, exitCode, says }) => {
  const run = changes as Partial<RunResult>;
  expect(runExitCode([runResult(), runResult(run)])).toBe(exitCode);
  expect(said(run)).toContain(says);
});

describe('problems', () => {
  const problem = {
    project: 'acme',
    keyword: 'shoes',
    market,
    status: 'deferred',
    reason: 'halted',
    alike: 1,
  } as const;

  test('are named with their remedy, without control characters', () => {
    const blocked = { ...problem, status: 'failed', reason: 'blocked\u001B[2J.', remedy: 'Try later.' } as const;
    expect(said({ problems: [blocked] })).toContain(
      'failed  acme, "shoes", US en desktop: blocked\uFFFD[2J. Try later.',
    );
  });

  test('that are alike are one line, and the others are counted', () => {
    const problems = Array.from({ length: 19 }, () => ({ ...problem, remedy: 'Top up.', alike: 59 }));
    const other = { ...problem, keyword: 'boots', remedy: 'Wait.' };
    const text = said({ problems: [other, ...problems], checks: { ...runResult().checks, deferred: 62 } });
    expect(text).toContain('"shoes", US en desktop and 58 more: halted. Top up.\n');
    expect(text).toContain('"boots", US en desktop: halted. Wait.\n');
    expect(text).toContain('... and 2 more\n');
  });
});

test('a report has its average rank, top ranks and visibility with their changes', () => {
  const none = { visibilityOver: 0, older: 0, olderDaysMax: null, estimatedClicks: null, estimatedClicksChange: null };
  const counts = { total: 10, checked: 9, comparable: 9, top3: 2, top3Change: 0, top10: 3, top10Change: -1 };
  const sums = { averageRank: 16.33, averageRankChange: 0.7, visibility: 3.4369, visibilityChange: null };
  const text = said({ reports: [{ ...report, headline: { ...none, ...counts, ...sums } }] });
  expect(text).toMatch(/average rank +16\.3 \(\+0\.7\)\n/);
  expect(text).toMatch(/top 3, top 10 +2 \(0\), 3 \(-1\)\n/);
  expect(text).toMatch(/visibility +3\.44 %\n/);
});

test('movers are a table, the biggest first', () => {
  const stream = new TextStream();
  const small = { ...mover, keyword: 'boots', estimatedClicksChange: 1 };
  printMovers(new Printer(stream), 'Biggest movers', biggestMovers([{ movers: [small, mover] }]), [report]);
  expect(stream.text).toMatch(/running shoes +US en desktop +acme\.com +12 -> 4 +likely +\+1,203\n +boots/);
});

test('missed slots are one line per stretch', () => {
  const slots = { slot: '2026-01-02T06:00', lastSlot: '2026-01-14T06:00', count: 13 };
  expect(missedLine({ project: 'acme', kind: 'ranks', reason: 'no process ran', ...slots })).toBe(
    '13 slots missed, 2 to 14 Jan: ranks of acme (no process ran)',
  );
});
