// The columns of spend.csv that show what an adaptive plan saved, and what it may have missed.
import { missedError, type PlanOutcome } from '../../tracker/signal/plan-outcome.ts';
import type { CsvColumn } from '../formats/csv.ts';

const tenth = (estimate: number): number => Math.round(estimate * 10) / 10;

const column = (
  name: string,
  description: string,
  value: (plan: PlanOutcome) => number,
): CsvColumn<{ readonly plan?: PlanOutcome }> => ({
  name,
  kind: 'number',
  description,
  value: ({ plan }) => (plan === undefined ? null : value(plan)),
});

/** In lines with scope project, of a project with `cadence: adaptive`. */
export const planColumns: readonly CsvColumn<{ readonly plan?: PlanOutcome }>[] = [
  column(
    'searches_waiting',
    'With `cadence: adaptive`: searches without a check in this run',
    ({ waiting }) => waiting,
  ),
  column(
    'saved_by_plan',
    'Expected credits of daily checks to the depth of the project that the adaptive plan did not plan',
    ({ creditsSaved }) => creditsSaved,
  ),
  column(
    'changes_estimated',
    'Estimated changes of rank that daily checks would have shown since the run before',
    ({ changes }) => tenth(changes),
  ),
  column(
    'changes_missed',
    'Of these, the estimated number that no check showed within a day of the daily check',
    ({ missed }) => tenth(missed),
  ),
  column('changes_missed_error', 'Standard error of changes_missed', (plan) => tenth(missedError(plan))),
];
