// Pages are bought one by one, and no more than an answer needs.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  chooseDepth,
  expectedPages,
  firstPageBought,
  followedTargets,
  nextPage,
  type PagingState,
  worstCasePages,
} from '../../src/tracker/paging.ts';

const start: PagingState = {
  strategy: 'until-found',
  depth: 5,
  lastKnownPages: [null],
  read: [],
  failed: [],
  endsAfterPage: null,
  allFound: false,
};

/** The pages that a check reads in order; `found` is the page of the own target. */
function walk(options: Partial<PagingState>, found = 0, fails: readonly number[] = [], end = 0): number[] {
  let state: PagingState = { ...start, ...options };
  const order: number[] = [];
  for (let page = nextPage(state); page !== null; page = nextPage(state)) {
    expect(order).not.toContain(page);
    order.push(page);
    state = fails.includes(page)
      ? { ...state, failed: [...state.failed, page] }
      : {
          ...state,
          read: [...state.read, page],
          allFound: state.allFound || page === found,
          endsAfterPage: page === end ? end : state.endsAfterPage,
        };
  }
  return order;
}

describe('paging until-found', () => {
  it('reads from page 1 until every own target is found, or to the depth', () => {
    expect(walk({}, 3)).toEqual([1, 2, 3]);
    expect(walk({})).toEqual([1, 2, 3, 4, 5]);
    expect(walk({ depth: 1 })).toEqual([1]);
  });

  it('stops if the engine says that nothing follows, and at a page that finally failed', () => {
    expect(walk({}, 0, [], 2)).toEqual([1, 2]);
    expect(walk({}, 4, [2])).toEqual([1, 2]);
    expect(walk({ strategy: 'until-all-found' }, 4, [2])).toEqual([1, 2]);
  });
});

const sites = {
  targets: [{ match: 'domain', value: 'acme.com' }],
  competitors: [{ match: 'domain', value: 'globex.com' }],
} as const;

describe('the targets that a check follows', () => {
  it('are the own ones, and competitors as well with until-all-found', () => {
    for (const paging of ['until-found', 'anchored', 'full', 'from-4'] as const)
      expect(followedTargets({ ...sites, paging })).toEqual(sites.targets);
    expect(followedTargets({ ...sites, paging: 'until-all-found' })).toEqual([...sites.targets, ...sites.competitors]);
  });

  it('are no places, about which page 1 decides', () => {
    const place = { match: 'place', value: 'cid:12345678' } as const;
    expect(followedTargets({ ...sites, targets: [place], paging: 'until-found' })).toEqual([]);
    expect(expectedPages('until-found', 5, [])).toBe(1);
  });
});

describe('paging full', () => {
  it('reads every page, found or not, failed or not', () => {
    expect(walk({ strategy: 'full' }, 1)).toEqual([1, 2, 3, 4, 5]);
    expect(walk({ strategy: 'full' }, 0, [2])).toEqual([1, 2, 3, 4, 5]);
    expect(walk({ strategy: 'full' }, 0, [], 3)).toEqual([1, 2, 3]);
  });
});

describe('paging anchored', () => {
  const anchored = { strategy: 'anchored', depth: 7 } as const;

  it('reads page 1, the last known page, then outward', () => {
    expect(walk({ ...anchored, lastKnownPages: [4] })).toEqual([1, 4, 3, 5, 2, 6, 7]);
    expect(walk({ ...anchored, lastKnownPages: [4] }, 5)).toEqual([1, 4, 3, 5]);
    expect(walk({ ...anchored, lastKnownPages: [4] }, 1)).toEqual([1]);
    expect(walk({ ...anchored, lastKnownPages: [1] })).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it('serves several own targets, and goes down from page 1 if no rank is known', () => {
    expect(walk({ ...anchored, lastKnownPages: [6, 3] })).toEqual([1, 3, 6, 2, 4, 5, 7]);
    expect(walk({ ...anchored, lastKnownPages: [null] })).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it('goes around a failed page, and stays within the end and within a reduced depth', () => {
    expect(walk({ ...anchored, lastKnownPages: [4] }, 0, [4])).toEqual([1, 4, 3, 5, 2, 6, 7]);
    expect(walk({ ...anchored, lastKnownPages: [5] }, 0, [], 4)).toEqual([1, 5, 4, 3, 2]);
    expect(walk({ ...anchored, depth: 3, lastKnownPages: [6] })).toEqual([1, 3, 2]);
  });
});

describe('every paging strategy', () => {
  it('ends within the worst case, reads no page twice and none beyond the depth', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('until-found', 'until-all-found', 'full', 'anchored'),
        fc.integer({ min: 1, max: 10 }),
        fc.array(fc.option(fc.integer({ min: 1, max: 12 })), { maxLength: 3 }),
        fc.nat({ max: 12 }),
        fc.array(fc.integer({ min: 1, max: 10 }), { maxLength: 3 }),
        fc.nat({ max: 10 }),
        (strategy, depth, lastKnownPages, found, fails, end) => {
          const order = walk({ strategy, depth, lastKnownPages }, found, fails, end);
          expect(order.length).toBeLessThanOrEqual(worstCasePages(depth));
          expect(Math.max(...order)).toBeLessThanOrEqual(depth);
          expect(order[0]).toBe(1);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('reads the expected pages if each target stayed on its page', () => {
    for (const strategy of ['until-found', 'until-all-found', 'full', 'anchored'] as const) {
      for (let known = 1; known <= 5; known += 1) {
        const order = walk({ strategy, lastKnownPages: [known] }, known);
        expect(expectedPages(strategy, 5, [known])).toBe(order.length);
      }
      expect(expectedPages(strategy, 5, [null])).toBe(5);
      expect(expectedPages(strategy, 5, [2, null])).toBe(5);
      expect(expectedPages(strategy, 5, [8])).toBe(5);
    }
    expect(expectedPages('anchored', 10, [4, 4, 6])).toBe(3);
    expect(expectedPages('until-found', 10, [4, 6])).toBe(6);
    expect(expectedPages('until-all-found', 10, [4, 6])).toBe(6);
  });
});

describe('a check that begins at a later page', () => {
  it('needs every page, and buys those from its first one on', () => {
    expect(walk({ strategy: 'from-3', lastKnownPages: [] }, 1)).toEqual([1, 2, 3, 4, 5]);
    expect([firstPageBought('from-3'), firstPageBought('from-10'), firstPageBought('full')]).toEqual([3, 10, 1]);
    expect([worstCasePages(5, 'from-3'), worstCasePages(5, 'from-5'), worstCasePages(5, 'anchored')]).toEqual([
      3, 1, 5,
    ]);
    expect(expectedPages('from-3', 5, [1])).toBe(3);
  });
});

describe('the depth of a check', () => {
  const hourMs = 3_600_000;
  const dayMs = 24 * hourMs;
  const weekly = { depth: 10, everyMs: 7 * dayMs };

  it('is deep the first time and after each period, despite small clock differences', () => {
    expect(chooseDepth(3, weekly, null, 0)).toEqual({ depth: 10, isDeep: true });
    expect(chooseDepth(3, weekly, 0, 6 * dayMs)).toEqual({ depth: 3, isDeep: false });
    expect(chooseDepth(3, weekly, 0, 7 * dayMs)).toEqual({ depth: 10, isDeep: true });
    expect(chooseDepth(3, weekly, 0, 7 * dayMs - hourMs)).toEqual({ depth: 10, isDeep: true });
    expect(chooseDepth(3, weekly, 0, 7 * dayMs - 4 * hourMs)).toEqual({ depth: 3, isDeep: false });
  });

  it("is the keyword's own depth if there is no deeper one", () => {
    expect(chooseDepth(3, undefined, null, 0)).toEqual({ depth: 3, isDeep: false });
    expect(chooseDepth(10, weekly, null, 0)).toEqual({ depth: 10, isDeep: false });
  });

  it('may be deep early by no more than a quarter of a short period', () => {
    expect(chooseDepth(1, { depth: 2, everyMs: 4 * hourMs }, 0, 3 * hourMs).isDeep).toBe(true);
    expect(chooseDepth(1, { depth: 2, everyMs: 4 * hourMs }, 0, 2 * hourMs).isDeep).toBe(false);
  });
});
