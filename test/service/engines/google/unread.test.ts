// A page with an unreadable result is refused: the other results would move up.
import { describe, expect, it } from 'vitest';
import { desktopPage, links, mobilePage, mobileResult, result } from './pages.ts';

const three = ['a', 'b', 'c'].map((name) => result(`https://${name}.example/`, name)).join('');
const refused = expect.objectContaining({ code: 'SERP_FAILED', reason: 'unparseable' });

/** A link of two lines without a heading. */
const link = (second: string): string =>
  `<div><a href="https://d.example/"><div>Title of D</div><div>${second}</div></a></div>`;

/** A row with one link in it, above a text. */
const row = (link: string, before = ''): string => `<div>${before}${link}<p>Some words about the page.</p></div>`;
const outward = 'href="https://d.example/"';

describe('a page with a result in another form', () => {
  it.each([
    ['another heading', row(`<a ${outward}><div role="heading" aria-level="3">D</div></a>`)],
    ['a heading of another level', row(`<h2><a ${outward}>D</a></h2>`)],
    ['no heading', row(`<a ${outward}>D</a>`)],
    ['no heading, and its site above', row(`<a ${outward}>D</a>`, '<div>https://d.example › path</div>')],
    ['no heading, and the name of its site above', row(`<a ${outward}>Title of it</a>`, '<div>The Name</div>')],
    [
      'one link around all of it',
      `<a ${outward}><div>d.example › path</div><div>Title of D</div><div>Some words about the page.</div></a>`,
    ],
    [
      'an empty link over all of it',
      `<div><a ${outward}></a><div>Title of D</div><div>https://d.example › path</div><p>Some words.</p></div>`,
    ],
    ['no heading, in two lines', link('Forum · 20 comments')],
    ['no heading and its address', link('https://d.example › path')],
    ['no heading, and one for screen readers', row(`<a ${outward}>D</a>`, '<h2>Web results</h2>')],
    ['no heading, and the format of its page', row(`<span><span>[PDF]</span> <a ${outward}>Title of D</a></span>`)],
    [
      'other elements around it',
      `<section><article><ul><li>${row(`<a ${outward}>D</a>`)}</li></ul></article></section>`,
    ],
  ])('is refused: %s', (_, html) => {
    for (const page of [three + html, html + three, result('https://a.example/', 'a') + html])
      expect(() => links(desktopPage(page))).toThrow(refused);
  });

  it('is refused if it is another page of the site above it', () => {
    const second = '<a href="https://m.d.example/x">Another page of D</a>';
    for (const html of [row(second), row(second, '<div>d.example › x</div>'), `<ol><li>${row(second)}</li></ol>`]) {
      const within = result('https://d.example/', 'D', html);
      for (const page of [`<div>${result('https://d.example/', 'D')}${html}</div>`, within])
        expect(() => links(desktopPage(three + page)), page).toThrow(refused);
    }
  });

  it('is read if it is indented below one of its site with its own text, as in 2021', () => {
    const list = (item: string): string => `<ul><li>${item}</li></ul>`;
    const item = '<div><a href="https://d.example/x"><h3>Another page</h3></a><p>Some words about the page.</p></div>';
    expect(links(desktopPage(three + result('https://d.example/', 'D', list(item))))).toHaveLength(5);
    const table = `<table><tr><td>${item}</td></tr></table>`;
    expect(() => links(desktopPage(three + result('https://d.example/', 'D', table)))).toThrow(refused);
  });

  it('is refused if it is outside the column', () => {
    const outside = `<div>${result('https://d.example/', 'D')}</div></body>`;
    expect(() => links(desktopPage(three).replace('</body>', outside))).toThrow(refused);
  });

  it('is read beside tools of the engine, which show no address', () => {
    const tools = [
      '<a href="https://posts.google.com/claim/?mid=/m/1">Claim this knowledge panel</a><div>Feedback</div>',
      '<a href="https://www.google.com/search/static/gs/m1.html"><div>Christie</div><div>Her life in images</div></a>',
      '<a href="https://scholar.google.com/scholar?cites=1">Cited by 5</a> · <a href="/search?q=r">Related</a><p>Some words about it all.</p>',
      '<div>Your connection to this website is secure. <a href="https://www.google.com/search/howsearchworks/">Learn how</a></div><p>x</p>',
    ];
    for (const tool of tools) expect(links(desktopPage(`${three}<div><div>${tool}</div></div>`)), tool).toHaveLength(3);
    const own = row('<a href="https://scholar.google.com/">Scholar</a>', '<div>https://scholar.google.com › x</div>');
    expect(() => links(desktopPage(three + own))).toThrow(refused);
  });

  it('is refused on mobile pages, too', () => {
    const html = mobileResult('https://a.example/', 'A') + link('d.example › path');
    expect(() => links(mobilePage(html))).toThrow(refused);
  });

  it.each([
    [
      'a feature below its own title',
      `<div><div>Discussions</div>${row(`<a ${outward}>D</a>`)}${row('<a href="https://e.example/">E</a>')}</div>`,
    ],
    [
      'a notice about removed results',
      row(`<p>In response to a complaint we removed a result. <a ${outward}>Read it</a>.</p>`),
    ],
    ['a title that leads to another search', row(`<a href="/search?q=d">Videos</a>${link('0:42')}`)],
    ['a link without a text', `<div><a ${outward}>D</a></div>`],
    [
      'buttons below the name of a place',
      `<div><div>Place</div><a ${outward}>Website</a><a href="/maps">Map</a></div>`,
    ],
    ['a question', `<div class="related-question-pair" data-q="Why?">${link('d.example › x')}</div>`],
    ['the tweets of a profile', row('<a href="https://d.example/?ref_src=twcamp%5Eserp">D</a>')],
    ['a concealed link', `<div style="visibility:hidden">${row(`<a ${outward}>D</a>`)}</div>`],
    [
      'other pages of the site below its result',
      `<div>${result('https://d.example/', 'D')}<div><a href="https://m.d.example/x">Shoes of D</a> <a href="https://d.example/y">Hoses of D</a></div></div>`,
    ],
  ])('is not what it shows besides: %s', (_, html) => {
    expect(links(desktopPage(three + html)).slice(0, 3)).toEqual([
      'https://a.example/',
      'https://b.example/',
      'https://c.example/',
    ]);
  });
});

describe('a page with a block of headed links without addresses', () => {
  const headed = (name: string): string => `<div><a href="https://${name}.example/"><h3>${name}</h3></a></div>`;

  it('is refused: nothing says that they are results', () => {
    const block = `<div><div>Guides</div>${headed('d')}${headed('e')}</div>`;
    for (const page of [three + block, block + three]) expect(() => links(desktopPage(page))).toThrow(refused);
  });

  it('is read if one result alone shows none, or none of them does', () => {
    expect(links(desktopPage(three + headed('d')))).toHaveLength(4);
    expect(links(desktopPage(headed('d') + three + headed('e')))).toHaveLength(5);
    expect(links(desktopPage(headed('d') + headed('e')))).toHaveLength(2);
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
