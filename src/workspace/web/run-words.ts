// Runs as people read them: their kind and state in words, and what became of their checks. Pure.

import type { RunRecord } from '../../read/records.ts';
import { sumOf } from '../../tracker/figures.ts';
import { counted, plain, withoutOdds } from './words.ts';

const kindWords: Readonly<Record<string, string>> = {
  ranks: 'Ranks',
  volumes: 'Search volumes',
  adhoc: 'Single check',
};

export function kindText(kind: string): string {
  return kindWords[kind] ?? plain(kind);
}

/** Checks by their outcome. */
export interface CheckSums {
  readonly ok: number;
  readonly incomplete: number;
  readonly deferred: number;
  readonly failed: number;
  /** Paid for, and the answer never came. */
  readonly lost: number;
  /** Planned or running. */
  readonly open: number;
  readonly all: number;
}

export function sumChecks(runs: readonly Pick<RunRecord, 'checks'>[]): CheckSums {
  const sum = (...states: readonly string[]) =>
    sumOf(runs, ({ checks }) => sumOf(states, (state) => checks[state] ?? 0));
  const sums = {
    ok: sum('ok'),
    incomplete: sum('incomplete'),
    deferred: sum('deferred'),
    failed: sum('failed'),
    lost: sum('unknown_paid'),
    open: sum('planned', 'running'),
  };
  return { ...sums, all: sumOf(Object.values(sums)) };
}

/** The projects that shared runs with the one that is shown: checks of a run are those of all. */
export function sharingText(runs: readonly Pick<RunRecord, 'projects'>[]): string {
  return runs.some(({ projects }) => projects.length > 1) ? ', with other projects' : '';
}

/** It ended early, is doubted, or did not answer all of its checks. */
export function isProblem(run: RunRecord): boolean {
  const { ok, open, all } = sumChecks([run]);
  const { state, suspectReason, discardedAt, remark } = run;
  const isUnsound = suspectReason !== null || discardedAt !== null || remark !== null;
  return isUnsound || state === 'partial' || state === 'halted' || ok + open < all;
}

interface RunState {
  readonly text: string;
  readonly tone: 'quiet' | 'bad' | 'warning' | 'open';
}

const states: Readonly<Record<string, RunState>> = {
  open: { text: 'under way', tone: 'open' },
  complete: { text: 'complete', tone: 'quiet' },
  partial: { text: 'in part', tone: 'warning' },
  halted: { text: 'stopped early', tone: 'bad' },
};

export function stateOf({ state, suspectReason, discardedAt }: RunRecord): RunState {
  if (discardedAt !== null) return { text: 'discarded', tone: 'quiet' };
  if (suspectReason !== null) return { text: 'suspect', tone: 'bad' };
  return states[state] ?? { text: plain(state), tone: 'quiet' };
}

/** Remarks on a run, the gravest first. */
export function whyOf({ suspectReason, reason, remark, discardedAt }: RunRecord): readonly string[] {
  return [
    ...(discardedAt === null ? [] : ['its ranks count for nothing']),
    ...(suspectReason === null ? [] : [withoutOdds(suspectReason)]),
    ...[reason, remark].filter((of) => of !== null),
  ];
}

/** The other projects of a run, whose checks are counted with it; empty: none. */
export function sharedText({ projects }: RunRecord, own: string): string {
  const others = projects.filter((of) => of !== own);
  return others.length > 2
    ? `with ${counted(others.length, 'other project')}`
    : others.length > 0
      ? `with ${others.join(', ')}`
      : '';
}
