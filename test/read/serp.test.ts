// A SERP is what was read from page 1 to the first missing page.
import { describe, expect, it } from 'vitest';
import {
  buildSerp,
  commonPages,
  commonRanks,
  pageOfRank,
  provenDepth,
  rankOfDomain,
  type Serp,
  type SerpPage,
  type SerpSites,
} from '../../src/read/serp.ts';

/** The domain of a URL is its number in tens; URLs of domain 1 are the target's; 0 to 9 have no domain. */
const sites: SerpSites = {
  targets: [{ value: 'acme.example', role: 'own' }],
  domainOf: (urlId) => Math.floor(urlId / 10),
  domainName: (domain) => `site${domain}.example`,
  targetsOf: (urlId) => (Math.floor(urlId / 10) === 1 ? [0] : []),
  possibleTargetsOf: (urlId) => (urlId === 9 ? [0] : []),
  destinationOf: (urlId) => (urlId === 9 ? 'host_only' : urlId === 8 ? 'hidden' : 'exact'),
  isOther: (urlId) => Math.floor(urlId / 10) > 1,
  readUrls() {},
  url: (urlId) => `https://site.example/${urlId}`,
};

const facts = { checkedAt: 1, source: 'a/b', depth: 3 };

function page(number: number, urlIds: readonly number[], more: Partial<SerpPage> = {}): SerpPage {
  return { page: number, last: false, urlIds, features: [], ...more };
}

const serp = (...pages: SerpPage[]): Serp => buildSerp(facts, pages, sites);

describe('a SERP', () => {
  it('counts ranks over pages, each domain at its best and each target at all of its ranks', () => {
    const read = serp(page(1, [20, 11, 21]), page(2, [5, 30, 12]));
    expect(read).toMatchObject({ pages: 2, domains: [2, 1, 2, 0, 3, 1], bestRanks: [1, 2, 5], targets: [[2, 6]] });
    expect([rankOfDomain(read, 3), rankOfDomain(read, 9)]).toEqual([5, null]);
    expect([1, 3, 4, 6].map((rank) => pageOfRank(read, rank))).toEqual([1, 1, 2, 2]);
  });

  it('ends before a missing page', () => {
    const video = { type: 'video', urlIds: [] };
    const read = serp(page(1, [20]), page(3, [30], { last: true, features: [video] }));
    expect(read).toMatchObject({ pages: 1, ended: false, urlIds: [20], features: [] });
    expect(serp(page(2, [20]))).toMatchObject({ pages: 0, urlIds: [] });
  });

  it('proves absences down to its pages, or to its depth if the engine said that nothing follows', () => {
    expect(provenDepth(serp(page(1, [20])))).toBe(1);
    expect(provenDepth(serp(page(1, [20]), page(2, [], { last: true })))).toBe(3);
  });

  it('proves nothing about a target that a hidden result above it may be', () => {
    const unproven = (...urlIds: number[]) => [...serp(page(1, urlIds)).unproven];
    expect([unproven(9, 10), unproven(10, 9), unproven(8, 20), unproven(8, 10), unproven(20)]).toEqual([
      [0],
      [],
      [0],
      [],
      [],
    ]);
  });

  it('is compared with another one as far as both were read', () => {
    const [short, long] = [serp(page(1, [20, 30])), serp(page(1, [20]), page(2, [30, 40]))];
    const whole = serp(page(1, [20], { last: true }));
    expect([commonRanks(short, long), commonPages(short, long)]).toEqual([2, 1]);
    expect([commonRanks(whole, long), commonPages(whole, long)]).toEqual([3, 2]);
    expect(commonRanks(whole, whole)).toBe(Number.POSITIVE_INFINITY);
  });
});
