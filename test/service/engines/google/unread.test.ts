// A page with an unreadable result is refused: the other results would move up.
import { describe, expect, it } from 'vitest';
import { desktopPage, links, mobilePage, mobileResult, plainPage, result } from './pages.ts';

const three = ['a', 'b', 'c'].map((name) => result(`https://${name}.example/`, name)).join('');
const named = (html: string): string => html.replaceAll('<a href="https', '<a jsname="Xy1" href="https');
const refused = expect.objectContaining({ code: 'SERP_FAILED', reason: 'unparseable' });

/** A link of two lines without a heading. */
const link = (second: string, attributes = ''): string =>
  `<div><a ${attributes} href="https://d.example/"><div>Title of D</div><div>${second}</div></a></div>`;

describe('a page with a result that has a heading of another kind', () => {
  const other = (second: string, attributes = ''): string =>
    `<div><a ${attributes} href="https://d.example/"><div role="heading" aria-level="3">D</div><div>${second}</div></a></div>`;

  it('is refused if the link shows its path, or has the class of all results', () => {
    expect(() => links(desktopPage(three + other('https://d.example › path')))).toThrow(refused);
    expect(() => links(desktopPage(named(three) + other('Forum · 20 comments', 'jsname="Xy1"')))).toThrow(refused);
    expect(links(desktopPage(three + other('Forum · 20 comments')))).toHaveLength(3);
  });

  it('is read if several such links are below their own title, which are a feature', () => {
    const title = '<div><div role="heading" aria-level="2">Discussions</div></div>';
    const row = `<div>${title}<div>${other('d.example › a')}${other('d.example › b').replace('d.', 'e.')}</div></div>`;
    expect(links(desktopPage(three + row))).toHaveLength(3);
  });
});

describe('a page with a result that has no heading', () => {
  it('is refused if the link shows its path as results do', () => {
    expect(() => links(desktopPage(three + link('https://d.example › path')))).toThrow(refused);
    expect(() => links(mobilePage(mobileResult('https://a.example/', 'A') + link('d.example › path')))).toThrow(
      refused,
    );
  });

  it('is refused if the link names its site in a cite, or describes its page below in a row of results', () => {
    expect(() => links(desktopPage(three + link('<cite>d.example</cite>')))).toThrow(refused);
    const row = `<div class="row">${link('Forum')}<p>Some words about the page, as results have them below.</p></div>`;
    expect(() => links(desktopPage(three + row))).toThrow(refused);
    const spoken =
      '<div class="g"><h2>Web results</h2><div><a href="https://d.example/"><div>D</div><cite>d.example</cite></a></div></div>';
    expect(() => links(desktopPage(three + spoken))).toThrow(refused);
  });

  it('is refused if the link has the class of the links of all results', () => {
    expect(() => links(desktopPage(named(three) + link('Forum · 20 comments', 'jsname="Xy1"')))).toThrow(refused);
  });

  it('is distinguished from a link of any other feature', () => {
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

  it('is distinguished from the source of a description or of a list that opens', () => {
    const source = link('https://d.example › path');
    const described = (name: string): string => `<div><div ${name}>Some words.</div>${source}</div>`;
    const opened = (name: string): string =>
      `<div><div role="heading" aria-level="3" ${name}>Makers of shoes</div>${source}</div>`;
    expect(links(desktopPage(three + described('data-attrid="description"')))).toHaveLength(3);
    expect(links(desktopPage(three + opened('aria-expanded="true"')))).toHaveLength(3);
    expect(() => links(desktopPage(three + described('')))).toThrow(refused);
    expect(() => links(desktopPage(three + opened('')))).toThrow(refused);
  });

  it('is refused if its row in the list shows its site below the link, as rows of results do', () => {
    const row = (site: string, inner: string): string =>
      `<div class="g">${inner}<div><cite>www.${site}/page</cite></div><p>Some words.</p></div>`;
    const old = (site: string): string =>
      row(site, `<h3 class="r"><a href="https://www.${site}/page">${site}</a></h3>`);
    const list = old('a.example') + old('b.example');
    expect(links(desktopPage(list))).toHaveLength(2);
    for (const tag of ['h2', 'h4', 'span', 'div'])
      expect(() =>
        links(desktopPage(list + row('d.example', `<${tag}><a href="https://www.d.example/page">D</a></${tag}>`))),
      ).toThrow(refused);
    const inOwnLetters = row('müller.example', '<div><a href="https://www.xn--mller-kva.example/page">M</a></div>');
    expect(() => links(desktopPage(list + inOwnLetters))).toThrow(refused);
    const others = [
      row('d.example', '<div>Videos</div><div><a href="https://www.d.example/page">D</a></div>'),
      row('d.example', '<a href="https://www.elsewhere.example/page">D</a>'),
      '<div class="g"><a href="https://d.example/">A story</a><div>d.example 3 hours ago</div></div>',
      row('d.example', '<a href="https://d.example/?ref_src=twcamp%5Eserp">D</a>'),
    ];
    for (const other of others) expect(links(desktopPage(list + other))).toHaveLength(2);
  });

  it('is read if it needs no scripts: sources of answers have no heading there', () => {
    const card = (inner: string): string =>
      `<div><div><a href="/url?q=https://d.example/&amp;sa=U">${inner}</a></div></div>`;
    const html = plainPage(card('<h3>D</h3><div>d.example › x</div>') + card('<div>E</div><div>e.example › x</div>'));
    expect(links(html)).toEqual(['https://d.example/']);
  });
});

describe('a page with an answer in an unknown form', () => {
  it('is refused if the source of the answer is listed again below it', () => {
    const answer = result('https://a.example/', 'a');
    expect(() => links(desktopPage(answer + three))).toThrow('Its first result is listed twice.');
    expect(links(desktopPage(three))).toHaveLength(3);
  });

  it('is read without the answers to questions of 2018, whose classes may change', () => {
    const question = `<div id="irq6">${result('https://q.example/', 'q')}</div>`;
    expect(links(desktopPage(three + question))).toHaveLength(3);
  });
});

it('a page is refused if a result with an address leads into the engine', () => {
  const inside = (link: string): string => desktopPage(result(link, 'D') + three);
  for (const link of ['/search?q=d', 'https://webcache.googleusercontent.com/search?q=cache:d', '/preferences?x=1'])
    expect(() => links(inside(link)), link).toThrow(refused);
  expect(links(inside('https://translate.google.com/translate?u=https://d.example/'))).toHaveLength(4);
  expect(
    links(desktopPage(`<div><a href="/search?q=d&amp;tbm=isch"><h3>Images for d</h3></a></div>${three}`)),
  ).toHaveLength(3);
});
