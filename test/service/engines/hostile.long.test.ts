// Hostile markup: every engine refuses or reads it quickly and never crashes. See also google/hostile.test.ts.
import { afterAll, describe, expect, it } from 'vitest';
import { bingEngine } from '../../../src/service/engines/bing/index.ts';
import { duckDuckGoEngine } from '../../../src/service/engines/duckduckgo/index.ts';
import type { Engine } from '../../../src/service/engines/engine.ts';
import { googleEngine } from '../../../src/service/engines/google/index.ts';
import { ServiceError } from '../../../src/service/model/errors.ts';
import { bingPage, bingResult } from './bing/pages.ts';
import { duckPage, duckResult } from './duckduckgo/pages.ts';
import { desktopPage, result } from './google/pages.ts';

const characters = 4 * 1024 * 1024;
const fill = (piece: string): string => piece.repeat(Math.floor(characters / piece.length));
const asked = { keyword: 'running shoes', country: 'US', language: 'en', mobile: false, page: 2 };

/** Upper bound of CPU time in milliseconds: only quadratic growth comes near it. */
const cpuMsMax = 5_000;
const slowest = new Map<string, number>();

afterAll(() => {
  const lines = [...slowest].map(([engine, ms]) => `${engine} ${Math.round(ms)} ms`);
  console.info(`hostile markup, CPU time of the slowest page: ${lines.join(', ')}`);
});

/** The result of a page: the number of results, or the reason of refusal. Anything but a ServiceError is a crash. */
function outcomeOf(engine: Engine, html: string): number | string {
  const start = process.threadCpuUsage();
  try {
    const { serp } = engine.parse(html, asked);
    engine.nextOf?.(html, asked, 0);
    return serp.organic?.length ?? 0;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return error.reason ?? error.message;
  } finally {
    const { user, system } = process.threadCpuUsage(start);
    const ms = (user + system) / 1000;
    slowest.set(engine.name, Math.max(slowest.get(engine.name) ?? 0, ms));
    expect(ms).toBeLessThan(cpuMsMax);
  }
}

const nested = (piece: string, end: string): string => piece.repeat(100_000) + end.repeat(100_000);
const anyone: readonly (readonly [string, string])[] = [
  ['100,000 nested tags', nested('<div>', '</div>')],
  ['100,000 nested tables', nested('<table><tr><td>', '')],
  ['100,000 nested lists', nested('<ul><li>', '')],
  ['100,000 nested templates', nested('<template>', '')],
  ['100,000 nested pictures', nested('<svg><foreignObject>', '')],
  ['100,000 nested formulas', nested('<math><mi>', '')],
  ['100,000 tags of formatting', nested('<b>', '')],
  ['100,000 tags of formatting in blocks', nested('<b><p>', '')],
  ['different tags of formatting', Array.from({ length: 60_000 }, (_, nth) => `<i id=${nth}><p>`).join('')],
  ['formatting that ends in the wrong order', fill('<b><i><p></b></i>')],
  ['links in links', fill('<a href=x><p>')],
  ['forms, buttons and options', fill('<form><button><select><option>')],
  ['text outside of the cells of a table', fill('<table>x<tr>y')],
  ['more elements than any page', fill('<b>x</b>')],
  ['more links than any page', '<a href=/x>y</a>'.repeat(5_100)],
  ['more attributes than any page', fill(`<b ${'ab=cd '.repeat(99)}>`)],
  ['more attributes than any element', `<b ${Array.from({ length: 200_000 }, (_, nth) => `a${nth}=b`).join(' ')}>`],
  ['more attributes of many bodies', Array.from({ length: 1_000 }, (_, nth) => `<body a${nth}=b>`).join('')],
  ['comments', fill('<!---->')],
  ['scripts', fill('<script></script>')],
  ['a script that does not end', fill('<script>')],
  ['angle brackets', fill('<')],
  ['null bytes', fill('\0<\0div\0>')],
];
/** Pages that are large for the tree, and too little for a page of results. */
const empty: readonly (readonly [string, string])[] = [
  ['more ends than any page', `<div>${fill('ab</b>')}`],
  ['ends of what is open far above, and of nothing', `<i><table><tr><td>${'<div>'.repeat(490)}${fill('</i></b>')}`],
  ['ends of tags in tables', `<table>${fill('</p></br>')}`.slice(0, 100_000)],
  ['words of one letter', `<p>${fill('a ')}`],
  ['words of one letter in a table', `<table>${fill('a ')}`],
  ['references', `<p>${fill('&amp;&lt;&#x41;&nosuch;&')}`],
  ['beginnings of scripts before one end', `${fill('<script>')}</script>`],
];

describe.each([googleEngine, bingEngine, duckDuckGoEngine])('$name refuses', (engine) => {
  it.each(anyone)('%s', (_, html) => {
    expect(outcomeOf(engine, html)).toBe('unparseable');
  });

  it.each(empty)('%s', (_, html) => {
    expect(outcomeOf(engine, html)).toBeTypeOf('string');
  });

  it('a query of megabytes', () => {
    const value = fill('&lt;&#x41;');
    const html = `<html><body><input id="sb_form_q" name="q" value="${value}"><div id="b_results"></div></body></html>`;
    expect(outcomeOf(engine, html)).toBe('wrong_query');
  });
});

const repeated = (count: number, row: (link: string, title: string) => string): string =>
  Array.from({ length: count }, (_, nth) => row(`https://x.example/${nth}`, 't')).join('');

describe('these are read in time:', () => {
  it.each<[string, Engine, string, number | string]>([
    ['4,800 results of Bing', bingEngine, bingPage(repeated(4_800, bingResult)), 4_800],
    [
      'results of Bing below long classes',
      bingEngine,
      bingPage(`${`<div class="${'b_al '.repeat(1_500)}">`.repeat(400)}${repeated(4_800, bingResult)}`),
      4_800,
    ],
    [
      'a result of Bing with 29,000 paragraphs below long classes',
      bingEngine,
      bingPage(
        `${bingResult('https://x.example/', 't').replace('</li>', '')}${`<div class="${'b_d '.repeat(1_500)}">`.repeat(400)}${'<p></p>'.repeat(28_000)}`,
      ),
      1,
    ],
    ['a class of megabytes', bingEngine, bingPage(`<li class="${fill('b_algo ')}"><h2><a href="/x">t</a></h2>`), 1],
    ['4,800 results of DuckDuckGo', duckDuckGoEngine, duckPage(repeated(4_800, duckResult)), 4_800],
    [
      '4,800 titles in one result of DuckDuckGo',
      duckDuckGoEngine,
      duckPage(
        `<div class="result">${'<div class="x">'.repeat(470)}${'<a class="result__a" href="https://x.example/">t</a>'.repeat(4_800)}${'</div>'.repeat(471)}`,
      ),
      1,
    ],
    [
      '14,000 forms of DuckDuckGo',
      duckDuckGoEngine,
      duckPage(
        `${duckResult('https://x.example/', 't')}${'<form><input type=hidden name=s value=9></form>'.repeat(14_000)}`,
      ),
      1,
    ],
    [
      'a question of Google with 13,000 lists',
      googleEngine,
      desktopPage(
        `${result('https://x.example/', 't')}<div data-q="a?" data-lk="x">${'<ul><li>x</ul>'.repeat(13_000)}</div>`,
      ),
      1,
    ],
    [
      'an overview of Google with 4,800 citations in one card',
      googleEngine,
      desktopPage(result('https://x.example/', 't'), {
        before: `<div data-mcpr><div data-rl="en"><p>x</p></div><div>${'<a href="https://y.example/">y</a>'.repeat(4_800)}</div></div>`,
      }),
      1,
    ],
  ])('%s', (_, engine, html, outcome) => {
    expect(outcomeOf(engine, html)).toBe(outcome);
  });
});
