// Pages of Bing and DuckDuckGo without known class names: results are found by structure, or the page is refused.
import { describe, expect, it } from 'vitest';
import { bingEngine } from '../../../src/service/engines/bing/index.ts';
import { duckDuckGoEngine } from '../../../src/service/engines/duckduckgo/index.ts';
import type { Engine } from '../../../src/service/engines/engine.ts';
import { ServiceError } from '../../../src/service/model/errors.ts';
import { foot as bingFoot, marks as bingMarks } from './bing/pages.ts';
import { foot as duckFoot, marks as duckMarks } from './duckduckgo/pages.ts';

const sites = ['https://one.example/a', 'https://two.example/b', 'https://three.example/c'];
const host = (link: string): string => new URL(link).host;

interface Form {
  readonly engine: Engine;
  /** One item of the list under a class name that no engine had. */
  item(link: string, name: string, heading?: string): string;
  ad(name: string): string;
  page(items: readonly string[]): string;
}

const forms: Readonly<Record<string, Form>> = {
  Bing: {
    engine: bingEngine,
    item: (link, name, heading = 'h2') =>
      `<li class="${name}"><${heading}><a href="${link}">Title of it</a></${heading}><div><cite>${host(link)} › x</cite><p><span class="z">1 Jan</span>&nbsp;&#0183; Some words.</p></div></li>`,
    ad: (name) =>
      `<li class="${name}"><ul><li><h2><a href="/aclk?ld=x&u=aHR0cHMlM2ElMmYlMmZhZC5leGFtcGxl">Ad</a></h2><cite>ad.example</cite></li></ul></li>`,
    page: (items) =>
      `<html><body>${bingMarks}<input id="sb_form_q" value="k"><ol id="b_results">${items.join('')}</ol>${bingFoot}</body></html>`,
  },
  DuckDuckGo: {
    engine: duckDuckGoEngine,
    item: (link, name, heading = 'h2') => {
      const href = `//duckduckgo.com/l/?uddg=${encodeURIComponent(link)}`;
      return `<div class="${name}"><div><${heading}><a href="${href}">Title of it</a></${heading}><a href="${href}">${host(link)}/x</a><a href="${href}">Some words.</a></div></div>`.replace(
        'Some words.',
        `Some words of ${host(link)}.`,
      );
    },
    ad: (name) =>
      `<div class="${name}"><h2><a href="//duckduckgo.com/y.js?ad_domain=ad.example">Ad</a></h2><a>ad.example</a></div>`,
    page: (items) =>
      `<html><body>${duckMarks}<input name="q" value="k"><div id="links">${items.join('')}</div>${duckFoot}</body></html>`,
  },
};

function linksOf(engine: Engine, html: string): readonly string[] | string {
  try {
    return (engine.parse(html, { mobile: false }).serp.organic ?? []).map(({ link }) => link);
  } catch (error) {
    if (error instanceof ServiceError && error.reason !== undefined) return error.reason;
    throw error;
  }
}

describe.each(Object.entries(forms))('%s under other class names', (name, { engine, item, ad, page }) => {
  const results = sites.map((link, at) => item(link, `q7 ${at === 1 ? 'w2' : ''}`));

  it('lists a result whose host is shown in its own letters', () => {
    const shownAs = item('https://www.xn--mller-kva.example/x', 'q7').replaceAll('www.xn--mller-kva', 'müller');
    const named = shownAs.replace(/https(?::|%3A)(?:\/\/|%2F%2F)müller/g, (start) =>
      start.replace('müller', 'xn--mller-kva'),
    );
    expect(linksOf(engine, page([...results, named]))).toEqual([...sites, 'https://xn--mller-kva.example/x']);
  });

  it('lists the results, without ads and answers, and omits uncertain ones', () => {
    const html = page([ad('a1'), ...results, `<li class="n3">Related <a href="/search?q=x">x</a></li>`, ad('a1')]);
    const { serp } = engine.parse(html, { mobile: false });
    expect(serp.organic?.map(({ link }) => link)).toEqual(sites);
    expect(serp.organic?.[0]).toMatchObject({
      title: 'Title of it',
      description: expect.stringMatching(/^Some words/),
    });
    expect(serp.organic?.[0]?.display_link).toContain('one.example');
    for (const each of serp.organic ?? []) expect(each).not.toHaveProperty('global_rank');
  });

  it.each([
    [
      'an item with another class name that leads out, such as an answer',
      [...results, item('https://four.example/', 'n3')],
    ],
    ['a result without a heading', [...results, item('https://four.example/', 'q7', 'div')]],
    [
      'a result that shows another address',
      [
        ...results,
        item('https://four.example/', 'q7')
          .replaceAll('four.example/x', 'other')
          .replaceAll('>four.example', '>other')
          .replace('of four.example', ''),
      ],
    ],
    ["the engine's own word about the search", [`<li class="n3"><h1>There are no results for k</h1></li>`, ...results]],
    ['only the word that there are none', [`<li class="n3"><h1>There are no results for k</h1></li>`]],
  ])('is refused with %s', (_, items) => {
    expect(linksOf(engine, page(items)), name).toBe('unparseable');
  });
});

it('a Bing heading that links outside the engine and is in no item of the list causes the page to be refused', () => {
  const { item, page } = forms['Bing']!;
  const nested = `<div>${item('https://four.example/', 'q7')}</div>`;
  expect(linksOf(bingEngine, page([...sites.map((link) => item(link, 'q7')), nested]))).toBe('unparseable');
});
