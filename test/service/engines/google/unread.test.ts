// A result that cannot be read is no reason to give the others: they would move up.
import { describe, expect, it } from 'vitest';
import { desktopPage, links, mobilePage, mobileResult, plainPage, result } from './pages.ts';

const three = ['a', 'b', 'c'].map((name) => result(`https://${name}.example/`, name)).join('');
const named = (html: string): string => html.replaceAll('<a href="https', '<a jsname="Xy1" href="https');
const refused = expect.objectContaining({ code: 'SERP_FAILED', reason: 'unparseable' });

/** A link of two lines without a heading. */
const link = (second: string, attributes = ''): string =>
  `<div><a ${attributes} href="https://d.example/"><div>Title of D</div><div>${second}</div></a></div>`;

describe('a page with a result that has no heading', () => {
  it('is refused where the link shows its path as results do', () => {
    expect(() => links(desktopPage(three + link('https://d.example › path')))).toThrow(refused);
    expect(() => links(mobilePage(mobileResult('https://a.example/', 'A') + link('d.example › path')))).toThrow(
      refused,
    );
  });

  it('is refused where the link carries the name that the links of all results carry', () => {
    expect(() => links(desktopPage(named(three) + link('Forum · 20 comments', 'jsname="Xy1"')))).toThrow(refused);
  });

  it('is told from a link of any other feature', () => {
    const other = [
      link('Forum · 20 comments', 'jsname="Zz9"'),
      '<div><a jsname="Xy1" href="https://d.example/"><img></a></div>',
      `<div class="related-question-pair" data-q="Why?">${link('https://d.example › path')}</div>`,
      link('d.example'),
    ];
    for (const each of other) expect(links(desktopPage(named(three) + each))).toHaveLength(3);
    const unlike = three.replace('<a href', '<a jsname="Xy1" href');
    expect(links(desktopPage(unlike + link('Forum · 20 comments', 'jsname="Xy1"')))).toHaveLength(3);
  });

  it('is read where it needs no scripts: sources of answers have no heading there', () => {
    const card = (inner: string): string =>
      `<div><div><a href="/url?q=https://d.example/&amp;sa=U">${inner}</a></div></div>`;
    const html = plainPage(card('<h3>D</h3><div>d.example › x</div>') + card('<div>E</div><div>e.example › x</div>'));
    expect(links(html)).toEqual(['https://d.example/']);
  });
});
