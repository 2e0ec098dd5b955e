// Elements next to the results: closed tabs, rows between results, lists of places.
import { describe, expect, it } from 'vitest';
import { desktopPage, read, result } from './pages.ts';

const rows = [1, 2, 3].map((nth) => result(`https://r${nth}.example/`, `R${nth}`));
const question = (text: string): string =>
  `<div class="related-question-pair" data-q="${text}"><div role="button">${text}</div></div>`;
const video = (name: string): string =>
  `<div><a href="https://www.youtube.com/watch?v=${name}"><div role="heading" aria-level="3">${name}</div></a><span>4:05</span></div>`;
const videos = (...names: string[]): string =>
  `<div><div role="heading" aria-level="2">Videos</div>${names.map(video).join('')}</div>`;
const picture = (name: string): string =>
  `<div data-lpage="https://${name}.example/page"><img alt="${name}" src="https://${name}.example/p.jpg"></div>`;
const search = (query: string, more = ''): string =>
  `<a href="/search?q=${encodeURIComponent(query)}${more}&amp;sa=X"><div>${query}</div></a>`;

describe('tabs of a page', () => {
  const panel = (id: string, inner: string): string => `<div><div role="tabpanel" id="tab-${id}">${inner}</div></div>`;
  const closed = question('Closed?') + videos('closed1', 'closed2') + picture('closed') + search('closed search');
  const shown = `${question('Open?')}${videos('open1', 'open2')}${picture('open')}`;

  it('that are closed are not read: the open one contains the results', () => {
    const { serp, features } = read(
      desktopPage(panel('a', closed) + panel('b', rows.join('') + shown) + panel('c', closed)),
    );
    expect(serp.organic?.map(({ link }) => link)).toEqual([1, 2, 3].map((nth) => `https://r${nth}.example/`));
    expect(serp.people_also_ask?.map((each) => each.question)).toEqual(['Open?']);
    expect(serp.images?.map(({ title }) => title)).toEqual(['open']);
    expect(serp.related).toBeUndefined();
    expect(features.find(({ type }) => type === 'video')?.links).toEqual(
      ['open1', 'open2'].map((name) => `https://www.youtube.com/watch?v=${name}`),
    );
  });

  it('are identified by the selected one if the results are next to them', () => {
    const tabs = `<div role="tab" aria-selected="false" aria-controls="tab-a">A</div><div role="tab" aria-selected="true" aria-controls="tab-b">B</div>`;
    const { serp } = read(
      desktopPage(tabs + panel('a', question('Closed?')) + panel('b', question('Open?')) + rows.join('')),
    );
    expect(serp.people_also_ask?.map((each) => each.question)).toEqual(['Open?']);
  });

  it('without a known open tab are all read', () => {
    const { serp } = read(desktopPage(panel('a', question('One?')) + panel('b', question('Two?')) + rows.join('')));
    expect(serp.people_also_ask?.map((each) => each.question)).toEqual(['One?', 'Two?']);
  });
});

describe('related searches', () => {
  const below = ['trail shoes', 'road shoes'].map((query) => search(query)).join('');
  const texts = (html: string) => read(html).serp.related?.map(({ text }) => text);

  it('between two results are read if they form a row', () => {
    const row = ['one', 'two', 'three'].map((query) => search(query)).join('');
    expect(texts(desktopPage(`${rows[0]}<div>${row}</div>${rows[1]}`, { after: below }))).toEqual([
      'one',
      'two',
      'three',
      'trail shoes',
      'road shoes',
    ]);
    expect(
      texts(desktopPage(`${rows[0]}<div>${search('one')}${search('two')}</div>${rows[1]}`, { after: below })),
    ).toEqual(['trail shoes', 'road shoes']);
  });

  it.each(['&amp;stick=H4sIA', '&amp;si=AMgyJE', '&amp;kgmid=/m/01', '&amp;mrq=1', '&amp;spell=1'])(
    'are not rows of entities, ads and spellings: %s',
    (more) => {
      const row = ['one', 'two', 'three'].map((query) => search(query, more)).join('');
      expect(texts(desktopPage(`${rows[0]}<div>${row}</div>${rows[1]}`, { after: row + below }))).toEqual([
        'trail shoes',
        'road shoes',
      ]);
    },
  );

  it('are not links with several pictures; an icon does not count as one', () => {
    const withPictures = (count: number) =>
      `<a href="/search?q=shop+deals">${'<img alt="">'.repeat(count)}<div>shop deals</div></a>`;
    expect(texts(desktopPage(rows.join(''), { after: withPictures(2) + below }))).toEqual([
      'trail shoes',
      'road shoes',
    ]);
    expect(texts(desktopPage(rows.join(''), { after: withPictures(1) }))).toEqual(['shop deals']);
  });
});

describe('a list of places instead of results', () => {
  const place = (id: string, website = ''): string =>
    `<div><a class="rllt__link" role="button" data-cid="${id}"><div role="heading" aria-level="3">Place ${id}</div></a>${website}</div>`;
  const list = `<div>${place('123456789012')}${place('223456789012', '<a href="https://dentist.example/">Website</a>')}${place('323456789012')}</div>`;

  it('is a page without organic results, with its feature', () => {
    const { serp, features } = read(desktopPage(list));
    expect(serp.organic).toBeUndefined();
    expect(features).toEqual([{ type: 'local_pack', links: ['https://dentist.example/'] }]);
  });

  it.each([
    ['one place only', place('123456789012')],
    ['places that are paid for', `<div data-is-ad="1">${list}</div>`],
    ['names of results beside the list, without their links', `${list}<div><a href="#"><h3>R</h3></a></div>`],
    ['a link beside the list that may be a result', `${list}<div><a href="https://r.example/"><div>R</div></a></div>`],
  ])('proves nothing with %s', (_, inner) => {
    expect(() => read(desktopPage(inner))).toThrow(expect.objectContaining({ code: 'SERP_FAILED' }));
  });
});
