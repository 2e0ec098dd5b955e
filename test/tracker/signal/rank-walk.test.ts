// Walks of ranks: reproducible, as restless as their history, and near where they have been.
import { describe, expect, it } from 'vitest';
import { groupPriors } from '../../../src/tracker/signal/rates.ts';
import { evidenceOf, noEvidence } from '../../../src/tracker/signal/sightings.ts';
import { bestRank, seededRandom, type WalkStart, walkRanks } from '../../../src/tracker/signal/simulation.ts';

const dayMs = 86_400_000;
const group = { priors: groupPriors([]), depth: 10, knownRanks: [] };
const startOf = (ranks: readonly (number | null)[]): WalkStart => ({
  evidence: evidenceOf(
    ranks.map((rank, day) => ({ checkedAt: day * dayMs, rank, depth: 10, resultsRead: null, source: 'web/test' })),
  ),
  last: [ranks.at(-1) ?? null],
  past: ranks.map((rank) => [rank]),
});
const walk = (start: WalkStart, seed = 1, days = 60) => walkRanks(start, group, days, seededRandom(seed), new Map());
const changes = (start: WalkStart): number =>
  Array.from({ length: 20 }, (_, seed) => walk(start, seed)).reduce(
    (sum, days) => sum + days.filter(([rank], day) => day > 0 && rank !== days[day - 1]?.[0]).length,
    0,
  );

describe('walkRanks', () => {
  it('starts at the last ranks and is the same for the same seed', () => {
    const start = startOf([4, 5, 4, 6]);
    expect(walk(start)[0]).toEqual([6]);
    expect(walk(start)).toEqual(walk(start));
    expect(walk(start)).not.toEqual(walk(start, 2));
  });

  it('moves a restless target more often than a still one', () => {
    const restless = startOf([4, 6, 5, 7, 4, 6, 5, 8, 4, 6]);
    const still = startOf([6, 6, 6, 6, 6, 6, 6, 6, 6, 6]);
    expect(changes(restless)).toBeGreaterThan(4 * changes(still));
  });

  it('mostly returns to ranks that the target had', () => {
    const past = [4, 6, 5, 7, 4, 6, 5, 7, 4, 6];
    const ranks = Array.from({ length: 20 }, (_, seed) => walk(startOf(past), seed)).flat(2);
    expect(ranks.filter((rank) => rank !== null && past.includes(rank)).length / ranks.length).toBeGreaterThan(0.6);
  });

  it('moves the targets that rank with the best one together', () => {
    const start = { ...startOf([5, 5, 5]), last: [5, 5, null], past: [] };
    for (const [page, domain, other] of walk(start, 3)) {
      expect(page).toBe(domain);
      expect(other === null || other === domain).toBe(true);
    }
  });

  it('draws the rank of a target without history from those of its group, or from usual ranks', () => {
    const unknown: WalkStart = { evidence: noEvidence, last: [null], past: [] };
    const drawn = (knownRanks: readonly (number | null)[]) =>
      Array.from({ length: 50 }, (_, seed) =>
        bestRank(walkRanks(unknown, { ...group, knownRanks }, 1, seededRandom(seed), new Map())[0] ?? []),
      );
    expect(new Set(drawn([7, null]))).toEqual(new Set([7, null]));
    expect(new Set(drawn([])).size).toBeGreaterThan(10);
  });

  it('stays within the depth', () => {
    for (const [rank] of walk(startOf([95, 99, 97]), 5, 400)) {
      expect(rank === null || (rank !== undefined && rank >= 1 && rank <= 100)).toBe(true);
    }
  });
});
