// How sure the estimated number of missed changes is.
import type { PlanOutcome } from './plan-outcome.ts';

/**
 * The standard error of missed changes: counts are Poisson numbers, and rates have errors (negative binomial: Gelman et
 * al. 2013, Bayesian Data Analysis, section 2.6). Runs share the errors of rates, so `rateError` of several runs is
 * their sum.
 */
export function missedError({ missed, rateError }: Pick<PlanOutcome, 'missed' | 'rateError'>): number {
  return Math.sqrt(missed + rateError ** 2);
}
