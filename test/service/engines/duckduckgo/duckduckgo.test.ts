// DuckDuckGo pages, written by hand in the structure of the recorded ones: results, refusals and requests.
import { describe, expect, it } from 'vitest';
import { duckDuckGoEngine } from '../../../../src/service/engines/duckduckgo/index.ts';
import { marks } from './pages.ts';

const wrapped = (link: string) => `//duckduckgo.com/l/?uddg=${encodeURIComponent(link)}&amp;rut=1`;

const result = (link: string, title: string, kind = 'web-result') =>
  `<div class="result results_links ${kind}"><h2 class="result__title"><a class="result__a" href="${wrapped(link)}">${title}</a></h2><a class="result__url" href="${wrapped(link)}">shown.example</a><a class="result__snippet" href="${wrapped(link)}">Text of ${title}</a></div>`;

const page = (items: string, query = 'running shoes') =>
  `<html><body>${marks}<div id="header"><form action="/html/"><input name="q" type="text" value="${query}"></form></div><div id="links">${items}</div><p>${'Words of the page. '.repeat(20)}</p></body></html>`;

const read = (html: string) => duckDuckGoEngine.parse(html, { keyword: 'running shoes', mobile: false });
const asked = { keyword: 'running shoes', country: 'GB', language: 'en', mobile: false, page: 1 };

describe('a DuckDuckGo page', () => {
  it('is read into results and ads', () => {
    const ad = result('https://duckduckgo.com/y.js?ad_domain=ad.example&u3=x', 'Ad', 'result--ad ');
    const { serp, features } = read(page(ad + result('https://a.example/x', 'A')));
    expect(serp.organic).toEqual([
      {
        rank: 1,
        global_rank: 2,
        title: 'A',
        description: 'Text of A',
        link: 'https://a.example/x',
        display_link: 'shown.example',
      },
    ]);
    expect(serp.top_ads).toMatchObject([{ rank: 1, title: 'Ad', link: 'https://ad.example' }]);
    expect(features).toEqual([{ type: 'paid', links: ['https://ad.example'] }]);
  });

  it('of the lite form is a table', () => {
    const rows = `<table><tr><td>1.</td><td><a class="result-link" href="${wrapped('https://l.example/')}">L</a></td></tr><tr><td></td><td class="result-snippet">Text</td></tr><tr><td><span class="link-text">l.example</span></td></tr></table>`;
    expect(read(page(rows)).serp.organic).toMatchObject([
      { title: 'L', description: 'Text', link: 'https://l.example/', display_link: 'l.example' },
    ]);
  });

  it.each([
    ['another query', page(result('https://a.example/', 'A'), 'running socks'), 'wrong_query'],
    [
      'a challenge',
      '<html><body><form id="challenge-form" action="//duckduckgo.com/anomaly.js?cc=botnet"></form></body></html>',
      'blocked',
    ],
    ['no results and no word of it', page(''), 'no_organic_results'],
    ['a shell', '<html><body><div id="links"></div></body></html>', 'javascript_wall'],
    ['a page that breaks off', page(result('https://a.example/', 'A')).split('</div><p>')[0] ?? '', 'unparseable'],
    ['a page of another site', `<html><body><p>${'Words. '.repeat(60)}</p></body></html>`, 'unparseable'],
    [
      'results of which one cannot be read',
      page(`<div class="result"><h2><a href="/x">B</a></h2></div>${result('https://a.example/', 'A')}`),
      'unparseable',
    ],
    ['nested tags', '<div>'.repeat(20_000), 'unparseable'],
  ])('of %s is refused', (_, html, reason) => {
    expect(() => read(html)).toThrow(expect.objectContaining({ code: 'SERP_FAILED', reason }));
  });

  it('has a panel, which links to a website, profiles and its source', () => {
    const link = (to: string) => `<a href="${wrapped(`https://${to}.example/`)}">${to}</a>`;
    const panel = `<div class="module--about"><h2 class="module__title">Acme</h2><a class="module__more-at" href="https://wiki.example/">Wiki</a>${link('site')}${link('profile')}<a href="#">Feedback</a></div>`;
    const { serp, features } = read(page(result('https://a.example/', 'A')).replace('<div id="links">', `${panel}$&`));
    expect(serp.knowledge).toEqual({ name: 'Acme', description_source: 'Wiki' });
    expect(features).toEqual([
      {
        type: 'knowledge_graph',
        links: ['https://wiki.example/', 'https://site.example/', 'https://profile.example/'],
      },
    ]);
  });

  it('may contain the number of a page, and a button for more', () => {
    const others =
      '<div class="result result--sep"><div>2</div></div><div class="result result--more"><a>More results</a></div>';
    expect(read(page(result('https://a.example/', 'A') + others)).serp.organic).toHaveLength(1);
  });

  it('with the statement that nothing was found is empty, with or without ads', () => {
    const none = '<div class="result result--no-result"><h1>No more results found for <strong>x</strong></h1></div>';
    expect(read(page(none)).serp).toEqual({});
  });

  it.each([
    ['GB', 'en', 'uk-en'],
    ['DE', 'de', 'de-de'],
    ['CH', 'fr', 'ch-fr'],
    ['JP', 'ja', 'jp-jp'],
    ['US', 'es-419', 'us-es'],
    ['NL', 'en', 'nl-nl'],
  ])('is requested in the region of %s and %s: %s', (country, language, region) => {
    const { url } = duckDuckGoEngine.request({ ...asked, country, language });
    expect(new URL(url).searchParams.get('kl')).toBe(region);
  });

  it('is not requested if the engine lacks the region', () => {
    expect(() => duckDuckGoEngine.request({ ...asked, country: 'KE' })).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST', charged: 'no' }),
    );
  });

  it('links to the next page by its last form', () => {
    const form = (s: number) =>
      `<form action="/html/"><input type="hidden" name="q" value="running shoes"><input type="hidden" name="s" value="${s}"><input type="hidden" name="vqd" value="4-1"></form>`;
    const html = page(result('https://a.example/', 'A') + form(0) + form(25));
    expect(duckDuckGoEngine.nextOf!(html, { ...asked, page: 2 }, 0)).toEqual({
      url: 'https://html.duckduckgo.com/html/',
      form: { q: 'running shoes', s: '25', vqd: '4-1' },
    });
    const bare = page(result('https://a.example/', 'A'));
    expect(new URL(duckDuckGoEngine.nextOf!(bare, { ...asked, page: 2 }, 3).url).searchParams.get('s')).toBe('4');
  });
});
