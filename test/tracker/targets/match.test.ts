// A rank, an absence or neither: only what the pages read prove.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Target } from '../../../src/tracker/project.ts';
import {
  absoluteRanks,
  matchTargets as matchCompiled,
  ownedFeatures,
  type PagesRead,
  type RankedPage,
  type TargetOutcome,
} from '../../../src/tracker/targets/match.ts';
import { compileTargets } from '../../../src/tracker/targets/target.ts';

const acme: Target = { match: 'domain', value: 'acme.com' };
const globex: Target = { match: 'domain', value: 'globex.com' };

function matchTargets(read: PagesRead, targets: readonly Target[]): TargetOutcome[] {
  return matchCompiled(read, compileTargets(targets));
}

/** A page whose results are these hosts. */
function pageOf(page: number, ...hosts: string[]): RankedPage {
  return {
    page,
    organic: hosts.map((host, index) => ({ url: `https://${host}/p`, absoluteRank: page * 100 + index })),
  };
}

function read(pages: RankedPage[], depth: number, endsAfterPage: number | null = null): PagesRead {
  return { pages, depth, endsAfterPage };
}

describe('matching targets', () => {
  it('counts the organic rank over pages of any length, and takes the first result', () => {
    const pages = [pageOf(1, 'a.com', 'b.com', 'c.com'), pageOf(2, 'd.com', 'www.acme.com', 'acme.com')];
    expect(matchTargets(read(pages, 2), [acme, globex])).toEqual([
      { kind: 'ranked', organicRank: 5, absoluteRank: 201, page: 2, url: 'https://www.acme.com/p' },
      { kind: 'notFound', depth: 2 },
    ]);
  });

  it('gives no rank to a result beyond an unread page, and no absence either', () => {
    const pages = [pageOf(1, 'a.com'), pageOf(3, 'acme.com')];
    expect(matchTargets(read(pages, 3), [acme, globex])).toEqual([
      { kind: 'seen', page: 3, url: 'https://acme.com/p' },
      { kind: 'notFollowed', pages: 1 },
    ]);
  });

  it('proves no absence if the check stopped above its depth', () => {
    const pages = [pageOf(1, 'a.com'), pageOf(2, 'acme.com')];
    expect(matchTargets(read(pages, 10), [acme, globex])[1]).toEqual({ kind: 'notFollowed', pages: 2 });
    expect(matchTargets(read(pages, 2), [acme, globex])[1]).toEqual({ kind: 'notFound', depth: 2 });
  });

  it('proves an absence to the whole depth if the engine said that nothing follows', () => {
    expect(matchTargets(read([pageOf(1, 'a.com')], 10, 1), [acme])).toEqual([{ kind: 'notFound', depth: 10 }]);
    expect(matchTargets(read([pageOf(1)], 10, 1), [acme])).toEqual([{ kind: 'notFound', depth: 10 }]);
    const withGap = [pageOf(1, 'a.com'), pageOf(3), pageOf(4)];
    expect(matchTargets(read(withGap, 10, 3), [acme])).toEqual([{ kind: 'notFollowed', pages: 1 }]);
  });

  it('proves nothing without page 1', () => {
    expect(matchTargets(read([], 3), [acme])).toEqual([{ kind: 'unproven' }]);
    expect(matchTargets(read([pageOf(2, 'a.com')], 3), [acme])).toEqual([{ kind: 'unproven' }]);
    expect(matchTargets(read([], 3, 0), [acme])).toEqual([{ kind: 'unproven' }]);
  });

  it('never invents a rank, over thousands of random page outcomes', () => {
    const hosts = ['acme.com', 'globex.com', 'a.com', 'b.com', 'c.com', 'd.com', 'e.com', 'f.com'];
    const rounds = 5_000;
    const seen = { ranked: 0, notFound: 0, notFollowed: 0, seen: 0, unproven: 0, notFoundAtTheEnd: 0 };
    let seed = 20_260_101;
    const random = (below: number) => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((seed / 2 ** 32) * below);
    };
    for (let round = 0; round < rounds; round += 1) {
      const depth = 1 + random(5);
      const end = random(4) === 0 ? 1 + random(depth) : null;
      const world = Array.from({ length: end ?? depth }, (_, index) =>
        pageOf(index + 1, ...Array.from({ length: 1 + random(4) }, () => hosts[random(random(2) ? 8 : 2)] ?? 'a.com')),
      );
      const pages = world.filter(() => random(4) !== 0);
      const sawTheEnd = end !== null && pages.some((page) => page.page === end);
      const outcomes = matchTargets(read(pages, depth, sawTheEnd ? end : null), [acme, globex]);
      outcomes.forEach((outcome, index) => {
        const host = hosts[index] ?? '';
        const results = world.flatMap((page) => page.organic.map((result) => ({ page: page.page, url: result.url })));
        const first = results.findIndex((result) => result.url.includes(host));
        const missing = (until: number) => world.some((page) => page.page <= until && !pages.includes(page));
        seen[outcome.kind] += 1;
        if (outcome.kind === 'ranked') {
          expect(outcome.organicRank).toBe(first + 1);
          expect(missing(outcome.page)).toBe(false);
        } else if (outcome.kind === 'notFound') {
          if (sawTheEnd) seen.notFoundAtTheEnd += 1;
          expect(outcome.depth).toBeGreaterThanOrEqual(depth);
          expect(missing(outcome.depth)).toBe(false);
          expect(results.some((result) => result.url.includes(host))).toBe(false);
        } else if (outcome.kind === 'notFollowed') {
          expect(missing(outcome.pages)).toBe(false);
          expect(missing(depth)).toBe(true);
          expect(results.some((result) => result.page <= outcome.pages && result.url.includes(host))).toBe(false);
        } else if (outcome.kind === 'seen') {
          expect(missing(outcome.page)).toBe(true);
        } else {
          expect(missing(depth)).toBe(true);
        }
      });
    }
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(rounds / 100);
  });
});

describe('the owned features', () => {
  it('list for each target the types that link to it, once each, in page order', () => {
    const features = [
      { type: 'paid', links: ['https://ads.example/'] },
      { type: 'featured_snippet', links: ['https://www.acme.com/a'] },
      { type: 'video', links: ['https://globex.com/', 'https://acme.com/v', 'https://acme.com/w'] },
      { type: 'video', links: ['https://acme.com/x'] },
      { type: 'people_also_ask', links: [] },
    ];
    expect(ownedFeatures(features, [acme, globex, { match: 'host', value: 'x.com' }])).toEqual([
      ['featured_snippet', 'video'],
      ['video'],
      [],
    ]);
  });
});

describe('absolute ranks', () => {
  const page = (number: number, organic: (number | null)[], lowest: number | null, highest: number | null) => ({
    page: number,
    organic,
    lowest,
    highest,
  });

  it('add the earlier pages if numbers restart on each page', () => {
    const pages = [page(1, [2, 5, 9], 1, 12), page(2, [1, 2, 4], 1, 10), page(3, [3], 2, 8)];
    expect(absoluteRanks(pages)).toEqual([[2, 5, 9], [13, 14, 16], [25]]);
  });

  it('equal the numbers that continue', () => {
    const pages = [page(1, [2, 5, 9], 1, 12), page(2, [13, 14], 13, 20), page(3, [25], 21, 26)];
    expect(absoluteRanks(pages)).toEqual([[2, 5, 9], [13, 14], [25]]);
  });

  it('are unknown beyond a page without numbers, or a missing page, if numbers restart', () => {
    expect(absoluteRanks([page(1, [2, 3], 1, 5), page(2, [null, null], null, null), page(3, [1], 1, 4)])).toEqual([
      [2, 3],
      [null, null],
      [null],
    ]);
    expect(absoluteRanks([page(1, [2], 1, 5), page(3, [1], 1, 4)])).toEqual([[2], [null]]);
    expect(absoluteRanks([page(2, [1], 1, 4)])).toEqual([[null]]);
    expect(absoluteRanks([])).toEqual([]);
  });

  it('rise over the pages in both cases', () => {
    const sizes = fc.array(fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(sizes, fc.boolean(), (elements, runOn) => {
        let before = 0;
        const pages = elements.map((isOrganic, index) => {
          const start = runOn ? before : 0;
          before += isOrganic.length;
          const organic = isOrganic.flatMap((is, at) => (is ? [start + at + 1] : []));
          return page(index + 1, organic, start + 1, start + isOrganic.length);
        });
        const flat = elements.flat().flatMap((is, at) => (is ? [at + 1] : []));
        expect(absoluteRanks(pages).flat()).toEqual(flat);
      }),
      { numRuns: 500 },
    );
  });
});
