// Processes that spend one budget concurrently: it is never overdrawn, and every credit is in the ledger.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../../db/store.ts';
import { type BudgetTally, budgetKeys } from '../helpers/budget-child.ts';

export interface BudgetSize {
  readonly processes: number;
  readonly workers: number;
  /** Of each process. */
  readonly reservations: number;
  /** Less than they would spend without it. */
  readonly cap: number;
}

const fullSize: BudgetSize = { processes: 2, workers: 50, reservations: 20_000, cap: 8000 };

const program = join(import.meta.dirname, '../helpers/budget-child.ts');

/** Resolves with the number of violations. */
export async function budgetTorture(report: (line: string) => void): Promise<number> {
  return await spendTogether(fullSize, report);
}

export async function spendTogether(size: BudgetSize, report: (line: string) => void): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'rankledger-budget-'));
  const file = join(folder, 'db.sqlite');
  const store = openStore(file, { serp_credit: { perDay: size.cap }, micro_usd: {} }, { busyTimeoutMs: 60_000 });
  try {
    const start = performance.now();
    const tallies = await tally(file, size);
    const seconds = (performance.now() - start) / 1000;
    const sum = (of: (one: BudgetTally) => number): number => tallies.reduce((total, one) => total + of(one), 0);
    const window = store.ledger
      .windows('', budgetKeys)
      .find(({ currency, scope }) => currency === 'serp_credit' && scope === 'day');
    const broken = store.audit.checks().filter((check) => !check.ok);
    const facts: readonly (readonly [holds: boolean, words: string])[] = [
      [sum(({ over }) => over) === 0, 'the window was seen above its cap'],
      [(window?.spent ?? 0) <= size.cap, 'more is spent than the cap allows'],
      [window?.reserved === 0, 'something is still set aside'],
      [window?.spent === sum(({ used }) => used), 'what the processes used is not what the window says'],
      [sum(({ granted }) => granted) > 0 && sum(({ refused }) => refused) > 0, 'the budget was never short'],
      [broken.length === 0, `the audit: ${broken.map(({ name, detail }) => `${name} (${detail})`).join(', ')}`],
    ];
    report(
      `budget: ${size.processes} processes x ${size.workers} workers x ${size.reservations} reservations in ${seconds.toFixed(1)} s: ` +
        `${sum(({ granted }) => granted)} granted, ${sum(({ refused }) => refused)} refused; ` +
        `${window?.spent} of ${size.cap} credits spent, at most ${Math.max(...tallies.map(({ most }) => most))} taken at once`,
    );
    const violations = facts.filter(([holds]) => !holds);
    for (const [, words] of violations) report(`budget: VIOLATION: ${words}`);
    return violations.length;
  } finally {
    store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function tally(file: string, size: BudgetSize): Promise<BudgetTally[]> {
  const children = Array.from({ length: size.processes }, (_, index) => {
    const numbers = [size.workers, size.reservations, index + 1, size.cap].map(String);
    return spawn(process.execPath, [program, file, ...numbers], { stdio: ['pipe', 'pipe', 'inherit'] });
  });
  try {
    await Promise.all(children.map((child) => once(child.stdout, 'data')));
    const ends = children.map((child) => tallyOf(child));
    for (const child of children) child.stdin.write('go\n');
    return await Promise.all(ends);
  } finally {
    for (const child of children) child.kill('SIGKILL');
  }
}

async function tallyOf(child: ChildProcess): Promise<BudgetTally> {
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk;
  });
  await once(child, 'close');
  if (child.exitCode !== 0) throw new Error(`a process that spends ended with ${child.exitCode}`);
  return JSON.parse(text) as BudgetTally;
}
