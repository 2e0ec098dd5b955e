// DuckDuckGo pages rendered by scripts, written by hand in the structure of those recorded in 2025 and 2026.
import { describe, expect, it } from 'vitest';
import { duckDuckGoEngine } from '../../../../src/service/engines/duckduckgo/index.ts';

const page = (items: string, side = '') =>
  `<html><body><img src="https://external-content.duckduckgo.com/ip3/a.example.ico"><div id="header"><form data-testid="search-form"><input type="text" name="q" value="running shoes"></form></div>
<div data-testid="duckbar"><ul><li><a href="/?q=running+shoes&amp;ia=web">All</a></li><li><a href="/?q=running+shoes&amp;ia=images">Images</a></li></ul><ul><li><a href="/?q=running+shoes&amp;ia=chat">Chat</a></li></ul></div>
<div id="react-layout"><section data-testid="mainline" data-area="mainline"><ol class="x1">${items}</ol><p>${'Words of the page. '.repeat(20)}</p></section>
<section data-area="sidebar"><ol>${side}</ol></section></div></body></html>`;

const title = (link: string, text: string) =>
  `<div class="q9"><h2 class="z2"><a href="${link}" class="k3" data-testid="result-title-a"><span>${text}</span></a></h2></div>`;

const item = (link: string, text: string, more = '', layout = 'organic') =>
  `<li data-layout="${layout}" class="w5"><article data-testid="result">
<div><button>Menu</button><div><p>${new URL(link).host}</p><a href="?q=running+shoes%20site%3Ax"><span>Only this site</span></a></div></div>
<div><a href="/?q=running+shoes+site:x" data-testid="result-extras-site-search-link"><img></a><div><p class="n">Site of ${text}</p><a href="${link}" data-testid="result-extras-url-link"><p><span>${new URL(link).origin}</span><span> › path</span></p></a></div></div>
${title(link, text)}${more}</article></li>`;

const snippet = (inner: string) =>
  `<div><div data-result="snippet"><div><span style="-webkit-line-clamp: 3;">${inner}</span></div></div></div>`;

const read = (html: string) => duckDuckGoEngine.parse(html, { keyword: 'running shoes', mobile: false });

describe('a DuckDuckGo page rendered by scripts', () => {
  it('is read into results with their texts, sites, dates and sitelinks', () => {
    const links = `<div><ul><li id="sl-0"><a href="https://a.example/home"><h3>Home</h3><p>Text</p></a></li></ul></div>`;
    const { serp } = read(
      page(
        item('https://a.example/', 'A', snippet('<span>About <b>shoes</b> and more</span>') + links) +
          item('https://b.example/x', 'B', snippet('<span>May 20, 2024</span><span>Shoes <b>of</b> B</span>')),
      ),
    );
    expect(serp.organic).toEqual([
      {
        rank: 1,
        global_rank: 1,
        title: 'A',
        description: 'About shoes and more',
        link: 'https://a.example/',
        display_link: 'https://a.example › path',
        source: 'Site of A',
        extensions: [{ type: 'site_link', text: 'Home', link: 'https://a.example/home', rank: 1 }],
      },
      {
        rank: 2,
        global_rank: 2,
        title: 'B',
        description: 'Shoes of B',
        link: 'https://b.example/x',
        display_link: 'https://b.example › path',
        source: 'Site of B',
        extensions: [{ type: 'date', text: 'May 20, 2024', rank: 1 }],
      },
    ]);
    expect(serp.navigation?.map(({ title: tab }) => tab)).toEqual(['All', 'Images']);
  });

  it('also has ads, pictures, places and related searches, and none of them is a result', () => {
    const ad = item('https://duckduckgo.com/y.js?ad_domain=ad.example&u3=x', 'Ad', '', 'ad');
    const images = '<li data-layout="images"><a href="https://p.example/1"><h2>Picture</h2></a></li>';
    const related =
      '<li data-layout="related_searches"><ol><li><a class="result__a" href="?q=trail+shoes">trail <b>shoes</b>\u200b</a></li></ol></li>';
    const places = `<li data-layout="maps_places"><article>${title('https://shop.example/', 'Shop')}</article></li>`;
    const { serp, features } = read(page(ad + images + item('https://a.example/', 'A') + related, places));
    expect(serp.organic?.map(({ link, global_rank }) => [link, global_rank])).toEqual([['https://a.example/', 2]]);
    expect(serp.top_ads).toMatchObject([{ title: 'Ad', link: 'https://ad.example' }]);
    expect(serp.related).toEqual([
      { rank: 1, global_rank: 3, text: 'trail shoes', link: 'https://duckduckgo.com/?q=trail+shoes' },
    ]);
    expect(features).toEqual([
      { type: 'paid', links: ['https://ad.example'] },
      { type: 'related_searches', links: [] },
      { type: 'images', links: ['https://p.example/1'] },
      { type: 'local_pack', links: ['https://shop.example/'] },
    ]);
  });

  it('has a generated answer with its sources, and a panel', () => {
    const answer =
      '<li data-layout="wikinlp"><div data-testid="duckassist-answer-content"><p>Shoes are made to run.</p><span><a href="https://w.example/"><img><span>W</span></a></span></div></li>';
    const about =
      '<li data-layout="about"><a href="https://w.example/shoe"><h2>Shoe</h2></a><div><span class="expandableItem">A shoe.</span> <a href="https://w.example/shoe">More</a></div></li>';
    const { serp, features } = read(page(answer + item('https://a.example/', 'A'), about));
    expect(serp.ai_overview).toEqual({
      texts: [{ type: 'paragraph', snippet: 'Shoes are made to run.' }],
      references: [{ index: 0, title: 'W', href: 'https://w.example/' }],
    });
    expect(serp.knowledge).toEqual({ name: 'Shoe', description: 'A shoe.' });
    expect(features).toEqual([
      { type: 'ai_overview', links: ['https://w.example/'] },
      { type: 'knowledge_graph', links: ['https://w.example/shoe'] },
    ]);
    expect(serp.organic).toHaveLength(1);
    const offered = '<li data-layout="wikinlp"><button data-testid="duckassist-action-button">Assist</button></li>';
    expect(read(page(offered + item('https://a.example/', 'A'))).features).toEqual([]);
  });

  it('is refused if one of its results cannot be read: the others would move up', () => {
    const unread = '<li data-layout="organic"><article data-testid="result"><p>Loading</p></article></li>';
    expect(() => read(page(unread + item('https://a.example/', 'A')))).toThrow(
      expect.objectContaining({ reason: 'unparseable' }),
    );
  });

  it('without any result and without a statement about it is not an empty SERP', () => {
    expect(() => read(page(''))).toThrow(expect.objectContaining({ reason: 'no_organic_results' }));
  });
});
