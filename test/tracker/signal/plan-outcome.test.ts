// What a plan saved and may have missed: days counted by hand, and the estimate against processes of known changes.
import { describe, expect, it } from 'vitest';
import {
  missedError,
  planOutcome,
  type SearchOutcome,
  targetOutcome,
} from '../../../src/tracker/signal/plan-outcome.ts';
import { evidenceOf, noEvidence, type Sighting } from '../../../src/tracker/signal/sightings.ts';
import { seeded } from '../../helpers/seeded.ts';

const dayMs = 86_400_000;
const sighting = (day: number, rank: number): Sighting => ({
  rank,
  depth: 3,
  resultsRead: null,
  checkedAt: day * dayMs,
  source: 'x',
});

/** A search that was last seen on day 0, in the run of a day; the run before was the day before. */
function outcomeOn(day: number, options: { isSeen?: boolean; depth?: number } = {}) {
  const { isSeen = false } = options;
  const depth = options.depth ?? (isSeen ? 3 : null);
  const evidence = evidenceOf([sighting(-20, 5), sighting(-10, 6), sighting(0, 6)]);
  const search: SearchOutcome = { group: 'US', dailyPages: 2, depth, targets: [{ evidence, isSeen }] };
  return planOutcome([search], { now: day * dayMs, before: (day - 1) * dayMs });
}

describe('the outcome of an adaptive plan', () => {
  it('misses the changes of a day when two slots in a row leave a search out', () => {
    const daily = outcomeOn(1).changes;
    expect(daily).toBeGreaterThan(0);
    expect(outcomeOn(1).missed).toBe(0);
    expect(outcomeOn(2).missed).toBeCloseTo(daily, 9);
    expect(outcomeOn(6).missed).toBeCloseTo(daily, 9);
    expect(outcomeOn(2, { isSeen: true }).missed).toBe(0);
    expect(outcomeOn(7, { isSeen: true }).missed).toBe(0);
  });

  it('counts a check that could not reach the target as none', () => {
    expect(outcomeOn(3, { depth: 1 })).toMatchObject({ waiting: 0, creditsSaved: 1 });
    expect(outcomeOn(3, { depth: 1 }).missed).toBeGreaterThan(0);
  });

  it('misses the changes of a target that left page 1, while only page 1 is read', () => {
    const absence = (day: number, depth: number): Sighting => ({ ...sighting(day, 0), rank: null, depth });
    const lost = [sighting(-20, 5), sighting(-10, 6), sighting(0, 6), ...[1, 2, 3, 4].map((day) => absence(day, 1))];
    const missedOn = (sightings: readonly Sighting[], depth: number) => {
      const targets = [targetOutcome(sightings, 5 * dayMs, depth)];
      const search = { group: 'US', dailyPages: 2, depth: 1, targets };
      return planOutcome([search], { now: 5 * dayMs, before: 4 * dayMs }).missed;
    };
    expect(missedOn([...lost, absence(5, 1)], 3)).toBeGreaterThan(0);
    expect(missedOn([...lost, absence(5, 2)], 3)).toBe(0);
    expect(missedOn([...lost, sighting(5, 25)], 3)).toBe(0);
    // a project of one page wants to know no more
    expect(missedOn([...lost, absence(5, 1)], 1)).toBe(0);
  });

  it('saves the pages that a daily check was expected to read, and no others', () => {
    expect(outcomeOn(2)).toMatchObject({ searches: 1, waiting: 1, creditsSaved: 2 });
    expect(outcomeOn(2, { isSeen: true })).toMatchObject({ searches: 1, waiting: 0, creditsSaved: 0 });
  });

  it('says nothing about the first run and about searches that were never seen', () => {
    const unseen: SearchOutcome = {
      group: 'US',
      dailyPages: 3,
      depth: 3,
      targets: [{ evidence: noEvidence, isSeen: false }],
    };
    expect(planOutcome([unseen], { now: dayMs, before: 0 })).toMatchObject({ changes: 0, missed: 0 });
    const seen = { ...unseen, targets: [{ evidence: evidenceOf([sighting(0, 5)]), isSeen: false }] };
    expect(planOutcome([seen], { now: 9 * dayMs, before: null })).toMatchObject({ changes: 0, missed: 0 });
  });

  it.each([3, 4, 5, 6])('estimates the missed changes of 30 days within three standard errors (seed %i)', (seed) => {
    const random = seeded(seed);
    const histories = Array.from({ length: 150 }, (_, index) => walk(random, 0.04 + 0.2 * random(), index % 7));
    let [missed, rateError] = [0, 0];
    for (let day = 61; day <= 90; day += 1) {
      const searches = histories.map(({ looks }): SearchOutcome => {
        const evidence = evidenceOf(looks.filter(({ checkedAt }) => checkedAt < day * dayMs));
        const isSeen = looks.some(({ checkedAt }) => checkedAt === day * dayMs);
        return { group: 'US', dailyPages: 1, depth: isSeen ? 1 : null, targets: [{ evidence, isSeen }] };
      });
      const outcome = planOutcome(searches, { now: day * dayMs, before: (day - 1) * dayMs });
      missed += outcome.missed;
      rateError += outcome.rateError;
    }
    const error = missedError({ missed, rateError });
    const truth = histories.reduce((sum, each) => sum + each.missed, 0);
    console.log(`missed changes: ${truth}, estimated ${missed.toFixed(0)} ± ${error.toFixed(0)}`);
    expect(truth).toBeGreaterThan(100);
    expect(Math.abs(missed - truth)).toBeLessThan(3 * error);
  });
});

/** Ranks of 90 days of a target that is checked once a week, and the changes of the last 30 days that come late. */
function walk(random: () => number, rate: number, weekday: number) {
  const looks: Sighting[] = [];
  let rank = 5;
  let missed = 0;
  for (let day = 1; day <= 90; day += 1) {
    if (random() < rate) {
      rank = rank === 10 ? 4 : rank + 1;
      // a daily check shows it on this day: in time is a check on this day or the next
      const isInTime = day % 7 === weekday || (day + 1) % 7 === weekday;
      if (day >= 60 && day <= 89 && !isInTime) missed += 1;
    }
    if (day % 7 === weekday) looks.push(sighting(day, rank));
  }
  return { looks, missed };
}
