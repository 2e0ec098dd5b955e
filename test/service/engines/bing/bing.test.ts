// Bing pages, written by hand in the structure of the recorded ones: results, refusals and requests.
import { describe, expect, it } from 'vitest';
import { bingEngine } from '../../../../src/service/engines/bing/index.ts';
import { readLink } from '../../../../src/service/engines/bing/urls.ts';
import { marks } from './pages.ts';

const result = (link: string, title: string, inner = '') =>
  `<li class="b_algo"><h2><a href="${link}">${title}</a></h2><div class="b_caption"><div class="b_attribution"><cite>${link}</cite></div><p><span class="news_dt">1/2/2026</span> · Text of ${title}</p></div>${inner}</li>`;

const page = (items: string, around: { before?: string; query?: string; aside?: string } = {}) =>
  `<html><body>${marks}<header id="b_header"><form id="sb_form"><input id="sb_form_q" name="q" value="${around.query ?? 'running shoes'}"></form></header>
${around.before ?? ''}<div id="b_content"><ol id="b_results">${items}</ol><ol id="b_context">${around.aside ?? ''}</ol></div><p>${'Words of the page. '.repeat(20)}</p></body></html>`;

const read = (html: string) => bingEngine.parse(html, { keyword: 'running shoes', mobile: false });
const links = (html: string) => read(html).serp.organic?.map(({ link }) => link);
const refused = (reason: string) => expect.objectContaining({ code: 'SERP_FAILED', reason });
const asked = { keyword: 'köln & co', country: 'DE', language: 'de', mobile: false, page: 1 };

describe('a Bing page', () => {
  it('is read into title, text, date, URL and sitelinks', () => {
    const deep =
      '<div class="b_vlist2col b_deep"><ul><li><h3><a href="https://a.example/news">News</a></h3><p>All news</p></li></ul></div>';
    expect(read(page(result('https://a.example/', 'A', deep))).serp.organic).toEqual([
      {
        rank: 1,
        global_rank: 1,
        title: 'A',
        description: 'Text of A',
        link: 'https://a.example/',
        display_link: 'https://a.example/',
        extensions: [
          { type: 'site_link', text: 'News', link: 'https://a.example/news', rank: 1 },
          { type: 'date', text: '1/2/2026', rank: 2 },
        ],
      },
    ]);
  });

  it('has no results in ads and answers', () => {
    const nested = `<li class="b_ans"><ul>${result('https://no.example/', 'No')}</ul></li>`;
    const ad =
      '<li class="b_ad"><ul><li><div class="sb_add"><h2><a href="https://www.bing.com/aclick?ld=x&amp;u=aHR0cHMlM2ElMmYlMmZhZC5leGFtcGxlJTJm">Ad</a></h2></div></li></ul></li>';
    const { serp, features } = read(page(ad + result('https://a.example/', 'A') + nested));
    expect(serp.organic?.map(({ link, global_rank }) => [link, global_rank])).toEqual([['https://a.example/', 2]]);
    expect(serp.top_ads).toMatchObject([{ rank: 1, title: 'Ad', link: 'https://ad.example/' }]);
    expect(features).toContainEqual({ type: 'paid', links: ['https://ad.example/'] });
  });

  it('for a phone has its headings in the links', () => {
    const item =
      '<li class="b_algo"><a href="https://m.example/"><h2>M</h2></a><div class="b_caption"><p>x</p></div></li>';
    expect(links(page(item))).toEqual(['https://m.example/']);
  });

  it('unwraps redirects', () => {
    const wrapped = `https://www.bing.com/ck/a?!&amp;&amp;p=1&amp;u=a1${Buffer.from('https://b.example/ü?x=1').toString('base64url')}&amp;ntb=1`;
    expect(links(page(result(wrapped, 'B')))).toEqual(['https://b.example/ü?x=1']);
    expect(readLink('/search?q=x')).toEqual({ isAd: false });
    expect(readLink('https://www.bing.com/news')).toEqual({ destination: 'https://www.bing.com/news', isAd: false });
  });

  it.each([
    ['another query', page(result('https://a.example/', 'A'), { query: 'running socks' }), 'wrong_query'],
    [
      'a corrected query',
      page(result('https://a.example/', 'A'), {
        before:
          '<div id="sp_requery">Including results for <a href="/search?q=r">running socks</a></div><div id="sp_recourse">Do you want results only for <a href="/search?q=s">running shoes</a>?</div>',
      }),
      'wrong_query',
    ],
    [
      'a wider query, where the one asked for found nothing',
      page(result('https://a.example/', 'A'), {
        before:
          '<div id="sp_requery"><h2>No results found for "running shoes"</h2></div><div id="sp_recourse">Showing results for <a href="/search?q=r">running socks</a> (without quotes).</div>',
      }),
      'wrong_query',
    ],
    ['a challenge', page('<div class="captcha"><form action="/challenge/verify"></form></div>'), 'blocked'],
    ['no results and no word of it', page('<li class="b_ans"><p>Something else</p></li>'), 'no_organic_results'],
    ['a shell', '<html><body><div id="b_content"></div></body></html>', 'javascript_wall'],
    ['a page of another site', `<html><body><p>${'Words. '.repeat(60)}</p></body></html>`, 'unparseable'],
    ['a page that breaks off', page(result('https://a.example/', 'A')).split('</ol>')[0] ?? '', 'unparseable'],
    ['nested tags', '<div>'.repeat(20_000), 'unparseable'],
    [
      'a wider search below "no results"',
      page(`<li class="b_no"><h1>There are no results</h1></li>${result('https://a.example/', 'A')}`),
      'wrong_query',
    ],
  ])('of %s is refused', (_, html, reason) => {
    expect(() => read(html)).toThrow(refused(reason));
  });

  it('with the statement that nothing was found is empty', () => {
    const html = page('<li class="b_no"><h1>There are no results for <strong>running shoes</strong></h1></li>');
    expect(read(html).serp).toEqual({});
  });

  it('is requested in its market, and the next one by the links of the page before', () => {
    const { url } = bingEngine.request(asked);
    expect(Object.fromEntries(new URL(url).searchParams)).toEqual({
      q: 'köln & co',
      setlang: 'de',
      cc: 'DE',
      mkt: 'de-DE',
    });
    const second = { ...asked, page: 2 };
    const three = page(['a', 'b', 'c'].map((name) => result(`https://${name}.example/`, name)).join(''));
    expect(new URL(bingEngine.nextOf!(three, second, 4).url).searchParams.get('first')).toBe('8');
    const linked = page(
      `${result('https://a.example/', 'A')}<li class="b_pag"><ul><li><a class="sb_pagS">1</a></li><li><a href="/search?q=x&amp;first=5">2</a></li></ul></li>`,
    );
    expect(bingEngine.nextOf!(linked, second, 0).url).toBe('https://www.bing.com/search?q=x&first=5');
  });
});
