// The longest gaps of an adaptive plan: page 1 and further pages are each spread evenly until they are due.
import { describe, expect, it } from 'vitest';
import { type GapSearch, gapChecks } from '../../../src/tracker/signal/adaptive-plan.ts';
import type { CheckOption } from '../../../src/tracker/signal/check-value.ts';

interface Numbered extends GapSearch {
  readonly index: number;
}

const option = (credits: number): CheckOption => ({ pages: Math.ceil(credits), value: 0, credits, rate: 0 });
const inOrder = (a: Numbered, b: Numbered): number => a.index - b.index;

/** `count` searches that rank on page 3, all checked down to it in the slot before: gaps of 7 and of 14 slots. */
function justChecked(count: number): Numbered[] {
  return Array.from({ length: count }, (_, index) => ({
    index,
    look: option(1),
    following: option(3),
    lookSlotsLeft: 6,
    followSlotsLeft: 13,
  }));
}

/** The checks of one slot after the other, each of `credits`: how many searches each reads, and reads on. */
function slots(searches: readonly Numbered[], count: number, credits: number): { looks: number; followed: number }[] {
  let now = [...searches];
  return Array.from({ length: count }, () => {
    const checks = new Map(
      gapChecks(now, credits, inOrder).flatMap(({ search, options: [first] }) =>
        first === undefined ? [] : [[search.index, first] as const],
      ),
    );
    now = now.map((each) => {
      const chosen = checks.get(each.index);
      return {
        ...each,
        lookSlotsLeft: chosen === undefined ? each.lookSlotsLeft - 1 : 6,
        followSlotsLeft: chosen?.credits === 3 ? 13 : each.followSlotsLeft - 1,
      };
    });
    const followed = [...checks.values()].filter(({ credits: spent }) => spent === 3).length;
    return { looks: checks.size, followed };
  });
}

describe('the longest gaps', () => {
  it('spread page 1 over one gap and the further pages over two, from the first slot on', () => {
    const spread = slots(justChecked(140), 42, 1_000);
    expect(spread).toEqual(spread.map(() => ({ looks: 20, followed: 10 })));
  });

  it('read no page 1 before its time where the credits do not suffice for further pages', () => {
    const spread = slots(justChecked(1_400), 70, 300);
    const mean = (of: 'looks' | 'followed') => spread.reduce((sum, slot) => sum + slot[of], 0) / spread.length;
    // a quarter of the 100 credits beyond page 1 pays at most 12 checks of two further pages
    expect(mean('followed')).toBeGreaterThan(10);
    expect(mean('looks')).toBeLessThan(206);
  });

  it('follow the searches first that waited longest, however little they are worth', () => {
    const searches = justChecked(10).map((each) => ({ ...each, lookSlotsLeft: 0, followSlotsLeft: -each.index }));
    const followed = gapChecks(searches, 20, inOrder)
      .filter(({ options: [first] }) => first?.credits === 3)
      .map(({ search }) => search.index);
    expect(followed).toEqual([9]);
  });

  it('keep no gap of further pages by page 1 alone', () => {
    const [overdue] = justChecked(1).map((each) => ({ ...each, followSlotsLeft: 0 }));
    expect(gapChecks([overdue as Numbered], 4, inOrder).map(({ options }) => options)).toEqual([[]]);
    const due = { ...(overdue as Numbered), lookSlotsLeft: 0 };
    expect(gapChecks([due], 4, inOrder).map(({ options }) => options)).toEqual([[due.look]]);
  });
});
