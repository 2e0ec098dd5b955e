// What a check says of a target as one small number: in the columns of history, and in the trails of report.html.
import type { RowStatus } from './observation.ts';

/** Codes without a rank, by status. Ranks follow from `rankBase` on. They are stored: none may change. */
export const rankCodes = Object.freeze({
  /** No check, or none of the target. */
  none: 0,
  not_found: 1,
  /** Seen without an exact rank, or in a check that is not complete. */
  incomplete: 2,
  failed: 3,
  deferred: 4,
  unknown_paid: 5,
  /** On none of the pages read, which do not reach the depth. */
  not_followed: 6,
} satisfies Readonly<Record<Exclude<RowStatus, 'ranked'> | 'none', number>>);
const rankBase = 9;
/** Codes are 16-bit numbers. */
const rankMax = 0xffff - rankBase;

const statuses = Object.entries(rankCodes) as [Exclude<RowStatus, 'ranked'> | 'none', number][]; // of a literal

export function codeOfRank(rank: number): number {
  return Math.min(rank, rankMax) + rankBase;
}

/** Null: not a rank. */
export function rankOfCode(code: number): number | null {
  return code > rankBase ? code - rankBase : null;
}

/** Null: no check. */
export function statusOfCode(code: number): RowStatus | null {
  if (code > rankBase) return 'ranked';
  const [status] = statuses.find(([, known]) => known === code) ?? [];
  return status === undefined || status === 'none' ? null : status;
}

/** Whether a complete check proves the rank, or that there is none down to the depth. */
export function isProvenCode(code: number): boolean {
  return code > rankBase || code === rankCodes.not_found;
}
