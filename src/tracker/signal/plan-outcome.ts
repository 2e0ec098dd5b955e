// What an adaptive plan saved and may have missed in one run, against daily checks to the depth of the project.
import { dayMs, daysBetween } from '../schedule/time-units.ts';
import { withLostRank } from './check-value.ts';
import { changeChance, changeRate, groupPriors, type RatePrior, rankBandOf } from './rates.ts';
import { evidenceOf, type Sighting, seenDownTo, type TargetEvidence } from './sightings.ts';

/** A search of a project with an adaptive cadence, in one run. */
export interface SearchOutcome {
  /** Searches that share a prior: a market. */
  readonly group: string;
  /** Pages that a check to the depth of the project was expected to read. */
  readonly dailyPages: number;
  /** Pages that the run could read; null: the search waited. */
  readonly depth: number | null;
  /** Own targets, by what was known before the run. */
  readonly targets: readonly TargetOutcome[];
}

interface TargetOutcome {
  readonly evidence: TargetEvidence;
  /** The run proved where the target is. */
  readonly isSeen: boolean;
}

/** Sums over the searches of a project in a run. */
export interface PlanOutcome {
  readonly searches: number;
  /** Searches without a check in the run. */
  readonly waiting: number;
  /** Credits that daily checks would have been expected to cost beyond those of the plan. */
  readonly creditsSaved: number;
  /** Changes that daily checks would have shown since the run before, by the estimated rates. */
  readonly changes: number;
  /** Of them, those that are not seen within a day of the daily check that would have shown them. */
  readonly missed: number;
  /** Standard error of `missed` that comes from the estimated rates. */
  readonly rateError: number;
}

/** A daily check shows a change up to a day later; a change that is seen one day after that is found in time. */
const inTimeDays = 1;

/**
 * A target in the run of a moment. `sightings`: oldest first; `depth`: pages of a check to the depth of the project. A
 * look at fewer pages does not show where a target is that ranked below them, or that left the pages read before.
 */
export function targetOutcome(sightings: readonly Sighting[], moment: number, depth: number): TargetOutcome {
  const evidence = withLostRank(evidenceOf(sightings.filter(({ checkedAt }) => checkedAt < moment)), depth);
  const isSeen = sightings.some(
    ({ checkedAt, ...sighting }) =>
      checkedAt >= moment &&
      (sighting.rank !== null || evidence.rank === null || evidence.rank <= seenDownTo(sighting)),
  );
  return { evidence, isSeen };
}

/**
 * Sums up a run at `now`; `before`: the run before, null at the first one. Times are UTC milliseconds. The expected
 * number of missed changes m is (1 - exp(-rate)) x days, summed over targets: daily checks merge the changes of a day.
 * The posterior of a rate (`changeRate`) is close to a gamma distribution: the rate part of the variance of m is
 * m^2 / (shape + changes seen) for each target.
 */
export function planOutcome(
  searches: readonly SearchOutcome[],
  { now, before }: { readonly now: number; readonly before: number | null },
): PlanOutcome {
  const groups = Map.groupBy(searches, ({ group }) => group);
  const rates = new Map([...groups].map(([group, members]) => [group, groupPriors(members.map(toMember)).rates]));
  let [waiting, creditsSaved, changes, missed, rateVariance] = [0, 0, 0, 0, 0];
  for (const { group, dailyPages, depth, targets } of searches) {
    if (depth === null) waiting += 1;
    creditsSaved += Math.max(0, dailyPages - (depth ?? 0));
    for (const { evidence, isSeen } of targets) {
      const prior = rates.get(group)?.[rankBandOf(evidence.rank)];
      if (prior === undefined || before === null || evidence.followedAt === null) continue;
      const perDay = changeChance(changeRate(evidence, prior), 1);
      changes += (perDay * (now - before)) / dayMs;
      const late = perDay * lateDays(evidence.followedAt, { now, before, isSeen });
      missed += late;
      rateVariance += late ** 2 / certainty(evidence, prior);
    }
  }
  return { searches: searches.length, waiting, creditsSaved, changes, missed, rateError: Math.sqrt(rateVariance) };
}

/** Days whose changes became too old to be found in time between two runs. */
function lateDays(
  followedAt: number,
  { now, before, isSeen }: { readonly now: number; readonly before: number; readonly isSeen: boolean },
): number {
  const lateAt = (at: number, daysInTime: number): number => Math.max(0, daysBetween(followedAt, at) - daysInTime);
  return Math.max(0, lateAt(now, isSeen ? 1 + inTimeDays : 1) - lateAt(before, 1));
}

/** The shape of the posterior of a rate: changes of the prior, and intervals that changed. */
function certainty({ changedDays }: TargetEvidence, { shape }: RatePrior): number {
  return shape + changedDays.length;
}

function toMember({ targets }: SearchOutcome) {
  return { targets: targets.map(({ evidence }) => evidence), volume: null };
}

/**
 * The standard error of missed changes: counts are Poisson numbers, and rates have errors (negative binomial: Gelman et
 * al. 2013, Bayesian Data Analysis, section 2.6). Runs share the errors of rates, so `rateError` of several runs is
 * their sum.
 */
export function missedError({ missed, rateError }: Pick<PlanOutcome, 'missed' | 'rateError'>): number {
  return Math.sqrt(missed + rateError ** 2);
}
