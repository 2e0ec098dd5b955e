// What adaptive plans saved and may have missed in the last days, for `status`. Reads only.
import { dayMs } from '../../src/tracker/schedule/time-units.ts';
import { missedError } from '../../src/tracker/signal/plan-outcome.ts';
import type { JobContext } from '../context.ts';

/** Of one project, over the runs of the last 30 days. */
export interface AdaptiveOutcome {
  readonly project: string;
  readonly days: number;
  readonly runs: number;
  /** Searches, summed over runs, and those of them that had no check. */
  readonly searches: number;
  readonly waiting: number;
  readonly creditsSpent: number;
  /** Expected credits of daily checks to the depth of the project, beyond those that were planned. */
  readonly creditsSaved: number;
  /** Of what daily checks were expected to cost, 0 to 1; null without checks. */
  readonly savedShare: number | null;
  /** Estimated changes of rank, those of them that no check saw within a day, and the standard error of these. */
  readonly changes: number;
  readonly missed: number;
  readonly missedError: number;
}

const days = 30;

export function adaptiveOutcomes({ store, projects, clock }: JobContext): AdaptiveOutcome[] {
  return [...projects.values()]
    .filter(({ adaptive }) => adaptive?.cadence === true)
    .flatMap(({ id }) => {
      const { rateError, ...sums } = store.planOutcomes.since(id, clock.now() - days * dayMs);
      const daily = sums.creditsSpent + sums.creditsSaved;
      const savedShare = daily === 0 ? null : sums.creditsSaved / daily;
      return sums.runs === 0
        ? []
        : [{ project: id, days, ...sums, savedShare, missedError: missedError({ missed: sums.missed, rateError }) }];
    });
}
