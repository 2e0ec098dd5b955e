// The adaptive plan: within its credits, every longest gap kept or stated, the same for the same history.
import { describe, expect, it } from 'vitest';
import {
  type DecisionRule,
  decisionReason,
  isChecked,
  type PlanSettings,
  planAdaptively,
} from '../../../src/tracker/signal/adaptive-plan.ts';
import type { SearchOutlook } from '../../../src/tracker/signal/check-value.ts';
import { evidenceOf, noEvidence, type Sighting } from '../../../src/tracker/signal/sightings.ts';
import { adaptive } from '../../bench/policy/policies.ts';
import { dailyCredits, live } from '../../bench/policy/score.ts';
import { processSearches } from '../../bench/policy/truth.ts';
import { seeded } from '../../helpers/seeded.ts';

const dayMs = 86_400_000;
const settings: PlanSettings = {
  now: 100 * dayMs,
  slotDays: 1,
  curve: 'sistrix-2020',
  rateFactor: 1,
  credits: 1_000,
  atLeastEveryDays: 7,
};

/** A history by day; null: not found in ten pages. */
function history(ranks: Readonly<Record<number, number | null>>, depth = 10): Sighting[] {
  return Object.entries(ranks).map(([day, rank]) => ({
    checkedAt: Number(day) * dayMs,
    rank,
    depth,
    resultsRead: null,
    source: 'a/b',
  }));
}

function search(key: string, sightings: Sighting[], options: Partial<SearchOutlook> = {}): SearchOutlook {
  const targets = [sightings.length === 0 ? noEvidence : evidenceOf(sightings)];
  return { key, group: 'g', volume: 100, priority: 'normal', depth: 10, targets, ...options };
}

/** Random searches, the same for the same seed. */
function randomSearches(seed: number, count: number): SearchOutlook[] {
  const next = seeded(seed);
  return Array.from({ length: count }, (_, index) => {
    const sightings = Math.floor(next() * 12);
    const days = Array.from({ length: sightings }, () => 60 + Math.floor(next() * 40)).toSorted((a, b) => a - b);
    const ranks = Object.fromEntries(days.map((day) => [day, next() < 0.2 ? null : 1 + Math.floor(next() * 60)]));
    return search(`k${index}`, history(ranks), { volume: next() < 0.3 ? null : Math.floor(next() * 5_000) });
  });
}

function rulesOf(searches: readonly SearchOutlook[], more: Partial<PlanSettings> = {}): DecisionRule[] {
  return planAdaptively(searches, { ...settings, ...more }).decisions.map(({ rule }) => rule);
}

describe('the adaptive plan', () => {
  it.each([0, 1, 10, 60, 500])('never costs more than its credits: %i', (credits) => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const plan = planAdaptively(randomSearches(seed, 80), { ...settings, credits });
      const sum = plan.decisions.filter(isChecked).reduce((total, { option }) => total + option.credits, 0);
      expect(sum).toBeLessThanOrEqual(credits + 1e-9);
      expect(plan.credits).toBeCloseTo(sum, 6);
    }
  });

  it('checks searches beyond their longest gap, or says that no credits are left', () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      for (const credits of [5, 50, 500]) {
        const { decisions } = planAdaptively(randomSearches(seed, 80), { ...settings, credits });
        const late = decisions.filter(
          ({ days, rule }) => days >= 7 && !isChecked({ rule } as (typeof decisions)[number]),
        );
        expect(late.filter(({ rule }) => rule !== 'over_budget')).toEqual([]);
        if (credits === 500) expect(late).toEqual([]);
      }
    }
  });

  it('is the same for the same history', () => {
    const once = planAdaptively(randomSearches(3, 120), { ...settings, credits: 40 });
    const again = planAdaptively(randomSearches(3, 120), { ...settings, credits: 40 });
    expect(again).toEqual(once);
  });

  it('checks a new search first, to its full depth', () => {
    const { decisions } = planAdaptively([search('old', history({ 90: 3, 98: 5 })), search('new', [])], {
      ...settings,
      credits: 10,
    });
    expect(decisions.map(({ rule, option }) => [rule, option.pages])).toEqual([
      ['waits', 1],
      ['new', 10],
    ]);
  });

  it('spends more than its credits on the first check only, and no more than that may cost', () => {
    const searches = [search('one', []), search('two', []), search('seen', history({ 80: 3 }))];
    expect(rulesOf(searches, { credits: 6.5, firstCheckMax: 10 })).toEqual(['new', 'over_budget', 'over_budget']);
    expect(rulesOf(searches, { credits: 6.5, firstCheckMax: 9 })).toEqual(['over_budget', 'over_budget', 'gap']);
    expect(rulesOf(searches.slice(2), { credits: 0.3, firstCheckMax: 1 })).toEqual(['gap']);
  });

  it('prefers traffic, then frequent changes, then the priority of the user, then alerts', () => {
    const stable = history({ 80: 4, 84: 4, 88: 4, 92: 4, 95: 4, 98: 4 });
    const restless = history({ 80: 4, 84: 7, 88: 3, 92: 6, 95: 2, 98: 4 });
    const credits = 1.5;
    expect(rulesOf([search('a', stable), search('b', stable, { volume: 9_000 })], { credits })).toEqual([
      'waits',
      'value',
    ]);
    expect(rulesOf([search('a', stable), search('b', restless)], { credits })).toEqual(['waits', 'value']);
    expect(rulesOf([search('a', stable), search('b', stable, { priority: 'high' })], { credits })).toEqual([
      'waits',
      'value',
    ]);
    expect(rulesOf([search('a', stable), search('b', stable, { alertChances: [0.5] })], { credits })).toEqual([
      'waits',
      'value',
    ]);
  });

  it('searches for a missing target on page 1 only, and for a known one where it ranked', () => {
    const sightings = planAdaptively(
      [search('missing', history({ 92: null })), search('deep', history({ 80: 14 }))],
      settings,
    ).decisions;
    expect(sightings.map(({ option }) => option.pages)).toEqual([1, 10]);
  });

  it('does not treat a shallow absence as the end of a deep rank', () => {
    const [deep, shallow] = [history({ 90: 25 }), history({ 97: null }, 1)];
    expect(evidenceOf([...deep, ...shallow])).toMatchObject({
      rank: 25,
      changedDays: [],
      lookedAt: 97 * dayMs,
      followedAt: 90 * dayMs,
    });
  });

  it('looks below page 1 for a target that left it, until a check to the full depth did not find it', () => {
    const [seen, missed, gone] = [history({ 90: 5 }), history({ 98: null }, 1), history({ 99: null })];
    const searches = [search('lost', [...seen, ...missed]), search('gone', [...seen, ...missed, ...gone])];
    expect(planAdaptively(searches, settings).decisions.map(({ option }) => option.pages)).toEqual([10, 1]);
    const [lost] = planAdaptively(searches, { ...settings, credits: 0 }).decisions;
    expect(decisionReason(lost as NonNullable<typeof lost>, 7)).toMatch(
      /^waits: ranked 5 10 days ago, not on page 1 2 days ago, /,
    );
  });

  it('finds out where a target went within twice the longest gap, however little it is worth', () => {
    const looks = history(Object.fromEntries([86, 92, 98].map((day) => [day, null])), 1);
    const [lost] = planAdaptively([search('a', [...history({ 85: 5 }), ...looks], { volume: 0 })], settings).decisions;
    expect(lost).toMatchObject({ rule: 'gap', option: { pages: 10 } });
  });

  it('spends at most a quarter of the credits on further pages for longest gaps', () => {
    // page 1 was read two days ago, but the pages down to rank 75 not for 40 days
    const deep = Array.from({ length: 30 }, (_, index) => {
      const sightings = [...history({ 60: 75 }), ...history({ 98: null }, 1)];
      return search(`deep${index}`, sightings, { volume: 0 });
    });
    const restless = history({ 80: 4, 84: 7, 88: 3, 92: 6, 95: 2, 98: 4 });
    const credits = 40;
    const { decisions } = planAdaptively([...deep, search('busy', restless, { volume: 9_000 })], {
      ...settings,
      credits,
    });
    const further = decisions
      .filter(({ rule }) => rule === 'gap')
      .reduce((sum, { option }) => sum + option.credits - 1, 0);
    expect(further).toBeGreaterThan(0);
    expect(further).toBeLessThanOrEqual(credits / 4);
    expect(decisions.at(-1)?.rule).toBe('value');
  });

  it('spreads the longest gaps: searches checked on one day are not all due on one day', () => {
    const searches = Array.from({ length: 70 }, (_, index) => search(`k${index}`, history({ 99: 5 }), { volume: 0 }));
    const { decisions } = planAdaptively(searches, { ...settings, credits: 12 });
    expect(decisions.filter(isChecked).length).toBeGreaterThanOrEqual(9);
  });

  it('sets nothing aside for the gaps of searches that it will check for their value, also right after a check', () => {
    const restless = history({ 80: 4, 84: 7, 88: 3, 92: 6, 95: 2, 99: 4 });
    const busy = Array.from({ length: 14 }, (_, index) => search(`b${index}`, restless, { volume: 9_000 }));
    const waiting = Object.fromEntries([80, 84, 88, 92, 95, 97].map((day, at) => [day, [4, 7, 3, 6, 2, 4][at] ?? 4]));
    const ready = Array.from({ length: 30 }, (_, index) => search(`r${index}`, history(waiting), { volume: 4_000 }));
    const quiet = Array.from({ length: 70 }, (_, index) => search(`q${index}`, history({ 99: 5 }), { volume: 0 }));
    const plan = planAdaptively([...busy, ...ready, ...quiet], { ...settings, credits: 40 });
    expect(plan.decisions.slice(0, 14).map(({ rule }) => rule)).toEqual(busy.map(() => 'waits'));
    expect(plan.decisions.filter(({ rule }) => rule === 'gap')).toHaveLength(10);
  });

  it('gives each decision a reason of one line', () => {
    const { decisions } = planAdaptively(
      [search('a', history({ 90: 3, 98: 5 })), search('b', history({ 91: null })), search('c', [])],
      { ...settings, credits: 11.2 },
    );
    expect(decisions.map((decision) => decisionReason(decision, 7))).toEqual([
      expect.stringMatching(/^waits: ranked 5 2 days ago, [\d.]+ changes a day, [\d.]+ clicks per credit$/),
      'check: not found 9 days ago, longest gap 7 days',
      'check: never checked before',
    ]);
    const added = { targets: [evidenceOf(history({ 98: 5 })), noEvidence] };
    const [extended] = planAdaptively([search('a', [], added)], settings).decisions;
    expect(decisionReason(extended as NonNullable<typeof extended>, 7)).toBe('check: a target was never looked for');
    const [late] = planAdaptively([search('b', history({ 91: null }))], { ...settings, credits: 0 }).decisions;
    expect(decisionReason(late as NonNullable<typeof late>, 7)).toBe(
      'no credits left: not found 9 days ago, beyond its longest gap of 7 days',
    );
    const shallow = [...history({ 90: 35 }), ...history({ 98: null }, 1)];
    const [unseen] = planAdaptively([search('a', shallow, { volume: null })], { ...settings, credits: 0 }).decisions;
    expect(decisionReason(unseen as NonNullable<typeof unseen>, 7)).toMatch(
      /^waits: ranked 35 10 days ago, not on page 1 2 days ago, .* clicks per credit \(volume unknown\)$/,
    );
    const rare = search('a', history({ 90: 80, 99.9: 80 }), { volume: 0 });
    const [worthless] = planAdaptively([rare], { ...settings, credits: 0 }).decisions;
    expect(decisionReason(worthless as NonNullable<typeof worthless>, 7)).toMatch(
      /a day, 0\.0{6,}\d+ clicks per credit$/,
    );
    const sensed = search('a', history({ 90: 3, 98: 5 }), { rateFactor: 2 });
    const [moved] = planAdaptively([sensed], { ...settings, credits: 11.2 }).decisions;
    expect(decisionReason(moved as NonNullable<typeof moved>, 7)).toContain('a day (Search Console shows a move), ');
  });
});

describe('the adaptive plan over a month', () => {
  const truths = [11, 12, 13].map((seed) => processSearches(seed, { searches: 120, days: 40 }));
  const foundAt = (share: number) => truths.map((truth) => live(truth, adaptive(), share * dailyCredits(truth)));

  it('spends at most its credits, and keeps the longest gap if they suffice', () => {
    for (const [index, { credits, longestGap }] of foundAt(0.15).entries()) {
      expect(credits).toBeLessThanOrEqual(0.15 * dailyCredits(truths[index] ?? []));
      expect(longestGap).toBeLessThanOrEqual(7);
    }
  });

  it('detects more changes with more credits, over several seeds', () => {
    const mean = (share: number) => foundAt(share).reduce((sum, { found }) => sum + found, 0) / truths.length;
    const found = [0.05, 0.1, 0.2, 0.5].map(mean);
    expect(found).toEqual(found.toSorted((a, b) => a - b));
    expect(found[3]).toBeGreaterThan(0.9);
  });
});
