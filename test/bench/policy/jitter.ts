// Measures the noise band: how many reported changes are real, and how many real changes are reported.
import type { Sighting } from '../../../src/tracker/signal/sightings.ts';
import { sightingsMax, significanceAmong } from '../../../src/tracker/signal/significance.ts';
import { seeded } from '../../helpers/seeded.ts';
import { dayMs, fullDepth } from './score.ts';
import type { TrueSearch } from './truth.ts';

export interface BandScore {
  /** Share of the changes that differ at all, that are real. */
  readonly precisionOfAny: number;
  /** Share of the reported changes that are real, after second checks. */
  readonly precision: number;
  /** Share of real moves of two ranks and more that are reported. */
  readonly recall: number;
  /** Second checks per check. */
  readonly moreChecks: number;
}

/**
 * Daily checks whose results jitter by one rank up or down, each with probability `jitter`. A rank outside the band is
 * checked a second time. A change is real if the true rank changed since the check before.
 */
export function scoreBand(truth: readonly TrueSearch[], jitter: number, seed: number): BandScore {
  const random = seeded(seed);
  let [checks, different, differentReal, secondChecks, reported, real, moves, movesReported] = [0, 0, 0, 0, 0, 0, 0, 0];
  for (const { ranks } of truth) {
    const history: Sighting[] = [];
    for (const [day, rank] of ranks.entries()) {
      const sighting = (): Sighting => sight(day, rank, jitter, random());
      const after = sighting();
      const before = history.at(-1);
      checks += 1;
      history.push(after);
      if (before === undefined) continue;
      const trueBefore = ranks[day - 1] ?? null;
      const isReal = trueBefore !== rank;
      const isMove = rank !== null && trueBefore !== null && Math.abs(rank - trueBefore) >= 2;
      if (isMove) moves += 1;
      if (before.rank === after.rank) continue;
      different += 1;
      if (isReal) differentReal += 1;
      const known = history.slice(0, -1).flatMap((each) => each.rank ?? []);
      const judge = (secondLook?: Sighting) =>
        significanceAmong({ before, after, secondLook }, known.slice(-sightingsMax)).class;
      if (judge() === 'noise') continue;
      secondChecks += 1;
      if (judge(sighting()) === 'noise') continue;
      reported += 1;
      if (isReal) real += 1;
      if (isMove) movesReported += 1;
    }
  }
  return {
    precisionOfAny: differentReal / different,
    precision: real / reported,
    recall: movesReported / moves,
    moreChecks: secondChecks / checks,
  };
}

function sight(day: number, rank: number | null, jitter: number, chance: number): Sighting {
  const step = chance < jitter ? -1 : chance < 2 * jitter ? 1 : 0;
  const seen = rank === null ? null : Math.max(1, rank + step);
  return { checkedAt: day * dayMs, rank: seen, depth: fullDepth, resultsRead: null, source: 'bench/truth' };
}
