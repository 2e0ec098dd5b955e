// Which project needs attention today, and why: the order of the portfolio. Pure.
import type { ProjectOverview } from '../../read/records.ts';
import { counted, number, points, withoutOdds } from './words.ts';

export type Since = 'day' | 'week' | 'month';

/** What a change of visibility is against. */
export const sinceWords: Readonly<Record<Since, string>> = { day: '1 day', week: '7 days', month: '30 days' };

export const kinds = ['suspect', 'alerts', 'falling', 'unchecked'] as const;
export type Kind = (typeof kinds)[number];

interface Reason {
  readonly kind: Kind;
  readonly text: string;
  /** Against reasons of the same kind. */
  readonly weight: number;
}

/** A move counts from this part of the visibility before it... */
const moveMin = 0.05;
/** ...and beyond so many usual moves between the dates of its line. */
const usualMoves = 2;

export const rule =
  'First what is suspect. Then alerts of 7 days, the most first. Then falling visibility: by at least a twentieth, and beyond twice the usual move between the dates of its line; the largest fall first, weighted by how much of it could be compared. Then checks without a complete answer.';

/** Why a project needs attention, the gravest first; empty: it does not. */
function reasonsOf(of: ProjectOverview, since: Since): readonly Reason[] {
  const reasons: Reason[] = [];
  if (of.suspect !== null) reasons.push({ kind: 'suspect', text: `suspect: ${withoutOdds(of.suspect)}`, weight: 1 });
  if (of.alerts !== null && of.alerts > 0)
    reasons.push({ kind: 'alerts', text: `${counted(of.alerts, 'alert')} in 7 days`, weight: of.alerts });
  const fall = fallOf(of, since);
  if (fall !== null) {
    const text = `visibility fell by ${points(fall.points)} in ${sinceWords[since]}`;
    reasons.push({ kind: 'falling', text, weight: fall.weight });
  }
  const unchecked = of.total === 0 ? 0 : (of.total - of.checked) / of.total;
  if (of.date === null) reasons.push({ kind: 'unchecked', text: 'nothing checked yet', weight: 2 });
  else if (unchecked > 0)
    reasons.push({
      kind: 'unchecked',
      text: `${number(of.total - of.checked)} of ${number(of.total)} not checked in full`,
      weight: unchecked,
    });
  return reasons;
}

function fallOf(of: ProjectOverview, since: Since): { readonly points: number; readonly weight: number } | null {
  const [change, before] = [of.visibilityChange[since] ?? 0, beforeOf(of, since)];
  if (directionOf(of, since) !== 'down' || before === null) return null;
  const compared = of.total === 0 ? 0 : of.visibilityChangeOver[since] / of.total;
  return { points: -change, weight: (-change / before) * compared };
}

function beforeOf({ visibility, visibilityChange }: ProjectOverview, since: Since): number | null {
  const change = visibilityChange[since];
  return visibility === null || change === null ? null : visibility - change;
}

/** Where visibility went, beyond what it usually does; null: it could not be compared. */
export function directionOf(of: ProjectOverview, since: Since): 'up' | 'down' | 'steady' | null {
  const [change, before] = [of.visibilityChange[since], beforeOf(of, since)];
  if (change === null || before === null) return null;
  const points = Math.abs(change);
  if (points === 0 || points < before * moveMin || points < usualMove(of.sparkline) * usualMoves) return 'steady';
  return change > 0 ? 'up' : 'down';
}

/** The median distance between neighbouring values; 0: not known. */
function usualMove(values: readonly (number | null)[]): number {
  const moves = values.slice(1).flatMap((value, index) => {
    const before = values[index] ?? null;
    return value === null || before === null ? [] : [Math.abs(value - before)];
  });
  return moves.toSorted((a, b) => a - b)[Math.floor(moves.length / 2)] ?? 0;
}

export interface Attended {
  readonly of: ProjectOverview;
  readonly reasons: readonly Reason[];
}

/** By the gravest reason of each, then by its weight; those without a reason keep their order behind. */
export function byAttention(projects: readonly ProjectOverview[], since: Since): readonly Attended[] {
  const rank = ({ reasons: [first] }: Attended) => (first === undefined ? kinds.length : kinds.indexOf(first.kind));
  return projects
    .map((of) => ({ of, reasons: reasonsOf(of, since) }))
    .toSorted((a, b) => rank(a) - rank(b) || (b.reasons[0]?.weight ?? 0) - (a.reasons[0]?.weight ?? 0));
}
