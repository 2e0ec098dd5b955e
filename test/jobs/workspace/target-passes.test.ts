// Which target passed which: counted only where both orders are proven.
import { expect, it } from 'vitest';
import { countPasses, type Standing } from '../../../jobs/workspace/target-passes.ts';

const absent = Number.POSITIVE_INFINITY;
/** Standings of two targets in one search, by date. */
function passes(ours: Standing[], theirs: Standing[]): string[] {
  const lines = [ours, theirs];
  const targets = ['ours.example', 'theirs.example'].map((value, at) => ({
    target: { match: 'domain' as const, value },
    isOwn: at === 0,
    trails: new Map([['search', Uint16Array.from(ours, (_, date) => 10 * at + date)]]),
  }));
  const standing = (trail: Uint16Array | undefined, index: number): Standing => {
    const [code = 0] = trail?.slice(index, index + 1) ?? [];
    return lines[Math.floor(code / 10)]?.[code % 10] ?? null;
  };
  return countPasses(targets, ['search'], [...ours.keys()], standing).map(
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
