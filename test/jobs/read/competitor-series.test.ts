// Sums over columns of ranks equal those that are made search by search, on generated histories.

import { describe, expect, it } from 'vitest';
import type { TableRow } from '../../../jobs/read/columns/column-rows.ts';
import { RankSums } from '../../../jobs/read/columns/rank-sums.ts';
import type { RankTrails } from '../../../jobs/read/columns/rank-trails.ts';
import { type CompetitorQuestion, competitorSeries } from '../../../jobs/read/competitor-series.ts';
import { TargetTimeline } from '../../../src/read/sums/timeline.ts';
import { ctr } from '../../../src/tracker/changes/visibility.ts';
import { rounded } from '../../../src/tracker/figures.ts';
import type { Project, Target } from '../../../src/tracker/project.ts';
import { codeOfRank, rankCodes } from '../../../src/tracker/rank-codes.ts';

const searchCount = 40;
const dates = Array.from({ length: 9 }, (_, day) => `2026-01-0${day + 1}`);
const names = ['ours.example', 'mine.example', 'one.example', 'two.example'];
const curve = 'sistrix-2020';
const gaps = [rankCodes.none, rankCodes.not_found, rankCodes.incomplete, rankCodes.not_followed];

/** Whole numbers below `most`, the same for the same seed. */
function randomFrom(seed: number): (most: number) => number {
  let state = seed;
  return (most) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
}

function generated(seed: number) {
  const random = randomFrom(seed);
  const codes = names.map(() =>
    dates.map(() =>
      Uint16Array.from({ length: searchCount }, () =>
        random(4) === 0 ? (gaps[random(gaps.length)] ?? 0) : codeOfRank(1 + random(30)),
      ),
    ),
  );
  // each search once for both own targets; a filter leaves most of them, or few
  const few = random(4);
  const searches = Array.from({ length: searchCount }, (_, index) => index).filter(() => random(5) >= few);
  const volumes = new Map(searches.map((index) => [index, random(6) === 0 ? null : random(5_000)]));
  const rows = [0, 1].flatMap(() =>
    searches.map((searchIndex) => ({ searchIndex, searchVolume: volumes.get(searchIndex) ?? null })),
  ) as unknown as TableRow[]; // only these fields are read
  const targets = names.map((value): Target => ({ match: 'domain', value }));
  const project = { targets: targets.slice(0, 2), competitors: targets.slice(2) } as unknown as Project; // as above
  const trails = {
    dates,
    of: ({ value }: Target) => ({
      column: (date: number) => codes[names.indexOf(value)]?.[date] ?? new Uint16Array(0),
    }),
  } as unknown as RankTrails; // as above
  const indices = dates.map((_, index) => index).filter(() => random(4) > 0);
  // the newest table has the searches of the filter with the same volumes; of some histories, with others
  const isChanged = random(4) === 0;
  const rankSums = new RankSums(
    trails,
    Array.from({ length: searchCount }, (_, index) =>
      isChanged ? random(5_000) : volumes.has(index) ? (volumes.get(index) ?? null) : random(5_000),
    ),
  );
  return { codes, searches, volumes, rows, project, trails, rankSums, indices };
}

/** Null: not proven. */
function standingOf(code: number): number | null {
  if (code === rankCodes.not_found || code === rankCodes.not_followed) return 1_000;
  return code > codeOfRank(0) ? code - codeOfRank(0) : null;
}

describe.each(Array.from({ length: 20 }, (_, index) => index + 1))('history %i', (seed) => {
  const { codes, searches, volumes, rows, project, trails, rankSums, indices } = generated(seed);
  const question = { context: null, project, rows, trails, rankSums, indices, ctrCurve: curve, hasShare: false };
  const answer = competitorSeries(question as unknown as CompetitorQuestion); // shares alone read the database
  const standing = (target: number, date: number | undefined, search: number): number | null =>
    date === undefined ? null : standingOf(codes[target]?.[date]?.[search] ?? 0);

  it('has the visibility of each target', () => {
    for (const [target, line] of answer.targets.entries()) {
      const timeline = new TargetTimeline(indices.length, curve);
      for (const search of searches)
        timeline.add(
          indices.map((date) => codes[target]?.[date]?.[search] ?? 0),
          volumes.get(search) ?? null,
        );
      expect([line.visibility, line.visibilityOver]).toEqual([timeline.visibility(), timeline.weighed()]);
    }
  });

  it('compares the visibility of the first and the last date over the searches that both prove', () => {
    const [first, last] = [indices.at(0), indices.at(-1)];
    for (const [target, line] of answer.targets.entries()) {
      const proven = (date: number | undefined, search: number) =>
        codes[target]?.[date ?? 0]?.[search] === rankCodes.not_followed ? null : standing(target, date, search);
      const both = searches.flatMap((search) => {
        const [before, now, volume] = [proven(first, search), proven(last, search), volumes.get(search) ?? null];
        return before === null || now === null || volume === null ? [] : [{ before, now, volume }];
      });
      const most = both.reduce((sum, { volume }) => sum + volume * ctr(curve, 1), 0);
      const won = both.reduce(
        (sum, { before, now, volume }) => sum + volume * (ctr(curve, now) - ctr(curve, before)),
        0,
      );
      expect(line.visibilityChangeOver).toBe(both.length);
      if (most === 0) expect(line.visibilityChange).toBeNull();
      else expect(line.visibilityChange).toBeCloseTo((100 * won) / most, 3);
    }
  });

  it('has the ranks, wins and losses of the last date', () => {
    const last = indices.at(-1);
    for (const [target, line] of answer.targets.entries()) {
      const ranks = searches.flatMap((search) => standing(target, last, search) ?? []).filter((rank) => rank < 1_000);
      const mean = ranks.reduce((total, rank) => total + rank, 0) / ranks.length;
      expect(line.averageRank).toBe(ranks.length === 0 ? null : rounded(mean, 4));
      expect(line.top10).toBe(ranks.filter((rank) => rank <= 10).length);
      const duels = searches.flatMap((search) => {
        const own = [0, 1].map((of) => standing(of, last, search));
        const here = standing(target, last, search);
        return own.includes(null) || here === null ? [] : [Math.min(...own.map(Number)) - here];
      });
      const [wins, losses] = [duels.filter((by) => by < 0).length, duels.filter((by) => by > 0).length];
      expect([line.wins, line.losses]).toEqual(line.isOwn ? [null, null] : [wins, losses]);
    }
  });

  it('counts who passed whom between the first and the last proven date of each search', () => {
    const passes = new Map<string, number>();
    for (const search of searches) {
      const proven = indices.filter((date) => names.some((_, target) => standing(target, date, search) !== null));
      const [first, last] = [proven.at(0), proven.at(-1)];
      for (const [winner, name] of names.entries()) {
        for (const [loser, other] of names.entries()) {
          const before = [standing(winner, first, search), standing(loser, first, search)] as const;
          const after = [standing(winner, last, search), standing(loser, last, search)] as const;
          if ([...before, ...after].includes(null)) continue;
          if (Number(before[0]) > Number(before[1]) && Number(after[0]) < Number(after[1]))
            passes.set(`${name} ${other}`, (passes.get(`${name} ${other}`) ?? 0) + 1);
        }
      }
    }
    expect(passes.size).toBeGreaterThan(0);
    expect(new Map(answer.passes.map(({ target, passed, searches }) => [`${target} ${passed}`, searches]))).toEqual(
      passes,
    );
  });
});
