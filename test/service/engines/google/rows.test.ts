// Rows of links of 2025 and 2026: paid offers in a list, discussions, places, and searches within a country.
import { describe, expect, it } from 'vitest';
import { desktopPage, read, result } from './pages.ts';

const rows = result('https://a.example/', 'A');

describe('rows of links', () => {
  it('are recognised as paid offers in a list, and not as sitelinks of a text ad', () => {
    const card = (name: string): string =>
      `<div role="listitem"><a href="https://${name}.example/" data-rw="/aclk?sa=l&amp;ai=${name}"><div>Tour of ${name}</div></a></div>`;
    const text =
      '<div data-text-ad="1"><a href="https://shop.example/"><div role="heading">Shop</div></a><div role="listitem"><a href="https://shop.example/sale" data-rw="/aclk?sa=l&amp;ai=s">Sale</a></div></div>';
    const { serp, features } = read(
      desktopPage(
        `<div id="tads"><span role="heading">Tours</span><div role="list">${card('x')}${card('y')}</div>${text}</div>${rows}`,
      ),
    );
    expect(serp.organic?.map(({ link }) => link)).toEqual(['https://a.example/']);
    expect(features).toEqual([
      { type: 'paid', links: ['https://shop.example/', 'https://x.example/', 'https://y.example/'] },
    ]);
  });

  it('are recognised as discussions by the URLs of groups and topics', () => {
    const post = (link: string): string =>
      `<div><a href="${link}"><div role="heading" aria-level="3">Which beach?</div></a><a href="${link}"><span>An answer</span></a></div>`;
    const box = `<div><div role="heading" aria-level="2">Discussions</div>${post('https://www.facebook.example/groups/1/posts/2/')}${post('https://travel.example/ShowTopic-g1-i2')}${post('https://other.example/page')}</div>`;
    const { features } = read(desktopPage(rows + box));
    expect(features.map(({ type }) => type)).toEqual(['discussions_and_forums']);
  });

  it('may keep the country of the request: related searches and tabs are still recognised', () => {
    const country = 'tbs=ctr:countryUS&amp;cr=countryUS';
    const after = `<a href="/search?${country}&amp;q=trail+shoes">trail shoes</a><a href="/search?tbs=qdr:d&amp;q=road+shoes">road shoes</a>`;
    const before = `<a href="/search?${country}&amp;q=running+shoes&amp;tbm=nws">News</a>`;
    const { serp } = read(desktopPage(rows, { before, after }));
    expect(serp.related?.map(({ text }) => text)).toEqual(['trail shoes']);
    expect(serp.navigation?.map(({ title }) => title)).toContain('News');
  });

  it('are recognised as places by their links to directions; a single one is a panel', () => {
    const place = (name: string): string =>
      `<div><div role="button" id="pv-/g/${name}"><div role="heading" aria-level="3">${name}</div></div><a href="https://${name}.example/">Website</a><a href="/maps/dir//${name}">Directions</a></div>`;
    const box = `<div><div role="heading" aria-level="2">Places</div><div>${place('one')}${place('two')}</div><a href="/search?q=running+shoes&amp;udm=1">More places</a></div>`;
    const { serp, features } = read(desktopPage(box + rows));
    expect(features).toEqual([{ type: 'local_pack', links: ['https://one.example/', 'https://two.example/'] }]);
    expect(serp.organic?.map(({ link }) => link)).toEqual(['https://a.example/']);
    expect(read(desktopPage(`<div>${place('one')}</div>${rows}`)).features).toEqual([]);
  });

  it('of results are not places if more of these links follow below', () => {
    const place = (id: string): string =>
      `<div class="rllt" data-cid="${id}"><div role="heading" aria-level="3">P</div><a href="https://p${id}.example/">Website</a></div>`;
    const pack = `<div>${place('123456789012')}${place('223456789012')}</div>`;
    const { features } = read(desktopPage(`<div>${pack}${rows}<div>${place('323456789012')}</div></div>`));
    expect(features).toEqual([
      { type: 'local_pack', links: ['https://p123456789012.example/', 'https://p223456789012.example/'] },
    ]);
  });
});
