// The proofs that a page of Bing or DuckDuckGo is from the engine and complete.
import { describe, expect, it } from 'vitest';
import { bingEngine } from '../../../src/service/engines/bing/index.ts';
import { duckDuckGoEngine } from '../../../src/service/engines/duckduckgo/index.ts';
import * as bing from './bing/pages.ts';
import * as duck from './duckduckgo/pages.ts';

const items = (result: (link: string, title: string) => string): string =>
  ['a', 'b'].map((name) => result(`https://${name}.example/`, name)).join('');

const unread = 'Results of the page cannot be read. Not read: 1.';

describe.each([
  { engine: bingEngine, html: bing.bingPage(items(bing.bingResult)), ...bing },
  { engine: duckDuckGoEngine, html: duck.duckPage(items(duck.duckResult)), ...duck },
])('a page of $engine.name', ({ engine, html, marks, foot }) => {
  const refusal = (changed: string) => () => engine.parse(changed, { mobile: false });

  it('is read if it has the marks of its engine and continues below its results', () => {
    expect(engine.parse(html, { mobile: false }).serp.organic).toHaveLength(2);
  });

  it('is refused as a page of another site if the marks are missing', () => {
    expect(refusal(html.replace(marks, ''))).toThrow('The page is not of this engine. It has no mark of this engine.');
  });

  it('is refused if nothing follows its results, even with closed tags', () => {
    expect(refusal(html.replace(foot, ''))).toThrow('The page is cut off before its end. Nothing follows its results.');
  });

  it('is refused if the link of one result is broken: the others would move up', () => {
    for (const changed of ['href="javascript:void(0)"', ''])
      expect(refusal(html.replace('href="https://a.example/"', changed))).toThrow(unread);
  });
});

describe('a page on which the engine states that it found nothing', () => {
  const none = {
    bing: '<li class="b_no"><h1>There are no results for <strong>running shoes</strong></h1></li>',
    duck: '<div class="result result--no-result"><h1>No more results found for <strong>x</strong></h1></div>',
  };
  const lost = (item: string): string => item.replace(/<a (?:class="[^"]*" )?href="[^"]*">(.*?)<\/a>/, '$1');

  it.each([
    { name: 'Bing', engine: bingEngine, page: bing.bingPage, said: none.bing, item: bing.bingResult },
    { name: 'DuckDuckGo', engine: duckDuckGoEngine, page: duck.duckPage, said: none.duck, item: duck.duckResult },
  ])('is refused if a result without a link is next to the statement: $name', ({ engine, page, said, item }) => {
    const read = (html: string) => () => engine.parse(html, { mobile: false });
    const result = item('https://a.example/', 'A');
    expect(read(page(said))().serp).toEqual({});
    expect(read(page(said + lost(result)))).toThrow();
    expect(read(page(said + result.replace(/ href="[^"]*"/, '')))).toThrow();
    expect(read(page(said + result.replace(/ href="[^"]*"/, ' href="#"')))).toThrow();
  });

  it('is refused if an unknown item of Bing may be a result', () => {
    const read = (rest: string) => () => bingEngine.parse(bing.bingPage(none.bing + rest), { mobile: false });
    expect(read('<li class="x1"><h2>A</h2><cite>a.example</cite></li>')).toThrow();
    expect(read('<li class="b_ans"><h2>Related searches</h2></li>')().serp.organic).toBeUndefined();
  });

  it('is not a DuckDuckGo page with the statement in another place', () => {
    const said = duck.duckPage('').replace('<div id="links">', `${none.duck}<div id="links">`);
    expect(() => duckDuckGoEngine.parse(said + 'Words. '.repeat(60), { mobile: false })).toThrow();
  });
});
