// The dates on which a search has no complete check.
import { rankCodes } from '../../../src/tracker/rank-codes.ts';
import type { ReportScope } from '../rows/report-scope.ts';
import type { SeriesAxis } from './series-axis.ts';

/** Checks that are remembered for having read nothing. */
const gapsMax = 200_000;

/** Searches with the status of a failed or incomplete check, by date. The first of a search on a date counts. */
export type Gaps = ReadonlyMap<number, readonly (readonly [searchId: number, code: number])[]>;

/** Beyond `gapsMax`, the oldest dates have none: such checks are shown as not made. */
export function readGaps({ context }: Pick<ReportScope, 'context'>, dates: SeriesAxis['dates']): Gaps {
  const gaps = new Map<number, [number, number][]>();
  let left = gapsMax;
  for (const [date, { runs }] of [...dates.entries()].reverse()) {
    const found: [number, number][] = [];
    for (const run of runs) {
      const unread = context.store.reportSeries.unread(run, left);
      left -= unread.length;
      for (const { searchId, state } of unread) found.push([searchId, rankCodes[state]]);
    }
    if (found.length > 0) gaps.set(date, found);
  }
  return gaps;
}
