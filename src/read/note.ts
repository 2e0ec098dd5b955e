// The note of a row: why a number is missing or not comparable.

import { type Change, hasMoved } from '../tracker/changes/change.ts';
import type { CheckStatus, RowStatus } from '../tracker/observation.ts';
import type { TargetOutcome } from '../tracker/targets/match.ts';
import { classifyDestination } from '../tracker/targets/target.ts';

/** The newest proven ranking of a keyword that waits. It is in no sum. */
export interface LastRanking {
  /** Null: it was not found. */
  readonly rank: number | null;
  /** UTC milliseconds. */
  readonly checkedAt: number;
  /** Whole days between it and the slot. */
  readonly ageDays: number;
  /** Pages of that check. */
  readonly depth: number;
}

/** What the note of a row depends on. */
export interface NotedRow {
  readonly check: {
    readonly status: CheckStatus;
    readonly reason: string | null;
    readonly depth: number;
    readonly source?: string | null;
  } | null;
  readonly baseline?: { readonly source: string } | null;
  readonly outcome: TargetOutcome;
  readonly note: string | null;
  readonly happened?: readonly string[];
  readonly last?: LastRanking;
}

const unreadAbove = 'an earlier page was not read';
const hiddenAbove = 'an earlier page was not read, or a result above it shows only its site';

function lastWords({ last }: NotedRow): string[] {
  if (last === undefined) return [];
  const days = last.ageDays === 1 ? '1 day' : `${last.ageDays} days`;
  return [
    `last ${last.rank === null ? `not found on ${pageCount(last.depth)}` : `ranked ${last.rank}`}, ${days} before`,
  ];
}

/** Why a number is missing or not comparable; null: nothing to note. */
export function rowNote(
  input: NotedRow,
  status: RowStatus,
  change: Omit<Change, 'change'> | null,
  urlChanged: boolean | null,
): string | null {
  const { check, outcome } = input;
  const notes: string[] = [];
  if (check === null) notes.push('not checked in this run', ...lastWords(input));
  else if (check.status !== 'ok') notes.push(check.reason ?? `the check is ${check.status.replace('_', ' ')}`);
  if (status === 'incomplete' && outcome.kind === 'seen') {
    notes.push(
      `seen on page ${outcome.page}; no exact rank, because ${check?.status === 'ok' ? hiddenAbove : unreadAbove}`,
    );
  } else if (status === 'not_followed' && outcome.kind === 'notFollowed') {
    notes.push(`not followed: ${pageCount(outcome.pages)} read of ${check?.depth ?? 0} requested`);
  } else if (status === 'incomplete' && check?.status === 'ok') {
    notes.push('not found, but a result with a hidden URL may be the target');
  } else if (status === 'incomplete') {
    notes.push('not found so far: some pages were not read');
  } else if (status === 'ranked' && outcome.kind === 'ranked' && classifyDestination(outcome.url) === 'host_only') {
    notes.push('the engine hid the ranking URL; its site is known');
  }
  if (status === 'ranked' && change === null) {
    notes.push('the rank is exact, but incomplete checks are not compared');
  } else if (status === 'not_found' && change === null) {
    notes.push('page 1 does not list the place, but incomplete checks are not compared');
  }
  if (change !== null && change.reason !== null) notes.push(`not comparable: ${change.reason}`);
  if (change !== null && hasMoved(change.changeClass)) notes.push(...otherSourceWords(input));
  if (input.happened !== undefined && change !== null && (urlChanged === true || hasMoved(change.changeClass))) {
    notes.push(...input.happened);
  }
  if (input.note !== null) notes.push(input.note);
  return joinNotes(notes);
}

/** A change across sources is marked. */
function otherSourceWords({ check, baseline }: NotedRow): string[] {
  if (baseline == null || check?.source == null || baseline.source === check.source) return [];
  return [`compared with a check of ${baseline.source}, with which this source agrees`];
}

/** Several notes as one; null: there are none. */
export function joinNotes(notes: readonly (string | null)[]): string | null {
  const given = notes.filter((note) => note !== null);
  return given.length === 0 ? null : given.join('; ');
}

function pageCount(count: number): string {
  return count === 1 ? '1 page' : `${count} pages`;
}
