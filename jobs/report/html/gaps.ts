// The dates on which a search has no complete check.
import { rankCodes } from '../../../src/report/html/data/trail.ts';
import type { ReportScope } from '../rows/report-scope.ts';
import type { SeriesAxis } from './series-axis.ts';

/** Checks that are remembered for having read nothing. */
const gapsMax = 200_000;

const gapCodes = {
  incomplete: rankCodes.incomplete,
  failed: rankCodes.failed,
  deferred: rankCodes.deferred,
  unknown_paid: rankCodes.unknownPaid,
} as const;

/**
 * Per search, the dates of failed and incomplete checks with their status. Beyond `gapsMax` they are shown as not
 * checked.
 */
export function readGaps({ context }: ReportScope, dates: SeriesAxis['dates']): Map<number, [number, number][]> {
  const gaps = new Map<number, [number, number][]>();
  let left = gapsMax;
  for (const [date, { runs }] of [...dates.entries()].reverse()) {
    for (const run of runs) {
      const unread = context.store.reportSeries.unread(run, left);
      left -= unread.length;
      for (const { searchId, state } of unread) {
        const known = gaps.get(searchId) ?? [];
        gaps.set(searchId, known);
        known.push([date, gapCodes[state]]);
      }
    }
  }
  return gaps;
}
