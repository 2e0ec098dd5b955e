// The proofs that a page is from the engine and complete.
import { describe, expect, it } from 'vitest';
import { googleEngine } from '../../../../src/service/engines/google/index.ts';
import { eventId } from '../../../helpers/page-clock.ts';
import { desktopPage, foot, links, marks, mobilePage, mobileResult, plainPage, result } from './pages.ts';

const listed = (html: string): readonly string[] | string => {
  try {
    return links(html);
  } catch (error) {
    return (error as Error).message;
  }
};

const rows = [1, 2, 3].map((nth) => result(`https://r${nth}.example/`, `R${nth}`)).join('');
const all = ['https://r1.example/', 'https://r2.example/', 'https://r3.example/'];

describe('a page of another site', () => {
  const foreign = desktopPage(rows).replace(marks, '');

  it('is refused even with the form, the search box and the results of this engine', () => {
    expect(listed(foreign)).toContain('no mark of this engine');
    const shop = `<form action="/search"><input name="q" value="shoes"></form><div id="main"><div id="search">${rows}<a href="/search?q=shoes&amp;page=2">2</a></div></div>${foot}`;
    expect(listed(shop)).toContain('no mark of this engine');
  });

  it('is refused even if it states that it found nothing', () => {
    const said = '<p>Your search - <em>running shoes</em> - did not match any documents.</p>';
    const empty = desktopPage('', { before: `<div id="topstuff">${said}</div>` });
    expect(listed(empty)).toEqual([]);
    expect(listed(empty.replace(marks, ''))).toBe('The page is not of this engine. It has no mark of this engine.');
  });

  it('is refused even if it links to a search, with its token', () => {
    const one = '<a href="https://www.google.com/search?q=shoes&amp;ved=0ahUKEwiHnL3m">all</a>';
    expect(listed(foreign.replace('<body>', `<body>${one.repeat(5)}`))).toContain('no mark of this engine');
  });

  it.each([
    ['the event id of its scripts', `<script>google.kEI="${eventId(Date.UTC(2015, 0, 1))}";</script>`],
    ['tokens of three links', marks],
  ])('is not assumed if the page has %s', (_, mark) => {
    expect(listed(foreign.replace('<body>', `<body>${mark}`))).toEqual(all);
  });
});

describe('a page that was read before it was complete', () => {
  const pages: readonly (readonly [string, string, string])[] = [
    ['desktop', desktopPage(rows), 'R2</h3>'],
    ['mobile', mobilePage(all.map((link, nth) => mobileResult(link, `R${nth + 1}`)).join('')), 'R2</div></div></a>'],
    [
      'without scripts',
      plainPage(
        all.map((link) => `<div><a href="/url?q=${link}"><h3>${link}</h3><div>x.example</div></a></div>`).join(''),
      ),
      `${all[1]}</h3>`,
    ],
  ];

  it.each(pages)('is refused if it ends after a result and its tags are closed: %s', (_, html, after) => {
    expect(listed(html)).toEqual(all);
    const cut = html.slice(0, html.indexOf(after) + after.length);
    expect(listed(`${cut}</div></body></html>`)).toBe(
      'The page is cut off before its end. Nothing follows its last result.',
    );
  });

  it.each([
    ['a footer', '<footer></footer>'],
    ['a footer by its role', '<div role="contentinfo"></div>'],
    ['a part that has been below the results', '<div id="fsl"></div>'],
    ['a link to the next page', '<a href="/search?q=x&amp;start=10">Next</a>'],
  ])('is complete if %s follows the last result', (_, end) => {
    const bare = `<html><body>${marks}<div id="rso">${rows}</div>`;
    expect(listed(`${bare}</body></html>`)).toContain('Nothing follows');
    expect(listed(`${bare}${end}</body></html>`)).toEqual(all);
    expect(listed(`<html><body>${end}${marks}<div id="rso">${rows}</div></body></html>`)).toContain('Nothing follows');
  });

  it('does not prove absence either', () => {
    const said = '<p>Your search - <em>running shoes</em> - did not match any documents.</p>';
    const html = desktopPage('', { before: `<div id="topstuff">${said}</div>` });
    expect(googleEngine.parse(html, { mobile: false }).serp.organic).toBeUndefined();
    expect(listed(html.replace(/<div id="foot">.*?<\/div>/, ''))).toContain('Nothing follows');
  });
});
