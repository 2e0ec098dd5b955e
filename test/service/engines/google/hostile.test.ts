// Hostile markup is refused or read quickly, and never causes a crash.
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { googleEngine } from '../../../../src/service/engines/google/index.ts';
import { ServiceError } from '../../../../src/service/model/errors.ts';
import { desktopPage, foot, marks, mobilePage, mobileResult, result } from './pages.ts';

const bytes = 4 * 1024 * 1024;
const fill = (piece: string, length = bytes): string => piece.repeat(Math.floor(length / piece.length));
const named = '<a href=http://x.example/><h3>t</h3></a>';
const head = `<body>${marks}<div id=main><div id=rcnt><div id=center_col><div id=rso>`;

/** The result of a page: `read`, or the reason of its refusal. Anything but a ServiceError is a crash. */
function outcomeOf(html: string): string {
  try {
    googleEngine.parse(html, { keyword: 'running shoes', mobile: false });
    return 'read';
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return error.reason ?? error.message;
  }
}

let slowest = 0;

afterAll(() => console.info(`hostile markup of 4 MiB: at most ${Math.round(slowest)} ms of CPU a page`));

/** 950 results of different sites. */
const sites = (one: string): string =>
  Array.from({ length: 950 }, (_, nth) => one.replace('x.example', `x${nth}.example`)).join('');

describe('hostile markup', () => {
  it.each([
    ['20,000 nested tags', '<div>'.repeat(20_000), 'unparseable'],
    ['tags that are never closed', fill('<li><p><b>'), 'unparseable'],
    ['tables in tables', fill('<table><tr><td>'), 'unparseable'],
    ['more elements than any page', fill('<b>x</b>'), 'unparseable'],
    ['more links than any page', head + '<a href=/x>y</a>'.repeat(5_100), 'unparseable'],
    ['more headings than any page', head + '<div role=heading>t</div>'.repeat(1_100), 'unparseable'],
    ['null bytes', fill('\0<\0div\0>'), 'unparseable'],
    ['only scripts', `<script>${fill('<h3>')}`, 'unparseable'],
    ['a comment without end', `<!--${fill('-')}`, 'unparseable'],
    ['an attribute without end', `<a href="${fill('x')}`, 'unparseable'],
    ['an element of a million equal attributes', `<body><div ${fill('a=b ')}>`, 'javascript_wall'],
    ['a title of dashes', `<title>${fill(' - a')}</title><body>`, 'javascript_wall'],
    ['950 results in one nest', head + '<div>'.repeat(400) + sites(named), 'read'],
    [
      '950 mobile results in one nest',
      `<body>${marks}<div id=main>${'<div>'.repeat(400)}${sites(mobileResult('http://x.example/', 't'))}`,
      'read',
    ],
    [
      'bad character references in a title',
      `${head}<a href=http://x.example/><h3>${fill('&amp;&lt;&#xFFFFFFFF;&nosuch;&#0;&#')}</h3></a>`,
      'read',
    ],
    ['dashes where a date could be', `${head}${named}<div><span>${fill('-')}</span></div>`, 'read'],
    [
      'nested facts',
      `${head}${named}<div data-attrid=title>T</div>${'<div data-attrid=kc:/x>'.repeat(450)}${'<span>a:</span> b'.repeat(14_000)}`,
      'read',
    ],
    [
      'an overview nested in itself',
      `${head}${named}<div data-mcpr><div data-rl=en>${'<ul><li>'.repeat(200)}x`,
      'read',
    ],
    [
      '4,900 searches',
      `${head}${named}${Array.from({ length: 4_900 }, (_, i) => `<a href="/search?q=a${i}">a${i}</a>`).join('')}`,
      'read',
    ],
  ])('%s', (_, markup, outcome) => {
    const html = outcome === 'read' ? `${markup}${foot}</html>` : markup;
    const start = process.threadCpuUsage();
    expect(outcomeOf(html)).toBe(outcome);
    const { user, system } = process.threadCpuUsage(start);
    slowest = Math.max(slowest, (user + system) / 1000);
    // only quadratic growth can exceed this bound, on any machine
    expect(user + system).toBeLessThan(20_000_000);
  });

  it('of any kind neither crashes nor empties a field', () => {
    const page =
      desktopPage(
        result(
          'https://a.example/',
          'A',
          '<div data-attrid="title">T</div><ul><li><a href="https://b.example/"><h3>B</h3></a></li></ul>',
        ),
      ) + mobilePage(mobileResult('https://c.example/', 'C'));
    const cut = fc.record({
      from: fc.nat(page.length),
      length: fc.nat(60),
      put: fc.constantFrom('', '<', '>', '"', '</div>', '<h3>', '<a href=', '&', '\0', '<table>', '-->', '<svg>'),
    });
    fc.assert(
      fc.property(fc.array(cut, { maxLength: 8 }), (cuts) => {
        const broken = cuts.reduce(
          (html, { from, length, put }) => html.slice(0, from) + put + html.slice(from + length),
          page,
        );
        outcomeOf(broken);
      }),
      { numRuns: 300 },
    );
  });
});
