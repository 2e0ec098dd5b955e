// Which target passed which: counted only where both orders are proven.

import { expect, it } from 'vitest';
import { countPasses } from '../../../jobs/read/competitor-series.ts';
import { codeOfRank, rankCodes } from '../../../src/tracker/rank-codes.ts';

type Standing = number | null;

const absent = Number.POSITIVE_INFINITY;

function codeOf(standing: Standing): number {
  if (standing === null) return rankCodes.none;
  return standing === absent ? rankCodes.not_found : codeOfRank(standing);
}

/** Standings of two targets in one search, by date. */
function passes(ours: Standing[], theirs: Standing[]): string[] {
  const targets = [ours, theirs].map((standings, at) => ({
    target: { match: 'domain' as const, value: at === 0 ? 'ours.example' : 'theirs.example' },
    isOwn: at === 0,
    column: (date: number) => Uint16Array.of(codeOf(standings[date] ?? null)),
  }));
  return countPasses(targets, Int32Array.of(0), [...ours.keys()]).map(
    ({ target, passed, searches }) => `${target} ${passed} ${searches}`,
  );
}

it.each<[string, Standing[], Standing[], string[]]>([
  ['a better rank after a worse one', [8, 5, 2], [3, 3, 3], ['ours.example theirs.example 1']],
  ['an entry above', [absent, 2], [3, 3], ['ours.example theirs.example 1']],
  ['a drop out', [2, absent], [3, 3], ['theirs.example ours.example 1']],
  ['no order at first: both were absent', [absent, 2], [absent, 3], []],
  ['the same order on both dates', [2, 9, 2], [3, 3, 3], []],
  ['dates without a check are passed over', [null, 8, 2, null], [null, 3, 3, null], ['ours.example theirs.example 1']],
  ['an unproven rank', [null, 2], [3, 3], []],
  ['one check alone', [null, 2], [null, 3], []],
])('counts passes: %s', (_, ours, theirs, expected) => {
  expect(passes(ours, theirs)).toEqual(expected);
});
