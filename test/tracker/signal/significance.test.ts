// The noise band: which changes are significant for a keyword, and which are its usual fluctuation.
import { describe, expect, it } from 'vitest';
import type { SignificanceClass } from '../../../src/tracker/observation.ts';
import type { Sighting } from '../../../src/tracker/signal/sightings.ts';
import { sightingsMax, significanceAmong } from '../../../src/tracker/signal/significance.ts';

const dayMs = 86_400_000;

function seen(day: number, rank: number | null, { depth = 3, source = 'a/b' } = {}): Sighting {
  return { checkedAt: day * dayMs, rank, depth, resultsRead: rank === null ? depth * 10 : null, source };
}

/** Daily sightings from day 1 on. */
function daily(ranks: readonly number[], source = 'a/b'): Sighting[] {
  return ranks.map((rank, index) => seen(index + 1, rank, { source }));
}

type Change = Parameters<typeof significanceAmong>[0];

/** `history`: sightings of one source, of which the last is that before the change. */
function significance(change: Change, history: readonly Sighting[]) {
  return significanceAmong(change, history.flatMap(({ rank }) => rank ?? []).slice(-sightingsMax));
}

function classOf(
  ranks: readonly number[],
  after: number | null,
  options: { readonly second?: number | null; readonly depth?: number } = {},
): SignificanceClass {
  const history = daily(ranks);
  const before = history.at(-1) as Sighting;
  const day = ranks.length + 1;
  const secondLook = options.second === undefined ? {} : { secondLook: seen(day + 0.3, options.second, options) };
  return significance({ before, after: seen(day, after, options), ...secondLook }, history).class;
}

const quiet = Array.from({ length: 30 }, () => 5);
const leading = Array.from({ length: 60 }, () => 1);
const jittery = [5, 6, 5, 4, 5, 5, 6, 5, 4, 5, 6, 5];
const wild = [5, 12, 4, 9, 15, 6, 11, 3, 10, 5, 13, 6, 12, 4];

describe('the significance of a change', () => {
  it.each<[string, readonly number[], number | null, SignificanceClass]>([
    ['one rank of a keyword without history is noise', [5], 6, 'noise'],
    ['three ranks of a keyword without history are likely', [5], 8, 'likely'],
    ['ten ranks of a keyword without history are certain', [5], 15, 'certain'],
    ['one rank of a jittery keyword is noise', jittery, 6, 'noise'],
    ['four ranks of a jittery keyword are certain', jittery, 9, 'certain'],
    ['two ranks of a keyword that never moves are certain', quiet, 7, 'certain'],
    ['one rank of a keyword that never moves is likely, never certain', quiet, 6, 'likely'],
    ['one rank of a first result that never moves is likely, never certain', leading, 2, 'likely'],
    ['the return from one other rank in a quiet past is noise', [...quiet, 6], 5, 'noise'],
    ['two ranks of a wild keyword are noise', wild, 6, 'noise'],
    ['a rank that a wild keyword had lately is noise, however far away', wild, 13, 'noise'],
    ['a rank far outside the usual range of a wild keyword is certain', wild, 40, 'certain'],
    ['no change is noise', quiet, 5, 'noise'],
    ['a drop out of the pages read is likely, never certain, after one check', quiet, null, 'likely'],
  ])('%s', (_, ranks, after, expected) => {
    expect(classOf(ranks, after)).toBe(expected);
  });

  it('is not certain after one check where the target has made the same change twice before', () => {
    const weekend = (rank: number) => [5, 5, 6, 5, 4, rank, rank];
    const weeks = [...weekend(12), ...weekend(11), ...weekend(12)];
    expect(classOf(weeks.slice(0, 12), 12)).toBe('certain');
    expect(classOf(weeks.slice(0, 19), 12)).toBe('likely');
    expect(classOf(weeks.slice(0, 19), 12, { second: 12 })).toBe('certain');
    expect(classOf(weeks.slice(0, 19), 25)).toBe('certain');
    expect(classOf(weeks, 5)).toBe('likely');
  });

  it('is measured from the level, not from the last check: from one end of the jitter to the other is noise', () => {
    expect(classOf([5, 5, 5, 5, 5, 6], 4)).toBe('noise');
    expect(classOf([6], 3)).toBe('likely');
  });

  it('is measured from the new level after a lasting move', () => {
    expect(classOf([...jittery, 14, 14, 15, 14, 13, 14], 15)).toBe('noise');
    expect(classOf([...jittery, 14, 14, 15, 14, 13, 14], 5)).toBe('certain');
  });

  it('is decided by a second check', () => {
    expect(classOf(jittery, 7)).toBe('likely');
    expect(classOf(jittery, 7, { second: 7 })).toBe('certain');
    expect(classOf(jittery, 7, { second: 5 })).toBe('noise');
    expect(classOf(quiet, null, { second: null })).toBe('certain');
    expect(classOf(quiet, null, { second: 5 })).toBe('noise');
  });

  it('depends on the depth: an absence just beyond the pages read is noise for a rank near their end', () => {
    const ranks = [29, 30, 29, 28, 30, 29];
    expect(classOf(ranks, null, { depth: 3 })).toBe('noise');
    expect(classOf(ranks, null, { depth: 10 })).toBe('likely');
  });

  it('of an entry depends on how far it lies above the pages read before', () => {
    const before = seen(1, null, { depth: 1 });
    const entry = (rank: number) => significance({ before, after: seen(2, rank, { depth: 3 }) }, [before]);
    expect(entry(10)).toEqual({ class: 'noise', band: null, observations: 0 });
    expect(entry(8).class).toBe('likely');
    expect(entry(1).class).toBe('certain');
  });

  it('of a return to the usual ranks is not certain after one check: the absence was not either', () => {
    const history = [...daily(quiet), seen(31, null)];
    const before = history.at(-1) as Sighting;
    const back = (rank: number, second = {}) => significance({ before, after: seen(32, rank), ...second }, history);
    expect(back(5)).toEqual({ class: 'likely', band: null, observations: 30 });
    expect(back(5, { secondLook: seen(32.3, 5) }).class).toBe('certain');
    expect(back(1).class).toBe('certain');
  });

  it('uses a noise band that jitter widens, and a lasting move does not', () => {
    const bandOf = (ranks: readonly number[]) => {
      const history = daily(ranks);
      const before = history.at(-1) as Sighting;
      const { band } = significance({ before, after: seen(99, 50) }, history);
      return (band?.worst ?? 0) - (band?.best ?? 0);
    };
    expect(bandOf(wild)).toBeGreaterThan(bandOf(jittery));
    const climbed = [...Array.from({ length: 12 }, () => 30), ...Array.from({ length: 12 }, () => 5)];
    expect(bandOf(climbed)).toBeLessThanOrEqual(bandOf(jittery));
  });
});
