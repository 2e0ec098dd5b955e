// The rule of links of each engine: its own pages, clicks on ads and redirects, with or without a parser.
import { describe, expect, it } from 'vitest';
import { readLinkOf, resolveRedirect } from '../../../src/service/engines/links.ts';
import { engineLinks, redirected } from '../../contract/sources/engine-links.ts';
import { openVendor } from '../sources/vendor-service.ts';

describe.each([...engineLinks])('a link of %s', (engine, { own, results, ads, redirects, opaque }) => {
  const read = (link: string) => readLinkOf([engine], link);

  it.each(own)('to its own page leads nowhere: %s', (link) => {
    expect(read(link)).toMatchObject({ isAd: false });
    expect(read(link).destination).toBeUndefined();
    expect(read(link).isOpaque).not.toBe(true);
  });
  it.each(results)('to a page that may be a result leads there: %s', (link) => {
    expect(read(link)).toEqual({ destination: link, isAd: false });
  });
  it.each(ads)('is a click on an ad, on pages of other engines as well: %s', (link) => {
    expect(read(link).isAd).toBe(true);
    expect(resolveRedirect(link).isAd).toBe(true);
  });
  it.each(redirects)('leads to the page in it, on pages of other engines as well: %s', (link) => {
    expect(read(link)).toEqual({ destination: redirected, isAd: false });
    expect(resolveRedirect(link)).toEqual({ link: redirected, isAd: false });
  });
  it.each(opaque)('leads to a page that only the engine knows: %s', (link) => {
    expect(read(link)).toMatchObject({ isAd: false, isOpaque: true });
  });
});

describe('an instance of SearXNG', () => {
  const keyword = 'shoes';
  const read = async (engines: readonly string[], link: string) => {
    const { ask } = await openVendor('searxng', { engines }, keyword);
    const [engine = ''] = engines;
    const results = ['https://a.example/1', link, 'https://b.example/2'].map((url, nth) => ({
      ...{ url, title: `Shoes ${nth}`, content: 'Shoes', engine, engines: [engine], positions: [nth + 1] },
    }));
    const page = await ask({ body: { query: keyword, results } });
    return page.serp.organic?.map((result) => result.link);
  };

  it.each([...engineLinks])(
    'has the links of the engine that it is asked for: %s',
    async (engine, { own, results }) => {
      for (const link of own)
        expect(await read([engine], link)).toEqual(['https://a.example/1', 'https://b.example/2']);
      for (const link of results) expect(await read([engine], link)).toHaveLength(3);
    },
  );

  it('leaves out the own pages of any of several engines, and none of an engine without a rule', async () => {
    const [own = ''] = engineLinks.get('bing')?.own ?? [];
    expect(await read(['google', 'bing'], own)).toHaveLength(2);
    expect(await read(['qwant'], own)).toHaveLength(3);
    const [redirect = ''] = engineLinks.get('bing')?.redirects ?? [];
    expect(await read(['qwant'], redirect)).toContain(redirected);
  });
});
