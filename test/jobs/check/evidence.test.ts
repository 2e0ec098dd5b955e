// What the pages of a check prove, and what they only suggest.
import { describe, expect, it } from 'vitest';
import { type EvidencePage, endOfResults, proveOutcomes, toContents } from '../../../jobs/check/evidence.ts';
import type { SerpPage } from '../../../src/service/index.ts';
import type { Target } from '../../../src/tracker/project.ts';
import { compileTargets } from '../../../src/tracker/targets/target.ts';

const acme: Target = { match: 'domain', value: 'acme.example' };
const targets = { list: [acme], compiled: compileTargets([acme]) };

/** A page of links with the positions that the service stated. */
function page(
  number: number,
  links: readonly (readonly [url: string, globalRank: number | null])[],
  more: Partial<EvidencePage> = {},
): EvidencePage {
  const ranks = links.map(([, globalRank]) => globalRank ?? 0);
  return {
    page: number,
    organic: links.map(([url, globalRank]) => ({ url, globalRank })),
    lastGlobalRank: ranks.length === 0 ? null : Math.max(...ranks),
    features: [],
    last: links.length === 0,
    observedAt: 1,
    ...more,
  };
}

const outcome = (pages: readonly EvidencePage[], depth: number, broken: boolean) =>
  proveOutcomes(pages, targets, depth, broken).outcomes[0];

describe('evidence', () => {
  it('counts organic ranks over all pages and ignores the numbers of the service', () => {
    const pages = [
      page(2, [
        ['https://b.example/', 1],
        ['https://acme.example/', 2],
      ]),
      page(1, [
        ['https://a.example/', 1],
        ['https://c.example/', 4],
      ]),
    ];
    expect(outcome(pages, 3, false)).toMatchObject({ kind: 'ranked', organicRank: 4, absoluteRank: 6, page: 2 });
  });

  it('omits a position among all elements that is better than the organic rank', () => {
    const strange = [
      page(1, [
        ['https://a.example/', 1],
        ['https://b.example/', 1],
        ['https://acme.example/', 2],
      ]),
    ];
    expect(outcome(strange, 1, false)).toMatchObject({ kind: 'ranked', organicRank: 3, absoluteRank: null });
  });

  it('of an incomplete check says nothing about a target that it did not find', () => {
    const pages = [page(1, [['https://a.example/', 1]])];
    expect(outcome(pages, 3, true)).toEqual({ kind: 'unproven' });
    expect(outcome(pages, 1, true)).toEqual({ kind: 'notFound', depth: 1 });
    expect(outcome(pages, 3, false)).toEqual({ kind: 'notFollowed', pages: 1 });
  });

  it('ends at the first page that the engine said was empty', () => {
    expect(endOfResults([page(1, [['https://a.example/', 1]]), page(3, []), page(2, [])])).toBe(2);
    expect(endOfResults([page(1, [['https://a.example/', 1]])])).toBeNull();
  });

  it('names each feature once, in order, and those that show the target', () => {
    const features = [
      { type: 'ai_overview', links: ['https://www.acme.example/guide', 'https://x.example/'] },
      { type: 'video', links: [] },
    ];
    const found = proveOutcomes(
      [page(1, [['https://a.example/', 1]], { features }), page(2, [['https://b.example/', 1]], { features })],
      targets,
      2,
      false,
    );
    expect(found.features).toEqual(['ai_overview', 'video']);
    expect(found.owned).toEqual([['ai_overview']]);
  });
});

describe('the stored form of an answer', () => {
  it('has the links in order with plausible positions, and the last position of any element', () => {
    const serp = {
      organic: [
        { rank: 1, global_rank: 2, title: 'a', link: 'https://a.example/' },
        { rank: 2, global_rank: 0, title: 'b', link: 'https://b.example/' },
        { rank: 3, global_rank: 2.5, title: 'c', link: 'https://c.example/' },
        { rank: 4, title: 'd', link: 'https://d.example/' },
      ],
      people_also_ask: [{ rank: 1, global_rank: 7, question: 'Why?' }],
    } as unknown as SerpPage;
    const contents = toContents({
      page: 1,
      serp,
      features: [],
      body: { contentType: 'application/json', text: '' },
      observedAt: 1,
    });
    expect(contents.organic.map((result) => result.globalRank)).toEqual([2, null, null, null]);
    expect(contents.lastGlobalRank).toBe(7);
    expect(contents.last).toBe(false);
  });
});
