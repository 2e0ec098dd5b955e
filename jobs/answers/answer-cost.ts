// How many AI answers a project buys in a month, and what they cost at most. A month has 31 days, as for other costs.
import type { AnswerEngine } from '../../src/service/index.ts';
import type { Project } from '../../src/tracker/project.ts';

/** Expected and at worst. Each sample is bought once per period. */
export interface AnswerCost {
  readonly samplesPerMonth: { readonly expected: number; readonly worst: number };
  readonly microUsdPerMonth: { readonly expected: number; readonly worst: number };
}

const monthDays = 31;
const weekDays = 7;

/** `slotsPerMonth`: samples are bought in runs, so that a period without one has none. */
export function answerCost(
  { prompts }: Pick<Project, 'prompts'>,
  slotsPerMonth: number,
  priceOf: (engine: AnswerEngine) => number,
): AnswerCost | null {
  if (prompts === undefined) return null;
  const samples = prompts.list.length * prompts.samples;
  const microUsd = prompts.engines.reduce((sum, engine) => sum + samples * priceOf(engine as AnswerEngine), 0);
  const periods = periodsPerMonth[prompts.every];
  const times = (count: number): { expected: number; worst: number } => ({
    expected: Math.round(count * Math.min(slotsPerMonth, periods.expected)),
    worst: count * Math.min(slotsPerMonth, periods.worst),
  });
  return { samplesPerMonth: times(samples * prompts.engines.length), microUsdPerMonth: times(microUsd) };
}

const periodsPerMonth = {
  day: { expected: monthDays, worst: monthDays },
  // five weeks begin in a month that begins on a Saturday
  week: { expected: monthDays / weekDays, worst: Math.ceil(monthDays / weekDays) },
  month: { expected: 1, worst: 1 },
};
