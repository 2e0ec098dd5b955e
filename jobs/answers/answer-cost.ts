// How many AI answers a project buys in a month, and what they cost at most. A month has 31 days, as for other costs.

import type { AnswerEngine } from '../../src/service/index.ts';
import { answersForChanges } from '../../src/tracker/answers/answer-share.ts';
import { sumOf } from '../../src/tracker/figures.ts';
import type { Project } from '../../src/tracker/project.ts';

/** Expected and at worst. Each sample is bought once per period. */
export interface AnswerCost {
  readonly samplesPerMonth: { readonly expected: number; readonly worst: number };
  readonly microUsdPerMonth: { readonly expected: number; readonly worst: number };
  /** What it costs at worst to see changes with a probability of 80 %, of one prompt or of all prompts together. */
  readonly seenChanges: readonly {
    /** 0 to 1. */
    readonly from: number;
    readonly to: number;
    readonly prompts: number;
    /** Per prompt, engine and period. */
    readonly samples: number;
    readonly samplesPerMonth: number;
    readonly microUsdPerMonth: number;
  }[];
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
  const asked = prompts.list.length;
  const microUsdOfEngines = sumOf(prompts.engines, (engine) => priceOf(engine as AnswerEngine));
  const periods = periodsPerMonth[prompts.every];
  const times = (count: number): { expected: number; worst: number } => ({
    expected: Math.round(count * Math.min(slotsPerMonth, periods.expected)),
    worst: count * Math.min(slotsPerMonth, periods.worst),
  });
  const costOf = (samples: number) => ({
    samplesPerMonth: times(samples * asked * prompts.engines.length),
    microUsdPerMonth: times(samples * asked * microUsdOfEngines),
  });
  const { large, small } = answersForChanges;
  const changes = [{ ...large, of: 1 }, ...(asked > 1 ? [{ ...small, of: asked }] : [])];
  return {
    ...costOf(prompts.samples),
    seenChanges: changes.map(({ from, to, answers, of }) => {
      const samples = Math.ceil(answers / of);
      const { samplesPerMonth, microUsdPerMonth } = costOf(samples);
      const cost = { samplesPerMonth: samplesPerMonth.worst, microUsdPerMonth: microUsdPerMonth.worst };
      return { from, to, prompts: of, samples, ...cost };
    }),
  };
}

const periodsPerMonth = {
  day: { expected: monthDays, worst: monthDays },
  // five weeks begin in a month that begins on a Saturday
  week: { expected: monthDays / weekDays, worst: Math.ceil(monthDays / weekDays) },
  month: { expected: 1, worst: 1 },
};
