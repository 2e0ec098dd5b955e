// A page is empty only if the engine states it in the usual place and no result is next to the statement.
import { describe, expect, it } from 'vitest';
import { desktopPage, links, mobilePage, mobileResult, plainPage, read, result } from './pages.ts';

const sentence = (said = 'running shoes'): string =>
  `<p role="heading" aria-level="3">Votre recherche - <span><em>${said}</em></span> - ne correspond à aucun document.</p><ul><li>Autre</li></ul>`;
const top = (inner: string): string => `<div id="topstuff">${inner}</div>`;
const below = (inner: string): string => `<div id="botstuff">${inner}<div id="bres"></div></div>`;
const plainSentence =
  '<div><div><span>Your search - </span><span>running shoes</span><span> - did not match any documents.</span></div></div>';
const refused = expect.objectContaining({ code: 'SERP_FAILED', reason: 'no_organic_results' });
const words = '<p>more words about the search</p>'.repeat(12);

const empty = (rest: string): string => desktopPage('', { before: top(sentence()) + rest });

describe('a page on which the engine states that it found nothing', () => {
  it.each([
    ['desktop, above the list', desktopPage('', { before: top(sentence()) })],
    ['desktop, before 2022', desktopPage('', { before: top(sentence().replace(/ role="[^"]*" aria-level="3"/, '')) })],
    ['desktop, below the list', desktopPage('', { after: below(sentence()) })],
    ['mobile', mobilePage('').replace('<div id="rso">', `${top(sentence())}<div id="rso">`)],
    ['without scripts', plainPage(plainSentence)],
  ])('is an empty SERP: %s', (_, html) => {
    expect(read(html).serp.organic).toBeUndefined();
  });

  it('may truncate a long query', () => {
    const query = 'portland oregon engine three go to the market and come back again today';
    const said = sentence('portland oregon engine three go to the market ...');
    expect(read(desktopPage('', { before: top(said), query })).serp.organic).toBeUndefined();
  });

  it('may have ads and links to the engine itself', () => {
    const ad = '<div data-text-ad="1"><a href="https://ad.example/"><h3>Ad</h3></a></div>';
    const help =
      '<a href="https://www.google.com/advanced_search">Tools</a><a href="https://support.google.com/x">Help</a>';
    expect(read(empty(ad + help)).serp.top_ads).toHaveLength(1);
  });
});

describe('a page that repeats its query', () => {
  it('is not empty because of links that repeat it', () => {
    const link =
      '<div><a href="/search?q=running+shoes&amp;tbm=isch">Images of <b>running shoes</b> and more of what the engine has to show, page after page</a></div>';
    expect(() => read(desktopPage('', { before: top(link.repeat(4)) }))).toThrow(refused);
  });

  it.each([
    ['in the list', desktopPage(sentence() + words)],
    ['beside the results', desktopPage('', { aside: sentence() + words })],
    ['in the results column', desktopPage('', { before: sentence() + words })],
    ['without the list', desktopPage('', { before: top(sentence()) + words }).replace(/ id="(?:rso|search)"/g, '')],
  ])('is not empty because of a sentence in another place: %s', (_, html) => {
    expect(() => read(html)).toThrow(refused);
  });

  it.each([
    ['a link', '<a href="https://a.example/">A</a>'],
    [
      'a result that was not taken for one',
      '<div data-attrid="x"><a href="/url?q=https://a.example/"><h3>A</h3></a></div>',
    ],
    ['a destination that only the engine knows', '<a href="/goto?url=CAES">A</a>'],
    ['a heading without a link', '<div><h3>A</h3></div>'],
    ['a heading by its role', '<div role="heading" aria-level="3">A</div>'],
    ['a heading in a link to a script', '<a href="javascript:void(0)"><h3>A</h3></a>'],
  ])('is not empty next to %s', (_, rest) => {
    expect(() => read(empty(words + rest))).toThrow(refused);
  });

  it.each([
    ['a question', '<div class="related-question-pair" data-q="Why?"><div role="heading">Why?</div></div>'],
    ['the column beside the results', '<div role="complementary"><h3>Map</h3></div>'],
    ['the reminder of privacy', '<div id="cnso"><div role="heading">A privacy reminder</div></div>'],
    ['the statement itself', ''],
  ])('is empty if only a feature has a heading: %s', (_, rest) => {
    expect(read(empty(rest)).serp.organic).toBeUndefined();
  });

  it('is not empty if its results lost their links, or links and headings', () => {
    const forms = [
      desktopPage(result('https://a.example/', 'A') + words, { before: top(sentence()) }),
      mobilePage(mobileResult('https://a.example/', 'A') + words).replace(
        '<div id="rso">',
        `${top(sentence())}<div id="rso">`,
      ),
      plainPage(`${plainSentence}<div><a href="/url?q=https://a.example/"><h3>A</h3><div>a.example</div></a></div>`),
    ];
    for (const html of forms) {
      const unlinked = html.replace(/ href="(?:\/url\?q=)?https:[^"]*"/g, '');
      expect(() => read(unlinked)).toThrow();
      expect(() => read(unlinked.replace(/<(\/?)h3/g, '<$1div').replace(/ role="heading"/g, ''))).toThrow();
    }
  });

  it('is not empty because of a snippet of a page without scripts', () => {
    const before = `<div>A result with its description, which lost its link. ${'Words. '.repeat(20)}</div>`;
    expect(() => read(plainPage(before + plainSentence))).toThrow();
    expect(() => read(plainPage(`${plainSentence}<div>a.example</div>`))).toThrow();
  });
});

describe('a list of places', () => {
  const place = (name: string): string =>
    `<div><div role="heading" aria-level="3">${name}</div><a href="/maps/dir//${name}">Directions</a></div>`;
  const places = `<div>${place('A')}${place('B')}</div>${words}`;

  it('is the whole page only if no result without a link is next to it', () => {
    expect(read(desktopPage(places)).serp.organic).toBeUndefined();
    expect(() => read(desktopPage(`${places}<div>C</div><div><cite>c.example › page</cite></div>`))).toThrow(refused);
    expect(() => read(desktopPage(`${places}<div role="heading" aria-level="3">C</div>`))).toThrow(refused);
  });
});

describe('a result that lost its link', () => {
  const two = result('https://a.example/', 'A') + result('https://c.example/', 'C');
  const lost = result('https://b.example/', 'B').replace(' href="https://b.example/"', '');

  it('causes the page to be refused: the results below it would move up', () => {
    const profile = '<div><a><h3>Acme (@acme)</h3><div>3.2M followers</div></a></div>';
    expect(() => links(desktopPage(two + profile))).toThrow('Not read: 1.');
    expect(() => links(desktopPage(two + lost))).toThrow('Results of the page cannot be read. Not read: 1.');
    expect(() => links(desktopPage(two + lost.replace(/<(\/?)a(?=[ >])/g, '<$1span')))).toThrow('Not read: 1.');
    const mobile = mobileResult('https://a.example/', 'A') + mobileResult('https://b.example/', 'B');
    expect(() => links(mobilePage(mobile.replace(' href="https://b.example/"', '')))).toThrow('Not read: 1.');
  });

  it('is distinguished from titles of features and links of the engine to its own parts', () => {
    const rest = [
      '<div><h3>Images</h3><div>shown</div></div>',
      '<div><div role="heading" aria-level="2">Discussions</div><div>d.example › page</div></div>',
      '<div><a href="/search?q=x&amp;start=10"><h3>More results</h3></a></div>',
    ];
    for (const each of rest) expect(links(desktopPage(two + each))).toHaveLength(2);
  });

  it.each([
    ['shops', '<a href="https://www.google.com/aclk?sa=l"><div>Toy</div><cite>shop.example</cite></a>'],
    ['other searches', '<p><a href="/search?q=shop.example+shoes">shop.example shoes</a></p>'],
    ['the source of a definition', '<div><a href="/url?q=https://d.example/x">https://d.example/x</a> - More</div>'],
  ])('is distinguished from a title above links that are URLs: %s', (_, inner) => {
    const block = `<div><h3>Title</h3><div>${inner}</div></div>`;
    expect(links(desktopPage(two + block))).toHaveLength(2);
    expect(() => links(desktopPage(two + block.replace(/ href="[^"]*"/, '')))).toThrow('Not read: 1.');
    const besides = block.replace(
      inner,
      '<div><cite>d.example/x</cite> - <a href="https://c.example/y">Cached</a></div>',
    );
    expect(() => links(desktopPage(two + besides))).toThrow('Not read: 1.');
  });
});
