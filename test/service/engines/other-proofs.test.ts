// What proves that a page of Bing or DuckDuckGo is the engine's own and there to its end.
import { describe, expect, it } from 'vitest';
import { bingEngine } from '../../../src/service/engines/bing/index.ts';
import { duckDuckGoEngine } from '../../../src/service/engines/duckduckgo/index.ts';
import * as bing from './bing/pages.ts';
import * as duck from './duckduckgo/pages.ts';

const items = (result: (link: string, title: string) => string): string =>
  ['a', 'b'].map((name) => result(`https://${name}.example/`, name)).join('');

describe.each([
  { engine: bingEngine, html: bing.bingPage(items(bing.bingResult)), ...bing },
  { engine: duckDuckGoEngine, html: duck.duckPage(items(duck.duckResult)), ...duck },
])('a page of $engine.name', ({ engine, html, marks, foot }) => {
  const refusal = (changed: string) => () => engine.parse(changed, { mobile: false });

  it('is read where it has the marks of its engine and goes on below its results', () => {
    expect(engine.parse(html, { mobile: false }).serp.organic).toHaveLength(2);
  });

  it('is refused as a page of another site where the marks are missing', () => {
    expect(refusal(html.replace(marks, ''))).toThrow('no mark of this engine');
  });

  it('is refused where nothing follows its results, although its tags are closed', () => {
    expect(refusal(html.replace(foot, ''))).toThrow('Nothing follows its results');
  });
});
